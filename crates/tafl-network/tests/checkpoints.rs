//! What is stored comes back, and what is damaged is refused with the file's name and a reason.

use crate::common::{batch, config, network, provenance};
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tafl_network::{
    Compute, Device, Network, Trainer, computes_numbers, drop_optimizer, load_card,
    load_module_weights, load_network, load_trainer, save_checkpoint, save_network,
};
use tafl_samples::PLANES;

const FILES: [&str; 3] = ["weights.safetensors", "optimizer.safetensors", "model.json"];

fn saved() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("4");
    let mut trainer = Trainer::new(&network(), config(), Device::Cpu, Compute::F32).unwrap();
    trainer.step(&batch(16, 1), 0.01).unwrap();
    save_checkpoint(&path, &trainer, provenance()).unwrap();
    (dir, path)
}

fn error(path: &Path) -> String {
    load_trainer(path, config(), Device::Cpu, Compute::F32)
        .unwrap_err()
        .to_string()
}

fn change_card(path: &Path, change: impl FnOnce(&mut Value)) {
    let file = path.join("model.json");
    let mut card: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    change(&mut card);
    std::fs::write(file, serde_json::to_vec(&card).unwrap()).unwrap();
}

type Tensor = (Dtype, Vec<usize>, Vec<u8>);

/// Takes away what formats before 6 did not have.
fn without_destinations(path: &Path) {
    for name in &FILES[..2] {
        change_tensors(path, name, |tensors| {
            tensors.retain(|name, _| !name.contains("destinations."));
        });
    }
}

/// Rewrites a safetensors file and the checksum in the card, so that only the tensors are wrong.
fn change_tensors(path: &Path, name: &str, change: impl FnOnce(&mut BTreeMap<String, Tensor>)) {
    let file = path.join(name);
    let bytes = std::fs::read(&file).unwrap();
    let tensors = SafeTensors::deserialize(&bytes)
        .unwrap()
        .tensors()
        .into_iter();
    let owned = |view: TensorView<'_>| (view.dtype(), view.shape().to_vec(), view.data().to_vec());
    let mut tensors = tensors.map(|(name, view)| (name, owned(view))).collect();
    change(&mut tensors);
    let views = tensors.iter().map(|(name, (dtype, shape, bytes))| {
        (name, TensorView::new(*dtype, shape.clone(), bytes).unwrap())
    });
    let bytes = safetensors::serialize(views, None).unwrap();
    std::fs::write(&file, &bytes).unwrap();
    let sum = tafl_store::sha256_hex(&bytes);
    change_card(path, |card| card["sha256"][name] = json!(sum));
}

#[test]
fn a_checkpoint_holds_the_network_and_where_it_comes_from() {
    let (_dir, path) = saved();
    let (trainer, card) = load_trainer(&path, config(), Device::Cpu, Compute::F32).unwrap();
    let (network, same_card) = load_network(&path).unwrap();
    assert!(trainer.network().unwrap() == network);
    assert_eq!(card, same_card);
    assert_eq!(card, load_card(&path).unwrap());
    assert_eq!((card.provenance, card.steps), (provenance(), 1));
    assert_eq!(card.planes, tafl_samples::plane_names());
    assert_eq!(card.architecture, *crate::common::network().architecture());
}

#[test]
fn a_lowered_mover_wins_less_and_is_saved_with_the_card_it_had() {
    let (dir, path) = saved();
    let (mut trainer, card) = load_trainer(&path, config(), Device::Cpu, Compute::F32).unwrap();
    let before = trainer.network().unwrap();
    trainer.lower_mover(0.25).unwrap();
    let lowered = trainer.network().unwrap();
    for (name, numbers) in before.weights() {
        let changes = numbers.iter().zip(&lowered.weights()[name]);
        let changes: Vec<f32> = changes.map(|(before, after)| after - before).collect();
        // Win, draw and loss come first.
        let expected = match &**name {
            "value.output.bias" => vec![-0.25, 0.0, 0.25, 0.0, 0.0],
            _ => vec![0.0; changes.len()],
        };
        let near = |(found, expected): (&f32, &f32)| (found - expected).abs() < 1e-6;
        assert!(changes.iter().zip(&expected).all(near), "{name}");
    }
    let other = dir.path().join("other");
    let saved = save_network(&other, &lowered, card.clone()).unwrap();
    let (network, same) = load_network(&other).unwrap();
    assert!(network == lowered);
    assert_eq!((same.provenance, same.steps), (card.provenance, card.steps));
    assert_eq!(saved.sha256.len(), 1);
}

#[test]
fn without_the_optimizer_a_checkpoint_plays_on_but_learns_no_more() {
    let (_dir, path) = saved();
    let (network, _) = load_network(&path).unwrap();
    drop_optimizer(&path).unwrap();
    drop_optimizer(&path).unwrap();
    assert!(load_network(&path).unwrap().0 == network);
    let error = error(&path);
    let expected = "optimizer.safetensors: no such file; only the last two";
    assert!(error.contains(expected), "{error}");
}

#[test]
fn equal_trainers_make_equal_files_and_replace_what_was_there() {
    let ((_one, first), (_two, second)) = (saved(), saved());
    for name in FILES {
        let read = |path: &Path| std::fs::read(path.join(name)).unwrap();
        assert!(read(&first) == read(&second), "{name}");
    }
    let trainer = Trainer::new(&network(), config(), Device::Cpu, Compute::F32).unwrap();
    let partial = first.with_file_name("4.partial");
    std::fs::create_dir(&partial).unwrap();
    std::fs::write(partial.join("left over from a kill"), "").unwrap();
    save_checkpoint(&first, &trainer, provenance()).unwrap();
    assert_eq!(load_card(&first).unwrap().steps, 0);
    assert_eq!(std::fs::read_dir(&first).unwrap().count(), FILES.len());
    assert!(!partial.exists());
}

#[test]
fn missing_truncated_and_changed_files_are_named() {
    for name in FILES {
        let (_dir, path) = saved();
        let file = path.join(name);
        let whole = std::fs::read(&file).unwrap();
        std::fs::remove_file(&file).unwrap();
        assert!(error(&path).contains(name) && error(&path).contains("no such file"));
        for len in [0, 5, whole.len() / 2, whole.len() - 3] {
            std::fs::write(&file, &whole[..len]).unwrap();
            let error = error(&path);
            assert!(error.contains(name) && error.contains("damaged"), "{error}");
            assert_eq!(error.lines().count(), 1, "{error}");
        }
        let mut flipped = whole.clone();
        flipped[whole.len() / 2] ^= 4;
        std::fs::write(&file, flipped).unwrap();
        if name != "model.json" {
            assert!(error(&path).contains("SHA-256"), "{}", error(&path));
        }
    }
}

#[test]
fn other_versions_are_refused_before_anything_else_is_read() {
    let (_dir, path) = saved();
    let file = path.join("model.json").display().to_string();
    change_card(&path, |card| {
        card["encoding_version"] = json!(77);
        card["architecture"] = json!("of a later program");
    });
    let here = tafl_samples::ENCODING_VERSION;
    let expected = format!("{file}: encoding version 77, but this program reads 3, 4, 5 or {here}");
    assert_eq!(error(&path), expected);
    change_card(&path, |card| card["format"] = json!(9));
    assert_eq!(
        error(&path),
        format!("{file}: checkpoint format 9, but this program reads 3, 4, 5, 6, 7 or 8")
    );
    change_card(&path, |card| {
        drop(card.as_object_mut().unwrap().remove("format"))
    });
    assert_eq!(
        error(&path),
        format!("{file}: damaged: field `format` is missing")
    );
}

#[test]
fn ranges_that_do_not_fit_the_network_are_refused() {
    for ranges in [
        json!([1.0]),
        json!([1.0, 2.0, -3.0]),
        json!([1.0, 2.0, 1e39]),
    ] {
        let (_dir, path) = saved();
        change_card(&path, |card| card["activation_ranges"] = ranges.clone());
        let found = error(&path);
        assert!(found.contains("model.json: damaged: "), "{found}");
        assert!(
            found.contains("activation_ranges") || found.contains("range"),
            "{found}"
        );
    }
}

#[test]
fn shared_heads_are_taken_from_a_card_of_format_3_and_heads_per_role_refused() {
    let (_dir, path) = saved();
    without_destinations(&path);
    let now = load_card(&path).unwrap();
    let format = |format: u32, heads: &str| {
        change_card(&path, |card| {
            card["format"] = json!(format);
            card["architecture"]["network"]["heads"] = json!(heads);
        });
    };
    format(3, "shared");
    let (trainer, card) = load_trainer(&path, config(), Device::Cpu, Compute::F32).unwrap();
    assert_eq!((card.format, trainer.steps()), (3, 1));
    assert_eq!(card.architecture, now.architecture);
    format(3, "per-role");
    let expected =
        "damaged: field `architecture.network.heads`: this program has no heads per role";
    assert!(error(&path).ends_with(expected), "{}", error(&path));
    format(4, "shared");
    assert!(error(&path).contains("unknown field"), "{}", error(&path));
}

#[test]
fn architectures_that_cannot_be_are_refused() {
    let cases: [(&str, Value, &str); 4] = [
        (
            "board_size",
            json!(8),
            "field `board_size`: 8 is not 7, 9 or 11",
        ),
        ("planes", json!(3), "field `planes`"),
        ("depth", json!(3), "unknown field `depth`"),
        (
            "network",
            json!({"blocks": 4_000_000_000_u32, "channels": 16, "value_channels": 4, "value_hidden": 16}),
            "field `blocks`: 4000000000 is more than 64",
        ),
    ];
    for (field, value, expected) in cases {
        let (_dir, path) = saved();
        change_card(&path, |card| card["architecture"][field] = value);
        let error = error(&path);
        assert!(
            error.contains("model.json: damaged: ") && error.contains(expected),
            "{error}"
        );
    }
}

#[test]
fn tensors_that_are_not_the_networks_are_refused() {
    type Change = fn(&mut BTreeMap<String, Tensor>);
    let bytes = |count: usize| vec![0_u8; 4 * count];
    let extra: Change =
        |tensors| drop(tensors.insert("extra".into(), (Dtype::F32, vec![1], vec![0; 4])));
    let cases: [(&str, Change, &str); 6] = [
        (FILES[0], extra, "unexpected tensor extra"),
        (FILES[1], extra, "unexpected tensor extra"),
        (
            FILES[0],
            |tensors| drop(tensors.remove("policy.conv.bias")),
            "tensor policy.conv.bias is missing",
        ),
        (
            FILES[1],
            |tensors| drop(tensors.remove("first.policy.conv.bias")),
            "tensor first.policy.conv.bias is missing",
        ),
        (
            FILES[0],
            |tensors| tensors.get_mut("value.hidden.bias").unwrap().1 = vec![4, 4],
            "tensor value.hidden.bias is F32 [4, 4], expected F32 [16]",
        ),
        (
            FILES[1],
            |tensors| tensors.get_mut("second.value.hidden.bias").unwrap().2[..4].fill(0xff),
            "tensor second.value.hidden.bias holds a value that is not a finite number",
        ),
    ];
    for (name, change, expected) in cases {
        let (_dir, path) = saved();
        change_tensors(&path, name, change);
        let error = error(&path);
        assert!(error.contains(name) && error.contains(expected), "{error}");
    }
    let (_dir, path) = saved();
    let broadcast = (Dtype::F32, vec![1], bytes(1));
    change_tensors(&path, FILES[0], |tensors| {
        drop(tensors.insert("value.hidden.bias".into(), broadcast))
    });
    assert!(error(&path).contains("is F32 [1], expected F32 [16]"));
}

/// Returns the weights of the stem for each output, those of the first planes and those of the others.
fn stem_weights(network: &Network, planes: usize) -> Vec<(&[f32], &[f32])> {
    let stem = network.weights()["stem.conv.weight"].chunks_exact(PLANES * 9);
    stem.map(|kernels| kernels.split_at(planes * 9)).collect()
}

#[test]
fn a_checkpoint_of_encoding_3_gets_weights_of_0_for_the_planes_that_came_later() {
    let net = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/nets/copenhagen-reference");
    let text = std::fs::read_to_string(net.join("model.json")).unwrap();
    let stored: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        stored["encoding_version"], 3,
        "or the test needs another net"
    );
    let (network, card) = load_network(&net).unwrap();
    assert_eq!(card.encoding_version, tafl_samples::ENCODING_VERSION);
    assert_eq!(card.planes, tafl_samples::plane_names());
    for (old, new) in stem_weights(&network, 36) {
        assert!(old.iter().any(|&weight| weight != 0.0));
        assert!(new.iter().all(|&weight| weight == 0.0));
    }
}

/// Planes of encoding 4.
const PLANES_OF_4: usize = 40;

/// Rewrites a checkpoint as the program of encoding 4 would have written it.
fn as_encoding_4(path: &Path) {
    for name in &FILES[..2] {
        change_tensors(path, name, |tensors| {
            let stems = tensors.iter_mut();
            for (_, (_, shape, bytes)) in stems.filter(|it| it.0.ends_with("stem.conv.weight")) {
                let outputs = bytes.chunks_exact(4 * PLANES * 9);
                let narrow = outputs.flat_map(|output| &output[..4 * PLANES_OF_4 * 9]);
                *bytes = narrow.copied().collect();
                shape[1] = PLANES_OF_4;
            }
        });
    }
    change_card(path, |card| {
        card["encoding_version"] = json!(4);
        card["architecture"]["planes"] = json!(PLANES_OF_4);
        card["planes"].as_array_mut().unwrap().truncate(PLANES_OF_4);
    });
}

#[test]
fn a_checkpoint_of_encoding_4_plays_and_learns_on_with_weights_of_0_for_the_later_planes() {
    let (_dir, path) = saved();
    let (exact, _) = load_network(&path).unwrap();
    as_encoding_4(&path);
    let loaded = load_trainer(&path, config(), Device::Cpu, Compute::F32);
    let (mut trainer, card) = loaded.unwrap();
    assert_eq!((trainer.steps(), card.planes.len()), (1, PLANES));
    let network = trainer.network().unwrap();
    let old = stem_weights(&exact, PLANES_OF_4).into_iter();
    for ((kept, new), (old, _)) in stem_weights(&network, PLANES_OF_4).into_iter().zip(old) {
        assert_eq!(kept, old);
        assert!(new.iter().all(|&weight| weight == 0.0));
    }
    trainer.step(&batch(16, 2), 0.01).unwrap();
    assert_eq!(trainer.steps(), 2);
}

#[test]
fn a_checkpoint_of_format_5_plays_and_learns_on_with_destinations_of_0() {
    let (_dir, path) = saved();
    let (exact, _) = load_network(&path).unwrap();
    change_card(&path, |card| card["format"] = json!(5));
    let expected = "unexpected tensor destinations.conv.bias";
    let found = load_network(&path).unwrap_err().to_string();
    assert!(found.contains(expected), "{found}");
    without_destinations(&path);
    let loaded = load_trainer(&path, config(), Device::Cpu, Compute::F32);
    let (mut trainer, _) = loaded.unwrap();
    let network = trainer.network().unwrap();
    for (name, numbers) in network.weights() {
        match name.starts_with("destinations.") {
            true => assert!(numbers.iter().all(|&it| it == 0.0), "{name}"),
            false => assert_eq!(numbers, &exact.weights()[name], "{name}"),
        }
    }
    trainer.step(&batch(16, 2), 0.01).unwrap();
    let network = trainer.network().unwrap();
    let learned = &network.weights()["destinations.conv.weight"];
    assert!(learned.iter().any(|&it| it != 0.0));
}

#[test]
fn weights_too_large_to_compute_with_are_found() {
    let network = network();
    assert!(computes_numbers(&network).unwrap());
    let mut weights = network.weights().clone();
    for numbers in weights.values_mut() {
        numbers.fill(1e30);
    }
    let large = Network::from_weights(*network.architecture(), weights).unwrap();
    assert!(!computes_numbers(&large).unwrap());
}

#[test]
fn weights_that_a_module_of_pytorch_saved_are_read_and_others_named() {
    let (_dir, path) = saved();
    let (network, _) = load_network(&path).unwrap();
    let file = path.join("weights.safetensors");
    let load = || load_module_weights(&file, *crate::common::network().architecture());
    // Its batch norms count their batches.
    let counter = (Dtype::I64, Vec::new(), vec![7, 0, 0, 0, 0, 0, 0, 0]);
    change_tensors(&path, FILES[0], |tensors| {
        let name = "stem.norm.num_batches_tracked".to_owned();
        tensors.insert(name, counter.clone());
    });
    let (found, origin) = load().unwrap();
    assert!(found.weights() == network.weights());
    assert_eq!((&*origin.run, origin.steps), ("weights.safetensors", 0));
    type Change = fn(&mut BTreeMap<String, Tensor>);
    let cases: [(Change, &str); 4] = [
        (
            |tensors| drop(tensors.insert("mine".to_owned(), (Dtype::U8, vec![1], vec![1]))),
            "unexpected tensor mine",
        ),
        (
            |tensors| {
                let name = "value.output.bias".to_owned();
                drop(tensors.insert(name, (Dtype::F16, vec![5], vec![0; 10])));
            },
            "tensor value.output.bias is F16, but only F32 is read: save module.float().state_dict(), or export it in f32",
        ),
        (
            |tensors| {
                let name = "value.output.bias".to_owned();
                drop(tensors.insert(name, (Dtype::F32, vec![4], vec![0; 16])));
            },
            "tensor value.output.bias is F32 [4], expected F32 [5]",
        ),
        (
            |tensors| drop(tensors.remove("stem.norm.weight")),
            "tensor stem.norm.weight is missing",
        ),
    ];
    let whole = std::fs::read(&file).unwrap();
    for (change, expected) in cases {
        std::fs::write(&file, &whole).unwrap();
        change_tensors(&path, FILES[0], change);
        let error = load().unwrap_err().to_string();
        assert!(error.ends_with(expected), "{error}");
    }
}
