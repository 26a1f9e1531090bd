//! Engines of others, good and bad: small shell scripts.
#![cfg(unix)]

use std::time::{Duration, Instant};
use tafl_engine::{EngineCommand, EngineError, PlyLimit, Protocol};
use tafl_rules::{Game, Rules};

/// A UCI engine that greets and does something at `go`.
fn uci(at_go: &str) -> EngineCommand {
    let script = format!(
        "while read line; do case \"$line\" in \
         uci) echo 'id name Fake 2'; echo uciok; echo 'option name Variant type combo';; \
         isready) echo readyok;; go*) {at_go};; quit) exit;; esac; done"
    );
    command(Protocol::Uci, &script)
}

/// An HTP engine that answers all but `generate_move` with success.
fn htp(at_generate: &str) -> EngineCommand {
    let script = format!(
        "while read line; do case \"$line\" in \
         name) echo '= fake';; version) echo '= 3';; known*) echo '= false';; \
         generate_move) {at_generate};; quit) exit;; *) echo '= ';; esac; done"
    );
    command(Protocol::Htp, &script)
}

fn command(protocol: Protocol, script: &str) -> EngineCommand {
    EngineCommand {
        words: vec!["sh".to_owned(), "-c".to_owned(), script.to_owned()],
        protocol,
        options: Vec::new(),
        limit: (protocol == Protocol::Uci).then_some(PlyLimit::Nodes(5)),
        // Only those that wait in vain come to an end; on a busy machine others take long.
        start_timeout: Duration::from_secs(300),
        move_timeout: Duration::from_secs(300),
    }
}

fn copenhagen() -> Game {
    Game::new(Rules::preset("copenhagen").expect("a preset"))
}

fn first_move(command: &EngineCommand) -> Result<String, EngineError> {
    let game = copenhagen();
    let mut engine = command.start()?;
    engine.begin(game.rules())?;
    engine.choose(&game).map(|mv| mv.to_string())
}

#[test]
fn an_engine_is_greeted_and_asked() {
    let engine = uci("echo bestmove d1d2").start().expect("it starts");
    assert_eq!(engine.name(), "Fake 2");
    let chatter = "echo thinking; echo 'info score cp 1'; echo 'bestmove d1d2 ponder a1a2'";
    assert_eq!(first_move(&uci(chatter)).expect("a move"), "d1-d2");
    let chatter =
        "echo '1 turn: attacker'; echo '= play attacker d1 d2, score: 3'; echo; echo '   A  B'";
    assert_eq!(first_move(&htp(chatter)).expect("a move"), "d1-d2");
    assert_eq!(htp("").start().expect("it starts").name(), "fake 3");
}

#[test]
fn failures_are_told_apart() {
    let of = |command: &EngineCommand| first_move(command).expect_err("it fails");
    let ended = of(&uci("echo last words >&2; exit 3"));
    assert!(matches!(ended, EngineError::Ended { .. }));
    assert!(
        ended.to_string().contains("go nodes 5") && ended.to_string().ends_with(": last words"),
        "{ended}"
    );
    assert!(matches!(
        of(&uci("echo bestmove xyz")),
        EngineError::NoMove(_)
    ));
    assert!(matches!(of(&uci("echo bestmove")), EngineError::NoMove(_)));
    assert!(matches!(
        of(&uci("echo bestmove resign")),
        EngineError::Resigned
    ));
    assert!(matches!(
        of(&htp("echo '= play attacker resigns _'")),
        EngineError::Resigned
    ));
    assert!(matches!(
        of(&htp("echo '? no idea'")),
        EngineError::Refused { .. }
    ));
    assert!(matches!(of(&htp("echo '= pass'")), EngineError::NoMove(_)));
    let mut silent = uci("true");
    silent.move_timeout = Duration::from_millis(200);
    assert!(matches!(of(&silent), EngineError::TimedOut { .. }));
    let missing = command(Protocol::Uci, "exit 1");
    assert!(matches!(of(&missing), EngineError::Ended { .. }));
    let no_program = EngineCommand {
        words: vec!["/no/such/engine".to_owned()],
        ..uci("")
    };
    assert!(matches!(of(&no_program), EngineError::Start { .. }));
    let limited = EngineCommand {
        limit: Some(PlyLimit::Nodes(1)),
        ..htp("")
    };
    assert!(matches!(of(&limited), EngineError::Limit));
}

#[test]
fn a_ruleset_that_the_engine_does_not_know_is_refused() {
    let mut engine = uci("true").start().expect("it starts");
    let berserk = Rules::preset("berserk-2024").expect("a preset");
    assert!(matches!(
        engine.begin(&berserk),
        Err(EngineError::Refused { .. })
    ));
}

/// Returns whether a process of that number is there, be it as a zombie.
fn is_there(id: u32) -> bool {
    std::path::Path::new("/proc").join(id.to_string()).exists()
}

#[test]
#[cfg(target_os = "linux")]
fn an_engine_that_does_not_end_is_ended_with_all_that_it_started() {
    // It does not read, ignores polite signals, and has a child.
    let folder = std::env::temp_dir().join(format!("tafl-engine-{}", std::process::id()));
    let file = folder.display().to_string();
    let stubborn = format!("trap '' TERM INT; sleep 1000 & echo $! $$ > {file}; wait; sleep 1000");
    let mut engine = uci(&stubborn);
    engine.move_timeout = Duration::from_millis(500);
    let began = Instant::now();
    assert!(matches!(
        first_move(&engine),
        Err(EngineError::TimedOut { .. })
    ));
    assert!(began.elapsed() < Duration::from_secs(20));
    let text = std::fs::read_to_string(&folder).expect("it has begun");
    std::fs::remove_file(&folder).expect("removable");
    for id in text.split_whitespace() {
        let id: u32 = id.parse().expect("a number");
        // The child's end is noticed by whoever takes it over, a moment later.
        let ended = (0..100).any(|_| {
            std::thread::sleep(Duration::from_millis(20));
            !is_there(id) || is_zombie(id)
        });
        assert!(ended, "process {id} is left");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn what_an_engine_started_in_a_session_of_its_own_ends_with_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("pid");
    let away = format!(
        "setsid sh -c 'echo $$ > {}; sleep 1000' & sleep 0.3; echo bestmove d1d2",
        file.display()
    );
    assert!(first_move(&uci(&away)).is_ok());
    let text = std::fs::read_to_string(&file).expect("it has begun");
    let id: u32 = text.trim().parse().expect("a number");
    let ended = (0..100).any(|_| {
        std::thread::sleep(Duration::from_millis(20));
        !is_there(id) || is_zombie(id)
    });
    assert!(ended, "process {id} is left");
}

#[test]
fn an_engine_that_writes_without_end_forfeits_and_fills_no_memory() {
    let floods = uci("yes 'info score cp 1'");
    assert!(matches!(
        first_move(&floods),
        Err(EngineError::Flooded { .. })
    ));
    // The same as a greeting.
    let greets = command(Protocol::Uci, "yes 'option name X type check'");
    let refused = greets.start().expect_err("no end");
    assert!(matches!(refused, EngineError::Flooded { .. }), "{refused}");
    // One that is slower than the limit but never pauses is late.
    let mut chatters = uci("while true; do echo info; done");
    chatters.move_timeout = Duration::from_millis(300);
    assert!(matches!(
        first_move(&chatters),
        Err(EngineError::TimedOut { .. })
    ));
}

#[test]
fn a_name_moves_no_cursor() {
    let script = "printf 'id name \\033[31mRed\\a\\nuciok\\n'; while read l; do echo readyok; done";
    let engine = command(Protocol::Uci, script).start().expect("it starts");
    assert_eq!(engine.name(), "[31mRed");
}

fn is_zombie(id: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    status.contains(") Z ")
}

#[test]
fn an_engine_that_does_not_read_blocks_nobody() {
    let deaf = command(Protocol::Uci, "echo uciok; echo readyok; sleep 1000");
    let deaf = EngineCommand {
        // More than a pipe holds.
        options: vec![("Text".to_owned(), "x".repeat(1 << 20))],
        start_timeout: Duration::from_millis(500),
        ..deaf
    };
    let refused = deaf.start().expect_err("it never answers");
    assert!(matches!(refused, EngineError::TimedOut { .. }), "{refused}");
}
