//! Our engine in UCI, as a program at the other end of two pipes sees it.

use crate::support::{Conversation, Whim, with_evaluator};
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tafl_engine::{Protocol, read_ply, serve};
use tafl_rules::{Game, RULESET_NAMES, Rules};
use tafl_search::{Evaluation, Evaluator, Leaf, UniformEvaluator};

fn word_after<'a>(line: &'a str, word: &str) -> &'a str {
    let mut words = line.split_whitespace();
    words.find(|found| *found == word);
    words.next().unwrap_or_default()
}

#[test]
fn the_greeting_names_the_engine_and_its_options() {
    let mut engine = Conversation::uci();
    engine.say("uci");
    let lines = engine.hear_until("uciok");
    assert!(lines[0].starts_with("id name test 1"));
    let ruleset = "option name Ruleset type combo default copenhagen";
    let rulesets = lines.iter().find(|line| line.starts_with(ruleset));
    let rulesets = rulesets.expect("the option");
    for name in RULESET_NAMES {
        assert!(rulesets.contains(&format!("var {name}")), "{name}");
    }
    let lines_told = "option name MultiPV type spin default 1 min 1 max 1000";
    assert!(lines.iter().any(|line| line == lines_told));
    assert_eq!(engine.ask("isready", "readyok"), "readyok");
    engine.say("quit");
    assert_eq!(engine.wait(), (Ok(()), Vec::new()));
}

#[test]
fn only_what_can_be_played_is_offered() {
    let make = || {
        let brandubh = Rules::preset("brandubh").expect("a preset");
        tafl_engine::EngineSetup {
            offered: vec![Arc::clone(&brandubh)],
            rules: brandubh,
            ..crate::support::setup()
        }
    };
    let mut engine = Conversation::begin(Protocol::Uci, make);
    engine.say("uci");
    let lines = engine.hear_until("uciok");
    let own = "option name Ruleset type combo default brandubh var brandubh";
    assert!(lines.iter().any(|line| line == own), "{lines:?}");
    let is_variant = |line: &String| line.starts_with("option name Variant");
    assert!(!lines.iter().any(is_variant), "TaflZero has no Brandubh");
}

#[test]
fn a_search_tells_its_lines_and_a_legal_move() {
    let mut engine = Conversation::uci();
    engine.say("setoption name MultiPV value 3");
    engine.say("position startpos moves d1d2 f8f9");
    engine.say("go nodes 64");
    let lines = engine.hear_until("bestmove");
    let best = word_after(lines.last().expect("it"), "bestmove");
    let mut game = Game::new(Rules::preset("copenhagen").expect("a preset"));
    for mv in ["d1-d2", "f8-f9"] {
        game.play(mv.parse().expect("a move")).expect("legal");
    }
    game.play(read_ply(best).expect("a move")).expect("legal");
    let last = &lines[lines.len() - 4..lines.len() - 1];
    for (number, line) in (1..).zip(last) {
        assert_eq!(word_after(line, "multipv"), number.to_string(), "{line}");
        assert_eq!(word_after(line, "nodes"), "64");
        assert!(word_after(line, "cp").parse::<i32>().is_ok(), "{line}");
        assert!(word_after(line, "nps").parse::<u64>().is_ok() && line.contains(" winrate "));
        assert!(read_ply(word_after(line, "pv")).is_ok());
    }
    assert_eq!(word_after(&last[0], "pv"), best);
}

#[test]
fn an_endless_search_answers_while_it_runs_and_ends_at_stop() {
    let mut engine = Conversation::uci();
    engine.say("go infinite");
    engine.hear_until("info");
    engine.ask("isready", "readyok");
    engine.say("position startpos moves d1d2");
    let asked = Instant::now();
    let best = engine.ask("stop", "bestmove");
    let took = asked.elapsed();
    assert!(took < Duration::from_secs(2), "{took:?}");
    let mv = read_ply(word_after(&best, "bestmove")).expect("a move");
    let mut game = Game::new(Rules::preset("copenhagen").expect("a preset"));
    game.play(mv).expect("the running search was of the start");
    // The next search is of the position that was set meanwhile.
    let best = engine.ask("go nodes 4", "bestmove");
    assert!(!word_after(&best, "bestmove").starts_with("d1"));
    engine.say("stop");
    engine.ask("isready", "readyok");
}

#[test]
fn searches_are_answered_in_the_order_in_which_they_were_asked_for() {
    let mut engine = Conversation::uci();
    let nodes = |engine: &mut Conversation| {
        let lines = engine.hear_until("bestmove");
        word_after(&lines[lines.len() - 2], "nodes").to_owned()
    };
    engine.say("go nodes 300");
    engine.say("position startpos moves d1d2");
    engine.say("go nodes 3");
    engine.say("setoption name Ruleset value brandubh");
    engine.say("go nodes 4");
    assert_eq!(
        ["300", "3", "4"].map(|_| nodes(&mut engine)),
        ["300", "3", "4"]
    );
    engine.say("go nodes 3000");
    engine.say("position startpos moves a1a1");
    engine.say("go nodes 5");
    assert_eq!(nodes(&mut engine), "3000");
    assert_eq!(
        engine.hear_until("bestmove").pop().expect("it"),
        "bestmove (none)"
    );
    engine.say("position startpos");
    // An endless one ends where something must come after it.
    engine.say("go infinite");
    engine.say("go nodes 5");
    engine.say("go ponder nodes 6");
    engine.say("setoption name Ruleset value tablut");
    engine.hear_until("bestmove");
    assert_eq!(nodes(&mut engine), "5");
    engine.hear_until("bestmove");
    assert!(engine.ask("board", "ruleset: ").ends_with("tablut"));
}

#[test]
fn pondering_has_no_limits_until_the_move_is_played() {
    let mut engine = Conversation::uci();
    engine.say("setoption name Ponder value true");
    // With so many visits the best line has a reply.
    engine.say("go ponder nodes 200");
    engine.hear_until("info depth");
    engine.ask("isready", "readyok");
    let lines = {
        engine.say("ponderhit");
        engine.hear_until("bestmove")
    };
    let best = lines.last().expect("it");
    let nodes = word_after(&lines[lines.len() - 2], "nodes");
    assert!(nodes.parse::<u32>().is_ok_and(|it| it >= 200), "{lines:?}");
    let mut game = Game::new(Rules::preset("copenhagen").expect("a preset"));
    for word in ["bestmove", "ponder"] {
        let mv = read_ply(word_after(best, word)).expect("a move");
        game.play(mv).expect("legal");
    }
    engine.say("go ponder nodes 2");
    engine.ask("stop", "bestmove");
    // From then on it comes to its own end before the next begins.
    let asked = Instant::now();
    for line in ["go ponder movetime 200", "ponderhit", "go nodes 2"] {
        engine.say(line);
    }
    engine.hear_until("bestmove");
    assert!(asked.elapsed() >= Duration::from_millis(200));
    engine.hear_until("bestmove");
}

#[test]
fn only_the_moves_asked_for_are_searched() {
    let mut engine = Conversation::uci();
    let best = engine.ask("go searchmoves d1d3 e1e2 nodes 40", "bestmove");
    assert!(["d1d3", "e1e2"].contains(&word_after(&best, "bestmove")));
    let best = engine.ask("go nodes 40 searchmoves d1d2 a1k1 nonsense", "bestmove");
    assert_eq!(best, "bestmove d1d2");
    engine.say("go searchmoves a1k1");
    assert!(engine.hear().contains("none of the moves is legal"));
    assert_eq!(engine.hear(), "bestmove (none)");
}

#[test]
fn whatever_is_wrong_with_go_it_is_answered_once() {
    let mut engine = Conversation::uci();
    for line in [
        "go wtime 100 btime 100 winc 10 binc 10 movestogo 5",
        "go nodes many",
        "go depth",
        "go mate 2 nodes 5",
        "go nodes 0",
        "go wtime -5 btime -5",
        "go at last nodes 4",
    ] {
        engine.ask(line, "bestmove ");
    }
    for (position, reason) in [
        ("position startpos moves d1d2 d1d3", "move 2: d1-d3"),
        ("position startpos move d1d2", "position: expected"),
        ("position fen", "position: expected"),
    ] {
        engine.say("position startpos moves d1d2");
        let refusal = engine.ask(position, "info string error");
        assert!(refusal.contains(reason), "{refusal}");
        for line in ["go nodes 4", "go infinite"] {
            engine.say(line);
            assert!(engine.hear().contains("the last position was refused"));
            assert_eq!(engine.hear(), "bestmove (none)");
        }
    }
    let refusal = engine.ask("board", "info string error");
    assert!(refusal.contains("position was refused"), "{refusal}");
    engine.say("position startpos");
    assert_ne!(engine.ask("go nodes 4", "bestmove"), "bestmove (none)");
}

#[test]
fn time_depth_and_visits_end_a_search() {
    let mut engine = Conversation::uci();
    let asked = Instant::now();
    engine.ask("go movetime 100", "bestmove");
    let took = asked.elapsed();
    assert!(
        took >= Duration::from_millis(100) && took < Duration::from_secs(10),
        "{took:?}"
    );
    engine.say("go depth 2");
    let lines = engine.hear_until("bestmove");
    let depth = word_after(&lines[lines.len() - 2], "depth");
    assert!(depth.parse::<u32>().is_ok_and(|it| it >= 2), "{lines:?}");
    engine.say("go");
    let lines = engine.hear_until("bestmove");
    let nodes = word_after(&lines[lines.len() - 2], "nodes");
    assert_eq!(nodes, "8", "those of the config");
}

#[test]
fn a_search_is_answered_at_the_end_of_the_input_and_at_quit() {
    for lines in [
        &["go nodes 300"][..],
        // It ends when its tree is full.
        &["setoption name Hash value 16", "go nodes 4294967295"],
        &["go infinite"],
        &["go infinite", "quit"],
    ] {
        let mut engine = Conversation::uci();
        lines.iter().for_each(|line| engine.say(line));
        let (ended, answers) = engine.close();
        assert_eq!(ended, Ok(()));
        let is_best = |line: &String| line.starts_with("bestmove ");
        assert!(answers.iter().any(is_best), "{lines:?}: {answers:?}");
    }
}

/// Counts what it is asked, and knows nothing.
struct Counting(Arc<AtomicUsize>);

impl Evaluator for Counting {
    fn evaluate(&mut self, leaves: &[Leaf<'_>], evaluations: &mut Vec<Evaluation>) {
        self.0.fetch_add(leaves.len(), Ordering::Relaxed);
        UniformEvaluator.evaluate(leaves, evaluations);
    }
}

/// An output whose reader has gone.
struct Broken;

impl Write for Broken {
    fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
        Err(std::io::ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_search_whose_answer_nobody_can_read_ends() {
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&asked);
    let setup = with_evaluator(move || Box::new(Counting(Arc::clone(&counter))));
    let mut lines = &b"setoption name Hash value 16\ngo nodes 4294967295\n"[..];
    // It depends on who is faster whether this is an error.
    let _ = serve(Protocol::Uci, setup, &mut lines, Box::new(Broken));
    assert!(asked.load(Ordering::Relaxed) < 100, "{asked:?}");
}

#[test]
fn what_cannot_be_done_is_answered_and_changes_nothing() {
    let mut engine = Conversation::uci();
    let cases = [
        ("hello", "unknown command"),
        (
            "position startpos moves d1d2 d1d3",
            "move 2: d1-d3 is not legal",
        ),
        ("position startpos moves d1", "move 1: \"d1\" is not a move"),
        ("position fen 7/7 - a", "position fen: field `ranks`"),
        (
            "position fen 4x6/11/11/11/11/5k5/11/11/11/11/11 - a",
            "'x' in rank 11 is neither a piece (a or t, ",
        ),
        (
            "position fen a10/11/11/11/11/5k5/11/11/11/11/11 - a",
            "attacker on a11, which is reserved for the king",
        ),
        (
            "position fen 3t3/7/7/3K3/7/7/7 - a",
            "7x7, but the ruleset has 11x11",
        ),
        ("board", "the last position was refused"),
        (
            "setoption name Ruleset value chess",
            "unknown ruleset \"chess\"",
        ),
        (
            "setoption name Variant value historical11x11",
            "unknown value \"historical11x11\"; known are copenhagen11x11, tablut9x9",
        ),
        (
            "setoption name MultiPV value 0",
            "not a number from 1 to 1000",
        ),
        ("board", "ruleset \"historical11x11\" was refused"),
        (
            "position startpos",
            "ruleset \"historical11x11\" was refused",
        ),
    ];
    engine.say("position startpos moves d1d2");
    for (line, reason) in cases {
        let answer = engine.ask(line, "info string error");
        assert!(answer.contains(reason), "{line}: {answer}");
    }
    engine.say_bytes(b"go \xff\xfe");
    assert!(engine.hear().contains("not UTF-8"));
    engine.say(&"x".repeat(1 << 18));
    assert!(engine.hear().contains("too long"));
    engine.say("setoption name Ruleset value copenhagen");
    engine.say("position startpos moves d1d2");
    let fen = engine.ask("board", "fen: ");
    assert!(fen.contains("/4ttttt3") || fen.contains(" d 1 1"), "{fen}");
}

#[test]
fn nothing_is_played_from_what_could_not_be_read() {
    let mut engine = Conversation::uci();
    let too_long = format!("position startpos moves{}", " d1d2".repeat(1 << 15));
    for (line, fault, refused) in [
        (too_long.as_bytes(), "too long", "position was refused"),
        (
            &b"position startpos moves \xff"[..],
            "not UTF-8",
            "position was refused",
        ),
        (
            &b"setoption name Ruleset value \xff.toml"[..],
            "not UTF-8",
            ".toml\" was refused",
        ),
    ] {
        engine.say("position startpos moves d1d2");
        engine.say_bytes(line);
        assert!(engine.hear().contains(fault));
        engine.say("go nodes 4");
        assert!(engine.hear().contains(refused));
        assert_eq!(engine.hear(), "bestmove (none)");
    }
    engine.say("setoption name Ruleset value copenhagen");
    assert_ne!(engine.ask("go nodes 4", "bestmove"), "bestmove (none)");
}

#[test]
fn an_option_without_a_value_is_answered_once_and_changes_nothing() {
    let mut engine = Conversation::uci();
    engine.say("setoption name Ruleset value tablut");
    engine.say("position startpos moves d1d2");
    let before = engine.ask("board", "fen: ");
    for option in ["Ruleset", "Variant", "MultiPV", "Hash", "Ponder"] {
        for line in ["", " value", " value  "].map(|end| format!("setoption name {option}{end}")) {
            engine.say(&line);
            let said = format!("info string error: option {option}: it has no value in this line");
            assert_eq!(engine.hear(), said, "{line}");
            assert_eq!(engine.ask("isready", "readyok"), "readyok");
        }
    }
    engine.say("setoption name Ponder value maybe");
    assert!(
        engine
            .hear()
            .contains("\"maybe\" is neither true nor false")
    );
    assert_eq!(engine.ask("board", "fen: "), before);
    assert_ne!(engine.ask("go nodes 4", "bestmove"), "bestmove (none)");
}

#[test]
fn positions_of_taflzero_and_of_berserk_are_read() {
    let mut engine = Conversation::uci();
    engine.say("setoption name Variant value tablut9x9");
    engine.say("position fen 3aaa3/4a4/4d4/a3d3a/aaddkddaa/a3d3a/4d4/4a4/3aaa3 - a 0 0 moves d1d2");
    assert!(engine.ask("board", "ruleset: ").ends_with("tablut"));
    engine.hear_until("fen: ");
    engine.say("setoption name Ruleset value berserk-2024");
    engine.say("position fen 11/11/11/11/3a7/5k5/3d7/11/2a1c6/11/11 - a 0 0");
    let shown = engine.ask("board", "fen: ");
    assert!(shown.contains("/2a1c6/"), "{shown}");
}

#[test]
fn each_link_of_a_chain_is_a_ply_of_its_own() {
    let mut engine = Conversation::uci();
    engine.say("setoption name Ruleset value berserk-2024");
    // From d1 to d3 the defender on e3 falls, and from there to d7 the one on e7.
    let fen = "5k5/11/11/11/4da5/11/11/11/4da5/11/3a7 - a 0 0";
    for (moves, shown) in [
        // The attackers go on with d3.
        ("d1d3", " a 0 1 d3"),
        // Nothing more can be captured.
        ("d1d3 d3d7", " d 0 2"),
        ("d1d3 end", " d 0 2"),
        // A whole turn in our own notation.
        ("d1-d3-d7", " d 0 2"),
    ] {
        engine.say(&format!("position fen {fen} moves {moves}"));
        let found = engine.ask("board", "fen: ");
        assert!(found.ends_with(shown), "{moves}: {found}");
    }
    engine.say(&format!("position fen {fen} moves d1d3"));
    let best = engine.ask("go nodes 16", "bestmove");
    assert!(
        ["end", "d3d7"].contains(&word_after(&best, "bestmove")),
        "{best}"
    );
}

#[test]
fn a_game_is_driven_to_its_end_under_every_ruleset() {
    let make = || with_evaluator(|| Box::new(Whim));
    let mut engine = Conversation::begin(Protocol::Uci, make);
    for name in RULESET_NAMES {
        engine.say("ucinewgame");
        engine.say(&format!("setoption name Ruleset value {name}"));
        let mut game = Game::new(Rules::preset(name).expect("a preset"));
        let mut moves = String::new();
        let mut position = "position startpos".to_owned();
        while game.outcome().is_none() && game.moves().len() < 3_000 {
            engine.say(&position);
            let best = engine.ask("go nodes 4", "bestmove");
            let text = word_after(&best, "bestmove");
            let mv = read_ply(text).expect("a move");
            game.play(mv).expect("legal");
            moves += &format!(" {text}");
            position = format!("position startpos moves{moves}");
        }
        let outcome = game.outcome().expect("the game ends");
        engine.say(&position);
        let winner = outcome.winner.map_or("draw", |side| side.name());
        let result = engine.ask("result", "result");
        assert_eq!(
            result,
            format!("result {winner} {}", outcome.reason),
            "{name}"
        );
        assert_eq!(engine.ask("go nodes 4", "bestmove"), "bestmove (none)");
    }
}

struct Failing;

impl Evaluator for Failing {
    fn evaluate(&mut self, _: &[Leaf<'_>], _: &mut Vec<Evaluation>) {
        panic!("the evaluator is broken");
    }
}

#[test]
fn an_evaluator_that_fails_ends_a_search_but_not_the_engine() {
    let make = || with_evaluator(|| Box::new(Failing));
    let mut engine = Conversation::begin(Protocol::Uci, make);
    engine.say("go nodes 4");
    let lines = engine.hear_until("bestmove");
    assert!(lines[0].contains("the evaluator is broken"), "{lines:?}");
    assert_eq!(engine.ask("isready", "readyok"), "readyok");
}

#[test]
fn a_ruleset_without_a_network_is_refused_and_nothing_is_played_by_the_last_one() {
    let make = || {
        let mut setup = crate::support::setup();
        let make_searcher = setup.make_searcher;
        setup.make_searcher = Box::new(move |rules| {
            if rules.ruleset().name == "fetlar" {
                return Err("no network has learned fetlar".to_owned());
            }
            make_searcher(rules)
        });
        setup
    };
    let mut engine = Conversation::begin(Protocol::Uci, make);
    let answer = engine.ask("setoption name Ruleset value fetlar", "info string error");
    assert!(answer.contains("no network has learned fetlar"), "{answer}");
    engine.say("position startpos");
    assert_eq!(engine.ask("go nodes 4", "bestmove "), "bestmove (none)");
    engine.say("setoption name Ruleset value copenhagen");
    assert!(engine.ask("board", "ruleset: ").ends_with("copenhagen"));
    assert_ne!(engine.ask("go nodes 4", "bestmove "), "bestmove (none)");
}
