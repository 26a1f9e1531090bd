//! What a command cannot use is refused in one clear line: files that are none, folders of another kind, fields of earlier
//! versions, networks of another size. Nothing is waited for and nothing is lost.

use crate::support::nets::write_net;
use crate::support::{run, succeeds, tafl};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Returns the lines on standard error of a command that is refused, after asserting that it ends by itself.
fn refused(data: &Path, arguments: &[&str]) -> String {
    let mut command = tafl(data, arguments);
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    let mut child = command.stderr(Stdio::piped()).spawn().expect("it starts");
    let began = Instant::now();
    while child.try_wait().expect("a child").is_none() {
        if began.elapsed() > Duration::from_secs(30) {
            child.kill().expect("killed");
            panic!("{arguments:?} hangs");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let output = child.wait_with_output().expect("it has ended");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
    said
}

/// Asserts that a command is refused with this error and, behind `hint: `, this hint.
fn refuses(data: &Path, arguments: &[&str], expected: &str) {
    let said = refused(data, arguments);
    assert_eq!(
        said.trim_end(),
        format!("error: {expected}"),
        "{arguments:?}"
    );
}

fn text(path: &Path) -> &str {
    path.to_str().expect("text")
}

fn write(path: PathBuf, contents: &str) -> String {
    std::fs::write(&path, contents).expect("written");
    path.display().to_string()
}

#[test]
fn what_is_no_regular_file_is_refused_wherever_a_file_is_read() {
    let place = tempfile::tempdir().expect("a folder");
    let pipe = place.path().join("pipe.toml");
    let made = Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo").success());
    let zero = place.path().join("zero.toml");
    std::os::unix::fs::symlink("/dev/zero", &zero).expect("a link");
    let folder = place.path().join("folder.toml");
    std::fs::create_dir(&folder).expect("a folder");
    let commands = [
        vec!["config", "check"],
        vec!["config", "show"],
        vec!["config", "explain", "search.visits", "--config"],
        vec!["config", "diff", "configs/smoke.toml"],
        vec!["train"],
        vec!["train", "--config"],
        vec!["balance"],
        vec!["sweep"],
        vec!["arena", "random", "greedy", "--ruleset"],
        vec!["arena", "random", "greedy", "--openings-file"],
        vec!["arena", "random", "data/nets/quickstart", "--search"],
        vec!["rules", "check"],
        vec!["rules", "show"],
        vec!["rules", "replay", "--ruleset", "copenhagen"],
        vec!["rules", "replay", "data/games/copenhagen.csv", "--ruleset"],
        vec!["play", "--against", "random", "--ruleset"],
        vec!["analyze"],
        vec![
            "export",
            "data/nets/quickstart",
            "--format",
            "onnx",
            "--output",
            "x",
            "--ruleset",
        ],
    ];
    for path in [&pipe, &zero, &folder].map(|path| text(path)) {
        for command in &commands {
            // There a folder is looked through, or taken for a run's.
            if path == text(&folder) && matches!(command[..], ["config", "check" | "diff", ..]) {
                continue;
            }
            let said = refused(place.path(), &[&command[..], &[path]].concat());
            let first = said.lines().next().unwrap_or_default();
            let is_of_run = matches!(command[..], ["config", "show"] | ["train", ..]);
            let reason = match (path == text(&folder), is_of_run) {
                (true, true) => "this folder has no config.toml",
                (true, false) => "a folder; name a file in it",
                (false, _) => "not a regular file",
            };
            let expected = format!("{path}: {reason}");
            assert!(first.ends_with(&expected), "{command:?}: {said}");
        }
    }
    let large = place.path().join("large.toml");
    let file = std::fs::File::create(&large).expect("a file");
    file.set_len(1 << 40).expect("a hole");
    let large = text(&large);
    refuses(
        place.path(),
        &["train", large],
        &format!("{large}: 1099511627776 bytes, at most 1048576 are read"),
    );
}

#[test]
fn files_of_others_in_the_folder_of_a_run_are_named_and_stay() {
    let place = tempfile::tempdir().expect("a folder");
    let folder = place.path().join("runs/mine");
    std::fs::create_dir_all(&folder).expect("made");
    let config = write(folder.join("config.toml"), "mine = true");
    let train = ["train", "configs/smoke.toml", "--run", "mine"];
    let folder = text(&folder);
    for more in [&[][..], &["--resume"]] {
        refuses(
            place.path(),
            &[&train[..], more].concat(),
            &format!(
                "{folder}: not a run; it holds {config}, and a run needs a folder of its own\n\
                 hint: --run NAME starts a run in another folder"
            ),
        );
    }
}

#[test]
fn fields_of_earlier_versions_are_answered_alike_from_files_options_and_explanations() {
    let place = tempfile::tempdir().expect("a folder");
    let smoke = "configs/smoke.toml";
    let asked = |field: &str| format!("--set {field}");
    for (command, change, field, advice) in [
        (
            "train",
            "loop.synchronous.games=4",
            "loop.synchronous",
            "use `loop.games`",
        ),
        (
            "train",
            "selfplay.sparring_fraction=0.5",
            "selfplay.sparring_fraction",
            "use an entry of `selfplay.uneven`",
        ),
        (
            "balance",
            "repeats=3",
            "repeats",
            "notebook 05 compares two studies; remove it",
        ),
        (
            "balance",
            "statistics.bootstrap=3",
            "statistics",
            "its numbers are constants now; remove it",
        ),
    ] {
        let config = if command == "balance" {
            "configs/balance/smoke.toml"
        } else {
            smoke
        };
        let (name, _) = change.split_once('=').expect("a change");
        let reason = format!("no longer a field; {advice}");
        let about = if name == field {
            reason.clone()
        } else {
            format!("field `{field}`: {reason}")
        };
        let expected = format!("{}: {about}", asked(name));
        refuses(place.path(), &[command, config, "--set", change], &expected);
        let explained = format!("field `{field}`: {reason}");
        refuses(place.path(), &["config", "explain", name], &explained);
    }
}

#[test]
fn a_list_of_sections_is_set_as_a_whole_and_its_faults_are_those_of_the_option() {
    let place = tempfile::tempdir().expect("a folder");
    let show = ["config", "show", "configs/smoke.toml", "--set"];
    let whole = "selfplay.uneven=[{side='either', share=0.3}]";
    let shown = succeeds(&run(place.path(), &[&show[..], &[whole]].concat()));
    assert!(shown.contains("share = 0.3"), "{shown}");
    for (change, expected) in [
        (
            "selfplay.uneven.0.share=0.3",
            "--set selfplay.uneven.0.share: `selfplay.uneven` is a list, which is set as a whole: selfplay.uneven=[...]",
        ),
        (
            "selfplay.uneven[0].share=0.3",
            "--set selfplay.uneven[0].share: `selfplay.uneven` is a list, which is set as a whole: selfplay.uneven=[...]",
        ),
        (
            "selfplay.uneven=[{side='both', share=2.0, alphabeta=[1]}]",
            "--set selfplay.uneven: field `selfplay.uneven[0].share`: expected number above 0 to 1, found 2.0",
        ),
        (
            "selfplay.uneven=[{side='either', share=0.0}]",
            "--set selfplay.uneven: field `selfplay.uneven[0].share`: expected number above 0 to 1, found 0.0",
        ),
        (
            "replay.minimum=1000000000",
            "--set replay.minimum: field `replay.maximum`: 1000000 is less than `minimum`, 1000000000",
        ),
        (
            "selfplay.uneven=[{side='both'}]",
            "--set selfplay.uneven: field `selfplay.uneven[0].alphabeta`: missing; it plays both sides",
        ),
    ] {
        refuses(place.path(), &[&show[..], &[change]].concat(), expected);
    }
    let twice = "[selfplay]\nuneven = []\n\n[[selfplay.uneven]]\nside = \"either\"\n";
    let twice = write(place.path().join("twice.toml"), twice);
    let expected = format!("{twice}: line 4: duplicate key `uneven`");
    refuses(place.path(), &["config", "check", &twice], &expected);
}

#[test]
fn a_ruleset_file_is_told_all_that_is_wrong_at_once() {
    let place = tempfile::tempdir().expect("a folder");
    let check = |name: &str, contents: &str, lines: &[&str]| {
        let path = write(place.path().join(name), contents);
        let said = refused(place.path(), &["rules", "check", &path]);
        let expected: String = lines
            .iter()
            .map(|line| format!("error: {path}: {line}\n"))
            .collect();
        assert_eq!(said, expected);
    };
    let complete =
        std::fs::read_to_string(crate::support::root().join("configs/rulesets/brandubh.toml"));
    let complete = complete.expect("readable");
    let is_start = |line: &&str| !line.starts_with("start");
    let without_start: Vec<&str> = complete.lines().filter(is_start).collect();
    check(
        "a.toml",
        &without_start.join("\n"),
        &["missing: `base`, or `start`"],
    );
    let start = "base = \"brandubh\"\nchain = \"maybe\"\nstart = \"7/7/7/7/7/7/7\"\n";
    let expected = [
        "line 2: field `chain`: expected \"none\" | \"optional\" | \"forced\", found \"maybe\"",
        "line 3: field `start`: 0 kings on the board instead of one",
    ];
    check("b.toml", start, &expected);
    let empty = write(place.path().join("empty.toml"), "");
    let said = refused(place.path(), &["rules", "check", &empty]);
    assert!(
        said.starts_with(&format!("error: {empty}: missing: `base`, or ")),
        "{said}"
    );
    let said = succeeds(&run(place.path(), &["config", "check", &empty]));
    assert_eq!(
        said,
        format!(
            "{empty}: no field is given; as a run config it has all defaults; it trains copenhagen, as it names no `rulesets`; its ladder has 1280 games of 100 visits a ply, 29 % of the visits of its self-play\n"
        )
    );
    let folder = text(place.path());
    refuses(
        place.path(),
        &["rules", "check", folder],
        &format!("{folder}: a folder; name a file in it"),
    );
}

#[test]
fn weights_that_do_not_fit_are_told_by_size_and_what_is_no_weights_by_what_it_is() {
    let place = tempfile::tempdir().expect("a folder");
    let path = |name: &str| place.path().join(name).display().to_string();
    let net = "data/nets/quickstart";
    let module = path("module");
    let export = ["export", net, "--format", "pytorch", "--output", &module];
    succeeds(&run(place.path(), &export));
    let made = Command::new("mkfifo").arg(path("pipe")).status();
    assert!(made.expect("mkfifo").success());
    let (weights, python) = (
        format!("{module}/weights.safetensors"),
        format!("{module}/model.py"),
    );
    let sizes = "network size: expected 2x16 for 11x11 (value head 8, 16), found 4x32 for 11x11 (value head 16, 64)";
    for (from, expected) in [
        (net, format!("{net}: {sizes}")),
        (&weights, format!("{weights}: {sizes}")),
        (
            &module,
            format!(
                "{module}/model.json: an export for other programs; give the checkpoint that it was made from, or of \
                 weights that learned on elsewhere one of a run that begins from them"
            ),
        ),
        (
            &path("pipe"),
            format!("{}: not a regular file", path("pipe")),
        ),
        ("/dev/null", "/dev/null: not a regular file".to_owned()),
        (
            &path("none"),
            format!("reading {}: no such file or folder", path("none")),
        ),
        (
            &python,
            format!("{python}: no safetensors file: header too large"),
        ),
    ] {
        for resume in [&[][..], &["--resume"]] {
            let set = [
                "train",
                "configs/smoke.toml",
                "--set",
                "network.blocks=2",
                "--set",
                "network.channels=16",
            ];
            let arguments = [&set[..], &["--from", from], resume].concat();
            refuses(place.path(), &arguments, &expected);
        }
    }
}

#[test]
fn an_export_replaces_no_text_that_somebody_changed() {
    let place = tempfile::tempdir().expect("a folder");
    let output = text(place.path());
    let export = [
        "export",
        "data/nets/quickstart",
        "--format",
        "pytorch",
        "--output",
        output,
    ];
    succeeds(&run(place.path(), &export));
    succeeds(&run(place.path(), &export));
    for name in ["README.md", "model.py", "tafl_planes.py", "model.json"] {
        let path = place.path().join(name);
        let before = std::fs::read_to_string(&path).expect("readable");
        let changed = before.replacen('\n', "\n ", 1);
        std::fs::write(&path, &changed).expect("written");
        let expected = format!(
            "{}: is changed since its export; give another folder",
            path.display()
        );
        refuses(place.path(), &export, &expected);
        let kept = std::fs::read_to_string(&path).expect("readable");
        assert_eq!(kept, changed);
        std::fs::write(&path, &before).expect("written");
    }
    // What a kill leaves of a first export is no hindrance: its card comes first.
    for name in ["README.md", "model.py", "weights.safetensors"] {
        std::fs::remove_file(place.path().join(name)).expect("removed");
    }
    succeeds(&run(place.path(), &export));
    assert!(place.path().join("README.md").exists());
    // A run of the same name is another one.
    let own = tempfile::tempdir().expect("a folder");
    write_net(own.path(), "quickstart", &["copenhagen"]);
    let other = [&["export", text(own.path())], &export[2..]].concat();
    let expected = format!(
        "{output}/model.json: is of an export of another run quickstart; give another folder"
    );
    refuses(place.path(), &other, &expected);
}

#[test]
fn the_folders_of_runs_are_told_from_others_alike_by_all_that_look_after_them() {
    let place = tempfile::tempdir().expect("a folder");
    let empty = text(place.path());
    let file = write(place.path().join("file"), "");
    let missing = format!("{empty}/missing");
    let hint = "hint: `tafl train` makes runs in data/runs/, `tafl balance` studies in data/balance/, `tafl arena` \
                tournaments in data/arena/";
    for command in [
        &["run", "verify"][..],
        &["run", "prune"],
        &["run", "workers"],
        &["report"],
    ] {
        for (folder, expected) in [
            (
                empty,
                format!("neither a run, a study nor a tournament: it has no manifest.json\n{hint}"),
            ),
            (&file, "not a folder".to_owned()),
            (&missing, "no such file or folder".to_owned()),
        ] {
            refuses(
                place.path(),
                &[command, &[folder]].concat(),
                &format!("{folder}: {expected}"),
            );
        }
    }
}

#[test]
fn a_run_goes_on_whose_config_has_fields_that_are_constants_now() {
    let place = tempfile::tempdir().expect("a folder");
    let small = [
        "--set",
        "loop.generations=1",
        "--set",
        "loop.games=2",
        "--set",
        "ladder.baselines=[]",
    ];
    let train = [&["train", "configs/smoke.toml"][..], &small].concat();
    succeeds(&run(place.path(), &train));
    let folder = place.path().join("runs/smoke");
    let (config, manifest) = (folder.join("config.toml"), folder.join("manifest.json"));
    let resume = ["train", text(&folder), "--resume"];
    // As version 0.1 stored it.
    let store = |from: &str, to: &str| {
        let before = std::fs::read_to_string(&config).expect("readable");
        let after = before.replacen(from, to, 1);
        assert_ne!(before, after);
        let [old, new] = [&before, &after].map(|it| tafl_store::sha256_hex(it.as_bytes()));
        let changed = std::fs::read_to_string(&manifest)
            .expect("readable")
            .replace(&old, &new);
        std::fs::write(&manifest, changed).expect("written");
        std::fs::write(&config, after).expect("written");
    };
    store(
        "[trainer]\n",
        "[trainer]\nshards = 2\nclip_norm = 1.0\nthreads = 7\n",
    );
    store(
        "[selfplay]\n",
        "[selfplay]\nopening = { random_plies = 2, policy_plies = 8 }\n",
    );
    succeeds(&run(place.path(), &resume));
    let workers = refused(place.path(), &["run", "workers", text(&folder), "--purge"]);
    assert!(
        workers.starts_with("error: --purge: which worker? there are: none"),
        "{workers}"
    );
}

#[test]
fn a_player_that_is_not_there_is_told_where_it_was_looked_for() {
    let place = tempfile::tempdir().expect("a folder");
    let pool = [
        "train",
        "configs/smoke.toml",
        "--set",
        "ladder.pool=['data/nets/none']",
    ];
    let expected = "--set ladder.pool: no checkpoint in configs/data/nets/none; a folder is relative to that of the config";
    refuses(place.path(), &pool, expected);
    let said = refused(place.path(), &["arena", "whole", "random"]);
    assert!(said.contains("networks are berserk, brandubh"), "{said}");
}

#[test]
fn a_run_is_found_by_its_name_and_says_which_checkpoint_is_its_last() {
    let place = tempfile::tempdir().expect("a folder");
    let run = place.path().join("runs/mine");
    let last = run.join("checkpoints/000003");
    write_net(&last, "mine", &["brandubh"]);
    let expected = format!(
        "{}: no checkpoint (it has no model.json)\nhint: it is a run, whose last checkpoint is {}",
        run.display(),
        last.display()
    );
    let checkpoint = ["play", "--checkpoint", "mine"];
    refuses(place.path(), &checkpoint, &expected);
    // What a study or a worker wrote to a folder of that name hides neither it nor what comes with the program.
    let here = place.path().join("here");
    for name in ["mine", "copenhagen"] {
        std::fs::create_dir_all(here.join(name).join("games")).expect("made");
    }
    let there = |arguments: &[&str]| {
        let mut command = tafl(place.path(), arguments);
        command.current_dir(&here).output().expect("it starts")
    };
    let said = String::from_utf8_lossy(&there(&checkpoint).stderr).into_owned();
    assert!(said.starts_with(&format!("error: {expected}")), "{said}");
    let said = there(&["config", "diff", "copenhagen", "copenhagen"]);
    assert_eq!(said.status.code(), Some(0), "{said:?}");
    let start = [
        "analyze",
        "start",
        "--checkpoint",
        "copenhagen",
        "--visits",
        "2",
    ];
    succeeds(&there(&start));
}

#[test]
fn variants_take_no_rulesets_and_no_players_from_changes() {
    let place = tempfile::tempdir().expect("a folder");
    let vary = [
        "balance",
        "vary",
        "brandubh",
        "--field",
        "encirclement",
        "--player",
        "random",
        "--set",
    ];
    for (change, expected) in [
        (
            "rulesets=[\"tablut\"]",
            "--set rulesets: variants have those of BASE and --field",
        ),
        (
            "players=[\"greedy\"]",
            "--set players: variants have those of --player",
        ),
    ] {
        refuses(place.path(), &[&vary[..], &[change]].concat(), expected);
    }
}

#[test]
fn exports_of_rulesets_given_twice_and_into_a_run_are_refused() {
    let place = tempfile::tempdir().expect("a folder");
    let settings = r#"{"run": "r", "git_commit": null, "seed": 5, "config_sha256": "", "libtorch": "", "device": "cpu", "precision": "f32", "stages": []}"#;
    let manifest = format!(
        r#"{{"format": 4, "kind": "run", "program": "0", "settings": {settings}, "rulesets": {{}}, "players": {{}}, "files": {{}}}}"#
    );
    write(place.path().join("manifest.json"), &manifest);
    let [within, output] = ["export", "a/b/c/export"].map(|it| place.path().join(it));
    let (within, output) = (text(&within), text(&output));
    let same = ["--ruleset", "brandubh", "--ruleset", "brandubh"];
    let several = "--ruleset: a file for TaflZero is of one ruleset, not 2";
    let is_within = format!("{within}: is in the folder of a run; give another folder");
    for (format, output, rulesets, expected) in [
        (
            "onnx",
            output,
            &same[..],
            "--ruleset: \"brandubh\" is given twice",
        ),
        ("taflzero", output, &same[..], several),
        ("onnx", within, &[][..], &*is_within),
    ] {
        let export = [
            "export",
            "data/nets/brandubh",
            "--format",
            format,
            "--output",
            output,
        ];
        refuses(place.path(), &[&export[..], rulesets].concat(), expected);
    }
}

#[test]
fn options_that_would_do_nothing_are_refused() {
    let place = tempfile::tempdir().expect("a folder");
    let rules = write(place.path().join("mine.toml"), "base = \"brandubh\"\n");
    let against = ["play", "--against", "random", "--visits", "9"];
    let reason = "--visits and --search are for networks, and random is none";
    refuses(place.path(), &against, reason);
    let against = ["play", "--level", "club", "--against", "random"];
    let reason = "--level is for networks, and random is none";
    refuses(place.path(), &against, reason);
    let against = ["play", "--level", "club", "--against", "brandubh@visits=9"];
    let reason = "--level and @visits both say how many visits; give one of them";
    refuses(place.path(), &against, reason);
    let lines = ["analyze", "# copenhagen\nd1-d3", "--lines", "9"];
    let reason = "--lines is for a position, not a game";
    refuses(place.path(), &lines, reason);
    let drops = ["analyze", "start", "--drops", "9"];
    let reason = "--drops is for a game, not a position";
    refuses(place.path(), &drops, reason);
    let check = ["rules", "check", &rules, "--ruleset", "nope"];
    let reason = format!("--ruleset is for states, and {rules} is a ruleset");
    refuses(place.path(), &check, &reason);

    let games = write(place.path().join("brandubh.txt"), "ruleset: foo\nd6-f6\n");
    let web = [
        "web",
        "brandubh",
        "--games",
        &games,
        "--output",
        "page.html",
    ];
    let said = refused(place.path(), &web);
    assert!(said.contains("no ruleset named \"foo\""), "{said}");
    let said = refused(place.path(), &["web", "brandubh", "--games", "README.md"]);
    assert!(said.contains("README.md: line "), "{said}");
}
