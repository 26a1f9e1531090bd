//! What a run says of itself.

use tafl_store::RunSettings;

/// What made a run, as its manifest says.
pub(crate) fn settings() -> RunSettings {
    RunSettings {
        run: "test".into(),
        git_commit: Some("0".repeat(40)),
        seed: u64::MAX,
        config_sha256: String::new(),
        libtorch: "2.11.0".into(),
        device: "cpu".into(),
        precision: "f32".into(),
        stages: Vec::new(),
    }
}
