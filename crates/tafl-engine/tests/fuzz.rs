//! Ten thousand lines of each protocol, sound, damaged and meaningless: every one that needs an answer gets one, and
//! the engine goes on. `TAFL_SLOW=1` goes on for ten minutes.

use crate::support::Conversation;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::time::{Duration, Instant};

const LINES: usize = 10_000;

/// Returns numbers of lines: ten thousand, with `TAFL_SLOW=1` for ten minutes.
fn numbers() -> impl Iterator<Item = usize> {
    let (begin, slow) = (Instant::now(), std::env::var_os("TAFL_SLOW").is_some());
    let goes_on = move || slow && begin.elapsed() < Duration::from_secs(600);
    (0..).take_while(move |&number| number < LINES || goes_on())
}

/// The commands of UCI.
const COMMANDS: [&str; 14] = [
    "uci",
    "isready",
    "ucinewgame",
    "setoption",
    "position",
    "go",
    "ponderhit",
    "stop",
    "board",
    "d",
    "result",
    "quit",
    "debug",
    "register",
];

const UCI: [&str; 30] = [
    "uci",
    "isready",
    "ucinewgame",
    "stop",
    "board",
    "result",
    "go nodes 3",
    "go movetime 1",
    "go depth 1",
    "go infinite",
    "go",
    "go nodes 4294967295 movetime 1",
    "go wtime 60 btime 60 winc 1 movestogo 3",
    "go ponder nodes 2",
    "go searchmoves d1d2 a4b4 mate 2",
    "ponderhit",
    "position startpos",
    "position startpos moves d1d2 f8f9",
    "position startpos moves a4b4 e5-e4 k4j4",
    "position fen 3aaa3/4a4/4d4/a3d3a/aaddkddaa/a3d3a/4d4/4a4/3aaa3 e8 d 5 11",
    "position fen 3ttttt3/5t5/11/t4T4t/t3TTT3t/tt1TTKTT1tt/t3TTT3t/t4T4t/11/5t5/3ttttt3 a 4294967295 0",
    "position fen 5k5/11/11/11/4da5/11/11/11/4da5/11/3a7 - a 0 0 moves d1d3 end",
    "position fen 5k5/11/11/11/4da5/11/11/11/4da5/11/3a7 - a 0 0 d3",
    "setoption name MultiPV value 3",
    "setoption name Hash value 16",
    "setoption name Ruleset value berserk-2024",
    "setoption name Ruleset value brandubh",
    "setoption name Ruleset value copenhagen",
    "setoption name Variant value tablut9x9",
    "quit now",
];

const HTP: [&str; 28] = [
    "name",
    "version",
    "protocol_version",
    "list_commands",
    "known_command play",
    "board_size 11",
    "board_size 7",
    "board_size 13",
    "ruleset berserk-2017",
    "ruleset",
    "first_move defender",
    "final_status",
    "generate_move",
    "play attacker d1 d2",
    "play a a4 b4 # a comment",
    "play d e5 e4",
    "play defender end",
    "play attacker resigns _",
    "play_from",
    "play_to attacker d1",
    "play_to d f6",
    "play_undo",
    "show_board",
    "show_board_open_tafl",
    "time_settings un-timed",
    "time_settings fischer 1 0",
    "# nothing",
    "quit now",
];

/// Returns a line of one of three kinds: as it should be, damaged, or of any bytes.
fn line(rng: &mut Xoshiro256PlusPlus, sound: &[&str]) -> Vec<u8> {
    let pick =
        |rng: &mut Xoshiro256PlusPlus| sound[rng.random_range(0..sound.len())].as_bytes().to_vec();
    let mut line = match rng.random_range(0..5) {
        0 | 1 => pick(rng),
        2 | 3 => {
            let mut line = pick(rng);
            for _ in 0..rng.random_range(1..5) {
                damage(&mut line, rng, sound);
            }
            line
        }
        _ => {
            let length = rng.random_range(0..120);
            (0..length).map(|_| rng.random_range(0..=255_u8)).collect()
        }
    };
    line.iter_mut()
        .filter(|byte| **byte == b'\n')
        .for_each(|byte| *byte = b' ');
    line
}

fn damage(line: &mut Vec<u8>, rng: &mut Xoshiro256PlusPlus, sound: &[&str]) {
    let at = rng.random_range(0..=line.len());
    match rng.random_range(0..7) {
        0 => line.truncate(at),
        1 => line.insert(at, rng.random_range(0..=255)),
        2 if at < line.len() => line[at] = rng.random_range(b' '..=b'~'),
        3 if at < line.len() => {
            line.remove(at);
        }
        4 => line.extend_from_slice(&line.clone()[at..]),
        5 => {
            let other = sound[rng.random_range(0..sound.len())];
            line.extend(b" ");
            line.extend(other.bytes());
        }
        _ => line.extend("é999999999999999999999-1".bytes()),
    }
}

/// Returns the first word that is a command, or else the first one; nothing of a line that is no text.
fn command_of(line: &[u8]) -> Option<&str> {
    let mut words = std::str::from_utf8(line).ok()?.split_whitespace();
    let first = words.clone().next().unwrap_or_default();
    Some(words.find(|word| COMMANDS.contains(word)).unwrap_or(first))
}

fn is_quit(line: &[u8]) -> bool {
    let text = String::from_utf8_lossy(line);
    let text = text.split('#').next().unwrap_or_default();
    text.split_whitespace().eq(["quit"])
}

#[test]
fn ten_thousand_lines_of_uci_end_no_engine() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut engine = Conversation::uci();
    let (mut searches, mut complaints) = (0, 0);
    for number in numbers() {
        let line = line(&mut rng, &UCI);
        if command_of(&line) == Some("quit") {
            continue;
        }
        engine.say_bytes(&line);
        let mark = format!("mark{number}");
        engine.say(&mark);
        let answers = heard_until_mark(&mut engine, &mark);
        let shown = String::from_utf8_lossy(&line);
        let complained = answers
            .iter()
            .any(|answer| answer.starts_with("info string error"));
        complaints += usize::from(complained);
        match command_of(&line) {
            None => assert!(complained, "{shown:?}: {answers:?}"),
            Some("") => assert!(answers.is_empty(), "{shown:?}: {answers:?}"),
            Some(word) if !COMMANDS.contains(&word) => {
                assert!(complained, "{shown:?}: {answers:?}");
            }
            Some("go") => {
                searches += 1;
                if !answers.iter().any(|answer| answer.starts_with("bestmove")) {
                    engine.ask("stop", "bestmove");
                }
            }
            Some(word) if ["uci", "isready", "board", "d", "result"].contains(&word) => {
                assert!(!answers.is_empty(), "{shown:?}");
            }
            Some(_) => {}
        }
    }
    assert!(
        searches > 500 && complaints > 3_000,
        "{searches} searches, {complaints} complaints"
    );
    engine.say("quit");
    assert_eq!(engine.wait().0, Ok(()));
}

/// Returns the lines before the complaint about a word that is no command.
fn heard_until_mark(engine: &mut Conversation, mark: &str) -> Vec<String> {
    let end = format!("info string error: unknown command {mark:?}");
    let mut lines = engine.hear_until(&end);
    lines.pop();
    lines
}

#[test]
fn ten_thousand_lines_of_htp_end_no_engine() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
    let mut engine = Conversation::htp();
    let (mut good, mut bad) = (0, 0);
    for number in numbers() {
        let line = line(&mut rng, &HTP);
        if is_quit(&line) {
            continue;
        }
        engine.say_bytes(&line);
        let mark = format!("mark{number}");
        engine.say(&mark);
        let end = format!("? unrecognized command: {mark:?}");
        let mut answers = engine.hear_until(&end);
        answers.pop();
        let found: Vec<&String> = answers
            .iter()
            .filter(|answer| answer.starts_with(['=', '?']))
            .collect();
        let shown = String::from_utf8_lossy(&line);
        let is_empty = std::str::from_utf8(&line)
            .is_ok_and(|text| text.split('#').next().unwrap_or_default().trim().is_empty());
        assert_eq!(
            found.len(),
            usize::from(!is_empty),
            "{shown:?}: {answers:?}"
        );
        good += found
            .iter()
            .filter(|answer| answer.starts_with('='))
            .count();
        bad += found
            .iter()
            .filter(|answer| answer.starts_with('?'))
            .count();
        if shown.contains("fischer") {
            // With a clock each move would take two seconds.
            engine.htp_answer("time_settings un-timed");
        }
        if answers
            .iter()
            .any(|answer| answer.contains(" was refused; "))
        {
            engine.htp_answer("ruleset berserk-2017");
        }
    }
    assert!(good > 2_500 && bad > 3_000, "{good} good, {bad} bad");
    engine.say("quit");
    assert_eq!(engine.wait().0, Ok(()));
}
