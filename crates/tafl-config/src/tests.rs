//! One config with everything that configs have.

use super::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// A run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Run {
    /// Its name.
    #[schemars(extend("pattern" = "^[a-z]+$", "x-form" = "lower-case letters"))]
    name: String,
    /// How it searches.
    #[serde(default)]
    search: Search,
    /// Who plays.
    #[serde(default)]
    players: Vec<Player>,
    /// Where it computes.
    #[serde(default)]
    device: Device,
    /// Where random numbers come from.
    #[serde(default)]
    seed: u64,
    /// Shares.
    #[serde(default = "rates")]
    #[schemars(inner(range(min = 0.0, max = 1.0)))]
    rates: [f64; 2],
}

fn rates() -> [f64; 2] {
    [0.5, 1.0]
}

/// How it searches.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct Search {
    /// Visits for a move,
    /// 1 to 1,000.
    #[schemars(range(min = 1, max = 1_000))]
    visits: u32,
    /// Visits at least.
    least_visits: u32,
    /// Gumbel AlphaZero.
    gumbel: Gumbel,
    /// AlphaZero.
    puct: Option<Puct>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct Gumbel {
    /// Factor of values.
    #[schemars(range(min = 0.0, max = 100.0))]
    c_scale: f32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct Puct {
    /// Exploration.
    #[schemars(range(max = 0.7), extend("exclusiveMinimum" = 0.0))]
    c_puct: f32,
    /// What values are scaled to.
    range: Range,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Range {
    /// All values.
    Unit,
    /// Those seen.
    MinMax,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Player {
    /// Who.
    player: String,
    /// Visits.
    #[serde(default)]
    #[schemars(inner(range(min = 1)))]
    strengths: Vec<u32>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
struct Device(bool);

impl Default for Search {
    fn default() -> Self {
        Self {
            visits: 32,
            least_visits: 0,
            gumbel: Gumbel::default(),
            puct: None,
        }
    }
}

impl Default for Gumbel {
    fn default() -> Self {
        Self { c_scale: 0.1 }
    }
}

impl Default for Puct {
    fn default() -> Self {
        Self {
            c_puct: 0.7,
            range: Range::Unit,
        }
    }
}

impl TryFrom<String> for Device {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        match &*text {
            "cpu" => Ok(Self(false)),
            "cuda" => Ok(Self(true)),
            _ => Err(format!("{text:?} is neither cpu nor cuda")),
        }
    }
}

impl From<Device> for String {
    fn from(device: Device) -> Self {
        if device.0 { "cuda" } else { "cpu" }.to_owned()
    }
}

impl Config for Run {
    const REMOVED: &'static [(&'static str, &'static str)] =
        &[("search.depth", "remove it"), ("length", "use `seed`")];
    const KEPT_AS: &'static [&'static str] = &["kept.toml"];

    fn translate(kept: &mut toml::Table) {
        if let Some(length) = kept.get("length").cloned() {
            kept.insert("seed".to_owned(), length);
        }
    }

    fn relations(&self) -> Vec<ConfigError> {
        let Search {
            visits,
            least_visits,
            ..
        } = self.search;
        let is_wrong = least_visits > visits;
        let reason = format!("{least_visits} is above `visits`, {visits}");
        let error = is_wrong.then(|| ConfigError::new("least_visits", reason));
        error.into_iter().map(|it| it.within("search")).collect()
    }
}

fn read_run(text: &str, changes: &[&str]) -> Result<Run, Faults> {
    let changes: Vec<Change> = changes
        .iter()
        .map(|it| it.parse().expect("a change"))
        .collect();
    read_text(Path::new("a.toml"), text, &changes).map(|document| document.config)
}

fn faults(text: &str, changes: &[&str]) -> Vec<String> {
    let faults = read_run(text, changes).expect_err("it is wrong");
    let place = |line: &str| line.strip_prefix("a.toml: ").unwrap_or(line).to_owned();
    faults.lines().map(place).collect()
}

fn puct_run() -> Run {
    read_run("name = \"a\"\n[search.puct]\n", &[]).expect("sound")
}

#[test]
fn all_faults_are_named_at_once_by_their_lines() {
    let text = "\
rates = [0.5]
device = \"gpu\"
[search]
visits = 0
least_visits = 2.0
puct = { c_puct = nan, range = \"unt\" }
[[players]]
player = \"random\"
[[players]]
strengths = [1, 0]
[serch]
";
    let expected = [
        "field `name`: missing; it has no default",
        "line 1: field `rates`: expected list of 2, each: number from 0 to 1, found [0.5]",
        "line 2: field `device`: \"gpu\" is neither cpu nor cuda",
        "line 4: field `search.visits`: expected whole number from 1 to 1000, found 0",
        "line 5: field `search.least_visits`: expected whole number from 0 up, found 2.0",
        "line 6: field `search.puct.c_puct`: expected number above 0 to 0.7, found nan",
        "line 6: field `search.puct.range`: expected \"unit\" | \"min-max\", found \"unt\"; did you mean \"unit\"?",
        "line 9: field `players[1].player`: missing; it has no default",
        "line 10: field `players[1].strengths[1]`: expected whole number from 1 up, found 0",
        "line 11: field `serch`: unknown field; did you mean `search`?",
    ];
    assert_eq!(faults(text, &[]), expected);
}

#[test]
fn a_removed_field_is_passed_over_where_the_program_kept_it_and_told_of_elsewhere() {
    let text = "name = \"a\"\nlength = 7\n[search]\ndepth = 3\nvisits = 5\n[search.puct]\n";
    let expected = [
        "line 2: field `length`: no longer a field; use `seed`",
        "line 4: field `search.depth`: no longer a field; remove it",
    ];
    assert_eq!(faults(text, &[]), expected);
    let kept = read_text::<Run>(Path::new("run/kept.toml"), text, &[]).expect("sound");
    assert_eq!((kept.config.search.visits, kept.config.seed), (5, 7));
    // It is the field of its section alone.
    let elsewhere = "name = \"a\"\ndepth = 3\n[search.puct]\n";
    let unknown = read_text::<Run>(Path::new("kept.toml"), elsewhere, &[]).expect_err("unknown");
    assert!(
        unknown
            .to_string()
            .contains("line 2: field `depth`: unknown field")
    );
}

#[test]
fn a_base_is_found_by_its_name_in_words() {
    let read = read_ruleset(Path::new("own.toml"), "base = \"Ard Ri\"\n").expect("a preset");
    let ard_ri = tafl_rules::preset("ard-ri").expect("a preset");
    assert_eq!(read.ruleset().fingerprint(), ard_ri.fingerprint());
}

#[test]
fn a_field_in_the_plural_is_itself_before_it_is_a_word_of_other_programs() {
    let text = "base = \"brandubh\"\nking_captures = \"two-sides\"\n";
    let error = read_ruleset(Path::new("own.toml"), text).expect_err("no field");
    assert!(
        error.to_string().contains("did you mean `king_capture`?"),
        "{error}"
    );
}

#[test]
fn a_fault_says_what_is_expected() {
    for (text, expected) in [
        (
            "name = 2020-01-01",
            "line 1: field `name`: expected lower-case letters, found 2020-01-01",
        ),
        (
            "name = \"A\"",
            "line 1: field `name`: expected lower-case letters, found \"A\"",
        ),
        (
            "name = \"a\"\nsearch = 3",
            "line 2: field `search`: expected section, found 3",
        ),
        (
            "name = \"a\"\nc_puct = 3",
            "line 2: field `c_puct`: unknown field; did you mean `search.puct.c_puct`?",
        ),
        (
            "name = \"a\"\nname 3",
            "line 2: key with no value, expected `=`",
        ),
        (
            "name = \"a\"\n[search]\nvisits = none # of them",
            "line 3: words need quotes: \"none\"",
        ),
        (
            "name = \"a\"\nseed = False",
            "line 2: False is written in lower case, false",
        ),
        (
            "name = \"a\"\n[search]\nvisits = 4\nleast_visits = 5",
            "line 4: field `search.least_visits`: 5 is above `visits`, 4",
        ),
        (
            "name = \"a\"\nseed = 18446744073709551616",
            "line 2: field `seed`: the number is too large: they end at 9223372036854775807",
        ),
        (
            "name = \"a\"\n[[players]]\nstrengths = [1, 9223372036854775808]",
            "line 3: field `players[0].strengths[1]`: the number is too large: they end at 9223372036854775807",
        ),
    ] {
        assert_eq!(faults(text, &[]), [expected], "{text}");
    }
    let quoted = faults("name = \"a\"\nseed = \"2\"", &[]).join("\n");
    let expected = "found \"2\", in quotes: numbers have none";
    assert!(quoted.ends_with(expected), "{quoted}");
}

#[test]
fn a_number_is_checked_as_it_is_stored() {
    let text = "name = \"a\"\n[search.gumbel]\nc_scale = ";
    let tiny = "name = \"a\"\nsearch.puct.c_puct = ";
    let (gumbel, puct) = ("0 to 100", "above 0 to 0.7");
    for (text, range, value, reason) in [
        (tiny, puct, "1e-300", ", which is rounded to 0"),
        (tiny, puct, "0.0", ""),
        (tiny, puct, "0.70001", ""),
        (text, gumbel, "1e300", ", which is too large"),
        (text, gumbel, "inf", ", which is too large"),
    ] {
        let found = faults(&format!("{text}{value}"), &[]).join("\n");
        assert!(found.contains(range), "{found}");
        assert!(
            found.ends_with(&format!("found {value}{reason}")),
            "{found}"
        );
    }
    // What is stored is what was given, to seven digits or so.
    for sound in ["0.7", "0.70000000001", "1e-40", "1e-45"] {
        let run = read_run(&format!("{tiny}{sound}"), &[]).expect(sound);
        assert_eq!(
            read_run(&show(&run).expect("TOML"), &[]),
            Ok(run),
            "{sound}"
        );
    }
}

#[test]
fn changes_are_checked_and_named_as_the_file_is() {
    let text = "name = \"a\"\n[search]\nvisits = 1";
    let run = read_run(text, &["search.visits=1", "name=b", "search.visits = 5"]).expect("sound");
    assert_eq!((run.search.visits, &*run.name), (5, "b"));
    assert_eq!(
        faults(
            text,
            &["search.visits=0", "serch.visits=3", "name.x=1", "visits=1"]
        ),
        [
            "change search.visits: expected whole number from 1 to 1000, found 0",
            "change serch.visits: field `serch`: unknown field; did you mean `search`?",
            "change name.x: `name` is not a section",
            "change visits: unknown field; did you mean `search.visits`?",
        ]
        .map(str::to_owned)
    );
    for text in ["search.visits", "=3", "search..visits=3"] {
        assert!(text.parse::<Change>().is_err(), "{text}");
    }
}

#[test]
fn a_number_of_a_change_may_have_a_zero_too_few_or_too_many() {
    let changes = ["search.puct.c_puct=.5", "search.visits=08"];
    let run = read_run("name = \"a\"", &changes).expect("sound");
    let c_puct = run.search.puct.map(|it| it.c_puct);
    assert_eq!((c_puct, run.search.visits), (Some(0.5), 8));
}

#[test]
fn a_change_turns_a_section_on_and_off() {
    for text in ["name = \"a\"", "name = \"a\"\n[search.puct]"] {
        let run = read_run(text, &["search.puct.c_puct=0.5"]).expect("sound");
        let puct = Puct {
            c_puct: 0.5,
            ..Puct::default()
        };
        assert_eq!(run.search.puct, Some(puct), "{text}");
        assert_eq!(
            read_run(text, &["search.puct={}"]),
            Ok(puct_run()),
            "{text}"
        );
        let off = read_run(text, &["search.puct=", "search.visits="]).expect("sound");
        assert_eq!(off.search, Search::default(), "{text}");
    }
}

#[test]
fn a_section_in_braces_changes_what_is_in_them() {
    let text = "name = \"a\"\n[search]\nleast_visits = 3\npuct = { c_puct = 0.5 }";
    let run = read_run(text, &["search={visits=8, gumbel={c_scale=2.0}}"]).expect("sound");
    let [one, other] = ["search.visits=8", "search.gumbel.c_scale=2.0"];
    assert_eq!(Ok(run), read_run(text, &[one, other]));
    let faults = faults(text, &["search={visits=0, speed=1}"]);
    assert_eq!(faults.len(), 2, "{faults:?}");
    let is_of_change = |it: &String| it.starts_with("change search: ");
    assert!(faults.iter().all(is_of_change), "{faults:?}");
}

#[test]
fn a_config_made_in_rust_is_checked_alike() {
    let mut run = puct_run();
    assert_eq!(check(&run), Ok(()), "0.7 is the limit, also of an f32");
    run.search.gumbel = Gumbel { c_scale: f32::NAN };
    run.search.visits = 1_001;
    let errors = check(&run).expect_err("it is wrong");
    assert_eq!(
        errors.iter().map(ToString::to_string).collect::<Vec<_>>(),
        [
            "field `search.gumbel.c_scale`: expected number from 0 to 100, found nan",
            "field `search.visits`: expected whole number from 1 to 1000, found 1001",
        ]
    );
    run.seed = u64::MAX;
    let too_large = ConfigError::new("seed", "a config file holds numbers below 2^63");
    assert_eq!(check(&run), Err(vec![too_large]));
}

#[test]
fn fields_are_listed_as_declared_with_their_defaults() {
    let fields = fields::<Run>();
    let lines = fields.iter().map(|field| {
        let default = field.default.as_ref().filter(|_| !field.is_section());
        let default = default.map(|it| format!(" = {}", display(it)));
        format!(
            "{}: {}{}",
            field.path,
            field.kind(),
            default.unwrap_or_default()
        )
    });
    assert_eq!(
        lines.collect::<Vec<_>>(),
        [
            "name: lower-case letters",
            "search: section",
            "search.visits: whole number from 1 to 1000 = 32",
            "search.least_visits: whole number from 0 up = 0",
            "search.gumbel: section",
            "search.gumbel.c_scale: number from 0 to 100 = 0.1",
            "search.puct: section",
            "search.puct.c_puct: number above 0 to 0.7 = 0.7",
            "search.puct.range: \"unit\" | \"min-max\" = \"unit\"",
            "players: list of sections = []",
            "players[].player: string",
            "players[].strengths: list, each: whole number from 1 up = []",
            "device: string = \"cpu\"",
            "seed: whole number from 0 up = 0",
            "rates: list of 2, each: number from 0 to 1 = [0.5, 1.0]",
        ]
    );
    assert_eq!(fields[2].documentation(), "Visits for a move, 1 to 1,000.");
    assert_eq!(
        fields[8].choices(),
        [
            ("\"unit\"".to_owned(), "All values."),
            ("\"min-max\"".to_owned(), "Those seen.")
        ]
    );
    assert_eq!(mistakes::<Run>(), []);
    let schema = schema::<Run>();
    let search = &schema["properties"]["search"];
    assert_eq!(search["properties"]["visits"]["default"], 32);
    assert_eq!(search.get("default"), None);
}

#[test]
fn a_short_config_is_read_as_the_whole() {
    let mut run = puct_run();
    assert_eq!(read_run(&show(&run).expect("TOML"), &[]), Ok(run.clone()));
    let short = "name = \"a\"\n\n[search.puct]\n";
    assert_eq!(read_run(short, &[]), Ok(run.clone()));
    run.search.visits = 5;
    run.search.puct = Some(Puct {
        c_puct: 0.3,
        ..Puct::default()
    });
    let text = "name = \"a\"\n\n[search]\nvisits = 5\n\n[search.puct]\nc_puct = 0.3\n";
    assert_eq!(read_run(text, &[]), Ok(run.clone()));

    let default = format!("name = \"a\"\n{}", defaults::<Run>());
    let default = read_run(&default, &[]).expect("sound");
    assert_eq!(default.search, Search::default());
    let differences = difference(&[&default, &run]).expect("TOML").into_iter();
    let differences: Vec<String> = differences
        .map(|Difference { field, values }| {
            let values = values.iter();
            let values = values.map(|it| it.as_ref().map_or("-".to_owned(), display));
            format!("{field}: {}", values.collect::<Vec<_>>().join(" "))
        })
        .collect();
    assert_eq!(
        differences,
        [
            "search.visits: 32 5",
            "search.puct.c_puct: - 0.3",
            "search.puct.range: - \"unit\"",
        ]
    );
}

/// A config that is declared badly.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct Bad {
    undocumented: u32,
    /// Its default is 0.
    #[schemars(range(min = 1))]
    visits: u32,
    /// Nobody divides it.
    #[schemars(extend("multipleOf" = 2))]
    even: u32,
    /// Its default is not that of [`Gumbel`].
    gumbel: Gumbel,
}

impl Default for Bad {
    fn default() -> Self {
        Self {
            undocumented: 0,
            visits: 0,
            even: 0,
            gumbel: Gumbel { c_scale: 1.0 },
        }
    }
}

impl Config for Bad {}

#[test]
fn a_bad_declaration_is_found() {
    let fields: Vec<String> = mistakes::<Bad>().into_iter().map(|it| it.field).collect();
    assert_eq!(fields, ["undocumented", "gumbel.c_scale", "even", "visits"]);
}
