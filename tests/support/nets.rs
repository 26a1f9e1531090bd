//! Small untrained networks, as checkpoints.

use std::path::Path;
use std::sync::Arc;
use tafl_network::{
    Architecture, Compute, Device, GenerationCard, Losses, Network, NetworkConfig, Provenance,
    RulesetCard, Trainer, TrainerConfig, save_checkpoint,
};
use tafl_rules::Rules;

/// Writes a checkpoint that claims to have learned these rulesets, all of one board, from a hundred samples each.
pub(crate) fn write_net(folder: &Path, run: &str, rulesets: &[&str]) {
    let presets = rulesets.iter().map(|name| Rules::preset(name));
    let rules: Vec<Arc<Rules>> = presets.map(|rules| rules.expect("a preset")).collect();
    write_net_of(folder, run, &rules);
}

/// Does what [`write_net`] does for rules of any kind.
pub(crate) fn write_net_of(folder: &Path, run: &str, rules: &[Arc<Rules>]) {
    let config = NetworkConfig {
        blocks: 1,
        channels: 8,
        value_channels: 4,
        value_hidden: 8,
    };
    let architecture = Architecture::new(config, rules[0].shape());
    let network = Network::untrained(architecture, 5);
    let trainer = Trainer::new(
        &network,
        TrainerConfig::default(),
        Device::Cpu,
        Compute::F32,
    );
    let provenance = Provenance {
        run: run.to_owned(),
        generation: 3,
        seed: 5,
        compute: Compute::F32,
        rulesets: rules.iter().map(|rules| RulesetCard::of(rules)).collect(),
        rule_changes: Vec::new(),
        history: vec![GenerationCard {
            generation: 2,
            games: 10,
            samples: 100 * rules.len() as u64,
            steps: 1,
            losses: Losses::default(),
        }],
        origin: None,
    };
    save_checkpoint(folder, &trainer.expect("a trainer"), provenance).expect("it is written");
}

/// Writes the quickstart's config without what takes time to find out at each start; returns its path.
pub(crate) fn write_config(folder: &Path) -> String {
    let path = folder.join("search.toml");
    let text = std::fs::read_to_string(crate::support::root().join("configs/quickstart.toml"));
    let text = text.expect("readable");
    let (top, sections) = text.split_once("\n[").expect("a section");
    let text = format!("{top}\nprecision = \"f32\"\n\n[{sections}");
    std::fs::write(&path, text).expect("writable");
    path.display().to_string()
}
