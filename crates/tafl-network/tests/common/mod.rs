//! A small batch to learn, and a config to learn it with.

use ndarray::{Array1, Array2, Array4, Axis};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use tafl_network::{
    Architecture, Auxiliary, Network, NetworkConfig, Provenance, RulesetCard, TrainerConfig,
};
use tafl_rules::{Game, Move, Rules};
use tafl_samples::{Batch, Facts, MoveLists, PLANES, PolicyTargets, encode};

/// A training config that fits small batches.
pub(crate) fn config() -> TrainerConfig {
    TrainerConfig {
        average_decay: 0.9,
        shards: 4,
        threads: 2,
        ..TrainerConfig::default()
    }
}

/// The same with every option that changes what is learned and kept.
pub(crate) fn every_option() -> TrainerConfig {
    TrainerConfig {
        reply_weight: 0.15,
        ..config()
    }
}

/// A small untrained network for brandubh.
pub(crate) fn network() -> Network {
    network_with(Auxiliary::default())
}

/// A small untrained network for brandubh with such auxiliary heads.
pub(crate) fn network_with(auxiliary: Auxiliary) -> Network {
    let config = NetworkConfig {
        blocks: 1,
        channels: 16,
        value_channels: 4,
        value_hidden: 16,
    };
    let shape = Rules::preset("brandubh").unwrap().shape();
    Network::untrained(
        Architecture::new(config, shape).with_auxiliary(auxiliary),
        7,
    )
}

/// Where a test's checkpoint comes from.
pub(crate) fn provenance() -> Provenance {
    Provenance {
        run: "test".to_owned(),
        generation: 3,
        seed: 1,
        compute: tafl_network::Compute::F32,
        rulesets: vec![RulesetCard::of(&Rules::preset("brandubh").unwrap())],
        rule_changes: Vec::new(),
        history: Vec::new(),
        origin: None,
    }
}

/// Positions of random brandubh games, each with one move, a result and a length to learn.
pub(crate) fn batch(len: usize, seed: u64) -> Batch {
    let rules = Rules::preset("brandubh").unwrap();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let (mut game, mut moves) = (Game::new(rules.clone()), Vec::new());
    let mut batch = Batch {
        planes: Array4::zeros((len, 7, 7, PLANES)),
        policy: PolicyTargets::default(),
        legal: MoveLists::default(),
        wdl: Array2::zeros((len, 3)),
        moves_left: Array1::zeros(len),
        weight: Array1::ones(len),
        moves_left_weight: Array1::ones(len),
        reply: Array1::zeros(len),
        reply_weight: Array1::ones(len),
    };
    let output = |mv: &Move| mv.policy_index(rules.shape());
    for i in 0..len {
        if game.outcome().is_some() || game.moves().len() > 30 {
            game = Game::new(rules.clone());
        }
        game.legal_moves(&mut moves);
        let mv = moves[(rng.next_u64() % moves.len() as u64) as usize];
        let planes = batch.planes.index_axis_mut(Axis(0), i);
        encode(&Facts::of(&game), &rules, planes);
        moves.sort_unstable_by_key(output);
        batch.legal.push(moves.iter().map(output));
        batch.policy.push([(output(&mv), 1.0)]);
        let result = (rng.next_u64() % 2) as usize;
        batch.wdl[[i, 2 * result]] = 1.0;
        batch.moves_left[i] = (rng.next_u64() % 60) as f32;
        game.play(mv).unwrap();
        moves.clear();
        if game.outcome().is_none() {
            game.legal_moves(&mut moves);
        }
        batch.reply[i] = moves.first().map_or(0, |mv| output(mv).0);
    }
    batch
}
