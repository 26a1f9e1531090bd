//! Whether a network's values depend on whose turn it is.

use crate::agreement::{OpenPosition, evaluated};
use std::sync::Arc;
use tafl_rules::{Game, Rules, Side};
use tafl_samples::GameRecord;
use tafl_search::{Evaluator, MoverWdl};

/// Returns how much higher a network values positions with the attackers to move than those before and after them, in mean
/// over all plies of attackers between two of the defenders; nothing without such plies.
///
/// A value that is calibrated for both sides gives 0: to move is worth nothing that the ply before and the ply after it do
/// not show. All values are win minus loss of the attackers, -1 to 1. Games of other rules are left out, and the openings.
///
/// # Panics
/// If a game is not one by the rules.
pub fn zigzag(
    evaluator: &mut dyn Evaluator,
    games: &[GameRecord],
    rules: &[Arc<Rules>],
) -> Option<f64> {
    mean_of(&expectations(evaluator, games, rules), 0.0)
}

/// Returns the logit to take from the win of the side to move, and to add to its loss, with which [`zigzag`] is 0; -1 to 1,
/// and 0 without plies to measure.
///
/// A network learns from positions to which short searches led, that is, where it expects less for the side to move than is
/// true; it learns to expect more there, and then expects too much everywhere else (the optimizer's curse, Smith and Winkler
/// 2006, "The Optimizer's Curse").
///
/// # Panics
/// If a game is not one by the rules.
pub fn turn_offset(
    evaluator: &mut dyn Evaluator,
    games: &[GameRecord],
    rules: &[Arc<Rules>],
) -> f32 {
    let games = expectations(evaluator, games, rules);
    // The larger the offset, the smaller the zigzag.
    let (mut low, mut high) = (-1.0, 1.0);
    for _ in 0..20 {
        let middle = f64::midpoint(low, high);
        match mean_of(&games, middle) {
            None => return 0.0,
            Some(mean) if mean > 0.0 => low = middle,
            Some(_) => high = middle,
        }
    }
    f64::midpoint(low, high) as f32
}

/// Returns the sides to move in each game behind its opening, with what they expect.
fn expectations(
    evaluator: &mut dyn Evaluator,
    games: &[GameRecord],
    rules: &[Arc<Rules>],
) -> Vec<Vec<(Side, MoverWdl)>> {
    let own = |record: &GameRecord| {
        let own = |it: &&Arc<Rules>| it.ruleset().fingerprint() == record.ruleset_fingerprint;
        Some(positions(record, rules.iter().find(own)?))
    };
    let games = games.iter().filter_map(own);
    let expected = games.map(|positions| {
        let sides = positions.iter().map(|(game, _)| game.position().side());
        let evaluations = evaluated(evaluator, &positions).into_iter();
        sides.zip(evaluations.map(|it| it.wdl)).collect()
    });
    expected.collect()
}

/// Returns the positions of a game behind its opening.
fn positions(record: &GameRecord, rules: &Arc<Rules>) -> Vec<OpenPosition> {
    let mut game = Game::new(Arc::clone(rules));
    let mut positions = Vec::new();
    for (ply, played) in record.plies.iter().enumerate() {
        if ply >= record.opening_plies as usize {
            let mut moves = Vec::new();
            game.legal_moves(&mut moves);
            positions.push((game.clone(), moves));
        }
        game.play(played.mv).expect("a game by the rules");
    }
    positions
}

/// Returns the zigzag with this logit taken from the win of the side to move, and added to its loss.
fn mean_of(games: &[Vec<(Side, MoverWdl)>], offset: f64) -> Option<f64> {
    let (mut sum, mut plies) = (0.0, 0);
    for between in games.iter().flat_map(|game| game.windows(3)) {
        if let [
            (Side::Defender, before),
            (Side::Attacker, own),
            (Side::Defender, after),
        ] = between
        {
            let [before, own, after] = [before, own, after].map(|wdl| value_with(wdl, offset));
            sum += own - f64::midpoint(-before, -after);
            plies += 1;
        }
    }
    (plies > 0).then(|| sum / f64::from(plies))
}

/// Returns win minus loss of the side to move, with an offset of its logits.
fn value_with(wdl: &MoverWdl, offset: f64) -> f64 {
    let win = f64::from(wdl.win) * (-offset).exp();
    let loss = f64::from(wdl.loss) * offset.exp();
    (win - loss) / (win + f64::from(wdl.draw) + loss)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tafl_samples::{Ending, GameKind, PlayerId, PlyRecord};
    use tafl_search::{Evaluation, Leaf};

    /// Gives the side to move this much more than the other.
    struct Biased([f32; 2]);

    impl Evaluator for Biased {
        fn evaluate(&mut self, leaves: &[Leaf<'_>], evaluations: &mut Vec<Evaluation>) {
            evaluations.clear();
            evaluations.extend(leaves.iter().map(|leaf| {
                let win = self.0[leaf.game.position().side().index()];
                Evaluation {
                    logits: vec![0.0; leaf.moves.len()],
                    wdl: MoverWdl {
                        win,
                        draw: 0.0,
                        loss: 1.0 - win,
                    },
                    moves_left: 50.0,
                }
            }));
        }
    }

    #[test]
    fn an_evaluator_that_likes_whoever_is_to_move_zigzags() {
        let rules = Rules::preset("brandubh").expect("a preset");
        let mut game = Game::new(Arc::clone(&rules));
        let mut moves = Vec::new();
        for _ in 0..9 {
            game.legal_moves(&mut moves);
            game.play(moves[0]).expect("legal");
        }
        let plies = game.moves().iter();
        let record = GameRecord {
            game_id: 0,
            seed: 0,
            ruleset: "brandubh".to_owned(),
            ruleset_fingerprint: rules.ruleset().fingerprint(),
            start: tafl_rules::Setup::of(&rules.start(), rules.shape()),
            generation: 0,
            kind: GameKind::Even,
            attackers: PlayerId::Checkpoint(0),
            defenders: PlayerId::Checkpoint(0),
            opening_plies: 1,
            handicap: None,
            plies: plies.map(|&mv| PlyRecord { mv, search: None }).collect(),
            ending: Ending::CAPPED,
        };
        let (games, rules) = ([record.clone(), record], [rules]);
        let measure = |wins| zigzag(&mut Biased(wins), &games, &rules).expect("plies");
        // Positions 1 to 8: the attackers are to move between two of the defenders in 2, 4 and 6.
        let fair = measure([0.6, 0.4]);
        assert!(fair.abs() < 1e-6, "{fair}");
        // The attackers expect 0.2 at their moves, and the defenders 0.2 at theirs, -0.2 for the attackers.
        let biased = measure([0.6, 0.6]);
        assert!((biased - 0.4).abs() < 1e-6, "{biased}");
        // A win of 0.6 against 0.4 has a logit of ln 1.5 more; half of it less for the win and more for the loss make both even.
        let offset = turn_offset(&mut Biased([0.6; 2]), &games, &rules);
        assert!((offset - 1.5_f32.ln() / 2.0).abs() < 1e-4, "{offset}");
        let nothing = turn_offset(&mut Biased([0.6; 2]), &[], &rules);
        assert!(nothing.abs() < f32::EPSILON);
        assert_eq!(zigzag(&mut Biased([0.6; 2]), &[], &rules), None);
    }
}
