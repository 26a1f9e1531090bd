//! The commands that the Markdown files print, run in their order as a user pastes them: in the root of a copy of the repository,
//! in an environment without anything of the tests'. A comment says what keeps one from being run: `# needs ...`, or `# takes ...`.
//! A table has no room for that: its commands are started.

use crate::support::root;
use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

/// What becomes of a command.
#[derive(Debug, PartialEq)]
enum Way {
    /// Run to its end.
    Run,
    /// Started, and stopped as by Ctrl-C after some seconds: what is refused is refused before.
    Start,
    /// Its help is asked for, and has to name its options.
    Help,
    /// Left out, but a script has to be there.
    Leave,
}

/// A command, with the line of its file where it begins.
struct Printed {
    text: String,
    line: usize,
    in_table: bool,
}

impl Printed {
    fn comment(&self) -> &str {
        self.text
            .rsplit_once(" # ")
            .map_or("", |(_, comment)| comment)
    }

    fn way(&self, is_slow: bool) -> Way {
        // Ray takes longer to start than others are waited for; its tests are with it.
        let of_ray = self.text.starts_with("./scripts/cluster");
        if self.in_table {
            return match self.text.as_str() {
                // It takes the program from under the other tests; its own are with it.
                "./scripts/wheel" => Way::Leave,
                _ if of_ray => Way::Help,
                _ => Way::Start,
            };
        }
        let comment = self.comment();
        if comment.starts_with("needs ") {
            return Way::Leave;
        }
        let Some(time) = comment.strip_prefix("takes ") else {
            return Way::Run;
        };
        let mut words = time.split(' ');
        let number = words.next().and_then(|word| word.parse::<u32>().ok());
        let is_short = match (number, words.next()) {
            (Some(minutes), Some(unit)) => unit.starts_with("minute") && minutes <= 10,
            (Some(_), None) => false,
            // What comes after a run takes as long as is left of it, seconds or a game.
            (None, _) => true,
        };
        match (is_slow, is_short, number) {
            (true, true, _) => Way::Run,
            (false, _, None) => Way::Leave,
            (false, ..) if of_ray => Way::Help,
            _ => Way::Start,
        }
    }
}

/// Returns the command that is a cell of a table's row.
fn of_row(line: &str) -> Option<&str> {
    let cells = line.strip_prefix("| ")?.split(" | ");
    cells
        .filter_map(|cell| cell.strip_prefix('`')?.strip_suffix('`'))
        .find(|cell| cell.starts_with("./scripts/") || cell.starts_with("cargo "))
}

/// Returns the commands of each block and of each row of a text, lines that go on joined.
fn blocks(text: &str) -> Vec<Vec<Printed>> {
    let mut blocks = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((at, line)) = lines.next() {
        blocks.extend(of_row(line).map(|command| {
            vec![Printed {
                text: command.to_owned(),
                line: at + 1,
                in_table: true,
            }]
        }));
        if line != "```sh" {
            continue;
        }
        let mut block: Vec<Printed> = Vec::new();
        let mut goes_on = false;
        for (at, line) in lines.by_ref().take_while(|(_, line)| *line != "```") {
            match block.last_mut() {
                Some(last) if goes_on => *write_line(&mut last.text) += line,
                _ if line.is_empty() => {}
                _ => block.push(Printed {
                    text: line.to_owned(),
                    line: at + 1,
                    in_table: false,
                }),
            }
            goes_on = line.ends_with('\\');
        }
        blocks.push(block);
    }
    blocks
}

fn write_line(text: &mut String) -> &mut String {
    text.push('\n');
    text
}

/// Writes a block as a script that says which of its commands failed.
fn script(file: &str, block: &[Printed], is_slow: bool) -> String {
    let mut script =
        "set -u -o pipefail\nfailed() { echo \"$1: exit code $2\" >&2; exit 1; }\n".to_owned();
    let seconds = if is_slow { 60 } else { 2 };
    for command in block {
        let Printed { text, line, .. } = command;
        let failed = format!("failed {file}:{line}");
        let bare = text.rsplit_once(" # ").map_or(&**text, |(bare, _)| bare);
        let mut words = bare.split_whitespace();
        match command.way(is_slow) {
            Way::Leave => words
                .next()
                .filter(|program| program.starts_with("./"))
                .map_or(Ok(()), |program| {
                    writeln!(script, "[ -x {program} ] || {failed} 127")
                }),
            Way::Help => {
                let options: Vec<&str> = words.filter(|word| word.starts_with("--")).collect();
                writeln!(
                    script,
                    "said=$({} --help) || {failed} $?\n\
                     for option in {}; do [[ $said == *\"$option \"* ]] || {failed} \"no $option\"; done",
                    bare.trim_end(),
                    options.join(" ")
                )
            }
            Way::Run => writeln!(script, "{text}\ncode=$?; [ $code = 0 ] || {failed} $code"),
            Way::Start => writeln!(
                script,
                "timeout --signal=INT --kill-after=60 {seconds} {text}\n\
                 code=$?; [ $code = 0 ] || [ $code = 124 ] || [ $code = 130 ] || {failed} $code"
            ),
        }
        .expect("a text takes all");
    }
    script
}

/// Returns the Markdown files as git knows them, README.md first, since the others go on from it.
fn files() -> Vec<String> {
    let listed = Command::new("git")
        .args(["ls-files", "*.md"])
        .current_dir(root())
        .output();
    let listed = String::from_utf8(listed.expect("git runs").stdout).expect("UTF-8");
    let mut files: Vec<String> = listed.lines().map(str::to_owned).collect();
    files.sort_by_key(|file| (file.contains('/'), file.clone()));
    files
}

/// Copies what git knows of the repository. What is built is that of this one: its `cargo` has nothing to build.
fn copy(to: &Path) {
    let copied = Command::new("bash")
        .args([
            "-c",
            "git ls-files -z | xargs -0 cp --parents --no-dereference --target-directory \"$1\"",
            "copy",
        ])
        .arg(to)
        .current_dir(root())
        .status();
    assert!(copied.expect("bash runs").success());
    let target = Path::new(env!("CARGO_BIN_EXE_tafl"))
        .ancestors()
        .nth(2)
        .expect("target/release/tafl");
    symlink(target, to.join("target")).expect("linked");
    if root().join(".libtorch").exists() {
        symlink(root().join(".libtorch"), to.join(".libtorch")).expect("linked");
    }
    let stub = to.join("bin/cargo");
    fs::create_dir(to.join("bin")).expect("a folder");
    // `scripts/test` runs the examples: here one has to be there.
    let cargo = "#!/bin/sh\nall=$*\ncase $all in *--example\\ *) ls crates/*/examples/\"${all##* }\".rs ;; esac\n";
    fs::write(&stub, cargo).expect("written");
    fs::set_permissions(&stub, fs::Permissions::from_mode(0o755)).expect("it may be run");
}

/// Writes the file of rules that README trains on: what configs/README.md shows of one.
fn write_rules(to: &Path) {
    let text = fs::read_to_string(to.join("configs/README.md")).expect("readable");
    let (_, rules) = text.split_once("```toml\n").expect("rules of one's own");
    let (rules, _) = rules.split_once("```").expect("the block ends");
    fs::write(to.join("mine.toml"), rules).expect("written");
}

#[test]
fn the_commands_of_the_texts_run_in_their_order() {
    let is_slow = std::env::var_os("TAFL_SLOW").is_some();
    let place = tempfile::tempdir().expect("a folder");
    let place = place.path();
    copy(place);
    write_rules(place);
    let path = std::env::var("PATH").expect("text");
    let (mut count, mut of_rows) = (0, 0);
    for file in files() {
        let text = fs::read_to_string(root().join(&file)).expect("readable");
        for block in blocks(&text) {
            count += block.len();
            of_rows += block.iter().filter(|it| it.in_table).count();
            let mut bash = Command::new("bash");
            bash.arg("-c")
                .arg(script(&file, &block, is_slow))
                .current_dir(place)
                .stdin(Stdio::null());
            bash.env_clear()
                .env("PATH", format!("{}:{path}", place.join("bin").display()));
            let kept =
                ["HOME", "USER", "LANG", "LIBTORCH"].map(|name| (name, std::env::var_os(name)));
            bash.envs(
                kept.into_iter()
                    .filter_map(|(name, value)| Some((name, value?))),
            );
            let output = bash.output().expect("bash runs");
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{said}");
        }
    }
    assert!(count >= 50, "{count} commands");
    assert!(of_rows >= 10, "{of_rows} of them in tables");
}

#[test]
fn a_comment_says_what_becomes_of_a_command() {
    let text = "```sh\na   # takes 7 minutes\nb \\\n    c   # needs a GPU\n\nd # all\n```\n\n```sh\ne   # takes 3 hours\nf   # takes a game\n```\n\
        | a | `./scripts/tafl b --c` | [d](e) |\n| a | `./scripts/cluster b --c` | d |\n| `tafl` | `./scripts/wheel` | d |\n";
    let blocks = blocks(text);
    let ways = |is_slow| -> Vec<Vec<Way>> {
        blocks
            .iter()
            .map(|block| block.iter().map(|it| it.way(is_slow)).collect())
            .collect()
    };
    use Way::{Help, Leave, Run, Start};
    let (fast, slow) = (ways(false), ways(true));
    assert_eq!(fast[..2], [vec![Start, Leave, Run], vec![Start, Leave]]);
    assert_eq!(slow[..2], [vec![Run, Leave, Run], vec![Start, Run]]);
    assert_eq!(fast[2..], [vec![Start], vec![Help], vec![Leave]]);
    assert_eq!(slow[2..], fast[2..]);
    assert_eq!((blocks[0][1].line, blocks[2][0].line), (3, 13));
    let written = script("x.md", &blocks[1], false);
    assert!(
        written.contains("timeout --signal=INT --kill-after=60 2 e "),
        "{written}"
    );
}

#[test]
fn a_command_that_fails_is_named() {
    let place = tempfile::tempdir().expect("a folder");
    let helpful = place.path().join("scripts/cluster");
    fs::create_dir(place.path().join("scripts")).expect("a folder");
    fs::write(&helpful, "#!/bin/sh\necho '--run RUN'\n").expect("written");
    fs::set_permissions(&helpful, fs::Permissions::from_mode(0o755)).expect("it may be run");
    for (text, expected) in [
        ("```sh\nfalse\n```", "x.md:2: exit code 1\n"),
        ("| `./scripts/cluster a --run b` |  |", ""),
        (
            "| `./scripts/cluster a --run b --walk` |  |",
            "x.md:1: exit code no --walk\n",
        ),
        ("| `./scripts/wheel` |  |", "x.md:1: exit code 127\n"),
    ] {
        let refused = Command::new("bash")
            .arg("-c")
            .arg(script("x.md", &blocks(text)[0], false))
            .current_dir(place.path())
            .output();
        let refused = String::from_utf8(refused.expect("bash runs").stderr).expect("UTF-8");
        assert_eq!(refused, expected, "{text}");
    }
}
