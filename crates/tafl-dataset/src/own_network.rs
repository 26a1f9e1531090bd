//! Whether a network is one of a run. The name of a run does not tell: its folder may be renamed, and another run may have
//! that name.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;
use tafl_store::{CARD, MOST_TEXT_BYTES, WEIGHTS, checkpoint_folder, checkpoints, read_text};

/// What the card of a checkpoint says of whose it is.
#[derive(Deserialize)]
struct Card {
    provenance: Made,
    /// By the name of each file.
    sha256: BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct Made {
    run: String,
}

impl Card {
    fn of(checkpoint: &Path) -> Option<Self> {
        let text = read_text(&checkpoint.join(CARD), MOST_TEXT_BYTES).ok()?;
        serde_json::from_str(&text).ok()
    }
}

/// Returns whether a network is that checkpoint of the run in a folder: by the SHA-256 of its weights, where that is
/// known, else by the name that the run had when it made the checkpoint.
///
/// A checkpoint that the run did not keep is taken for its own if any other of the run was made under that name.
pub fn is_network_of(run: &Path, generation: u32, name: &str, weights: Option<&str>) -> bool {
    let own = Card::of(&checkpoint_folder(run, generation));
    match (own, weights) {
        (Some(own), Some(weights)) => own.sha256.get(WEIGHTS).map(|it| &**it) == Some(weights),
        (Some(own), None) => own.provenance.run == name,
        (None, _) => {
            let cards = checkpoints(run).unwrap_or_default().into_iter();
            let mut cards = cards.filter_map(|(_, checkpoint)| Card::of(&checkpoint));
            cards.any(|card| card.provenance.run == name)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_knows_its_networks_under_any_name_and_no_others_of_its_name() {
        let run = tempfile::tempdir().expect("a folder");
        // Checkpoint 1 was not kept; the run was called `f2b` before it made checkpoint 2.
        for (generation, name) in [(0, "f2"), (2, "f2b")] {
            let folder = checkpoint_folder(run.path(), generation);
            std::fs::create_dir_all(&folder).expect("made");
            let card = format!(
                r#"{{"provenance": {{"run": "{name}"}}, "sha256": {{"weights.safetensors": "w{generation}"}}}}"#
            );
            std::fs::write(folder.join("model.json"), card).expect("written");
        }
        for (generation, name, weights, is_own) in [
            (0, "f2", Some("w0"), true),
            (0, "whatever", Some("w0"), true),
            (0, "f2", Some("x"), false),
            (2, "f2b", Some("w0"), false),
            // Workers of before did not say by which weights they play.
            (0, "f2", None, true),
            (2, "f2b", None, true),
            (2, "f2", None, false),
            (1, "f2", Some("w1"), true),
            (1, "f2b", None, true),
            (1, "other", Some("w1"), false),
        ] {
            let found = is_network_of(run.path(), generation, name, weights);
            assert_eq!(found, is_own, "{generation} {name} {weights:?}");
        }
    }
}
