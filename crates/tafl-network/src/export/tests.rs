//! Files that are damaged on their way, and what cannot be written.

use super::*;
use crate::{
    ACTION_ENCODING, Architecture, Auxiliary, CHECKPOINT_FORMAT, Compute, NetworkConfig,
    Provenance, RulesetCard,
};
use tafl_samples::{ENCODING_VERSION, plane_names};

fn network(ruleset: &str) -> Network {
    let config = NetworkConfig {
        blocks: 1,
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

fn card(network: &Network, rules: &Rules) -> ModelCard {
    ModelCard {
        format: CHECKPOINT_FORMAT,
        encoding_version: ENCODING_VERSION,
        program: "test".to_owned(),
        architecture: *network.architecture(),
        planes: plane_names().iter().map(|&name| name.to_owned()).collect(),
        action_encoding: ACTION_ENCODING.to_owned(),
        provenance: Provenance {
            run: "test".to_owned(),
            generation: 1,
            seed: 1,
            compute: Compute::F32,
            rulesets: vec![RulesetCard::of(rules)],
            history: Vec::new(),
            origin: None,
        },
        steps: 0,
        sha256: BTreeMap::new(),
    }
}

/// Exports into a folder of its own; `damage` changes the written bytes before they are checked.
fn export_damaged(
    network: &Network,
    ruleset: &str,
    format: ExportFormat,
    damage: impl Fn(&mut Vec<u8>),
) -> (tempfile::TempDir, Result<Exported, ExportError>) {
    let rules = [Rules::preset(ruleset).unwrap()];
    let card = card(network, &rules[0]);
    let job = Export {
        network,
        card: &card,
        rules: &rules,
        format,
        stored: StoredAs::F32,
        strength: None,
    };
    let folder = tempfile::tempdir().unwrap();
    let result = export_with(&job, folder.path(), |path| {
        let mut bytes = std::fs::read(path).unwrap();
        damage(&mut bytes);
        std::fs::write(path, bytes).unwrap();
    });
    (folder, result)
}

fn files(folder: &tempfile::TempDir) -> usize {
    std::fs::read_dir(folder.path()).unwrap().count()
}

#[test]
fn every_format_computes_the_same_on_every_board() {
    for ruleset in ["brandubh", "tablut", "copenhagen"] {
        let network = network(ruleset);
        for format in ExportFormat::ALL {
            let (folder, result) = export_damaged(&network, ruleset, format, |_| ());
            if format == ExportFormat::Taflzero && ruleset == "brandubh" {
                assert!(matches!(result, Err(ExportError::Ruleset { .. })));
                assert_eq!(files(&folder), 0);
                continue;
            }
            let exported = result.unwrap();
            assert_eq!(files(&folder), 3, "{format}");
            let checked = &exported.card.verification;
            assert_eq!(checked.differences.len(), 3, "{format}");
            // The interpreter sums in another order than libtorch, so not all of it is equal.
            assert!(checked.differences.values().all(|&d| d < 1e-5), "{format}");
        }
    }
}

#[test]
fn a_file_with_one_wrong_weight_is_removed() {
    let network = network("brandubh");
    // The bias of a value layer stands once in every file.
    let number = network.tensor("value.output.bias");
    assert!(number.iter().all(|&n| n == 0.0));
    let mut weights = network.weights().clone();
    let marked = [0.125, 0.25, 0.375, 0.5, 0.625_f32];
    weights.insert("value.output.bias".to_owned(), marked.to_vec());
    let network = Network::from_weights(*network.architecture(), weights).unwrap();
    let bytes: Vec<u8> = marked.iter().flat_map(|n| n.to_le_bytes()).collect();
    for format in [ExportFormat::Onnx, ExportFormat::Safetensors] {
        let (folder, result) = export_damaged(&network, "brandubh", format, |file| {
            let place = file.windows(bytes.len()).position(|part| part == bytes);
            file[place.unwrap()..][..4].copy_from_slice(&0.126_f32.to_le_bytes());
        });
        let error = result.unwrap_err();
        assert!(matches!(error, ExportError::Differs { .. }), "{error}");
        assert_eq!(files(&folder), 0, "{format}");
    }
}

#[test]
fn a_file_that_cannot_be_read_back_is_removed() {
    let network = network("brandubh");
    let formats = [
        ExportFormat::Onnx,
        ExportFormat::Safetensors,
        ExportFormat::Torchscript,
    ];
    for format in formats {
        let (folder, result) = export_damaged(&network, "brandubh", format, |file| {
            file.truncate(file.len() / 2)
        });
        let error = result.unwrap_err();
        assert!(matches!(error, ExportError::Broken { .. }), "{error}");
        assert_eq!(files(&folder), 0, "{format}");
    }
}

#[test]
fn half_floats_take_half_the_file_and_do_not_overflow_in_silence() {
    let network = network("copenhagen");
    let rules = [Rules::preset("copenhagen").unwrap()];
    let card = card(&network, &rules[0]);
    let size = |network: &Network, format, stored| {
        let folder = tempfile::tempdir().unwrap();
        let rules = &rules;
        let job = Export {
            network,
            card: &card,
            rules,
            format,
            stored,
            strength: None,
        };
        export(&job, folder.path()).map(|exported| exported.bytes)
    };
    for format in ExportFormat::ALL {
        let whole = size(&network, format, StoredAs::F32).unwrap();
        let half = size(&network, format, StoredAs::F16).unwrap();
        assert!(half * 10 < whole * 7, "{format}: {half} of {whole} bytes");
    }
    let mut weights = network.weights().clone();
    weights.get_mut("policy.conv.bias").unwrap()[0] = 1e6;
    let network = Network::from_weights(*network.architecture(), weights).unwrap();
    let error = size(&network, ExportFormat::Onnx, StoredAs::F16).unwrap_err();
    let expected = "tensor policy.bias holds a number that is too large for f16; export it as f32";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn another_boards_ruleset_is_refused() {
    let network = network("brandubh");
    let (folder, result) = export_damaged(&network, "tablut", ExportFormat::Onnx, |_| ());
    assert!(matches!(
        result,
        Err(ExportError::Board {
            found: 9,
            expected: 7,
            ..
        })
    ));
    assert_eq!(files(&folder), 0);
}
