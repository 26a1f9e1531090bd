//! `tafl balance`: studies end to end, added to, killed and continued, with variants, and what is refused.

mod support;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};
use support::{root, run, succeeds, tafl};
use tafl_arena::balance::{Cell, StudyKind, Summary, WarningKind};
use tafl_dataset::{read_balance, read_games, read_samples};

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Writes the smoke study with changes, each of a text that stands in it once.
fn study(folder: &Path, changes: &[(&str, &str)]) -> PathBuf {
    let mut text =
        std::fs::read_to_string(root().join("configs/balance/smoke.toml")).expect("readable");
    for (from, to) in changes {
        assert_eq!(text.matches(from).count(), 1, "{from:?} stands once");
        text = text.replace(from, to);
    }
    let path = folder.join("study.toml");
    std::fs::write(&path, text).expect("written");
    path
}

/// Plays a study of a folder, and returns what it says.
fn play(folder: &Path, changes: &[(&str, &str)]) -> Summary {
    let path = study(folder, changes).display().to_string();
    let printed = succeeds(&run(folder, &["balance", &path, "--json"]));
    let printed: Summary = serde_json::from_str(&printed).expect("a summary");
    let stored = std::fs::read_to_string(place(folder).join("summary.json")).expect("readable");
    let stored: Summary = serde_json::from_str(&stored).expect("a summary");
    assert!(printed == stored, "printed and stored differ");
    stored
}

fn place(folder: &Path) -> PathBuf {
    folder.join("balance/smoke")
}

/// Returns the bytes of all files of games and samples by their place.
fn files(study: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for kind in ["games/000000", "samples/000000"] {
        let Ok(entries) = std::fs::read_dir(study.join(kind)) else {
            continue;
        };
        for entry in entries {
            let entry = entry.expect("readable");
            let name = format!("{kind}/{}", entry.file_name().to_string_lossy());
            found.insert(name, std::fs::read(entry.path()).expect("readable"));
        }
    }
    found
}

#[test]
fn a_study_counts_its_stored_games_and_knows_strength_and_doubts() {
    let folder = tempfile::tempdir().expect("a folder");
    // The reference is far above everyone, so that every player is weak.
    let far = ("openings = 2", "openings = 2\nleast_elo = 1900.0");
    let summary = play(folder.path(), &[far]);
    assert_eq!(summary.kind, StudyKind::Rulesets);
    assert_eq!((summary.rulesets.len(), summary.players.len()), (2, 3));
    assert_eq!(summary.cells.len(), 6);
    for cell in &summary.cells {
        check_counts(folder.path(), cell);
        let strength = cell.strength.as_ref().expect("measured");
        assert_eq!((strength.results.games(), strength.enough), (4, false));
        assert_eq!(cell.trained, None);
    }
    let weak = summary
        .warnings
        .iter()
        .filter(|it| it.kind == WarningKind::Weak);
    assert_eq!(weak.count(), 6);
    assert_eq!(summary.trends.len(), 2);
    assert_eq!(summary.comparisons.len(), 3);
    let rows = read_balance(&place(folder.path()).join("summary.parquet")).expect("rows");
    for (row, cell) in rows
        .iter()
        .filter(|row| row.name == "score")
        .zip(&summary.cells)
    {
        assert_eq!((&row.ruleset, &row.player), (&cell.ruleset, &cell.player));
        assert!((row.value - cell.score.value).abs() < 1e-12);
    }
}

/// Checks what a study says of a cell of eight games against the files.
fn check_counts(folder: &Path, cell: &Cell) {
    assert_eq!(cell.results.games(), 8);
    let [games] = &cell.games_files[..] else {
        panic!("one file: {:?}", cell.games_files);
    };
    let records = read_games(&place(folder).join(games)).expect("games");
    let count = |name: &str| {
        let own = records
            .iter()
            .filter(|game| game.ending.reason.name() == name);
        own.count() as u64
    };
    for ending in &cell.endings {
        let same = cell.endings.iter().filter(|it| it.reason == ending.reason);
        let games: u64 = same.map(|it| it.games).sum();
        assert_eq!(games, count(&ending.reason), "{ending:?}");
    }
    let plies: usize = records.iter().map(|game| game.plies.len()).sum();
    assert!((cell.length.mean.value - plies as f64 / 8.0).abs() < 1e-9);
    let samples = place(folder).join(&cell.samples_files[0]);
    let samples = read_samples(&samples).expect("samples");
    let opened: usize = records.iter().map(|game| game.opening_plies as usize).sum();
    let searched = cell.player.starts_with("rollouts");
    assert_eq!(samples.len(), if searched { plies - opened } else { 0 });
    assert!(searched || cell.decision.is_none());
    let shown = succeeds(&run(
        folder,
        &[
            "rules",
            "replay",
            &place(folder).join(games).display().to_string(),
            "--ruleset",
            &cell.ruleset,
        ],
    ));
    assert!(shown.starts_with("8 games, "), "{shown}");
}

#[test]
fn what_is_added_is_played_and_nothing_else() {
    let folder = tempfile::tempdir().expect("a folder");
    let first = play(folder.path(), &[]);
    let before = files(&place(folder.path()));
    assert_eq!(before.len(), 12);
    let again = play(folder.path(), &[]);
    assert!(again == first, "a study without news says something else");
    let more = play(
        folder.path(),
        &[
            ("count = 8", "count = 11"),
            ("strengths = [2, 8]", "strengths = [2, 4, 8]"),
        ],
    );
    let after = files(&place(folder.path()));
    for (name, bytes) in &before {
        assert!(after[name] == *bytes, "{name} has changed");
    }
    // A file with the new openings for each old cell, and one with all of them for each new cell.
    assert_eq!(after.len(), 12 + 12 + 4);
    for cell in &more.cells {
        let is_new = cell.player == "rollouts:4";
        assert_eq!(cell.games_files.len(), if is_new { 1 } else { 2 });
        assert_eq!(cell.results.games(), 11);
    }
    // Fewer openings are the first ones, so the numbers are those of before.
    assert!(play(folder.path(), &[]) == first, "the numbers differ");
    assert!(files(&place(folder.path())) == after, "files have changed");
}

#[test]
fn a_killed_study_goes_on_with_the_games_it_has() {
    let (whole, killed) = (tempfile::tempdir(), tempfile::tempdir());
    let (whole, killed) = (whole.expect("a folder"), killed.expect("a folder"));
    let changes = [
        ("strengths = [2, 8]", "strengths = [60]"),
        ("count = 8", "count = 30"),
        ("parallel_games = 16", "parallel_games = 16\nworkers = 1"),
    ];
    let expected = play(whole.path(), &changes);
    let path = study(killed.path(), &changes).display().to_string();
    // A cell counts twice while its games move from one file to the other: killed just then, it has fewer than it seemed.
    for least in [3, 33, 33] {
        let mut child = tafl(killed.path(), &["balance", &path])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("tafl starts");
        let begun = Instant::now();
        while finished(killed.path()) < least && begun.elapsed() < Duration::from_secs(120) {
            std::thread::sleep(Duration::from_millis(5));
        }
        child.kill().expect("killed");
        child.wait().expect("it ended");
        assert!(finished(killed.path()) >= least.min(30));
    }
    assert!(finished(killed.path()) >= 33);
    assert!(
        play(killed.path(), &changes) == expected,
        "the numbers differ"
    );
    assert!(
        files(&place(killed.path())) == files(&place(whole.path())),
        "the files differ"
    );
    let left = std::fs::read_dir(place(killed.path()).join("in-progress")).expect("a folder");
    assert_eq!(left.count(), 0);
}

/// Returns the finished games of a study, those of complete cells for thirty each.
fn finished(folder: &Path) -> usize {
    let lines = |path: PathBuf| {
        let text = std::fs::read(path).unwrap_or_default();
        text.iter().filter(|&&byte| byte == b'\n').count()
    };
    let spooled = std::fs::read_dir(place(folder).join("in-progress"));
    let spooled = spooled.into_iter().flatten().flatten();
    let spooled: usize = spooled.map(|entry| lines(entry.path())).sum();
    let complete = files(&place(folder))
        .keys()
        .filter(|name| name.starts_with("samples"))
        .count();
    spooled + 30 * complete
}

/// Sections of a study that is over in no time.
const TINY: [&str; 10] = [
    "--set",
    "openings.count=2",
    "--set",
    "strength.openings=1",
    "--set",
    "strength.reference=random",
    "--set",
    "max_plies=24",
    "--set",
    "precision=f32",
];

#[test]
fn the_five_rulesets_are_played_by_a_network_and_baselines_to_the_end() {
    let folder = tempfile::tempdir().expect("a folder");
    let players = "[{ player = \"../../data/nets/quickstart\", strengths = [1, 2] }, \
                   { player = \"alphabeta\", strengths = [1] }, { player = \"random\" }]";
    let text = std::fs::read_to_string(root().join("configs/balance/five-rulesets.toml"));
    let text = text.expect("readable");
    let (head, _) = text.split_once("[[players]]").expect("players");
    let net = root().join("data/nets/quickstart").display().to_string();
    let players = players.replace("../../data/nets/quickstart", &net);
    let place = head.find("[runner]").expect("a section");
    let text = format!("{}players = {players}\n{}", &head[..place], &head[place..]);
    let path = folder.path().join("five.toml");
    std::fs::write(&path, text).expect("written");
    let path = path.display().to_string();
    let words = [&["balance", path.as_str()][..], &TINY].concat();
    let printed = succeeds(&run(folder.path(), &words));
    for part in [
        "berserk-2024",
        "not learned",
        "Probability of being the most",
        "People",
    ] {
        assert!(printed.contains(part), "{part}: {printed}");
    }
    let words = [&words[..], &["--json"]].concat();
    let summary: Summary =
        serde_json::from_str(&succeeds(&run(folder.path(), &words))).expect("a summary");
    assert_eq!(summary.cells.len(), 20);
    assert_eq!(summary.comparisons.len(), 4 * 10);
    // The network of the repository has learned Copenhagen alone.
    let learned: Vec<&str> = summary
        .cells
        .iter()
        .filter(|cell| cell.trained == Some(true))
        .map(|cell| cell.ruleset.as_str())
        .collect();
    assert_eq!(learned, ["copenhagen"; 2]);
    let untrained = summary
        .warnings
        .iter()
        .filter(|it| it.kind == WarningKind::Untrained);
    assert_eq!(untrained.count(), 8);
}

/// Plays variants of the small board's ruleset by a player of chance, who loses and wins.
fn vary(folder: &Path, fields: &[&str]) -> Output {
    let fields = fields.iter().flat_map(|field| ["--field", field]);
    let fields: Vec<&str> = fields.collect();
    let words = [
        "balance", "vary", "brandubh", "--player", "random", "--json",
    ];
    let numbers = [
        "--set",
        "openings.count=12",
        "--set",
        "strength.openings=1",
        "--set",
        "strength.reference=greedy",
    ];
    run(folder, &[&words[..], &fields, &numbers].concat())
}

fn summary(output: &Output) -> Summary {
    serde_json::from_str(&succeeds(output)).expect("a summary")
}

fn variants(folder: &Path) -> PathBuf {
    folder.join("balance/brandubh-variants")
}

#[test]
fn variants_are_played_from_the_openings_of_their_base_and_replay_under_their_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let found = summary(&vary(folder.path(), &["shieldwall", "escape=edges"]));
    assert_eq!(found.kind, StudyKind::Variants);
    assert_eq!((found.effects.len(), found.comparisons.len()), (2, 0));
    let study = variants(folder.path());
    let opening = |game: &tafl_samples::GameRecord| {
        let plies = &game.plies[..game.opening_plies as usize];
        plies.iter().map(|ply| ply.mv).collect::<Vec<_>>()
    };
    let base = read_games(&study.join(&found.cells[0].games_files[0])).expect("games");
    for (cell, ruleset) in found.cells.iter().zip(&found.rulesets) {
        let records = read_games(&study.join(&cell.games_files[0])).expect("games");
        assert_eq!(cell.results.games(), u64::from(ruleset.openings));
        assert!(ruleset.openings > 0);
        for game in records {
            let same = base.iter().find(|other| other.game_id == game.game_id);
            let same = same.expect("the base has all openings");
            assert_eq!(opening(same), opening(&game));
        }
        if let Some(file) = &ruleset.file {
            let [games, file] = [&cell.games_files[0], file].map(|it| study.join(it));
            let [games, file] = [games, file].map(|it| it.display().to_string());
            let words = ["rules", "replay", &games, "--ruleset", &file];
            succeeds(&run(folder.path(), &words));
        }
    }
    let of_field = |field: &str| {
        let mut effects = found.effects.iter();
        effects
            .find(|it| it.change.field == field)
            .expect("an effect")
    };
    // Players and seeds are the same, so games differ from where the rule matters on.
    assert!(of_field("shieldwall").same_games > 0);
    let edges = of_field("escape");
    assert!(edges.difference.value < -0.1, "more ways out: {edges:?}");
}

#[test]
fn a_field_that_is_added_is_one_more_cell_and_one_that_is_none_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let first = summary(&vary(folder.path(), &["shieldwall"]));
    let before = files(&variants(folder.path()));
    let more = summary(&vary(folder.path(), &["shieldwall", "no_move"]));
    let after = files(&variants(folder.path()));
    assert_eq!(after.len(), before.len() + 2);
    assert!(before.iter().all(|(name, bytes)| after[name] == *bytes));
    assert!(more.cells[..2] == first.cells[..], "cells have changed");
    for (field, expected) in [
        (
            "shieldwal",
            "--field shieldwal: \"shieldwal\" is not a field of rulesets",
        ),
        (
            "king_capture=weak",
            "--field king_capture=weak: expected \"four-sides\" | \"two-sides-away-from-throne\", found \"weak\"",
        ),
        ("start=7/7", "a variant keeps its base's `start`"),
    ] {
        let output = vary(folder.path(), &[field]);
        assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
        assert!(stderr(&output).contains(expected), "{}", stderr(&output));
    }
}

#[test]
fn bad_configs_settings_and_files_are_refused_by_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let refused = |changes: &[(&str, &str)], expected: &str| {
        let path = study(folder.path(), changes).display().to_string();
        let output = run(folder.path(), &["balance", &path]);
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(expected), "{expected:?} is not in {said}");
        let checked = run(folder.path(), &["config", "check", &path]);
        assert_eq!(checked.status.code(), Some(2));
        assert!(stderr(&checked).contains(expected), "{}", stderr(&checked));
    };
    refused(&[("count = 8", "counts = 8")], "did you mean `count`?");
    refused(
        &[("count = 8", "count = 0")],
        "field `openings.count`: expected integer from 1 to 1000000, found 0",
    );
    refused(
        &[("\"tablut\"", "\"tablu\"")],
        "field `rulesets`: unknown ruleset \"tablu\"",
    );
    refused(
        &[("\"tablut\"", "\"brandubh\"")],
        "\"brandubh\" is given twice",
    );
    refused(
        &[("\"greedy\"", "\"../nowhere\"\nstrengths = [1]")],
        "field `players[1].player`: \"../nowhere\" is neither",
    );
    refused(
        &[("player = \"greedy\"\n", "")],
        "field `players[1].player`: missing; it has no default",
    );
    assert!(!folder.path().join("balance").exists(), "nothing has begun");
}

#[test]
fn other_boards_other_settings_and_damage_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    // A network plays on its own board alone.
    let net = root().join("data/nets/quickstart").display().to_string();
    let path = study(
        folder.path(),
        &[("player = \"rollouts\"", &format!("player = \"{net}\""))],
    );
    let path = path.display().to_string();
    let said = stderr(&run(folder.path(), &["balance", &path]));
    assert!(
        said.contains("whose boards are of different sizes"),
        "{said}"
    );

    play(folder.path(), &[]);
    let path = study(folder.path(), &[]).display().to_string();
    for (change, expected) in [
        ("seed=2", "field `settings.seed`: played with 1, now 2"),
        (
            "max_plies=90",
            "field `settings.max_plies`: played with 120, now 90",
        ),
        (
            "openings.plies=2",
            "field `settings.opening_plies`: played with 4, now 2",
        ),
    ] {
        let output = run(folder.path(), &["balance", &path, "--set", change]);
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains(expected), "{}", stderr(&output));
    }
    let (name, bytes) = files(&place(folder.path())).pop_first().expect("a file");
    let damaged = place(folder.path()).join(name);
    let mut flipped = bytes.clone();
    flipped[9] ^= 1;
    for (bytes, reason) in [
        (&flipped[..], "its checksum differs from the manifest's"),
        (&bytes[..bytes.len() - 1], "bytes instead of"),
    ] {
        std::fs::write(&damaged, bytes).expect("written");
        let said = stderr(&run(folder.path(), &["balance", &path]));
        assert!(said.contains(reason), "{said}");
    }
}
