//! Games in the notation of aagenielsen.dk: lines of people, and games written as lines.

use crate::rules::board::ruleset;
use crate::rules::fixtures;
use crate::rules::random::{all_rulesets, random_game, random_move, random_ruleset};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use tafl_rules::notation::aagenielsen::{RecordedGame, RecordedGameError, RecordedResult};
use tafl_rules::notation::games::{WrittenGame, WrittenGameError, read_games};
use tafl_rules::notation::words::OffBoard;
use tafl_rules::{Board, Game, Repetition, Rules, Ruleset, Side};

fn read_line(fields: &[&str]) -> Result<WrittenGame, WrittenGameError> {
    let (_, game) = read_games(&fields.join(",")).remove(0);
    game
}

fn read(fields: &[&str]) -> RecordedGame {
    let game = read_line(fields);
    game.unwrap_or_else(|error| panic!("{fields:?}: {error}"))
        .recorded()
}

fn error(fields: &[&str]) -> String {
    read_line(fields).expect_err("malformed").to_string()
}

/// Returns the plies without the second mention of a square in one capture.
fn without_doubles(plies: &str) -> String {
    let words = plies.split(' ').map(|word| {
        let mut parts: Vec<&str> = Vec::new();
        for part in word.split('x') {
            if !parts.contains(&part) {
                parts.push(part);
            }
        }
        parts.join("x")
    });
    words.collect::<Vec<_>>().join(" ")
}

#[test]
fn a_line_has_plies_captures_of_both_sides_and_the_result() {
    let game = read(&["h1-h3 f8-i8 h3-h8xi8 timeout", "1", "0", "White"]);
    assert_eq!(game.turns.len(), 3);
    assert_eq!(game.end, Some(OffBoard::Timeout));
    assert_eq!(game.captures, Some([1, 0]));
    assert_eq!(game.result, RecordedResult::Won(Side::Defender));
    let captured = game.plies().last().map(|(_, captured)| captured);
    let i8 = "i8".parse().expect("a square");
    assert_eq!(captured.map(|set| set.squares().collect()), Some(vec![i8]));
}

#[test]
fn chains_are_one_word_of_joined_steps() {
    let line = ["d5-f5xe5-f8xf7-end f2-f3", "0", "2", "Ongoing"];
    let game = read(&line);
    assert_eq!((game.turns.len(), game.plies().count()), (2, 4));
    assert_eq!(game.to_fields(), line);
    assert_eq!(WrittenGame::from(game.clone()).recorded(), game);
}

#[test]
fn malformed_lines_are_refused_by_field() {
    assert_eq!(error(&["h1-h3", "0"]), "2 fields instead of 4");
    assert_eq!(
        error(&["h1-h3 h1h44", "0", "0", "White"]),
        "field `plies`: number 2: \"h1h44\" is not a move (such as f6-f9xf8)"
    );
    assert_eq!(
        error(&["timeout h1-h3", "0", "0", "White"]),
        "field `plies`: number 1: \"timeout\" is not a move (such as f6-f9xf8)"
    );
    assert_eq!(
        error(&["h1-h3", "0", "many", "White"]),
        "field `captures by defenders`: \"many\" is not a number of pieces"
    );
    assert_eq!(
        error(&["h1-h3", "0", "0", "Red"]),
        "field `result`: \"Red\" is not White, Black, Draw or Ongoing"
    );
}

#[test]
fn replaying_stops_where_the_rules_say_otherwise() {
    let rules = Rules::preset("copenhagen").expect("a preset");
    let replay = |plies, result| {
        let replayed = read(&[plies, "0", "0", result]).replay(&rules);
        let outcome = replayed.map(|replayed| replayed.game.outcome());
        outcome.map_err(|misfit| misfit.to_string())
    };
    assert_eq!(replay("h1-h3 f8-i8", "Ongoing"), Ok(None));
    assert_eq!(replay("h1-h3 f8-i8 timeout", "White"), Ok(None));
    for (plies, text) in [
        (
            "h1-h3 f8-i8 h3-h6",
            "ply 3: h3-h6 is not legal for the attackers: h6 is not free",
        ),
        (
            "d1-d3 e5-e2 g1-g3 f4-c4 g3-e3",
            "ply 5: g3-e3 captures e2; recorded is nothing",
        ),
        ("h1-h3xh4", "ply 1: h1-h3 captures nothing; recorded is h4"),
    ] {
        assert_eq!(replay(plies, "Ongoing"), Err(text.to_owned()));
    }
}

#[test]
fn every_line_of_people_is_written_as_it_was_read() {
    for line in fixtures::read("games-copenhagen.csv").lines() {
        let fields: Vec<&str> = line.split(',').collect();
        let written = read(&fields).to_fields();
        let expected = without_doubles(fields[0]);
        assert_eq!(sorted(&written[0]), sorted(&expected));
        assert_eq!(written[1..], fields[1..]);
    }
}

/// Returns the words with the captures of each in one order; people's are in none.
fn sorted(plies: &str) -> Vec<Vec<&str>> {
    let words = plies.split(' ').map(|word| {
        let mut parts: Vec<&str> = word.split('x').collect();
        parts[1..].sort_unstable();
        parts
    });
    words.collect()
}

#[test]
fn games_of_people_replayed_give_their_lines_again() {
    let rules = Rules::new(Ruleset {
        repetition: Repetition::Off,
        ..ruleset("copenhagen")
    });
    let rules = rules.expect("a ruleset");
    for line in fixtures::read("games-copenhagen.csv").lines() {
        let fields: Vec<&str> = line.split(',').collect();
        let recorded = read(&fields);
        let mut game = Game::new(rules.clone());
        for (mv, _) in recorded.plies() {
            game.play(mv).expect("a legal move");
        }
        let mut written = RecordedGame::of_game(&game).expect("from the start");
        assert_eq!(written.turns, recorded.turns, "{line}");
        if without_doubles(fields[0]) == fields[0] {
            assert_eq!(written.captures, recorded.captures, "{line}");
        }
        // What the board does not know: resignation and time.
        if game.outcome().is_none() {
            written.result = recorded.result;
        }
        written.end = recorded.end;
        written.captures = recorded.captures;
        assert_eq!(written, recorded, "{line}");
    }
}

#[test]
fn games_under_any_rules_read_back_as_written() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(51);
    let mut rulesets = all_rulesets();
    rulesets.extend((0..60).map(|_| random_ruleset(&mut random)));
    let mut chains = 0;
    for ruleset in rulesets {
        for _ in 0..4 {
            let mut game = random_game(&ruleset, true, &mut random);
            for _ in 0..80 {
                let Some(mv) = random_move(&game, &mut random) else {
                    break;
                };
                game.play(mv).expect("a legal move");
            }
            let written = RecordedGame::of_game(&game).expect("from the start");
            let moves: Vec<_> = written.plies().map(|(mv, _)| mv).collect();
            assert_eq!(moves, game.moves());
            let fields = written.to_fields();
            assert_eq!(read(&fields.each_ref().map(String::as_str)), written);
            chains += written
                .turns
                .iter()
                .filter(|turn| turn.plies.len() > 1)
                .count();
        }
    }
    assert!(chains > 10, "{chains}");
}

#[test]
fn a_game_from_another_position_has_no_line() {
    let rules = Rules::preset("brandubh").expect("a preset");
    let mut moved = Game::new(rules.clone());
    moved.play("d1-c1".parse().expect("a move")).expect("legal");
    let game = Game::from_position(rules, *moved.position());
    assert_eq!(
        RecordedGame::of_game(&game),
        Err(RecordedGameError::OtherStart)
    );
}

#[test]
fn a_start_of_ones_own_says_where_the_knight_stands() {
    let start = "3t3/3t3/3T3/ttTKTtt/3N3/3t3/3t3".to_owned();
    let rules = Rules::new(Ruleset {
        start: Board::try_from(start).expect("a board"),
        ..ruleset("berserk-2024")
    });
    let leap = read(&["a4-a5 c4-a4xb4", "0", "1", "Ongoing"]);
    let misfit = leap.replay(&rules.expect("playable"));
    let said = "ply 2: c4-a4 is not legal for the defenders: the piece on b4 is in the way";
    assert_eq!(misfit.expect_err("a soldier").to_string(), said);
}
