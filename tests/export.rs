//! Exports as other programs see them: ONNX Runtime and numpy, from the Python package index, on real positions;
//! with TAFL_SLOW=1 tract too, which is built for it. No export is read back when it is made: this is where it is.
//!
//! The first run installs `scripts/onnxruntime.txt` below `target/`; what is compared is [`tafl_network::Inference`],
//! which plays, on positions of every ruleset of the network's board.

mod encoding;
mod sums;

use crate::support::python::packages;
use crate::support::{root, run, succeeds};
use ndarray::Array3;
use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::Value;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use tafl_network::{
    Architecture, Auxiliary, Compute, Device, Export, ExportError, ExportFormat, Exported,
    Inference, Network, NetworkConfig, RulesetCard, StoredAs, export, load_card,
};
use tafl_rules::{Game, KingCapture, Move, RULESET_NAMES, Rules, Ruleset, preset};
use tafl_samples::{Facts, PLANES, encode};
use tafl_search::{Evaluation, Evaluator, Leaf};

fn python(arguments: &[&str], folder: &Path) -> String {
    let mut command = Command::new(with_torch().unwrap_or_else(|| "python3".to_owned()));
    command.args(arguments).current_dir(folder);
    let output = command
        .env("PYTHONPATH", packages("onnxruntime"))
        .env("OMP_NUM_THREADS", "1")
        .env("OPENBLAS_NUM_THREADS", "1")
        .output()
        .expect("python3 is there");
    succeeds(&output)
}

/// A Python that has PyTorch and safetensors.
fn with_torch() -> Option<String> {
    std::env::var("TAFL_PYTORCH").ok()
}

/// A network in which no tensor is as it starts, so that every one of them matters.
fn network(size: u8) -> Network {
    let config = NetworkConfig {
        blocks: 2,
        channels: 16,
        value_channels: 6,
        value_hidden: 12,
    };
    let auxiliary = Auxiliary { reply: true };
    let shape = tafl_rules::BoardShape::new(size).expect("a size");
    let architecture = Architecture::new(config, shape).with_auxiliary(auxiliary);
    let network = Network::untrained(architecture, 3);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
    let mut weights = network.weights().clone();
    for (name, numbers) in &mut weights {
        let wider = match name.split('.').next() {
            Some("policy" | "destinations") => 20.0,
            _ => 1.0,
        };
        for number in numbers {
            *number = *number * wider + 0.2 * (rng.random::<f32>() - 0.5);
        }
    }
    Network::from_weights(architecture, weights).expect("tensors of the architecture")
}

/// The rulesets of a board, all that are compiled in.
fn rulesets(size: u8) -> Vec<Arc<Rules>> {
    let names = RULESET_NAMES.iter();
    let rules = names.map(|name| Rules::preset(name).expect("a preset"));
    rules.filter(|rules| rules.shape().size() == size).collect()
}

/// Exports a network with the card of a trained one, as if it had learned some rulesets.
fn exported(
    network: &Network,
    rules: &[Arc<Rules>],
    (format, stored): (ExportFormat, StoredAs),
    folder: &Path,
) -> Result<Exported, ExportError> {
    let mut card = load_card(&root().join("data/nets/quickstart")).expect("it is there");
    card.architecture = *network.architecture();
    card.provenance.rulesets = rules.iter().map(|rules| RulesetCard::of(rules)).collect();
    let job = Export {
        network,
        card: &card,
        rules,
        format,
        stored,
        strength: None,
    };
    export(&job, folder)
}

/// Positions of random games with their legal moves, without history for those who cannot tell it.
fn positions(rules: &[Arc<Rules>], history: bool) -> Vec<(Game, Vec<Move>)> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(9);
    let mut positions = Vec::new();
    for rules in rules {
        let (mut game, mut moves) = (Game::new(Arc::clone(rules)), Vec::new());
        while game.outcome().is_none() && game.moves().len() < 60 {
            game.legal_moves(&mut moves);
            if game.moves().len().is_multiple_of(10) || game.position().chain().is_some() {
                let told = Facts {
                    captureless: 0,
                    last_move: None,
                    ..Facts::of(&game)
                };
                let position = told.position(rules).expect("a position");
                let alone = Game::from_position(Arc::clone(rules), position);
                positions.push((if history { game.clone() } else { alone }, moves.clone()));
            }
            let index = rng.next_u64() as usize % moves.len();
            game.play(moves[index]).expect("a legal move");
        }
    }
    positions
}

fn evaluate(network: &Network, positions: &[(Game, Vec<Move>)]) -> Vec<Evaluation> {
    let leaves = positions.iter().map(|(game, moves)| Leaf::new(game, moves));
    let mut evaluations = Vec::new();
    Inference::new(network, Device::Cpu, Compute::F32)
        .expect("libtorch works")
        .evaluate(&leaves.collect::<Vec<_>>(), &mut evaluations);
    evaluations
}

/// The planes of a position, plane by plane.
fn planes(game: &Game) -> Vec<f32> {
    let size = usize::from(game.rules().shape().size());
    let mut planes = Array3::zeros((size, size, PLANES));
    encode(&Facts::of(game), game.rules(), planes.view_mut());
    let planes = planes.permuted_axes([2, 0, 1]);
    planes.iter().copied().collect()
}

/// The planes of a position as TaflZero's documentation has them; the two that show reach are left to chance.
fn taflzero_planes(game: &Game) -> Vec<f32> {
    let (facts, shape) = (Facts::of(game), game.rules().shape());
    let [attackers, _, defenders, _, king] = facts.pieces;
    let mut planes = Vec::new();
    for plane in 0..11 {
        for index in 0..shape.squares() {
            let square = shape.square(index);
            let is_one = match plane {
                0 => attackers.contains(square),
                1 => defenders.contains(square),
                2 => king.contains(square),
                3 => facts.side == tafl_rules::Side::Defender,
                4 => square == shape.throne(),
                5 => shape.corners().contains(square),
                6 => shape.edges().contains(square),
                9 => facts.occurrences >= 2,
                10 => facts.occurrences >= 3,
                _ => index % 3 == 0,
            };
            planes.push(if is_one { 1.0 } else { 0.0 });
        }
    }
    planes
}

/// The policy output of a move in TaflZero: directions towards rank 1, away from it, towards file a, away from it.
fn taflzero_index(mv: Move, size: usize) -> usize {
    let (from, to) = (mv.from(), mv.to());
    let direction = if from.file() == to.file() {
        usize::from(to.rank() > from.rank())
    } else {
        2 + usize::from(to.file() > from.file())
    };
    let square = usize::from(from.rank()) * size + usize::from(from.file());
    (square * 4 + direction) * (size - 1) + usize::from(mv.distance()) - 1
}

/// Exports and checks the file on positions of all rulesets of the board; a file for TaflZero is for one ruleset.
fn check(network: &Network, format: ExportFormat, stored: StoredAs) {
    let all = rulesets(network.architecture().board_size);
    if format != ExportFormat::Taflzero {
        return check_rulesets(network, &all, (format, stored));
    }
    let can_play = |rules: &&Arc<Rules>| {
        let ruleset = rules.ruleset();
        !ruleset.ranks.is_on() && ruleset.chain == tafl_rules::Chain::None
    };
    let rulesets: Vec<_> = all.iter().filter(can_play).collect();
    assert!(!rulesets.is_empty());
    for rules in rulesets {
        check_rulesets(network, std::slice::from_ref(rules), (format, stored));
    }
}

/// Exports, executes the file in Python and compares all legal moves, values and lengths.
fn check_rulesets(
    network: &Network,
    rules: &[Arc<Rules>],
    (format, stored): (ExportFormat, StoredAs),
) {
    let architecture = network.architecture();
    let taflzero = format == ExportFormat::Taflzero;
    let folder = tempfile::tempdir().expect("a folder");
    let exported = exported(network, rules, (format, stored), folder.path());
    let exported = exported.expect("an export");
    let positions = positions(rules, !taflzero);
    assert!(
        positions.len() >= 5 * rules.len(),
        "{} positions",
        positions.len()
    );
    let input = positions.iter().flat_map(|(game, _)| {
        if taflzero {
            taflzero_planes(game)
        } else {
            planes(game)
        }
    });
    let input: Vec<f32> = input.collect();
    let file = &exported.files[0];
    let planes_file = folder.path().join("planes");
    let size = architecture.size();
    let found = run_in_python(file, format, &input, (&planes_file, size));
    let what = format!("{format} {stored} {size}x{size}");
    let is_slow = std::env::var_os("TAFL_SLOW").is_some();
    let bound = stored.bound();
    compare(network, &positions, (&found, taflzero), (bound, &what));
    if is_slow && matches!(format, ExportFormat::Onnx | ExportFormat::Taflzero) {
        let channels = input.len() / (positions.len() * size * size);
        let shape = [positions.len(), channels, size];
        let found = run_in_tract(file, &planes_file, shape);
        let what = format!("tract, {what}");
        compare(network, &positions, (&found, taflzero), (bound, &what));
    }
}

/// Executes an exported file in Python on planes, which it leaves in a file; the outputs come one after another.
fn run_in_python(
    file: &Path,
    format: ExportFormat,
    input: &[f32],
    (planes_file, size): (&Path, usize),
) -> Vec<f32> {
    let bytes: Vec<u8> = input.iter().flat_map(|n| n.to_le_bytes()).collect();
    std::fs::write(planes_file, bytes).expect("written");
    let out = planes_file.with_extension("out");
    let script = root().join("tests/support/exports.py");
    let paths = [&script, file, planes_file, &out].map(|path| path.to_str().expect("text"));
    let [script, file, planes_file, out_text] = paths;
    let (format, size) = (format.to_string(), size.to_string());
    let arguments = [script, file, &format, planes_file, &size, out_text];
    python(&arguments, out.parent().expect("in a folder"));
    numbers(&out)
}

/// Executes an ONNX file in tract, which is built for it; the outputs come one after another.
fn run_in_tract(file: &Path, planes_file: &Path, shape: [usize; 3]) -> Vec<f32> {
    let out = file.with_extension("tract");
    let output = Command::new(env!("CARGO"))
        .args(["run", "--quiet", "--release", "--locked", "--manifest-path"])
        .arg(root().join("tests/tract/Cargo.toml"))
        .arg("--target-dir")
        .arg(Path::new(env!("CARGO_TARGET_TMPDIR")).join("tract"))
        .arg("--")
        .args([file, planes_file, &out])
        .args(shape.map(|size| size.to_string()))
        .output()
        .expect("cargo runs");
    succeeds(&output);
    numbers(&out)
}

fn numbers(file: &Path) -> Vec<f32> {
    let bytes = std::fs::read(file).expect("it was written");
    let (words, _) = bytes.as_chunks::<4>();
    words.iter().map(|&word| f32::from_le_bytes(word)).collect()
}

fn compare(
    network: &Network,
    positions: &[(Game, Vec<Move>)],
    (found, taflzero): (&[f32], bool),
    (bound, what): (f32, &str),
) {
    let size = network.architecture().size();
    let policy_len = network.architecture().policy_len() - usize::from(taflzero);
    let value_len = if taflzero { 1 } else { 3 };
    let rows = positions.len();
    assert_eq!(found.len(), rows * (policy_len + value_len + 1), "{what}");
    let (policy, rest) = found.split_at(rows * policy_len);
    let (values, moves_left) = rest.split_at(rows * value_len);
    let evaluations = evaluate(network, positions);
    // Positions that were all alike would show nothing.
    let undecided = evaluations
        .iter()
        .filter(|e| (0.02..0.98).contains(&e.wdl.win));
    let mut wins: Vec<f32> = undecided.map(|evaluation| evaluation.wdl.win).collect();
    wins.sort_by(f32::total_cmp);
    wins.dedup_by(|a, b| (*a - *b).abs() < 1e-4);
    assert!(wins.len() >= 4, "{what}: {wins:?}");
    let logits = evaluations.iter().flat_map(|evaluation| &evaluation.logits);
    let spread = logits.fold(1_f32, |most, logit| most.max(logit.abs()));
    for (row, (evaluation, (game, moves))) in evaluations.iter().zip(positions).enumerate() {
        let shape = game.rules().shape();
        for (mv, expected) in moves.iter().zip(&evaluation.logits) {
            let index = match taflzero {
                true => taflzero_index(*mv, size),
                false => usize::from(mv.policy_index(shape).0),
            };
            let found = policy[row * policy_len + index];
            assert!(
                (found - expected).abs() <= bound * spread,
                "{what} {mv}: {found}, {expected}"
            );
        }
        let wdl = evaluation.wdl;
        let expected = match taflzero {
            true => vec![wdl.win - wdl.loss],
            false => vec![wdl.win, wdl.draw, wdl.loss],
        };
        for (found, expected) in values[row * value_len..].iter().zip(expected) {
            assert!(
                (found - expected).abs() <= bound,
                "{what} value: {found}, {expected}"
            );
        }
        let found = moves_left[row] * if taflzero { 100.0 } else { 1.0 };
        let expected = evaluation.moves_left;
        let allowed = bound * expected.max(1.0);
        assert!(
            (found - expected).abs() <= allowed,
            "{what} moves left: {found}, {expected}"
        );
    }
}

#[test]
fn onnx_runtime_evaluates_positions_of_all_rulesets_as_this_program() {
    check(&network(11), ExportFormat::Onnx, StoredAs::F32);
    check(&network(11), ExportFormat::Onnx, StoredAs::F16);
    check(&network(9), ExportFormat::Onnx, StoredAs::F32);
    check(&network(7), ExportFormat::Onnx, StoredAs::F16);
}

#[test]
fn numpy_evaluates_positions_of_all_rulesets_as_this_program() {
    check(&network(11), ExportFormat::Safetensors, StoredAs::F32);
    check(&network(7), ExportFormat::Safetensors, StoredAs::F16);
}

#[test]
fn pytorch_evaluates_positions_of_all_rulesets_as_this_program() {
    if with_torch().is_some() {
        check(&network(11), ExportFormat::Pytorch, StoredAs::F32);
        check(&network(9), ExportFormat::Torchscript, StoredAs::F32);
        check(&network(7), ExportFormat::Torchscript, StoredAs::F16);
    }
}

#[test]
fn what_taflzero_gives_and_takes_means_the_same() {
    check(&network(11), ExportFormat::Taflzero, StoredAs::F32);
    // The king of tablut escapes to the edges.
    check(&network(9), ExportFormat::Taflzero, StoredAs::F16);
}

#[test]
fn taflzero_gets_no_ruleset_that_it_cannot_play() {
    let copenhagen = || preset("copenhagen").expect("a preset");
    let cases = [
        (
            preset("berserk-2024").expect("a preset"),
            "no knight, commanders or capture chains",
        ),
        (
            Ruleset {
                king_capture: KingCapture::TwoSides,
                ..copenhagen()
            },
            "king is captured by four on the throne",
        ),
    ];
    // All but these are refused where they are not as in Copenhagen.
    let told = [
        "ranks",
        "shieldwall",
        "edge_fort",
        "encirclement",
        "jump_hostile",
    ];
    let switches = copenhagen().to_fields().into_iter();
    let asked =
        switches.filter(|(field, value)| value.is_boolean() && !told.contains(&field.as_str()));
    let without = asked.map(|(field, _)| {
        let mut fields = copenhagen().to_fields();
        fields.insert(field.clone(), false.into());
        let ruleset = Ruleset::from_fields(fields).expect("playable");
        (ruleset, format!("knows no `{field} = false`"))
    });
    let cases = cases.map(|(ruleset, expected)| (ruleset, expected.to_owned()));
    let cases: Vec<_> = cases.into_iter().chain(without).collect();
    assert!(cases.len() > 4, "{cases:?}");
    let network = network(11);
    for (ruleset, expected) in cases {
        let rules = [Rules::new(ruleset).expect("playable")];
        let folder = tempfile::tempdir().expect("a folder");
        let form = (ExportFormat::Taflzero, StoredAs::F32);
        let error = exported(&network, &rules, form, folder.path()).expect_err("it cannot");
        assert!(matches!(error, ExportError::Ruleset { .. }), "{error}");
        assert!(error.to_string().contains(&expected), "{error}");
        let files = std::fs::read_dir(folder.path()).expect("a folder");
        assert_eq!(files.count(), 0);
    }
}

/// The lines of Python in an export's text, and the numbers that they are said to print.
fn lines_and_numbers(folder: &Path) -> (String, Vec<f32>) {
    let text = std::fs::read_to_string(folder.join("README.md")).expect("it is there");
    let (_, rest) = text.split_once("```python\n").expect("a block");
    let (lines, rest) = rest.split_once("```").expect("its end");
    let (_, rest) = rest.split_once(": about ").expect("the numbers");
    let (numbers, _) = rest.split_once(':').expect("their end");
    let numbers = numbers
        .split(' ')
        .map(|word| word.parse().expect("a number"));
    (lines.to_owned(), numbers.collect())
}

#[test]
fn the_lines_of_python_beside_an_export_print_what_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = folder.path().to_str().expect("text");
    let arguments = [
        "export",
        "data/nets/quickstart",
        "--format",
        "onnx",
        "--output",
        output,
    ];
    let said = succeeds(&run(Path::new("data"), &arguments));
    assert!(said.contains("largest difference"), "{said}");
    let (lines, expected) = lines_and_numbers(folder.path());
    assert!(lines.lines().count() <= 10, "{lines}");
    let printed = python(&["-c", &lines], folder.path());
    let (_, numbers) = printed.split_once(": ").expect("the move first");
    let numbers = numbers
        .split_whitespace()
        .map(|word| word.parse().expect("a number"));
    let numbers: Vec<f32> = numbers.collect();
    assert_eq!(numbers.len(), expected.len(), "{printed}");
    for (found, expected) in numbers.iter().zip(&expected) {
        assert!(
            (found - expected).abs() < 2e-3,
            "{printed} against {expected}"
        );
    }
}

#[test]
fn a_checkpoint_is_not_exported_over_itself_or_over_another_format() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = folder.path().to_str().expect("text");
    let with = |format: &str, checkpoint: &str, output: &str| {
        let arguments = ["export", checkpoint, "--format", format, "--output", output];
        run(Path::new("data"), &arguments)
    };
    let quickstart = "data/nets/quickstart";
    let before = std::fs::read(root().join(quickstart).join("model.json")).expect("readable");
    for (format, output) in [
        ("onnx", quickstart),
        ("torchscript", output),
        ("onnx", output),
    ] {
        let result = with(format, quickstart, output);
        let expected = if format == "torchscript" { 0 } else { 2 };
        let stderr = String::from_utf8_lossy(&result.stderr);
        assert_eq!(result.status.code(), Some(expected), "{stderr}");
        assert!(expected == 0 || stderr.contains("model.json"), "{stderr}");
    }
    let after = std::fs::read(root().join(quickstart).join("model.json")).expect("readable");
    assert_eq!(before, after);
    assert!(folder.path().join("network.pt").exists());
    // Of its own format it is replaced; nothing else lies there afterwards.
    succeeds(&with("torchscript", quickstart, output));
    assert_eq!(
        std::fs::read_dir(folder.path()).expect("a folder").count(),
        4
    );
    let missing = with("onnx", "data/nets/none", output);
    assert_eq!(missing.status.code(), Some(2));
}

#[test]
fn the_card_of_a_runs_checkpoint_says_how_strong_it_is() {
    let data = tempfile::tempdir().expect("a folder");
    // A ruleset of the run alone: its checkpoint finds it in the run.
    let own = data.path().join("own.toml");
    let text = "name = \"own\"\nbase = \"brandubh\"\nrepetition = \"off\"\n";
    std::fs::write(&own, text).expect("written");
    let rulesets = format!("rulesets=[\"{}\"]", own.display());
    let mut arguments = vec!["train", "configs/smoke.toml", "--run", "small"];
    let changes = [
        &rulesets,
        "precision=\"f32\"",
        "loop.generations=1",
        "loop.games=4",
        "runner.workers=1",
        "arena.openings=2",
        "ladder.pool=[]",
        "ladder.baselines=[]",
        "ladder.checkpoints=2",
    ];
    changes
        .iter()
        .for_each(|change| arguments.extend(["--set", change]));
    succeeds(&run(data.path(), &arguments));
    let checkpoints = data.path().join("runs/small/checkpoints");
    for (generation, games, is_older) in [(1, Some(8), false), (0, None, false), (1, None, true)] {
        if is_older {
            let path = data.path().join("runs/small/manifest.json");
            let manifest = std::fs::read_to_string(&path).expect("it is there");
            let older = manifest.replacen("\"format\": 4", "\"format\": 3", 1);
            assert_ne!(older, manifest);
            std::fs::write(&path, older).expect("written");
        }
        let checkpoint = checkpoints.join(format!("{generation:06}"));
        let folder = tempfile::tempdir().expect("a folder");
        let paths = [&*checkpoint, folder.path()].map(|path| path.to_str().expect("text"));
        let arguments = ["export", paths[0], "--format", "onnx", "--output", paths[1]];
        let said = succeeds(&run(data.path(), &arguments));
        assert!(said.contains("12 positions of own"), "{said}");
        let card = std::fs::read(folder.path().join("model.json")).expect("it is there");
        let card: Value = serde_json::from_slice(&card).expect("a card");
        sums::check(folder.path(), &card);
        let strength = &card["strength"];
        // Four with the first checkpoint, four with itself at one visit.
        // The first checkpoint is 0 by definition, so nothing is known of it, nor of matches of an older version.
        let above = games.map(|_| "checkpoint 0");
        assert_eq!(strength["games"].as_u64(), games);
        assert_eq!(strength["above"].as_str(), above);
        assert_eq!(strength["rulesets"][0].as_str(), games.map(|_| "own"));
        sums::check_rules(folder.path(), &card);
        // Nothing was played under other rules.
        let brandubh = ["--ruleset", "brandubh"];
        succeeds(&run(data.path(), &[&arguments[..], &brandubh].concat()));
        let card = std::fs::read_to_string(folder.path().join("model.json"));
        assert!(card.expect("a card").contains("\"strength\": null"));
    }
    // Away from its run it asks for them, and takes several.
    let copy = data.path().join("copy");
    std::fs::create_dir(&copy).expect("made");
    for file in std::fs::read_dir(checkpoints.join("000001")).expect("a folder") {
        let file = file.expect("an entry");
        std::fs::copy(file.path(), copy.join(file.file_name())).expect("copied");
    }
    let (copy, own) = (copy.display().to_string(), own.display().to_string());
    let output = data.path().join("of-both").display().to_string();
    let arguments = ["export", &copy, "--format", "onnx", "--output", &output];
    let refused = run(data.path(), &arguments);
    let stderr = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(stderr.contains("once for each ruleset"), "{stderr}");
    let both = ["--ruleset", &own, "--ruleset", "brandubh"];
    let said = succeeds(&run(data.path(), &[&arguments[..], &both].concat()));
    assert!(said.contains("24 positions of own, brandubh"), "{said}");
}

#[test]
fn the_page_computes_with_an_export_what_plays() {
    for size in [7, 9, 11] {
        let network = network(size);
        let positions = positions(&rulesets(size), true);
        let file = tafl_network::safetensors(&network).expect("a file");
        let mut net = tafl_forward::Net::read(&file).expect("a network");
        let mut page = tafl_forward::NetEvaluator(&mut net);
        let leaves = positions.iter().map(|(game, moves)| Leaf::new(game, moves));
        let mut found = Vec::new();
        page.evaluate(&leaves.collect::<Vec<_>>(), &mut found);
        let expected = evaluate(&network, &positions);
        for (found, expected) in found.iter().zip(&expected) {
            assert_eq!(found.logits.len(), expected.logits.len());
            let logits = found.logits.iter().zip(&expected.logits);
            assert!(logits.into_iter().all(|(a, b)| (a - b).abs() < 1e-3));
            assert!((found.wdl.win - expected.wdl.win).abs() < 1e-4);
            assert!((found.moves_left - expected.moves_left).abs() < 1e-2);
        }
    }
}
