//! Checkpoints damaged at random are loaded or refused, and what is loaded can be used.
//!
//! Three hundred of each kind; `TAFL_SLOW=1` goes on for ten minutes.

use crate::common::{config, network, provenance};
use crate::damage::damaged;
use serde_json::{Value, json};
use std::path::PathBuf;
use tafl_network::{
    Compute, Device, Trainer, load_card, load_network, load_trainer, save_checkpoint,
};

fn saved() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("4");
    let trainer = Trainer::new(&network(), config(), Device::Cpu, Compute::F32).unwrap();
    save_checkpoint(&path, &trainer, provenance()).unwrap();
    (folder, path)
}

#[test]
fn damaged_cards_are_read_or_refused() {
    let (_folder, path) = saved();
    let card = path.join("model.json");
    let whole = std::fs::read(&card).unwrap();
    damaged(&whole, |bytes| {
        std::fs::write(&card, bytes).unwrap();
        let _ = load_card(&path);
        let _ = load_network(&path);
    });
}

#[test]
fn damaged_tensors_are_read_or_refused() {
    let (_folder, path) = saved();
    let card = path.join("model.json");
    let written: Value = serde_json::from_slice(&std::fs::read(&card).unwrap()).unwrap();
    for name in ["weights.safetensors", "optimizer.safetensors"] {
        let file = path.join(name);
        let whole = std::fs::read(&file).unwrap();
        // The beginning of the file says which tensors there are; the rest are their numbers.
        let head = whole.len().min(3000);
        damaged(&whole[..head], |bytes| {
            let bytes = [bytes, &whole[head..]].concat();
            std::fs::write(&file, &bytes).unwrap();
            // With its checksum, so that the damage is not seen by that.
            let sum = tafl_store::sha256_hex(&bytes);
            let mut now = written.clone();
            now["sha256"][name] = json!(sum);
            std::fs::write(&card, now.to_string()).unwrap();
            let _ = load_network(&path);
            let _ = load_trainer(&path, config(), Device::Cpu, Compute::F32);
        });
        std::fs::write(&file, whole).unwrap();
    }
}
