//! Levels are compared by the shipped network of Brandubh.

use crate::support::root;
use std::path::Path;
use tafl_play::SoloPlayer;
use tafl_rules::{Game, Outcome, Rules, Side};
use tafl_training::PlayerSource;
use tafl_web::{LEVELS, Level};

/// Returns who won a game of one level against another.
fn game(levels: [Level; 2], net: &Path, seed: u64) -> Option<Outcome> {
    let rules = Rules::preset("brandubh").expect("a preset");
    let source = PlayerSource::checkpoint(net.to_owned());
    let mut players = levels.map(|level| {
        let mut config = source.own_config().expect("run.toml");
        config.arena.visits = level.visits;
        let opened = source.open(&config, &rules).expect("it knows brandubh");
        SoloPlayer::new(opened.player.as_ref().clone(), seed).expect("a network")
    });
    let mut game = Game::new(rules);
    while game.outcome().is_none() && game.moves().len() < 200 {
        let side = game.position().side().index();
        let mv = players[side].choose_at(&game, levels[side].temperature);
        game.play_unchecked(mv.expect("networks do not fail"));
    }
    game.outcome()
}

/// Plays four games of the strongest level against the weakest; with `TAFL_SLOW=1` forty of each against the next.
#[test]
fn each_level_is_stronger_than_the_one_before() {
    let net = root().join("data/nets/brandubh");
    let (games, pairs) = match std::env::var_os("TAFL_SLOW") {
        Some(_) => (40, LEVELS.windows(2).map(|it| [it[0], it[1]]).collect()),
        None => (4, vec![[LEVELS[0], LEVELS[3]]]),
    };
    for pair in pairs {
        let mut points = 0;
        for seed in 0..games {
            let is_attacker = seed % 2 == 0;
            let sides = if is_attacker {
                [pair[1], pair[0]]
            } else {
                [pair[0], pair[1]]
            };
            let stronger = if is_attacker {
                Side::Attacker
            } else {
                Side::Defender
            };
            points += match game(sides, &net, seed).and_then(|outcome| outcome.winner) {
                Some(winner) if winner == stronger => 2,
                Some(_) => 0,
                None => 1,
            };
        }
        assert!(points >= games, "{pair:?}: {points} of {}", 2 * games);
    }
}
