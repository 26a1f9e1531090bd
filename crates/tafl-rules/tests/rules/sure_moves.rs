//! What is said of moves that are not played holds when they are.

use crate::rules::board::draw;
use crate::rules::laws::in_random_games;
use crate::rules::random::all_rulesets;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use tafl_rules::{Game, Move, Rules};

/// Moves told by both sets, and legal ones.
#[derive(Debug, Default)]
struct Counts {
    quiet: usize,
    /// Those that leave no threat, and those that leave one.
    replies: [usize; 2],
    all: usize,
}

/// Plays every move of a position that one of the sets holds.
fn check(game: &Game, counts: &mut Counts) {
    let listed = game.legal();
    counts.all += listed.len();
    if game.outcome().is_some() {
        return;
    }
    let (quiet, (replies, threat)) = (game.quiet_moves(), game.sure_replies());
    let mut after = game.clone();
    let mark = after.mark();
    for mv in listed {
        let told = [quiet.contains(mv), replies.contains(mv)];
        if told == [false; 2] {
            continue;
        }
        let ply = after.play_unchecked(mv);
        let (rules, position) = (after.rules(), after.position());
        let happens = !ply.captured.is_empty()
            || after.outcome().is_some()
            || position.side() == game.position().side();
        assert!(!happens, "{mv}\n{}", draw(game));
        if told[0] {
            counts.quiet += 1;
            let threatens = rules.king_fate_is_threatened(position);
            assert!(!threatens, "{mv}\n{}", draw(game));
        }
        if told[1] {
            counts.replies[usize::from(threat.is_some())] += 1;
            let decides = rules.plies_to_decide_king(position);
            assert_eq!(decides, threat, "{mv}\n{}", draw(game));
        }
        after.rewind(&mark);
    }
}

#[test]
fn quiet_moves_and_sure_replies_are_what_they_are_called() {
    let mut counts = Counts::default();
    for seed in [31, 32, 33] {
        in_random_games(seed, |game, _| check(game, &mut counts));
    }
    // Ranks and chains, where nothing is sure, take most of the random rulesets.
    assert!(counts.quiet * 12 > counts.all, "{counts:?}");
    let [without, with] = counts.replies;
    assert!(without > 10_000 && with > 1_000, "{counts:?}");
}

#[test]
fn most_moves_of_copenhagen_are_quiet() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(34);
    let mut counts = Counts::default();
    for _ in 0..20 {
        let mut game = Game::new(Rules::preset("copenhagen").expect("a preset"));
        while game.outcome().is_none() && game.moves().len() < 100 {
            check(&game, &mut counts);
            play_any(&mut game, &mut random);
        }
    }
    assert!(counts.quiet * 3 > counts.all * 2, "{counts:?}");
}

#[test]
fn moves_that_repeat_a_position_are_not_sure() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(35);
    let mut counts = Counts::default();
    let mut repeated = 0;
    for ruleset in all_rulesets() {
        let rules = Rules::new(ruleset).expect("sound");
        for _ in 0..10 {
            let mut game = Game::new(rules.clone());
            while game.outcome().is_none() && game.moves().len() < 60 {
                check(&game, &mut counts);
                // Whoever can takes his last move back.
                let moves = game.moves();
                let last = moves.len().checked_sub(2).map(|index| moves[index]);
                let back = last.and_then(|last| Move::new(last.to(), last.from()));
                let back = back.filter(|_| random.random_bool(0.8));
                if back.is_none_or(|back| game.play(back).is_err()) {
                    play_any(&mut game, &mut random);
                }
                repeated += usize::from(game.occurrences() == 3);
            }
        }
    }
    assert!(repeated > 20, "{repeated}");
}

fn play_any(game: &mut Game, random: &mut Xoshiro256PlusPlus) {
    let listed = game.legal();
    game.play(*listed.choose(random).expect("a move"))
        .expect("legal");
}
