//! Whole runs, small ones: every shipped config, all options of learning together, and a run from another's weights.

use crate::support::{config, trained, trained_from};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use tafl_arena::MatchResult;
use tafl_network::{Compute, Device, Origin, Precision, Trainer, TrainerConfig, load_network};
use tafl_store::{Manifest, RunSettings, sha256_hex};
use tafl_training::{
    Begin, Observer, OutdatedMatches, PlayerSource, Run, Silent, Stage, Summary, files_of_matches,
    learned_rules, load_origin, matches_of, run_of, train,
};

/// What makes a run take seconds and changes nothing in what is done.
const SMALL: [&str; 15] = [
    "device='cpu'",
    "precision='f32'",
    "loop.generations=2",
    "loop.batch_size=32",
    "network.blocks=1",
    "network.channels=8",
    "search.visits=4",
    "runner.parallel_games=8",
    "runner.workers=2",
    "selfplay.max_plies=40",
    "arena.openings=1",
    "arena.visits=2",
    "arena.max_plies=20",
    "ladder.checkpoints=2",
    "ladder.baselines=['random']",
];

/// The same for configs whose loop is asynchronous.
///
/// Whichever games end first, twenty of them are of all rulesets of a config.
const SMALL_ASYNCHRONOUS: [&str; 3] = [
    "loop.asynchronous.checkpoint_steps=2",
    "loop.asynchronous.shard_games=20",
    "loop.asynchronous.first_samples=40",
];

/// The same for configs whose loop is synchronous.
const SMALL_SYNCHRONOUS: [&str; 1] = ["loop.games=10"];

/// One checkpoint of a small board, no matches.
const ONE: [&str; 4] = [
    "rulesets=['brandubh']",
    "loop.generations=1",
    "ladder.checkpoints=0",
    "ladder.pool=[]",
];

/// Returns the names of the run configs that ship.
fn shipped() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../configs");
    let entries = std::fs::read_dir(folder).expect("a folder");
    let names = entries.map(|entry| entry.expect("an entry").file_name());
    let names = names.map(|name| name.to_string_lossy().into_owned());
    names.filter(|name| name.ends_with(".toml")).collect()
}

#[test]
fn every_config_that_ships_learns_and_is_measured_when_it_is_small() {
    let names = shipped();
    assert!(names.len() >= 7, "{names:?}");
    std::thread::scope(|scope| {
        for name in &names {
            scope.spawn(|| learns_and_is_measured(name));
        }
    });
}

fn learns_and_is_measured(name: &str) {
    let of_loop = match config(name, &[]).config.training_loop.asynchronous {
        None => &SMALL_SYNCHRONOUS[..],
        Some(_) => &SMALL_ASYNCHRONOUS[..],
    };
    let data = tempfile::tempdir().expect("a folder");
    let loaded = config(name, &[&SMALL[..], of_loop].concat());
    let rulesets = loaded.rules.listed().len();
    let folder = trained(loaded, data.path(), "small");
    assert!(
        folder.join("checkpoints/000002/model.json").exists(),
        "{name}"
    );
    assert!(folder.join("metrics.parquet").exists(), "{name}");
    let mut played = BTreeSet::new();
    for path in tafl_dataset::game_files(&folder).expect("readable") {
        let samples = tafl_dataset::read_samples(&path).expect("readable");
        played.extend(samples.into_iter().map(|sample| sample.ruleset));
    }
    assert_eq!(played.len(), rulesets, "{name} plays all its rulesets");
}

/// The numbers of a run, by name, in the order in which they were measured.
fn metrics(run: &Path) -> BTreeMap<String, Vec<f64>> {
    let mut numbers: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    let path = run.join("metrics.parquet");
    for metric in tafl_dataset::read_metrics(&path).expect("readable") {
        numbers.entry(metric.name).or_default().push(metric.value);
    }
    numbers
}

#[test]
fn held_out_games_and_proven_results_work_together() {
    let changes = [
        "rulesets=['brandubh']",
        "replay.held_out_fraction=0.3",
        "targets.proven_results=true",
        "ladder.checkpoints=0",
        "ladder.pool=[]",
    ];
    let data = tempfile::tempdir().expect("a folder");
    let run = trained(config("smoke.toml", &changes), data.path(), "all");
    let metrics = metrics(&run);
    for side in ["attackers", "defenders"] {
        for number in [
            "policy_loss",
            "policy_accuracy",
            "value_loss",
            "calibration_error",
        ] {
            let name = format!("held_out/{number}/{side}");
            assert_eq!(metrics[&name].len(), 2, "{name}: one for each generation");
        }
        let positions = metrics[&format!("held_out/positions/{side}")][1];
        let binned = (0..10).filter_map(|tenth| {
            let name = format!("held_out/calibration_positions/{side}/{tenth}");
            metrics.get(&name)?.last().copied()
        });
        assert!(positions > 0.0 && binned.sum::<f64>() <= positions * 2.0);
    }
    let of_run = |name: &str| metrics[name].last().copied().expect("two generations");
    let all = of_run("replay/positions_of_run");
    let held_out = of_run("replay/held_out_positions");
    assert!(
        held_out > 0.0 && held_out < all / 2.0,
        "{held_out} of {all}"
    );
    assert!(metrics["replay/reuse"].iter().all(|&reuse| reuse > 1.0));
}

#[test]
fn a_run_goes_on_in_another_precision_and_keeps_it() {
    let data = tempfile::tempdir().expect("a folder");
    let changes = |generations, precision| {
        let changes = [
            "rulesets=['brandubh']",
            "ladder.checkpoints=0",
            "ladder.pool=[]",
            generations,
            precision,
        ];
        config("smoke.toml", &changes)
    };
    let first = changes("loop.generations=1", "precision='f32'");
    let folder = trained(first, data.path(), "run");
    for (generations, precision) in [
        ("loop.generations=2", "precision='int8'"),
        ("loop.generations=3", "precision='auto'"),
    ] {
        let loaded = changes(generations, precision);
        let silent = Arc::new(Silent);
        let run = Run::open(loaded, data.path(), Some("run"), Begin::Resume, silent);
        train(&run.expect("it may change"), None).expect("it trains");
        let stored = tafl_training::load(&folder.join("config.toml"), &[]).expect("its config");
        assert_eq!(stored.config.precision, Precision::Int8);
    }
    assert!(folder.join("checkpoints/000003/model.json").exists());
}

#[test]
fn a_checkpoint_of_a_run_on_a_gpu_that_is_not_there_plays_on_the_cpu() {
    let data = tempfile::tempdir().expect("a folder");
    let loaded = config("smoke.toml", &ONE);
    let rules = loaded.rules[0].clone();
    let folder = trained(loaded, data.path(), "run");
    let path = folder.join("config.toml");
    let text = std::fs::read_to_string(&path).expect("readable");
    let on_gpu = text.replace("device = \"cpu\"", "device = \"cuda:99\"");
    assert_ne!(on_gpu, text);
    std::fs::write(&path, on_gpu).expect("writable");
    let player = PlayerSource::checkpoint(folder.join("checkpoints/000001"));
    let own = player.own_config().expect("the run's config");
    assert_eq!(own.device, Device::Cpu);
    player.open(&own, &rules).expect("a player");
}

#[test]
fn a_config_changed_by_hand_is_refused_and_a_stage_that_was_not_written_taken_back() {
    let data = tempfile::tempdir().expect("a folder");
    let folder = trained(config("smoke.toml", &ONE), data.path(), "run");
    let path = folder.join("config.toml");
    let read = || std::fs::read_to_string(&path).expect("readable");
    let write = |text: &str| std::fs::write(&path, text).expect("writable");
    let resume = |more: &[&str]| {
        let loaded = config("smoke.toml", &[&ONE[..], more].concat());
        Run::open(
            loaded,
            data.path(),
            Some("run"),
            Begin::Resume,
            Arc::new(Silent),
        )
        .map(drop)
    };
    let whole = read();
    write(&whole.replace("seed = 1", "seed = 2"));
    assert_ne!(read(), whole);
    let refused = resume(&[]).expect_err("another config").to_string();
    assert!(
        refused.contains("config.toml: changed since the run wrote it"),
        "{refused}"
    );

    write(&whole);
    resume(&["search.visits=5"]).expect("a stage");
    assert_ne!(read(), whole);
    // As if the process had been killed between the manifest and the config.
    write(&whole);
    resume(&[]).expect("as it was");
    let settings = || {
        Manifest::<RunSettings>::read(&folder)
            .expect("a manifest")
            .settings
    };
    assert_eq!(settings().stages, []);
    assert_eq!(settings().config_sha256, sha256_hex(whole.as_bytes()));

    let other = data.path().join("runs/other");
    std::fs::rename(&folder, &other).expect("renamed");
    let loaded = tafl_training::load(&other.join("config.toml"), &[]).expect("its config");
    let renamed = Run::open_folder(loaded, &other, Arc::new(Silent)).expect("it goes on");
    assert_eq!(renamed.folder(), other);
}

#[test]
fn variants_are_learned_but_neither_rated_nor_named_as_rulesets() {
    let changes = [
        "rulesets=['brandubh']",
        "rule_changes=['encirclement','moves_first']",
        "selfplay.uneven=[]",
        "loop.games=40",
        "replay.held_out_fraction=0.3",
        "ladder.pool=[]",
    ];
    let data = tempfile::tempdir().expect("a folder");
    let run = trained(config("smoke.toml", &changes), data.path(), "all");
    let mut played: BTreeMap<String, usize> = BTreeMap::new();
    for path in tafl_dataset::game_files(&run).expect("readable") {
        for sample in tafl_dataset::read_samples(&path).expect("readable") {
            *played.entry(sample.ruleset.to_string()).or_default() += 1;
        }
    }
    let names: Vec<&str> = played.keys().map(String::as_str).collect();
    assert_eq!(names.len(), 3, "{names:?}");
    assert_eq!(names[0], "brandubh");
    assert!(names[1].starts_with("brandubh_encirclement-"), "{names:?}");
    let last = load_network(&run.join("checkpoints/000002")).expect("a checkpoint");
    let from = last.1.provenance;
    assert_eq!(from.rulesets.len(), 1);
    assert_eq!(from.rule_changes, ["encirclement", "moves_first"]);
    let loaded = tafl_training::load(&run.join("config.toml"), &[]).expect("its config");
    let matches = matches_of(&run, &loaded.rules).expect("matches");
    assert!(!matches.is_empty());
    assert!(matches.iter().all(|result| result.ruleset == "brandubh"));
    let metrics = metrics(&run);
    assert!(metrics.keys().all(|name| !name.contains("moves_first")));
}

/// Writes down which stages ended, and with what.
#[derive(Default)]
struct Stages(Mutex<Vec<(Stage, bool)>>);

impl Observer for Stages {
    fn finished(&self, stage: Stage, summary: Option<&Summary<'_>>) {
        let mut stages = self.0.lock().expect("no panic");
        stages.push((stage, summary.is_some()));
    }
}

#[test]
fn an_observer_sees_each_stage_end_and_a_finished_run_does_nothing_again() {
    let changes = ["rulesets=['brandubh']", "loop.generations=1"];
    let data = tempfile::tempdir().expect("a folder");
    let stages = |begin| {
        let stages = Arc::new(Stages::default());
        let observer: Arc<dyn Observer> = stages.clone();
        let loaded = config("smoke.toml", &changes);
        let run = Run::open(loaded, data.path(), None, begin, observer).expect("a run");
        let matches = train(&run, None).expect("it trains");
        assert_eq!(
            matches_of(run.folder(), &run.rules).expect("readable"),
            matches
        );
        let stages = stages.0.lock().expect("no panic").clone();
        (stages, matches)
    };
    let (first, matches) = stages(Begin::New);
    assert_eq!(
        first[..2],
        [(Stage::SelfPlay, true), (Stage::Training, true)]
    );
    let of_matches = first[2..]
        .iter()
        .all(|&stage| stage == (Stage::Match, true));
    assert!(of_matches && first.len() == 2 + matches.len(), "{first:?}");
    let (again, same) = stages(Begin::Resume);
    assert_eq!((again, same), (Vec::new(), matches));
}

#[test]
fn a_finished_run_gets_more_rungs_on_its_ladder() {
    let small = ["rulesets=['brandubh']", "loop.generations=4"];
    let data = tempfile::tempdir().expect("a folder");
    let folder = trained(config("smoke.toml", &small), data.path(), "smoke");
    let rules = config("smoke.toml", &small).rules;
    let before = matches_of(&folder, &rules).expect("readable");
    let weights =
        |folder: &Path| std::fs::read(folder.join("checkpoints/000004/weights.safetensors"));
    let last = weights(&folder).expect("a checkpoint");
    let more = [
        &small[..],
        &[
            "ladder.checkpoints=5",
            "ladder.baselines=['random','greedy']",
        ],
    ]
    .concat();
    let loaded = config("smoke.toml", &more);
    let run = Run::open(loaded, data.path(), None, Begin::Resume, Arc::new(Silent));
    let matches = train(&run.expect("the run"), None).expect("it plays");
    let pairs = |matches: &[MatchResult]| -> BTreeSet<String> {
        let names = matches
            .iter()
            .map(|met| met.players.each_ref().map(ToString::to_string));
        names
            .map(|[one, other]| format!("{one} - {other}"))
            .collect()
    };
    assert!(pairs(&before).is_subset(&pairs(&matches)));
    for wanted in ["checkpoint 3 - checkpoint 1", "checkpoint 4 - greedy"] {
        assert!(!pairs(&before).contains(wanted) && pairs(&matches).contains(wanted));
    }
    assert_eq!(
        weights(&folder).expect("a checkpoint"),
        last,
        "nothing was trained again"
    );
}

#[test]
fn a_pool_takes_checkpoints_of_runs_with_rules_and_a_pool_of_their_own() {
    let data = tempfile::tempdir().expect("a folder");
    let rules = data.path().join("mine.toml");
    std::fs::write(&rules, "base = \"brandubh\"\ncaptureless_limit = 50\n").expect("written");
    let of = |name: &str, ruleset: &str, pool: &Path| {
        let changes = [
            &format!("rulesets=[{ruleset:?}]"),
            &format!("ladder.pool=[{pool:?}]"),
            "loop.generations=1",
            "loop.games=4",
            "ladder.checkpoints=0",
            "ladder.baselines=[]",
        ];
        trained(config("smoke.toml", &changes), data.path(), name)
    };
    let last = |run: PathBuf| run.join("checkpoints/000001");
    let first = last(of(
        "first",
        &rules.display().to_string(),
        Path::new("greedy"),
    ));
    let second = of("second", "brandubh", &first);
    let third = of("third", "brandubh", &last(second.clone()));
    for (run, opponent) in [(&second, "first-1"), (&third, "second-1")] {
        let played = run.join(format!("arena/000001-{opponent}@4-brandubh.parquet"));
        assert!(played.is_file(), "{}", played.display());
    }
    // Two of one name would be one in the run.
    let checkpoints = [&first, &last(second.clone())].map(|it| format!("{it:?}"));
    let both = format!("ladder.pool=[{}]", checkpoints.join(","));
    let changes = ["rulesets=['brandubh']", &both].map(|it| it.parse().expect("a change"));
    let smoke = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../configs/smoke.toml");
    let error = tafl_training::load(&smoke, &changes).expect_err("two of one name");
    let error = format!("{error:#}");
    assert!(error.contains("have the same last part"), "{error}");

    // The copy plays elsewhere as its run's checkpoint does.
    let copy = second.join("pool/000001");
    let card = tafl_training::card(&copy).expect("a card");
    let learned = learned_rules(&copy, &card).expect("its rules");
    assert_eq!(
        learned[0].source,
        copy.join("rulesets/mine.toml").display().to_string()
    );
    let copy = third.join("pool/000001");
    PlayerSource::checkpoint(copy)
        .own_config()
        .expect("a config");
}

#[test]
fn a_pool_does_not_have_one_player_twice() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../configs/smoke.toml");
    let twice = ["ladder.pool=['random','random']".parse().expect("a change")];
    let error = tafl_training::load(&file, &twice).err();
    let error = error.expect("refused").to_string();
    assert!(error.contains("random is listed twice"), "{error}");
}

#[test]
fn only_its_own_checkpoints_belong_to_a_run() {
    let data = tempfile::tempdir().expect("a folder");
    let run = data.path().canonicalize().expect("a path");
    for folder in ["checkpoints/000001", "pool/other", "networks/mine"] {
        std::fs::create_dir_all(run.join(folder)).expect("created");
    }
    assert_eq!(run_of(&run.join("checkpoints/000001")), None, "no config");
    std::fs::write(run.join("config.toml"), "").expect("written");
    assert_eq!(run_of(&run.join("checkpoints/000001")), Some(run.clone()));
    assert_eq!(run_of(&run.join("pool/other")), None);
    assert_eq!(run_of(&run.join("networks/mine")), None);
}

#[test]
fn a_run_begins_with_the_weights_of_another_and_says_so() {
    let data = tempfile::tempdir().expect("a folder");
    let small = [
        "rulesets=['brandubh']",
        "loop.generations=1",
        "loop.games=4",
        "ladder.checkpoints=0",
        "ladder.pool=[]",
    ];
    let first = trained(config("smoke.toml", &small), data.path(), "first");
    let checkpoint = first.join("checkpoints/000001");
    let begun = |name: &str, change: &str| -> anyhow::Result<PathBuf> {
        let loaded = config("smoke.toml", &[&small[..], &[change]].concat());
        let from = load_origin(&checkpoint, &loaded)?;
        let observer = Arc::new(Silent);
        let run = Run::open(loaded, data.path(), Some(name), Begin::New, observer)?;
        train(&run, Some(&from))?;
        Ok(run.folder().join("checkpoints"))
    };
    let checkpoints = begun("second", "trainer.reply_weight=0.1").expect("it trains");
    let (network, card) = load_network(&checkpoint).expect("a checkpoint");
    let (begun_network, begun_card) =
        load_network(&checkpoints.join("000000")).expect("a checkpoint");
    for (name, weights) in network.weights() {
        assert_eq!(begun_network.weights()[name], *weights, "{name}");
    }
    let origin = Origin::of(&card);
    assert_eq!((&*origin.run, origin.generation), ("first", 1));
    assert_eq!(begun_card.provenance.origin, Some(origin.clone()));
    // They hold those of the new run's rulesets, too.
    let [before, ranges] = [&card, &begun_card].map(|it| it.activation_ranges.as_ref());
    let (before, ranges) = (before.expect("known"), ranges.expect("known"));
    assert!(
        before
            .iter()
            .zip(ranges)
            .all(|(before, range)| before <= range)
    );
    assert_ne!(before, ranges);
    let (_, last) = load_network(&checkpoints.join("000001")).expect("a checkpoint");
    assert_eq!(last.provenance.origin, Some(origin.clone()));
    assert_eq!(origin.samples, card.provenance.all_samples());
    assert!(Origin::of(&last).samples > origin.samples && origin.samples > 0);

    // A module of PyTorch saves such a file.
    let weights = checkpoint.join("weights.safetensors");
    let from = load_origin(&weights, &config("smoke.toml", &small)).expect("weights");
    assert_eq!(from.0.weights(), network.weights());
    assert_eq!(from.1.weights_sha256, origin.weights_sha256);

    let refused = begun("third", "network.channels=24").expect_err("another size");
    let said = format!("{refused:#}");
    assert!(
        said.contains("network size: expected 1x24 for 7x7"),
        "{said}"
    );
    assert!(
        !data.path().join("runs/third").exists(),
        "nothing was begun"
    );
}

#[test]
fn values_that_depend_on_whose_turn_it_is_are_mended_in_the_last_checkpoint_alone() {
    let data = tempfile::tempdir().expect("a folder");
    let small = [
        "rulesets=['brandubh']",
        "loop.generations=2",
        "loop.games=4",
        "ladder.checkpoints=0",
        "ladder.pool=[]",
    ];
    let first = trained(config("smoke.toml", &small), data.path(), "first");
    let (network, card) = load_network(&first.join("checkpoints/000000")).expect("a checkpoint");
    let mut trainer = Trainer::new(
        &network,
        TrainerConfig::default(),
        Device::Cpu,
        Compute::F32,
    )
    .expect("a trainer");
    // Whoever is to move expects to win.
    trainer.lower_mover(-0.5).expect("libtorch");
    let biased = (trainer.network().expect("a network"), Origin::of(&card));
    let slow = ["trainer.learning_rate.peak=1e-6"];
    let loaded = config("smoke.toml", &[&small[..], &slow].concat());
    let run = trained_from(loaded, data.path(), "biased", Some(&biased));
    let zigzag = &metrics(&run)["zigzag/mean"];
    assert!(zigzag.len() == 1 && zigzag[0].abs() < 0.05, "{zigzag:?}");
}

#[test]
fn a_run_plays_the_same_opening_once() {
    let data = tempfile::tempdir().expect("a folder");
    let more = [
        "loop.games=4",
        "ladder.checkpoints=1",
        "arena.opening_plies=0",
    ];
    let loaded = || config("smoke.toml", &[&ONE[..], &more].concat());
    let folder = trained(loaded(), data.path(), "smoke");
    let matches = matches_of(&folder, &loaded().rules).expect("readable");
    let games = matches.iter().map(|result| result.games.len());
    assert_eq!(games.collect::<BTreeSet<_>>(), BTreeSet::from([2]));
}

#[test]
fn matches_of_other_settings_are_not_rated_together() {
    let data = tempfile::tempdir().expect("a folder");
    let small = [
        "rulesets=['brandubh']",
        "loop.generations=1",
        "loop.games=4",
        "arena.openings=1",
    ];
    let folder = trained(config("smoke.toml", &small), data.path(), "smoke");
    let rules = config("smoke.toml", &small).rules;
    let matches = || matches_of(&folder, &rules).expect("readable");
    let elo = || {
        let metrics = tafl_dataset::read_metrics(&folder.join("metrics.parquet"));
        let metrics = metrics.expect("readable").into_iter();
        metrics
            .filter(|it| it.name.starts_with("elo/"))
            .map(|it| it.seconds)
            .collect::<Vec<_>>()
    };
    let resumed = |change: &str| {
        let loaded = config("smoke.toml", &[&small[..], &[change]].concat());
        let run = Run::open(loaded, data.path(), None, Begin::Resume, Arc::new(Silent));
        train(&run.expect("the run"), None).expect("it plays");
        OutdatedMatches::of(&folder).expect("a run")
    };
    let (before, measured) = (matches(), elo());
    let outdated = resumed("arena.max_plies=30");
    assert_eq!(outdated.count, before.len());
    assert_eq!(
        outdated.fields.iter().collect::<Vec<_>>(),
        ["arena.max_plies 120, now 30"]
    );
    let shorter = matches();
    assert_eq!(shorter.len(), before.len());
    let files = files_of_matches(&folder).expect("a run");
    assert_eq!(files.len(), before.len(), "those of before are left out");
    let longest = |matches: &[MatchResult]| {
        let games = matches.iter().flat_map(|met| &met.games);
        games.map(|game| game.record.plies.len()).max()
    };
    assert!(longest(&shorter) <= Some(30) && longest(&before) > Some(30));
    assert_eq!(elo().len(), measured.len());
    assert_ne!(elo(), measured, "the pool was played again");
    // TensorBoard has no point of before beside one of now.
    let events = std::fs::read(folder.join("tensorboard/events.out.tfevents.0.tafl"));
    let events = events.expect("events");
    let points = |name: &str| {
        events
            .windows(name.len())
            .filter(|it| *it == name.as_bytes())
            .count()
    };
    assert_eq!(points("elo/pool_low/attackers"), 1);
    // What was played before counts again.
    resumed("arena.max_plies=120");
    assert_eq!(matches(), before);
}
