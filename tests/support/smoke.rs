//! The smallest run.

/// A config for Brandubh in f32: the same files each time.
pub(crate) const SMOKE: [&str; 7] = [
    "configs/smoke.toml",
    "--set",
    "rulesets=['brandubh']",
    "--set",
    "precision='f32'",
    "--set",
    "replay.minimum=50",
];
