//! What an export tells of its files and of its rules.

use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// Checks the sums of an export's texts with the tools that anybody has.
pub(super) fn check(folder: &Path, card: &Value) {
    let sums = card["texts"].as_object().expect("texts");
    let lines = sums.iter().map(|(name, sum)| {
        let sum = sum.as_str().expect("a sum");
        format!("echo '{sum}  {name}' | sha256sum --check --quiet -")
    });
    let own = card["own_sha256"].as_str().expect("a sum");
    let own = format!("test \"$(grep -v own_sha256 model.json | sha256sum)\" = '{own}  -'");
    for line in lines.chain([own]) {
        let status = Command::new("bash")
            .args(["-c", &line])
            .current_dir(folder)
            .status();
        assert!(status.expect("bash").success(), "{line}");
    }
}

/// Checks that the export alone says what is played.
pub(super) fn check_rules(folder: &Path, card: &Value) {
    let readme = std::fs::read_to_string(folder.join("README.md")).expect("it");
    let file = readme
        .split("```toml\n")
        .nth(1)
        .expect("the ruleset's file");
    let path = folder.join("own.toml");
    std::fs::write(&path, file.split("```").next().expect("it")).expect("written");
    let rules = tafl_training::load_ruleset_file(&path).expect("a ruleset");
    assert_eq!(
        card["rulesets"][0]["fields"],
        Value::from(rules.ruleset().to_fields())
    );
    let fingerprint = format!("{:016x}", rules.ruleset().fingerprint());
    assert_eq!(card["rulesets"][0]["fingerprint"], fingerprint);
}
