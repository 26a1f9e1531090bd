//! `tafl rules convert`: what it prints, what it refuses, and that its own files are read again.

use crate::support::python::packages;
use crate::support::{root, run, succeeds, tafl};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const COPENHAGEN: &str = "dim:11 name:own tfr:i sw:s efe:y atkf:y \
     start:/3ttttt3/5t5/11/t4T4t/t3TTT3t/tt1TTKTT1tt/t3TTT3t/t4T4t/11/5t5/3ttttt3/";

/// Runs `tafl rules convert WHAT --from FROM --to TO`, with further arguments.
fn convert(what: &str, from: &str, to: &str, arguments: &[&str]) -> Output {
    let mut all = vec!["rules", "convert", what, "--from", from, "--to", to];
    all.extend(arguments);
    run(Path::new("data"), &all)
}

/// Runs `tafl rules convert` with `-` for the text, which it reads from its standard input.
fn convert_input(what: &str, from: &str, to: &str, input: &str) -> Output {
    let arguments = ["rules", "convert", what, "--from", from, "--to", to, "-"];
    let mut child = tafl(Path::new("data"), &arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("tafl starts");
    let mut stdin = child.stdin.take().expect("it is piped");
    stdin.write_all(input.as_bytes()).expect("tafl reads it");
    drop(stdin);
    child.wait_with_output().expect("tafl ends")
}

/// Asserts exit code 2, nothing on stdout, and these lines on stderr.
#[track_caller]
fn refuses(output: &Output, expected: &[&str]) {
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(stderr.lines().collect::<Vec<_>>(), expected);
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(output.stdout.is_empty());
}

#[test]
fn a_rules_record_becomes_a_file_that_is_read_again() {
    let file = succeeds(&convert("ruleset", "opentafl", "taflforge", &[COPENHAGEN]));
    assert!(
        file.starts_with("name = \"own\"\nshieldwall = true\n"),
        "{file}"
    );
    let folder = tempfile::tempdir().expect("a folder");
    let record = folder.path().join("own.txt");
    std::fs::write(&record, format!("{COPENHAGEN}\n")).expect("written");
    let record = record.display().to_string();
    let of_file = succeeds(&convert("ruleset", "opentafl", "taflforge", &[&record]));
    assert_eq!(of_file, file);
    let path = folder.path().join("own.toml");
    std::fs::write(&path, &file).expect("written");
    let path = path.display().to_string();
    let shown = succeeds(&run(Path::new("data"), &["rules", "show", &path]));
    let is_row = |line: &str| line.split_whitespace().eq(["captureless_limit", "none"]);
    assert!(shown.lines().any(is_row), "{shown}");
    let list = succeeds(&run(Path::new("data"), &["rules", "list"]));
    let at = |field: &str, value: &str| {
        let line = list.lines().find(|line| line.starts_with(field))?;
        line.find(value)
    };
    let column = at("name", "copenhagen");
    assert_eq!(at("repetition_occurrence", "3"), column, "{list}");
    let record = succeeds(&convert("ruleset", "taflforge", "opentafl", &[&path]));
    assert_eq!(record, format!("{COPENHAGEN}\n"));
    let again = convert_input("ruleset", "taflforge", "opentafl", &file);
    assert_eq!(succeeds(&again), record);
    let shipped = COPENHAGEN.replace("own", "copenhagen");
    let expected = "error: name: \"copenhagen\" is the name of a shipped ruleset, whose rules differ; give it another";
    let refused = convert("ruleset", "opentafl", "taflforge", &[&shipped]);
    refuses(&refused, &[expected]);
}

#[test]
fn presets_are_written_with_the_nearest_rules_where_that_is_asked_for() {
    let fields = "captureless_limit,repetition";
    let approximate = ["--approximate", fields, "copenhagen"];
    let record = succeeds(&convert("ruleset", "taflforge", "opentafl", &approximate));
    assert_eq!(
        record.trim_end(),
        COPENHAGEN.replace("own", "copenhagen-approximate")
    );
    let refused = convert("ruleset", "taflforge", "opentafl", &["berserk-2024"]);
    let parts = [
        "error: field `chain`: OpenTafl notation has no chains or forced ones; field `repetition`: OpenTafl notation \
         has no word for the side that loses by repetition; field `captureless_limit`: OpenTafl notation has no such limit",
        "hint: --approximate chain,repetition,captureless_limit writes OpenTafl's nearest rules instead",
    ];
    refuses(&refused, &parts);
    let approximate = [
        "--approximate",
        "captureless_limit,chain,repetition",
        "berserk-2024",
    ];
    let record = succeeds(&convert(
        "ruleset",
        "taflforge",
        "opentafl-starti",
        &approximate,
    ));
    let expected =
        "dim:11 name:berserk-2024-approximate surf:n tfr:i kj:r ber:c atkf:y starti:/3ttttt3/5c5/";
    assert!(record.starts_with(expected), "{record}");
}

#[test]
fn a_frail_king_goes_to_a_file_and_back() {
    let record = COPENHAGEN
        .replace(" sw:s", " ka:n cenh: ks:w cenhe: sw:s")
        .replace("atkf:y", "atkf:n");
    let file = succeeds(&convert("ruleset", "opentafl", "taflforge", &[&record]));
    let expected = "king_capture = \"two-sides\"\nking_armed = false\nthrone_hostile = false\n\
                    throne_hostile_to = \"all\"\ncorners_hostile_to = \"all\"\nthrone_stop = \"king\"\nthrone_pass = \"all\"\n\
                    king_step_limit = \"none\"\nmen_step_limit = \"none\"\nrepetition_occurrence = 3\nshieldwall_by_end = true\nthrone = true\n\
                    moves_first = \"defenders\"\nstart = ";
    assert!(file.contains(expected), "{file}");
    let again = convert_input("ruleset", "taflforge", "opentafl", &file);
    assert_eq!(succeeds(&again), format!("{record}\n"));
}

#[test]
fn rules_that_cannot_be_said_are_refused_by_key_or_field() {
    let weak = COPENHAGEN.replace("tfr:i", "tfr:w");
    let reason = "\"w\" cannot be represented: who wins does not depend on whose ply repeats";
    let refused = convert("ruleset", "opentafl", "taflforge", &[&weak]);
    refuses(&refused, &[&format!("error: key `tfr`: {reason}")]);
    let unknown = COPENHAGEN.replace("sw:s", "shields:yes");
    let refused = convert("ruleset", "opentafl", "taflforge", &[&unknown]);
    refuses(&refused, &["error: unknown key `shields`"]);
    let refused = convert("ruleset", "taflforge", "opentafl", &["hnefatafl"]);
    let known = tafl_rules::known_names().collect::<Vec<_>>().join(", ");
    let meant = "did you mean old-hnefatafl? if not,";
    let hint = format!("hint: {meant} use one of {known}, or a path to a .toml file");
    refuses(&refused, &["error: unknown ruleset \"hnefatafl\"", &hint]);
}

#[test]
fn games_of_people_go_through_and_lines_are_counted_with_the_blank_ones() {
    let fixture = root().join("tests/fixtures/rules/games-copenhagen.csv");
    let games = std::fs::read_to_string(fixture).expect("readable");
    let copy = succeeds(&convert_input("game", "aagenielsen", "aagenielsen", &games));
    assert_eq!(copy.lines().count(), 700);
    // The site's Berserk begins with the knight on e7.
    let berserk = "d11-d7 e7-c7xd7,0,1,Ongoing\n";
    let under = ["--ruleset", "berserk-2017", berserk];
    let copy = convert("game", "aagenielsen", "aagenielsen", &under);
    assert_eq!(succeeds(&copy), berserk);
    let bad = "h1-h3,0,0,White\n\n\nh1-h9z,0,0,White\n";
    let refused = convert_input("game", "aagenielsen", "turns", bad);
    refuses(
        &refused,
        &["error: line 4: field `plies`: number 1: \"h1-h9z\" is not a move (such as f6-f9xf8)"],
    );
    let refused = convert_input("game", "aagenielsen", "turns", "\n");
    refuses(&refused, &["error: standard input is empty"]);
}

#[test]
fn a_result_that_the_board_contradicts_is_refused() {
    let fixture = root().join("tests/fixtures/rules/games-copenhagen.csv");
    let games = std::fs::read_to_string(fixture).expect("readable");
    let under = |line: &str| {
        let arguments = ["--ruleset", "copenhagen", line];
        convert("game", "aagenielsen", "aagenielsen", &arguments)
    };
    // The king stands on a corner in the end.
    let won = games.lines().find(|line| {
        let text = String::from_utf8(under(line).stdout).expect("UTF-8");
        let white = text.trim_end().ends_with(",White");
        white
            && line.ends_with(",White")
            && !under(&line.replace(",White", ",Draw")).status.success()
    });
    let won = won.expect("a game that the defenders won on the board");
    let refused = under(&won.replace(",White", ",Black"));
    let reason = "the board says defenders win (king-escaped); recorded is attackers win";
    refuses(&refused, &[&format!("error: line 1: {reason}")]);
}

#[test]
fn positions_go_through_all_notations_and_come_back() {
    let own = "3t3/7/7/3K3/7/1T5/7 defenders 5";
    let steps = [
        ("taflforge", "taflzero", "3a3/7/7/3k3/7/1d5/7 - d 5 0"),
        ("taflzero", "taflforge", own),
        (
            "taflforge",
            "opentafl",
            "atkf:n start:/7/1T5/7/3K3/7/7/3t3/",
        ),
        (
            "opentafl",
            "opentafl-starti",
            "atkf:n starti:/3t3/7/7/3K3/7/1T5/7/",
        ),
        ("opentafl", "taflforge", "3t3/7/7/3K3/7/1T5/7 defenders"),
    ];
    // What `show_board_open_tafl` of HTP answers.
    let htp = convert(
        "position",
        "opentafl",
        "taflforge",
        &["/3A3/7/1D5/3K3/7/7/7/"],
    );
    assert_eq!(succeeds(&htp), "3t3/7/1T5/3K3/7/7/7 attackers\n");
    let mut text = own.to_owned();
    for (from, to, expected) in steps {
        let converted = succeeds(&convert("position", from, to, &[&text]));
        assert_eq!(converted, format!("{expected}\n"));
        text = converted;
    }
}

#[test]
fn positions_that_cannot_be_said_are_refused_by_field() {
    let cases = [
        (
            "taflforge",
            "taflzero",
            "3c3/7/7/3K3/7/7/7",
            "field `ranks`: no letter for the commander on d7 (TaflZero has soldiers and a king only)",
        ),
        (
            "taflforge",
            "opentafl",
            "3t3/7",
            "field `ranks`: 2 ranks; a board has 7, 9 or 11",
        ),
        (
            "taflforge",
            "opentafl",
            "3t3/7/7/3K3/7/7/7 white",
            "field `side`: \"white\" is not `attackers` (`a`) or `defenders` (`d`)",
        ),
        (
            "taflforge",
            "opentafl",
            "3t3/7/7/3K3/7/7/7 attackers x",
            "field `clock`: \"x\" is not a number of plies",
        ),
        (
            "taflzero",
            "taflforge",
            "3a3/7/7/3k3/7/7/7 h1 a",
            "field `last`: \"h1\" is not a square of the board or `-`",
        ),
        ("opentafl", "taflforge", "dim:7", "key `start` is missing"),
    ];
    for (from, to, text, expected) in cases {
        let refused = convert("position", from, to, &[text]);
        refuses(&refused, &[&format!("error: {expected}")]);
    }
}

#[test]
fn games_of_people_become_lists_of_turns() {
    let path = root().join("tests/fixtures/rules/games-copenhagen.csv");
    let games = std::fs::read_to_string(path).expect("readable");
    let turns = succeeds(&convert_input("game", "aagenielsen", "turns", &games));
    assert_eq!(turns.lines().count(), 700);
    assert_eq!(turns.lines().next(), Some("h1-h3 f8-i8 f10-i10 d6-d3"));
}

#[test]
fn turns_played_under_a_ruleset_become_lines_with_captures_and_result() {
    let arguments = [
        "--ruleset",
        "copenhagen",
        "d1-d3 e5-e2 g1-g3 f4-c4 g3-e3 timeout",
    ];
    let line = succeeds(&convert("game", "turns", "aagenielsen", &arguments));
    assert_eq!(line, "d1-d3 e5-e2 g1-g3 f4-c4 g3-e3xe2 timeout,1,0,Black\n");
    let kept = convert(
        "game",
        "aagenielsen",
        "aagenielsen",
        &["--ruleset", "copenhagen", "h1-h3,0,0,White"],
    );
    assert_eq!(succeeds(&kept), "h1-h3,0,0,White\n");
}

#[test]
fn what_a_game_says_otherwise_is_told() {
    let note = |ruleset: &str, text: &str| {
        let arguments = ["--ruleset", ruleset, text];
        let output = convert("game", "turns", "turns", &arguments);
        let note = String::from_utf8_lossy(&output.stderr).into_owned();
        succeeds(&output);
        note
    };
    let lines = "h1-h3 f8-i8,0,0,Ongoing\nh1-h3 f8-i8,2,1,Ongoing\nh1-h3,4,0,Ongoing\n";
    assert_eq!(
        note("copenhagen", lines),
        "Note: line 2: captures 2,1 are recorded; the board has 0,0, which are written; so in 1 more.\n"
    );
    let otg = format!("[rules:{COPENHAGEN}]\n\n1. h1-h3 f8-i8\n");
    assert_eq!(note("copenhagen", &otg), "");
    assert_eq!(
        note("fetlar", &otg),
        "Note: line 1: the game has other rules of its own (edge_fort, shieldwall); it is played under fetlar.\n"
    );
    let tagged = "[Variant \"fetlar\"]\n\n1. h1h3\n\n[Variant \"fetlar\"]\n\n1. h1h3\n";
    assert_eq!(note("fetlar", tagged), "");
    assert!(note("copenhagen", tagged).starts_with(
        "Note: 2 games name other rules than copenhagen, under which they are played; line 1: "
    ));
}

#[test]
fn an_otg_becomes_a_line_under_the_ruleset_whose_start_it_has() {
    let start = COPENHAGEN.split_once("atkf").expect("a record").1;
    let otg = |rules: &str| format!("[rules:{rules}]\n\n1. h1-h3 f8-i8\n");
    let text = otg(&format!("dim:11 name:own atkf{start}"));
    let convert = |ruleset, text: &str| {
        let arguments = ["--ruleset", ruleset, text];
        convert("game", "turns", "aagenielsen", &arguments)
    };
    let line = succeeds(&convert("copenhagen", &text));
    assert_eq!(line, "h1-h3 f8-i8,0,0,Ongoing\n");
    let elsewhere = "error: line 1: the game has a first position, which a line of aagenielsen.dk has no place for";
    let other = otg("dim:11 name:own atkf:y start:/3ttttt3/5t5/11/11/11/5K5/11/11/11/11/11/");
    refuses(&convert("copenhagen", &other), &[elsewhere]);
}

#[test]
fn names_and_dates_of_games_are_kept_as_titles_or_missed() {
    let game = |names: &str| format!("{names}\n\n1. h1h3 f8i8\n\n");
    let named =
        game("[White \"Anna\"]\n[Black \"Bo\"]\n[Date \"2024.05.01\"]") + &game("[Event \"Cup\"]");
    let turns = "# Bo (Black) - Anna (White), 2024.05.01\nh1-h3 f8-i8\n# Cup\n1. h1-h3 f8-i8\n";
    let kept = convert("game", "turns", "turns", &[&named]);
    assert_eq!(String::from_utf8_lossy(&kept.stderr), "");
    assert_eq!(succeeds(&kept), turns);
    assert_eq!(
        succeeds(&convert("game", "turns", "turns", &[turns])),
        turns
    );
    let mixed = "Copenhagen\n1. h1-h3 f4-i4\nWhite\nFetlar\n1. h1-h3 f4-i4\nBlack\n";
    let lines = convert("game", "turns", "aagenielsen", &[mixed]);
    assert_eq!(succeeds(&lines).lines().count(), 2);
    let note = String::from_utf8_lossy(&lines.stderr).into_owned();
    assert!(note.contains("of several rulesets"), "{note}");
    let lost = "names, dates or other titles of ";
    for (to, text, reason) in [
        (
            "aagenielsen",
            &*named,
            "2 games are left out: a line of aagenielsen.dk has no place",
        ),
        (
            "turns",
            &*game("[Event \"Fetlar\"]"),
            "1 game are left out: they would be read",
        ),
    ] {
        let under = ["--ruleset", "copenhagen", text];
        let output = convert("game", "turns", to, &under);
        let note = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(note.starts_with(&format!("Note: {lost}{reason}")), "{note}");
        assert!(!succeeds(&output).contains('#'));
    }
}

#[test]
fn lists_of_turns_keep_rules_and_first_positions() {
    let turns = |text: &str| convert("game", "turns", "turns", &[text]);
    let position = "position: 3a3/7/7/3k3/7/7/7 - a 0 0\n";
    let own = format!(
        "ruleset: {{\"name\": \"mine\", \"base\": \"brandubh\", \"escape\": \"edges\"}}\n{position}d7-d6\n"
    );
    let kept = succeeds(&turns(&own));
    assert!(
        kept.contains("\"escape\":\"edges\"") && kept.ends_with(&format!("\n{position}d7-d6\n")),
        "{kept}"
    );
    assert_eq!(succeeds(&turns(&kept)), kept);
    // Under a ruleset that is given, the first position stays.
    let under = ["--ruleset", "brandubh", &own];
    let played = succeeds(&convert("game", "turns", "turns", &under));
    assert_eq!(played, format!("ruleset: brandubh\n{position}d7-d6\n"));
    // A position holds up to the next ruleset.
    let cleared = format!("{played}ruleset: brandubh\nd6-f6\n");
    assert_eq!(succeeds(&turns(&cleared)), cleared);

    let otg = format!("[rules:{COPENHAGEN}]\n\n1. h1-h3 f8-i8\n");
    let kept = succeeds(&turns(&otg));
    assert!(
        kept.starts_with("ruleset: {") && kept.ends_with("}\nh1-h3 f8-i8\n"),
        "{kept}"
    );
    assert_eq!(succeeds(&turns(&kept)), kept);
    let shipped = turns(&otg.replace("name:own", "name:copenhagen"));
    assert!(succeeds(&shipped).contains("\"name\":\"copenhagen-other\""));
    let named = "[Variant \"Fetlar\"]\n\n1. h1h3\n";
    assert_eq!(succeeds(&turns(named)), "ruleset: fetlar\nh1-h3\n");
    let unknown = turns(&named.replace("Fetlar", "foo"));
    let hint = "hint: --ruleset NAME or FILE says under which rules it was played";
    refuses(
        &unknown,
        &["error: line 1: its ruleset: unknown ruleset \"foo\"", hint],
    );
    let heading = turns("Fetlar\nh1-h3 White\n\nTabult\nh1-h3 Black\n");
    let meant = hint.replace(
        "hint: ",
        "hint: did you mean tablut? a line `ruleset: tablut` above the game says so; if not, ",
    );
    refuses(
        &heading,
        &[
            "error: line 5: its ruleset: unknown ruleset \"Tabult\"",
            &meant,
        ],
    );
    // A line holds for all games below it.
    let two = turns(&format!("{named}\n[Event \"other\"]\n\n1. h1h3\n"));
    refuses(
        &two,
        &[
            "error: game 2: it has no ruleset, but those before it do, whose line would hold for it, too; convert it alone",
        ],
    );
}

#[test]
fn stored_games_become_lines_and_keep_their_results_on_the_way() {
    let games = "data/balance/published-start/games/000000";
    let entries = std::fs::read_dir(root().join(games)).expect("games");
    let file = entries
        .map(|it| it.expect("an entry").path().display().to_string())
        .find(|path| path.contains("berserk-2024"))
        .expect("games of the published study");
    let lines = succeeds(&convert("game", "taflforge", "aagenielsen", &[&file]));
    let count = |result| lines.lines().filter(|line| line.ends_with(result)).count();
    assert!(count(",White") > 0 && count(",Black") > 0, "{lines}");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("turns.txt").display().to_string();
    let turns = succeeds(&convert("game", "taflforge", "turns", &[&file]));
    std::fs::write(&path, turns).expect("written");
    let again = ["--ruleset", "berserk-2024", "--judge-repetition", &path];
    let again = succeeds(&convert("game", "turns", "aagenielsen", &again));
    assert_eq!(again, lines);

    // One turn, or none, is a game of its own; a file without games is refused.
    let short =
        "h1-h3,0,0,Ongoing\nh1-h2,0,0,Ongoing\n,0,0,White\n,0,0,Ongoing\nh1-h3 f8-i8,0,0,Ongoing\n";
    let turns = succeeds(&convert("game", "aagenielsen", "turns", &[short]));
    assert_eq!(
        turns,
        "h1-h3\n1. h1-h2\n1.  White\n1.  Ongoing\n1. h1-h3 f8-i8\n"
    );
    let under = ["--ruleset", "copenhagen", &turns];
    let again = succeeds(&convert("game", "turns", "aagenielsen", &under));
    assert_eq!(again, short);
    refuses(
        &convert("game", "turns", "turns", &["# no game"]),
        &["error: it contains no game"],
    );

    // A result that is not on the board goes with the turns.
    let resigned = "h1-h3 f8-i8 resigned,0,0,White\n";
    let given_up = "h1-h3 f8-i8 a4-c4 resigned";
    let under = ["--ruleset", "copenhagen", given_up];
    let line = succeeds(&convert("game", "turns", "aagenielsen", &under));
    assert_eq!(
        line,
        format!("{given_up},0,0,Black\n"),
        "the defenders were to move"
    );
    let turns = succeeds(&convert("game", "aagenielsen", "turns", &[resigned]));
    assert_eq!(turns, "h1-h3 f8-i8 resigned White\n");
    let back = ["--ruleset", "copenhagen", &turns];
    assert_eq!(
        succeeds(&convert("game", "turns", "aagenielsen", &back)),
        resigned
    );
}

#[test]
fn games_that_cannot_be_are_refused_by_line_and_ply() {
    let refused = convert("game", "turns", "aagenielsen", &["h1-h3"]);
    let hint = "hint: use --ruleset to play them";
    refuses(
        &refused,
        &[
            "error: line 1: turns alone do not contain captures and result",
            hint,
        ],
    );
    let named = convert("game", "turns", "aagenielsen", &["Fetlar\nh1-h3"]);
    assert_eq!(succeeds(&named), "h1-h3,0,0,Ongoing\n");
    let played = |text: &str| {
        convert(
            "game",
            "turns",
            "aagenielsen",
            &["--ruleset", "copenhagen", text],
        )
    };
    refuses(
        &played("\nh1-h3 f8-i8 h3-h6"),
        &["error: line 2: ply 3: h3-h6 is not legal for the attackers: h6 is not free"],
    );
    refuses(
        &played("h1-h3xh4"),
        &["error: line 1: ply 1: h1-h3 captures nothing; recorded is h4"],
    );
    refuses(
        &convert("game", "aagenielsen", "turns", &["h1-h3,0,0,Red"]),
        &["error: line 1: field `result`: \"Red\" is not White, Black, Draw or Ongoing"],
    );
}

/// Writes a file of games anew as each library does when it is told nothing but the name, and in other orders.
const REWRITE: &str = "
import sys
import duckdb, pandas, polars
import pyarrow.parquet as pq
old, new = sys.argv[1:]
table = pq.read_table(old)
pq.write_table(table, new + '/pyarrow.parquet')
pq.write_table(table.replace_schema_metadata(None), new + '/bare.parquet', use_dictionary=False, row_group_size=7)
pandas.read_parquet(old, dtype_backend='pyarrow').to_parquet(new + '/pandas.parquet', compression=None)
pandas.read_parquet(old).to_parquet(new + '/floats.parquet')
polars.read_parquet(old).sort('ply', descending=True).write_parquet(new + '/polars.parquet')
duckdb.sql(f\"COPY (FROM '{old}' ORDER BY ply) TO '{new}/duckdb.parquet'\")
pq.write_table(table, new + '/gzip.parquet', compression='gzip')
";

#[test]
fn games_that_other_programs_wrote_anew_are_the_same_games() {
    let folder = tempfile::tempdir().expect("a folder");
    let games = root().join("data/balance/published/games/000000");
    let entries = std::fs::read_dir(games).expect("games");
    let files: Vec<PathBuf> = entries.map(|it| it.expect("an entry").path()).collect();
    let name = "copenhagen-five-gpu-2_56@16-";
    let file = files
        .iter()
        .find(|path| path.display().to_string().contains(name));
    let file = file.expect("games of the published study");
    let output = Command::new("python3")
        .args(["-c", REWRITE])
        .args([file.as_path(), folder.path()])
        .env("PYTHONPATH", packages("notebooks"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output();
    succeeds(&output.expect("python3 is there"));
    let replayed = |path: &Path| {
        let path = path.display().to_string();
        run(folder.path(), &["rules", "replay", &path])
    };
    let games = succeeds(&replayed(file));
    for name in ["pyarrow", "bare", "pandas", "polars", "duckdb"] {
        let said = replayed(&folder.path().join(format!("{name}.parquet")));
        assert_eq!(succeeds(&said), games, "{name}");
    }
    for (name, reason) in [
        (
            "gzip",
            "compressed with gzip; zstd, Snappy and no compression are read",
        ),
        // What pandas makes of numbers that may be missing.
        (
            "floats",
            "column `start_chain` is of type DOUBLE instead of INT32",
        ),
    ] {
        let file = folder.path().join(format!("{name}.parquet"));
        refuses(
            &replayed(&file),
            &[&format!("error: {}: {reason}", file.display())],
        );
    }
}
