//! `tafl balance` as a process: kills, exit codes, what is printed; `crates/tafl-studies/tests` has the rest.

use crate::support::{root, run, succeeds, tafl};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};
use tafl_arena::balance::Summary;

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

/// Returns the bytes of all files of games by their place.
fn files(study: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let entries = std::fs::read_dir(study.join("games/000000"));
    for entry in entries.into_iter().flatten() {
        let entry = entry.expect("readable");
        let name = format!("games/{}", entry.file_name().to_string_lossy());
        found.insert(name, std::fs::read(entry.path()).expect("readable"));
    }
    found
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
        .filter(|name| name.starts_with("games"))
        .count();
    spooled + 30 * complete
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
    refused(
        &[("count = 8", "counts = 8")],
        "did you mean `openings.count`?",
    );
    refused(
        &[("count = 8", "count = 0")],
        "field `openings.count`: expected whole number from 1 to 1000000, found 0",
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
    let path = study(folder.path(), &[("\"greedy\"", "\"brandubh\"")]);
    let named = run(folder.path(), &["balance", &path.display().to_string()]);
    let hint = "\nhint: the network brandubh is data/nets/brandubh; a config names its folder";
    assert!(stderr(&named).contains(hint), "{}", stderr(&named));
    let checkpoint = folder.path().join("mine/checkpoints/000020");
    std::fs::create_dir_all(&checkpoint).expect("made");
    std::fs::write(checkpoint.join("model.json"), "{}").expect("written");
    let path = study(
        folder.path(),
        &[("\"greedy\"", "\"mine\"\nstrengths = [1]")],
    );
    let of_run = run(folder.path(), &["balance", &path.display().to_string()]);
    let hint = "\nhint: mine is a run, whose last checkpoint is \"mine/checkpoints/000020\"\n";
    assert!(stderr(&of_run).contains(hint), "{}", stderr(&of_run));
    let other = run(folder.path(), &["balance", "configs/smoke.toml"]);
    let said = stderr(&other);
    let expected = "configs/smoke.toml: is a run config, not a balance study\nhint: ";
    assert!(said.contains(expected), "{said}");
    assert!(said.contains(" train configs/smoke.toml\n"), "{said}");
    assert_eq!(other.status.code(), Some(2));
    assert!(!folder.path().join("balance").exists(), "nothing has begun");
}

#[test]
fn openings_of_others_are_not_taken_for_those_of_a_study() {
    let folder = tempfile::tempdir().expect("a folder");
    let openings = place(folder.path()).join("openings");
    std::fs::create_dir_all(&openings).expect("made");
    let path = study(folder.path(), &[]).display().to_string();
    let said = stderr(&run(folder.path(), &["balance", &path]));
    let expected = format!("it holds {}; games need a folder of", openings.display());
    assert!(said.contains(&expected), "{said}");
}

#[test]
fn a_study_that_lost_a_file_of_games_says_how_it_goes_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let changes = [("count = 8", "count = 2"), ("openings = 2", "openings = 0")];
    play(folder.path(), &changes);
    let games = place(folder.path()).join("games/000000");
    let mut entries = std::fs::read_dir(games).expect("a folder");
    let lost = entries.find_map(|entry| {
        let path = entry.expect("readable").path();
        path.extension()
            .is_some_and(|it| it == "parquet")
            .then_some(path)
    });
    std::fs::remove_file(lost.expect("games")).expect("removed");
    let config = folder.path().join("study.toml").display().to_string();
    let said = stderr(&run(folder.path(), &["balance", &config]));
    let hint = "no such file or folder\nhint: put it back from a copy, or give another --folder\n";
    assert!(said.contains(hint), "{said}");
}

/// Fields that `balance vary` refuses, and why.
const REFUSED_FIELDS: [(&str, &str); 4] = [
    (
        "shieldwal",
        "--field shieldwal: \"shieldwal\" is not a field of rulesets",
    ),
    (
        "king_capture=weak",
        "--field king_capture=weak: expected \"four-sides\" | \"four-sides-three-on-edge\" | \"two-sides-away-from-throne\" | \"two-sides-off-throne\" | \"two-sides\", found \"weak\"",
    ),
    ("start=7/7", "--field start=7/7: "),
    (
        "start=3t3/3t3/7/tt1K1tt/7/3t3/3t3",
        "none of the base's 2 openings can be played there; fewer `openings.plies` may help",
    ),
];

#[test]
fn a_verdict_is_printed_first_then_tables_and_a_field_that_is_none_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let vary = |field: &str| {
        let words = ["balance", "vary", "brandubh", "--player", "random"];
        let numbers = ["openings.count=2", "strength.openings=1", "max_plies=400"];
        let numbers = numbers.iter().flat_map(|number| ["--set", number]);
        let words: Vec<&str> = words.into_iter().chain(numbers).collect();
        run(folder.path(), &[&words[..], &["--field", field]].concat())
    };
    let varied = vary("all");
    let inert = "the same with them, jump_hostile=true, captureless_reason=captureless, match=two-sets, shieldwall_by_end=false\n";
    assert!(stderr(&varied).contains(inert), "{}", stderr(&varied));
    let repeated =
        "throne_hostile_to=nobody (throne_hostile=false), throne_pass=king (throne_pass=none)\n";
    assert!(stderr(&varied).contains(repeated), "{}", stderr(&varied));
    let printed = succeeds(&varied);
    for part in [
        "\nbrandubh_chain-forced ",
        "of 30 changes",
        "Effect",
        "omes nearest to even",
    ] {
        assert!(printed.contains(part), "{part}: {printed}");
    }
    let words = [
        "balance",
        "configs/balance/smoke.toml",
        "--set",
        "openings.count=2",
    ];
    let played = run(folder.path(), &words);
    let matches = "are: 24 games against random; --set strength.openings=0 leaves them out\n";
    assert!(stderr(&played).contains(matches), "{}", stderr(&played));
    let printed = succeeds(&played);
    assert!(printed.starts_with("Verdict\n"), "{printed}");
    for part in ["tablut", "rollouts, 8 visits", "--full"] {
        assert!(printed.contains(part), "{part}: {printed}");
    }
    assert!(!printed.contains("Probability of being the most"));
    assert!(printed.lines().count() <= 24, "one screen: {printed}");
    let verify = ["run", "verify", &place(folder.path()).display().to_string()];
    succeeds(&run(folder.path(), &verify));
    let picture = std::fs::read_to_string(place(folder.path()).join("scores.svg"));
    assert!(picture.expect("a picture").contains(">tablut</text>"));
    let matches = place(folder.path()).join("strength/games");
    let file = std::fs::read_dir(&matches).expect("matches").next();
    let file = file.expect("a file").expect("readable").path();
    let whole = std::fs::read(&file).expect("readable");
    std::fs::write(&file, "half").expect("written");
    let damaged = run(folder.path(), &verify);
    assert_eq!(damaged.status.code(), Some(1));
    let said = String::from_utf8_lossy(&damaged.stdout);
    assert!(
        said.contains("strength/games/") && said.contains("1 missing or damaged"),
        "{said}"
    );
    std::fs::write(&file, whole).expect("written");
    let full = succeeds(&run(folder.path(), &[&words[..], &["--full"]].concat()));
    let verdict = printed.split("\n\n").next().expect("a first part");
    assert!(full.starts_with(verdict), "{full}");
    assert!(full.contains("Probability of being the most"), "{full}");
    for (field, expected) in REFUSED_FIELDS {
        let output = vary(field);
        assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
        assert!(stderr(&output).contains(expected), "{}", stderr(&output));
    }
}

/// Returns the row of a table with the attackers' scores of all rulesets, which begins with the words for a strength.
fn row(summary: &Summary, strength: &str, words: &str) -> String {
    let cells = summary.cells.iter();
    let cells = cells.filter(|cell| cell.player.ends_with(&format!("@{strength}")));
    let scores = cells.map(|cell| cell.score.in_percent().replace(" %", ""));
    let scores: Vec<String> = scores.map(|it| it.replace(" to ", "\u{2013}")).collect();
    assert_eq!(scores.len(), 5, "{words}");
    format!("| {words} | {} |", scores.join(" | "))
}

#[test]
fn a_study_whose_searches_are_gone_says_so_before_anything_else() {
    // An earlier version played it, so that its players are described by other fields, too.
    let folder = tempfile::tempdir().expect("a folder");
    let manifest = root().join("data/balance/published/manifest.json");
    std::fs::copy(manifest, folder.path().join("manifest.json")).expect("copied");
    let name = folder.path().display().to_string();
    let config = "configs/balance/five-rulesets.toml";
    let refused = run(folder.path(), &["balance", config, "--folder", &name]);
    let said = stderr(&refused);
    assert_eq!(refused.status.code(), Some(2), "{said}");
    let expected =
        format!("error: {name}: the searches of its games were removed, so it cannot go on\n");
    assert!(said.starts_with(&expected), "{said}");
    assert!(
        said.contains(&format!("tafl report {name}` shows it")),
        "{said}"
    );
}

#[test]
fn the_readme_tells_what_the_published_study_says() {
    let study = root().join("data/balance/published");
    let read = |path: PathBuf| std::fs::read_to_string(path).expect("readable");
    let summary: Summary = serde_json::from_str(&read(study.join("summary.json"))).expect("JSON");
    let readme = read(root().join("configs/balance/README.md"));
    for strength in ["1", "16", "64", "256", "800"] {
        let end = if strength == "1" { "" } else { "s" };
        let row = row(&summary, strength, &format!("{strength} visit{end}"));
        assert!(readme.contains(&row), "{row}");
    }
    let picture = read(study.join("scores.svg"));
    for ruleset in &summary.study.rulesets {
        assert!(picture.contains(&format!(">{}</text>", ruleset.name)));
    }
    let games: u64 = summary.cells.iter().map(|cell| cell.results.games()).sum();
    assert!(readme.contains(&format!("{},{:03} games", games / 1000, games % 1000)));
    // Games without the searches can be shown, and are those of the results.
    let page = tempfile::tempdir().expect("a folder");
    let output = page.path().join("page.html").display().to_string();
    let arguments = ["report", "data/balance/published", "--output", &output];
    succeeds(&run(page.path(), &arguments));
    assert!(read(page.path().join("page.html")).contains("copenhagen-tournament"));
}

#[test]
fn tables_of_other_studies_say_what_their_data_say() {
    let read = |path: &str| std::fs::read_to_string(root().join(path)).expect("readable");
    let readme = read("configs/balance/README.md");
    for (study, strength, words) in [
        ("published-tenth", "256", "256 visits, other games"),
        ("published-start", "64", "64 visits, openings from a search"),
    ] {
        let text = read(&format!("data/balance/{study}/summary.json"));
        let summary = Summary::of_json(&text).expect("a summary");
        let row = row(&summary, strength, words);
        assert!(readme.contains(&row), "{row}");
    }
}

#[test]
fn other_networks_of_the_same_name_and_cut_games_are_told() {
    let anywhere = tempfile::tempdir().expect("a folder");
    let second = "data/balance/published-tenth";
    let text = std::fs::read_to_string(root().join(second).join("summary.json"));
    let mut other = Summary::of_json(&text.expect("readable")).expect("a summary");
    other.study.players[0].weights_sha256 = Some("0".repeat(64));
    other.study.players[0].precision = Some("int8".to_owned());
    let results = &mut other.cells[0].results;
    results.capped = 2 * results.games();
    let other = other.with_sentences();
    let folder = anywhere.path().join("other");
    std::fs::create_dir(&folder).expect("made");
    let text = serde_json::to_string(&other).expect("JSON");
    std::fs::write(folder.join("summary.json"), text).expect("written");
    let folder = folder.display().to_string();
    let said = succeeds(&run(
        anywhere.path(),
        &["balance", "compare", second, &folder],
    ));
    let lines: Vec<&str> = said
        .lines()
        .filter(|it| it.contains("(00000000, int8)") && !it.starts_with("not played"))
        .collect();
    assert_eq!(lines.len(), 5, "{said}");
    // As in the tables of either study: of one ruleset both have a warning.
    let marks = lines.iter().map(|it| it.matches(" !").count());
    let mut marks: Vec<usize> = marks.collect();
    marks.sort_unstable();
    assert_eq!(marks, [0, 0, 0, 1, 2], "{said}");
    let differ = run(anywhere.path(), &["config", "diff", second, &folder]);
    let said = String::from_utf8_lossy(&differ.stdout);
    assert!(
        said.contains("\nplayers ") && said.contains("(00000000, int8)"),
        "{said}"
    );
}

#[test]
fn the_same_study_and_rules_of_one_name_are_told() {
    let anywhere = tempfile::tempdir().expect("a folder");
    let second = "data/balance/published-tenth";
    let compare = |folder: &str| run(anywhere.path(), &["balance", "compare", second, folder]);
    let same = compare(second);
    succeeds(&same);
    assert_eq!(stderr(&same), "Note: both hold the same results.\n");
    let text = std::fs::read_to_string(root().join(second).join("summary.json"));
    let mut other = Summary::of_json(&text.expect("readable")).expect("a summary");
    let mut changed = |rulesets: std::ops::Range<usize>| {
        for ruleset in &mut other.study.rulesets[rulesets] {
            ruleset.fingerprint = "0".repeat(16);
        }
        let text = serde_json::to_string(&other).expect("JSON");
        std::fs::write(anywhere.path().join("summary.json"), text).expect("written");
        compare(&anywhere.path().display().to_string())
    };
    let one = changed(0..1);
    succeeds(&one);
    let said = stderr(&one);
    let games = "Note: both hold the same games of ";
    assert!(
        said.starts_with(games) && !said.contains("copenhagen ("),
        "{said}"
    );
    let expected =
        "\nNote: not compared, as their rules differ: copenhagen; a study of both compares them";
    assert!(said.contains(expected), "{said}");
    let none = changed(1..5);
    assert_eq!(none.status.code(), Some(2));
    let expected =
        "no ruleset was played in both studies; of one name, but of other rules: copenhagen, ";
    assert!(stderr(&none).contains(expected), "{}", stderr(&none));
    assert!(stderr(&none).contains("\nhint: a study of both"));
}

#[test]
fn what_two_studies_did_not_play_alike_is_said() {
    let anywhere = tempfile::tempdir().expect("a folder");
    let [first, second] =
        ["published-tenth", "published-start"].map(|it| format!("data/balance/{it}"));
    let compare = |first: &str, more: &[&str]| {
        let words = [&["balance", "compare", first, &second], more].concat();
        run(anywhere.path(), &words)
    };
    // The networks have the same weights, and other visits.
    let text = succeeds(&compare(&first, &[]));
    let expected = "\nnot played alike, which may make a difference: players (five-rulesets net, 256 visits; five-rulesets net, 64 visits), \
         openings (6 plies, from five-rulesets net; 8 plies, from 64 visits of five-rulesets net), games cut after (400 plies; 1000 plies)\n";
    assert!(text.contains(expected), "{text}");
    let said = stderr(&compare(&first, &["--json"]));
    assert!(said.contains(expected.trim()), "{said}");
}

#[test]
fn two_studies_are_set_side_by_side() {
    let anywhere = tempfile::tempdir().expect("a folder");
    let [first, second] = ["data/balance/published", "data/balance/published-tenth"];
    let compare = |more: &[&str]| {
        let words = [&["balance", "compare", first, second], more].concat();
        succeeds(&run(anywhere.path(), &words))
    };
    let rows: serde_json::Value = serde_json::from_str(&compare(&["--json"])).expect("JSON");
    let rows = rows.as_array().expect("a list");
    assert_eq!(
        rows.len(),
        5,
        "the second study has one player, at one strength"
    );
    let summaries = [first, second].map(|study| {
        let text = std::fs::read_to_string(root().join(study).join("summary.json"));
        Summary::of_json(&text.expect("readable")).expect("a summary")
    });
    let player = &summaries[1].study.players[0].name;
    for row in rows {
        let ruleset = row["ruleset"].as_str().expect("a name");
        let cells = summaries
            .each_ref()
            .map(|it| it.cell(player, ruleset).expect("played"));
        let number = |of: &serde_json::Value, part: &str| of[part].as_f64().expect("a number");
        let difference = &row["difference"];
        let [low, value, high] = ["low", "value", "high"].map(|part| number(difference, part));
        let [one, other] = cells.map(|it| it.score.value);
        assert!((value - (other - one)).abs() < 1e-9, "{row}");
        // The widths of intervals that do not depend on each other add as the sides of a right angle.
        let [one, other] = cells.map(|it| it.score.high - it.score.low);
        assert!(
            ((high - low) / one.hypot(other) - 1.0).abs() < 0.05,
            "{row}"
        );
        assert!(low < value && value < high, "{row}");
    }
    let text = compare(&[]);
    assert!(
        text.starts_with(
            "first: published in data/balance/published; second: tenth in data/balance/published-tenth\n"
        ),
        "{text}"
    );
    assert!(
        text.contains("\ncopenhagen ") && text.contains("net, 256 visits"),
        "{text}"
    );
    assert!(!text.contains("not played alike"), "{text}");
    let differ = run(anywhere.path(), &["config", "diff", first, second]);
    assert_eq!(differ.status.code(), Some(1));
    let said = String::from_utf8_lossy(&differ.stdout);
    let fields = said.lines().skip(2).filter_map(|it| it.split(' ').next());
    let fields: Vec<&str> = fields.collect();
    assert!(
        fields.contains(&"seed") && fields.contains(&"players"),
        "{said}"
    );
    assert!(
        !fields.contains(&"rulesets") && !fields.contains(&"people"),
        "{said}"
    );
    let refused = run(anywhere.path(), &["report", first, second]);
    assert!(
        stderr(&refused).contains("`tafl balance compare`"),
        "{}",
        stderr(&refused)
    );
}

#[test]
fn a_study_says_what_its_own_rulesets_are_and_loses_none() {
    let folder = tempfile::tempdir().expect("a folder");
    let own = "base = \"brandubh\"\nking_armed = false\n";
    std::fs::write(folder.path().join("own.toml"), own).expect("written");
    let rulesets = ("\"tablut\"", "\"own.toml\"");
    let changes = [
        rulesets,
        ("count = 8", "count = 2"),
        ("openings = 2", "openings = 0"),
    ];
    play(folder.path(), &changes);
    let place = place(folder.path());
    let name = place.display().to_string();
    let said = succeeds(&run(folder.path(), &["report", &name]));
    let is = "as brandubh, but king_armed = false (not true)";
    assert!(
        said.starts_with(&format!("ruleset own: {is}\n{name}")),
        "{said}"
    );
    let page = std::fs::read_to_string(place.join("report.html")).expect("readable");
    assert!(page.contains(is));

    let read = || std::fs::read(place.join("summary.json")).expect("readable");
    let before = read();
    let path = study(folder.path(), &changes).display().to_string();
    let fewer = ["balance", &path, "--set", "rulesets=[\"brandubh\"]"];
    let refused = run(folder.path(), &fewer);
    assert_eq!(refused.status.code(), Some(2));
    let expected = format!("{name}/summary.json: the study has results of own, which are not");
    assert!(stderr(&refused).contains(&expected), "{}", stderr(&refused));
    // The same rules under another name are told by their old one.
    let file = folder.path().join("own.toml");
    std::fs::copy(&file, file.with_file_name("mine.toml")).expect("copied");
    let renamed = ["--set", "rulesets=[\"brandubh\", \"mine.toml\"]"];
    let refused = run(folder.path(), &[&fewer[..2], &renamed].concat());
    let hint = "\nhint: mine has the same rules: with `name = \"own\"` in its file";
    assert!(stderr(&refused).contains(hint), "{}", stderr(&refused));
    assert!(read() == before, "the results are there");
    let elsewhere = folder.path().join("elsewhere").display().to_string();
    succeeds(&run(
        folder.path(),
        &[&fewer[..], &["--folder", &elsewhere]].concat(),
    ));
}

#[test]
fn what_is_no_config_is_not_taken_for_one_of_another_kind() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("junk.toml");
    std::fs::write(&file, "junk\n").expect("written");
    let refused = run(folder.path(), &["balance", &file.display().to_string()]);
    let error = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(2), "{error}");
    assert!(error.contains("junk.toml: line 1"), "{error}");
    assert!(!error.contains("run config"), "{error}");
}
