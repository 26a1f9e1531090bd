//! What a run says of itself.

use super::Run;
use std::path::Path;

impl Run {
    /// Says on stderr what begins.
    pub(crate) fn introduce(&self) {
        let config = &self.config;
        let rulesets: Vec<&str> = self
            .rules
            .iter()
            .map(|rules| rules.ruleset().name.as_str())
            .collect();
        let size = self.shape().size();
        eprintln!(
            "{}: {} on {size}x{size}, network of {}x{}, {} in {}, seed {}",
            self.name,
            rulesets.join(", "),
            config.network.blocks,
            config.network.channels,
            config.device,
            self.compute,
            config.seed,
        );
        eprintln!("{}", shown(self.folder()));
        match self.last_checkpoint() {
            0 => {}
            last => eprintln!("resumed after generation {last}"),
        }
    }

    /// Says on stderr which generation begins, unless it is complete already.
    pub(crate) fn introduce_generation(&self, generation: u32) {
        if self.has_checkpoint(generation + 1) {
            return;
        }
        eprintln!(
            "generation {} of {}",
            generation + 1,
            self.config.amounts.generations
        );
    }

    /// Says on stderr that the last matches begin.
    pub(crate) fn introduce_ladder(&self) {
        eprintln!("ladder");
    }

    /// Returns where everything is, and what can be done next.
    pub(crate) fn summary(&self) -> String {
        let last = self.checkpoint_folder(self.config.amounts.generations);
        let ruleset = &self.config.rulesets[0];
        let ruleset = match tafl_rules::preset(ruleset) {
            Some(_) => ruleset.clone(),
            None => shown(&self.folder().join(ruleset)),
        };
        format!(
            "run         {}\nlast        {}\nplay it     tafl play --checkpoint {} --ruleset {ruleset}\n",
            shown(self.folder()),
            shown(&last),
            shown(&last),
        )
    }
}

/// Returns a path as seen from the current folder, if it lies below it.
fn shown(path: &Path) -> String {
    let here = std::env::current_dir().ok();
    let below = here.and_then(|here| path.strip_prefix(here).ok().map(Path::to_path_buf));
    below.as_deref().unwrap_or(path).display().to_string()
}
