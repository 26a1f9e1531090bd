//! `tafl config versions`: what must be the same on all machines that work on one run.

use serde::Serialize;
use std::collections::BTreeMap;
use tafl_dataset::SCHEMA_VERSION;
use tafl_network::{CHECKPOINT_FORMAT, LIBTORCH_VERSION};
use tafl_samples::ENCODING_VERSION;
use tafl_training::{Loaded, fingerprint};

#[derive(Debug, Serialize)]
struct Versions {
    tafl: &'static str,
    encoding: u32,
    samples: u32,
    checkpoints: u32,
    libtorch: &'static str,
    /// The fingerprint of each ruleset of the config, by name.
    rulesets: BTreeMap<String, String>,
}

/// Prints the versions of this program and of the rulesets of a config.
pub(super) fn print(loaded: &Loaded) -> anyhow::Result<()> {
    let rulesets = loaded
        .rules
        .iter()
        .map(|rules| (rules.ruleset().name.clone(), fingerprint(rules)));
    let versions = Versions {
        tafl: env!("CARGO_PKG_VERSION"),
        encoding: ENCODING_VERSION,
        samples: SCHEMA_VERSION,
        checkpoints: CHECKPOINT_FORMAT,
        libtorch: LIBTORCH_VERSION,
        rulesets: rulesets.collect(),
    };
    println!("{}", serde_json::to_string_pretty(&versions)?);
    Ok(())
}
