//! What is written, and what cannot be.

use super::stored::{Named, planes};
use super::*;
use crate::{
    Architecture, Auxiliary, ModelCard, Network, NetworkConfig, Origin, RulesetCard, load_card,
};
use strum::VariantArray;
use tafl_rules::Rules;
use tafl_samples::Facts;
use tch::{CModule, IValue, Tensor};

fn network(ruleset: &str) -> Network {
    let config = NetworkConfig {
        blocks: 4,
        channels: 16,
        value_channels: 4,
        value_hidden: 8,
    };
    let shape = Rules::preset(ruleset).unwrap().shape();
    let auxiliary = Auxiliary { reply: true };
    Network::untrained(
        Architecture::new(config, shape).with_auxiliary(auxiliary),
        5,
    )
}

/// The card of a trained network as if it were that of another one.
fn card(network: &Network, rules: &Rules) -> ModelCard {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/nets/quickstart");
    let mut card = load_card(&folder).unwrap();
    card.architecture = *network.architecture();
    card.provenance.rulesets = vec![RulesetCard::of(rules)];
    card
}

fn job<'a>(
    network: &'a Network,
    card: &'a ModelCard,
    rules: &'a [Arc<Rules>],
    format: ExportFormat,
) -> Export<'a> {
    Export {
        network,
        card,
        rules,
        format,
        stored: StoredAs::F32,
        strength: None,
    }
}

fn try_export(
    network: &Network,
    ruleset: &str,
    (format, stored): (ExportFormat, StoredAs),
) -> (tempfile::TempDir, Result<Exported, ExportError>) {
    let rules = [Rules::preset(ruleset).unwrap()];
    let card = card(network, &rules[0]);
    let job = Export {
        stored,
        ..job(network, &card, &rules, format)
    };
    let folder = tempfile::tempdir().unwrap();
    let result = export(&job, folder.path());
    (folder, result)
}

fn files(folder: &tempfile::TempDir) -> usize {
    std::fs::read_dir(folder.path()).unwrap().count()
}

#[test]
fn weights_that_rounding_changes_too_much_are_not_written() {
    let network = network("brandubh");
    let mut weights = network.weights().clone();
    // Half floats of this size are 2 apart: win and draw become equally likely.
    let biases = weights.get_mut("value.output.bias").unwrap();
    biases[..2].copy_from_slice(&[3000.9, 3000.0]);
    let network = Network::from_weights(*network.architecture(), weights).unwrap();
    for format in [ExportFormat::Onnx, ExportFormat::Safetensors] {
        let (folder, result) = try_export(&network, "brandubh", (format, StoredAs::F16));
        let error = result.unwrap_err();
        assert!(
            matches!(error, ExportError::Differs { output: "wdl", .. }),
            "{error}"
        );
        assert_eq!(files(&folder), 0, "{format}");
        assert!(
            try_export(&network, "brandubh", (format, StoredAs::F32))
                .1
                .is_ok()
        );
    }
}

#[test]
fn the_readme_of_tensors_shows_how_an_operation_is_written() {
    let network = network("brandubh");
    let stored = (ExportFormat::Safetensors, StoredAs::F32);
    let (folder, result) = try_export(&network, "brandubh", stored);
    result.unwrap();
    let readme = std::fs::read_to_string(folder.path().join("README.md")).unwrap();
    let mut quoted = readme.split('`');
    let shown = quoted.find(|it| it.starts_with(r#"{"name":"#)).unwrap();
    let shown: tafl_graph::Operation = serde_json::from_str(shown).unwrap();
    assert_eq!(shown, network.folded().0.operations[0]);
}

#[test]
fn the_readme_tells_what_was_learned_before_the_run() {
    let network = network("brandubh");
    let rules = [Rules::preset("brandubh").unwrap()];
    let mut card = card(&network, &rules[0]);
    card.provenance.rule_changes = vec!["shieldwall".to_owned(), "captureless_limit=50".to_owned()];
    card.provenance.origin = Some(Origin {
        run: "older".to_owned(),
        generation: 7,
        steps: 90,
        weights_sha256: String::new(),
        samples: 0,
        rulesets: vec![RulesetCard::of(&Rules::preset("ard-ri").unwrap())],
        rule_changes: Vec::new(),
    });
    let job = job(&network, &card, &rules, ExportFormat::Safetensors);
    let folder = tempfile::tempdir().unwrap();
    export(&job, folder.path()).unwrap();
    let readme = std::fs::read_to_string(folder.path().join("README.md")).unwrap();
    for said in [
        "also with other values of shieldwall, captureless_limit=50. ",
        "weights of older, generation 7, after 90 steps, which had learned ard-ri; ",
    ] {
        assert!(readme.contains(said), "{readme}");
    }
}

#[test]
fn the_readme_says_what_runs_the_network() {
    let network = network("brandubh");
    for (format, said) in [
        (ExportFormat::Onnx, "`pip install numpy onnxruntime`:"),
        (
            ExportFormat::Pytorch,
            "`pip install numpy torch safetensors`:",
        ),
        (
            ExportFormat::Torchscript,
            "warns that TorchScript is deprecated",
        ),
    ] {
        let (folder, result) = try_export(&network, "brandubh", (format, StoredAs::F32));
        result.unwrap();
        let readme = std::fs::read_to_string(folder.path().join("README.md")).unwrap();
        assert!(readme.contains(said), "{readme}");
    }
}

#[test]
fn two_exports_do_not_write_into_one_folder_at_once() {
    let network = network("brandubh");
    let rules = [Rules::preset("brandubh").unwrap()];
    let card = card(&network, &rules[0]);
    let job = job(&network, &card, &rules, ExportFormat::Safetensors);
    let folder = tempfile::tempdir().unwrap();
    let lock = lock_plainly(folder.path(), "export").unwrap();
    let error = export(&job, folder.path()).unwrap_err().to_string();
    assert!(error.ends_with("another process is writing this export"));
    assert_eq!(files(&folder), 0);
    drop(lock);
    assert_eq!(
        export(&job, folder.path()).unwrap().files.len(),
        files(&folder)
    );
}

#[test]
fn exports_of_format_3_are_replaced_and_changed_ones_are_not() {
    let network = network("brandubh");
    let (folder, result) = try_export(
        &network,
        "brandubh",
        (ExportFormat::Safetensors, StoredAs::F32),
    );
    result.unwrap();
    let path = folder.path().join("README.md");
    let readme = std::fs::read_to_string(&path).unwrap();
    let older = sha256_hex(readme.trim_end().as_bytes());
    for (sum, text, is_own) in [
        (older.clone(), readme.clone(), true),
        (older, readme.clone() + "My words.\n", false),
        (sha256_hex(readme.as_bytes()), readme, true),
    ] {
        std::fs::write(&path, text).unwrap();
        let checked = check_text(&path, "another text", &[&Value::from(sum)]);
        assert_eq!(checked.is_ok(), is_own);
    }
}

#[test]
fn a_network_that_was_changed_is_not_replaced() {
    let network = network("brandubh");
    let rules = [Rules::preset("brandubh").unwrap()];
    let card = card(&network, &rules[0]);
    for format in [ExportFormat::Onnx, ExportFormat::Safetensors] {
        let folder = tempfile::tempdir().unwrap();
        let job = job(&network, &card, &rules, format);
        for _ in 0..2 {
            export(&job, folder.path()).unwrap();
        }
        let file = folder.path().join(format.file_name());
        std::fs::write(&file, "quantized").unwrap();
        let error = export(&job, folder.path()).unwrap_err().to_string();
        assert!(error.contains("is changed since its export"), "{error}");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "quantized");
    }
}

#[test]
fn an_export_that_a_kill_left_between_two_files_is_replaced() {
    let older = network("brandubh");
    let mut weights = older.weights().clone();
    weights.get_mut("value.output.bias").unwrap()[0] += 1.0;
    let newer = Network::from_weights(*older.architecture(), weights).unwrap();
    let rules = [Rules::preset("brandubh").unwrap()];
    let card = card(&older, &rules[0]);
    let write = |network: &Network, folder: &Path| {
        let job = job(network, &card, &rules, ExportFormat::Pytorch);
        export(&job, folder)
    };
    let read = |folder: &Path| -> Value {
        let text = std::fs::read(folder.join(CARD)).unwrap();
        serde_json::from_slice(&text).unwrap()
    };
    let folders = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let [there, other] = [0, 1].map(|index| folders[index].path());
    write(&older, there).unwrap();
    let files = write(&newer, other).unwrap().files;
    let [first, after] = [there, other].map(read);
    // The network, the README and model.py of the newer one, as it was killed before the card.
    for count in 0..=3 {
        announce(there, read(there), &after).unwrap();
        for path in &files[..count] {
            std::fs::copy(path, there.join(path.file_name().unwrap())).unwrap();
        }
        // So was one that came after it.
        announce(there, read(there), &first).unwrap();
        std::fs::write(there.join("README.md.aB3.tmp"), "half").unwrap();
        std::fs::write(there.join("mine.tmp"), "mine").unwrap();
        write(&older, there).unwrap();
        let card = read(there);
        assert_eq!(card["sha256"], first["sha256"], "after {count} files");
        assert!(card["next"].is_null());
        assert!(!there.join("README.md.aB3.tmp").exists() && there.join("mine.tmp").exists());
    }
    announce(there, read(there), &after).unwrap();
    std::fs::write(there.join("README.md"), "My words.").unwrap();
    let error = write(&older, there).unwrap_err().to_string();
    assert!(error.contains("README.md: is changed since"), "{error}");
}

/// Loads a `TorchScript` program and computes its outputs.
fn run_torchscript(path: &Path, network: &Network, planes: &[f32]) -> Named {
    let _guard = tch::no_grad_guard();
    let size = network.architecture().size() as i64;
    let x = Tensor::from_slice(planes).view([-1, tafl_samples::PLANES as i64, size, size]);
    let program = CModule::load(path).unwrap();
    let parameters = program.named_parameters().unwrap();
    let folded = network.folded().0.parameters();
    assert_eq!(parameters.len(), folded.len());
    let IValue::Tuple(values) = program.forward_is(&[IValue::Tensor(x)]).unwrap() else {
        panic!("the program gave no tuple")
    };
    let mut named = Named::new();
    for (name, value) in tafl_graph::OUTPUTS.into_iter().zip(values) {
        let IValue::Tensor(tensor) = value else {
            panic!("{name} is not a tensor")
        };
        let values = Vec::<f32>::try_from(&tensor.contiguous().view([-1])).unwrap();
        named.insert(name, values);
    }
    named
}

#[test]
fn libtorch_computes_the_same_with_a_torchscript_file() {
    for (ruleset, stored) in [
        ("brandubh", StoredAs::F32),
        ("tablut", StoredAs::F16),
        ("copenhagen", StoredAs::F32),
    ] {
        let network = network(ruleset);
        let (_folder, result) = try_export(&network, ruleset, (ExportFormat::Torchscript, stored));
        let games = positions(&Rules::preset(ruleset).unwrap(), 20);
        let planes = planes(&games, Facts::of);
        let found = run_torchscript(&result.unwrap().files[0], &network, &planes);
        let differences =
            Differences::of(&found, &Stored::exact(&network).outputs(&planes).unwrap());
        let most = differences.0.values().copied().fold(0.0, f32::max);
        assert!(most <= stored.bound(), "{differences}");
    }
}

#[test]
fn half_floats_take_half_the_file_and_do_not_overflow_in_silence() {
    let network = network("copenhagen");
    let size = |network: &Network, format, stored| {
        let (_folder, result) = try_export(network, "copenhagen", (format, stored));
        result.map(|exported| exported.bytes)
    };
    for &format in ExportFormat::VARIANTS {
        let whole = size(&network, format, StoredAs::F32).unwrap();
        let half = size(&network, format, StoredAs::F16).unwrap();
        assert!(half * 10 < whole * 7, "{format}: {half} of {whole} bytes");
    }
    let mut weights = network.weights().clone();
    weights.get_mut("policy.conv.bias").unwrap()[0] = 1e6;
    let network = Network::from_weights(*network.architecture(), weights).unwrap();
    let error = size(&network, ExportFormat::Onnx, StoredAs::F16).unwrap_err();
    let expected =
        "tensor policy.conv.bias holds a number that is too large for f16; export it as f32";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn rulesets_that_cannot_be_played_leave_no_file() {
    let network = network("brandubh");
    let (folder, result) = try_export(&network, "tablut", (ExportFormat::Onnx, StoredAs::F32));
    let error = result.unwrap_err().to_string();
    assert!(
        error.contains("9x9, but the network plays on 7x7"),
        "{error}"
    );
    assert_eq!(files(&folder), 0);
    let form = (ExportFormat::Taflzero, StoredAs::F32);
    let (folder, result) = try_export(&network, "brandubh", form);
    assert!(matches!(result, Err(ExportError::Ruleset { .. })));
    assert_eq!(files(&folder), 0);
}

#[test]
fn a_graph_says_what_the_smallest_engines_read() {
    let network = network("brandubh");
    let (folder, result) = try_export(&network, "brandubh", (ExportFormat::Onnx, StoredAs::F32));
    result.unwrap();
    let graph = std::fs::read(folder.path().join("network.onnx")).unwrap();
    let count = |text: &[u8]| graph.windows(text.len()).filter(|it| *it == text).count();
    // MNN and rten know no default of strides, candle no global pool, wonnx no transposed matrix.
    assert_eq!(count(b"AveragePool") + count(b"MaxPool"), 2);
    assert_eq!(count(b"strides"), 2);
    assert_eq!(count(b"GlobalAveragePool") + count(b"transB"), 0);
}
