//! What is kept up or counted as a whole equals what is computed from nothing.

use crate::rules::board::{draw, draw_position, drawn, ruleset};
use crate::rules::laws::in_random_games;
use crate::rules::random::{all_rulesets, random_game, random_move, random_ruleset};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::BTreeSet;
use tafl_rules::{
    EndReason, Game, Move, Perft, Position, RolloutConfig, Rules, Ruleset, Setup, Side, Switch,
    perft, perft_parallel, rollouts, rollouts_parallel,
};

#[test]
fn the_set_of_moves_holds_the_listed_moves() {
    in_random_games(21, |game, _| {
        let (rules, position) = (game.rules(), game.position());
        let mut listed = Vec::new();
        rules.legal_moves(position, &mut listed);
        let moves = rules.moves(position);
        assert_eq!(moves.len(), listed.len(), "{}", draw(game));
        assert_eq!(moves.is_empty(), listed.is_empty());
        let numbered: Vec<Move> = (0..).map_while(|index| moves.nth(index)).collect();
        assert_eq!(moves.iter().collect::<Vec<_>>(), numbered, "{}", draw(game));
        assert_eq!(numbered.len(), listed.len(), "{}", draw(game));
        let sorted: BTreeSet<Move> = numbered.into_iter().collect();
        assert_eq!(sorted, listed.into_iter().collect(), "{}", draw(game));
    });
}

#[test]
fn the_plies_that_decide_the_king_are_those_of_the_shortest_such_chain() {
    let mut decided = [0; 3];
    in_random_games(120, |game, _| {
        let (rules, position) = (game.rules(), game.position());
        let plies = rules.plies_to_decide_king(position);
        assert_eq!(plies, shortest_by_hand(rules, position), "{}", draw(game));
        decided[usize::from(plies.unwrap_or(0)).min(2)] += 1;
        let mut passed = Setup::of(position, rules.shape());
        passed = passed.with_side(position.side().opponent());
        if let Ok(passed) = rules.position(&passed) {
            let threatened = rules.plies_to_decide_king(&passed).is_some();
            assert_eq!(rules.king_fate_is_threatened(position), threatened);
        }
    });
    assert!(decided.iter().all(|count| *count > 20), "{decided:?}");
}

/// Tries every move, and every one that goes on with a chain.
fn shortest_by_hand(rules: &Rules, position: &Position) -> Option<u16> {
    let mut listed = Vec::new();
    rules.legal_moves(position, &mut listed);
    let plies = listed.into_iter().filter_map(|mv| {
        let mut after = *position;
        let outcome = rules.play_unchecked(&mut after, mv).outcome;
        match outcome.map(|outcome| outcome.reason) {
            Some(EndReason::KingCaptured | EndReason::KingEscaped) => Some(1),
            Some(_) => None,
            None if after.chain().is_some() => Some(1 + shortest_by_hand(rules, &after)?),
            None => None,
        }
    });
    plies.min()
}

#[test]
fn encirclement_and_fort_are_judged_as_if_they_always_were() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(22);
    let mut judged = [0; 4];
    for _ in 0..6_000 {
        let ruleset = Ruleset {
            encirclement: Switch::On,
            edge_fort: Switch::On,
            ..random_ruleset(&mut random)
        };
        let game = random_game(&ruleset, false, &mut random);
        let moves = game.legal();
        for mv in moves {
            let (index, is_so) = judge(game.rules(), *game.position(), mv);
            judged[index + usize::from(is_so)] += 1;
        }
    }
    assert!(judged.iter().all(|count| *count > 500), "{judged:?}");
}

#[test]
fn what_is_kept_up_through_a_game_judges_as_the_whole_board_does() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(23);
    let mut judged = [0; 4];
    for _ in 0..1_500 {
        // Kings, knights and commanders leap into rings and out of them.
        let ruleset = Ruleset {
            encirclement: Switch::On,
            ..random_ruleset(&mut random)
        };
        let mut game = random_game(&ruleset, false, &mut random);
        let mut moves = Vec::new();
        for _ in 0..20 {
            let Some(next) = random_move(&game, &mut random) else {
                break;
            };
            game.legal_moves(&mut moves);
            for mv in &moves {
                let attackers = game.position().side() == Side::Attacker;
                if attackers && !mv.is_end() {
                    let (index, is_so) = judge(game.rules(), *game.position(), *mv);
                    judged[index + usize::from(is_so)] += 1;
                }
            }
            game.play(next).expect("a legal move");
        }
    }
    assert!(judged[0] > 10_000 && judged[1] > 100, "{judged:?}");
}

#[test]
fn a_position_of_other_rules_is_judged_by_those_that_it_is_played_under() {
    let with = Ruleset {
        encirclement: Switch::On,
        ..ruleset("brandubh")
    };
    let (with, without) = (
        Rules::new(with).expect("rules"),
        Rules::preset("brandubh").expect("a preset"),
    );
    let ring = drawn(
        ". . . . . . .
         . . . t . . .
         . . t . t . .
         . . t K t . .
         . . t . t . .
         . . . t . . .
         . t . . . . .",
        Side::Attacker,
    );
    let mv = "b1-c1".parse().expect("a move");
    for (made_by, played_under, outcome) in [
        (&with, &without, None),
        (&without, &with, Some(EndReason::Encirclement)),
    ] {
        let position = made_by.position(&ring).expect("playable");
        let mut game = Game::from_position(played_under.clone(), position);
        game.play(mv).expect("legal");
        assert_eq!(game.outcome().map(|outcome| outcome.reason), outcome);
    }
}

/// Compares what a ply is judged with what the whole board says: 0 and encirclement, or 2 and fort.
fn judge(rules: &Rules, mut position: Position, mv: Move) -> (usize, bool) {
    let mover = position.side();
    let outcome = rules.play_unchecked(&mut position, mv).outcome;
    let reason = outcome.map(|outcome| outcome.reason);
    let (index, on_board, expected) = match mover {
        Side::Attacker => (0, rules.encircled(&position), EndReason::Encirclement),
        Side::Defender => (2, rules.has_fort(&position), EndReason::Fort),
    };
    let king_decides = [EndReason::KingCaptured, EndReason::KingEscaped].map(Some);
    if !king_decides.contains(&reason) {
        let drawing = draw_position(&position, rules.shape());
        assert_eq!(on_board, reason == Some(expected), "{mv}\n{drawing}");
    }
    (index, on_board)
}

#[test]
fn bulk_plain_and_parallel_perft_agree() {
    for ruleset in all_rulesets() {
        let name = ruleset.name.clone();
        let rules = Rules::new(ruleset).expect("a preset");
        let [every_leaf, bulk] = [false, true].map(|bulk| Perft {
            by_turns: false,
            bulk,
        });
        let start = rules.start();
        let leaves = perft(&rules, &start, 3, every_leaf);
        assert_eq!(perft(&rules, &start, 3, bulk), leaves, "{name}");
        // Four plies are the first that are shared out.
        let leaves = perft(&rules, &start, 4, bulk);
        assert_eq!(perft_parallel(&rules, &start, 4, bulk), leaves, "{name}");
    }
}

#[test]
fn random_games_are_the_same_in_pieces_and_on_all_cores() {
    for ruleset in all_rulesets() {
        let rules = Rules::new(ruleset).expect("a preset");
        let games = |games| RolloutConfig {
            seed: 3,
            games,
            max_plies: 300,
        };
        let all = rollouts(&rules, &games(0..60));
        assert_eq!(
            rollouts(&rules, &games(0..13)) + rollouts(&rules, &games(13..60)),
            all
        );
        assert_eq!(rollouts_parallel(&rules, &games(0..60)), all);
        assert_eq!(all.games, 60);
        assert!(all.wins[0] + all.wins[1] > 0, "{all:?}");
        let other = RolloutConfig {
            seed: 4,
            ..games(0..60)
        };
        assert_ne!(rollouts(&rules, &other).digest, all.digest);
    }
}
