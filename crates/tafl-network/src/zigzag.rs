//! Whether a network's values depend on whose turn it is.

use std::sync::Arc;
use tafl_rules::{Game, Move, Rules, Side};
use tafl_samples::GameRecord;
use tafl_search::{Evaluation, Evaluator, Leaf, MoverWdl};

/// Positions that are evaluated at once.
const BATCH: usize = 256;

/// How much higher a network values positions with the attackers to move than those before and after them.
///
/// A value that is calibrated for both sides gives 0 in mean: to move is worth nothing that the ply before and the ply
/// after it do not show. All values are win minus loss of the attackers, -1 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Zigzag {
    /// Plies of attackers between two of the defenders, over all games.
    pub plies: u64,
    /// The mean over them: the value less the mean of those before and after it.
    pub mean: f64,
    /// The standard error of the mean, from the spread of the games' means.
    pub error: f64,
}

/// A position of a game, with its legal moves.
struct Position {
    game: Game,
    moves: Vec<Move>,
}

/// Measures a network on all positions of some games after their openings; those of other rules are left out.
///
/// # Panics
/// If a game is not one by the rules.
pub fn zigzag(evaluator: &mut dyn Evaluator, games: &[GameRecord], rules: &[Arc<Rules>]) -> Zigzag {
    zigzag_of(&evaluated(evaluator, games, rules), 0.0)
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
    let evaluated = evaluated(evaluator, games, rules);
    if zigzag_of(&evaluated, 0.0).plies == 0 {
        return 0.0;
    }
    // The larger the offset, the smaller the zigzag.
    let (mut low, mut high) = (-1.0, 1.0);
    for _ in 0..20 {
        let middle = f64::midpoint(low, high);
        match zigzag_of(&evaluated, middle).mean > 0.0 {
            true => low = middle,
            false => high = middle,
        }
    }
    f64::midpoint(low, high) as f32
}

/// The sides to move in a game, and what they expect.
type Evaluated = (Vec<Side>, Vec<MoverWdl>);

fn evaluated(
    evaluator: &mut dyn Evaluator,
    games: &[GameRecord],
    rules: &[Arc<Rules>],
) -> Vec<Evaluated> {
    let own = |record: &GameRecord| {
        let own = |rules: &&Arc<Rules>| rules.ruleset().fingerprint() == record.ruleset_fingerprint;
        rules.iter().find(own)
    };
    let mut evaluate = |(record, rules)| {
        let positions = positions(record, rules);
        let sides = positions.iter().map(|it| it.game.position().side());
        (sides.collect(), expectations(evaluator, &positions))
    };
    let known = games
        .iter()
        .filter_map(|record| Some((record, own(record)?)));
    known.map(&mut evaluate).collect()
}

/// Returns the zigzag with this logit taken from the win of the side to move, and added to its loss.
fn zigzag_of(games: &[Evaluated], offset: f64) -> Zigzag {
    let (mut sums, mut plies) = (Vec::new(), 0);
    for (sides, expected) in games {
        let both = sides.iter().zip(expected);
        let values: Vec<f64> = both
            .map(|(side, &wdl)| match side {
                Side::Attacker => value_with(wdl, offset),
                Side::Defender => -value_with(wdl, offset),
            })
            .collect();
        let off = terms(sides, &values);
        if !off.is_empty() {
            plies += off.len() as u64;
            sums.push((off.iter().sum::<f64>(), off.len() as f64));
        }
    }
    let mean = sums.iter().map(|(sum, _)| sum).sum::<f64>() / plies.max(1) as f64;
    // The error of a ratio of sums, games being drawn independently.
    let squares = sums.iter().map(|(sum, count)| (sum - mean * count).powi(2));
    Zigzag {
        plies,
        mean,
        error: squares.sum::<f64>().sqrt() / plies.max(1) as f64,
    }
}

/// Returns, for each ply of the attackers between two of the defenders, by how much the value before it is above the mean
/// of the values before and after, all of them those of the attackers.
fn terms(sides: &[Side], values: &[f64]) -> Vec<f64> {
    let between = [Side::Defender, Side::Attacker, Side::Defender];
    let triples = sides.windows(3).zip(values.windows(3));
    let triples = triples.filter(|(sides, _)| **sides == between);
    triples
        .map(|(_, values)| values[1] - f64::midpoint(values[0], values[2]))
        .collect()
}

/// Returns win minus loss of the side to move, with an offset of its logits.
fn value_with(wdl: MoverWdl, offset: f64) -> f64 {
    let win = f64::from(wdl.win) * (-offset).exp();
    let loss = f64::from(wdl.loss) * offset.exp();
    (win - loss) / (win + f64::from(wdl.draw) + loss)
}

fn positions(record: &GameRecord, rules: &Arc<Rules>) -> Vec<Position> {
    let mut game = Game::new(Arc::clone(rules));
    let mut positions = Vec::new();
    for (ply, played) in record.plies.iter().enumerate() {
        if ply >= record.opening_plies as usize {
            let mut moves = Vec::new();
            game.legal_moves(&mut moves);
            let game = game.clone();
            positions.push(Position { game, moves });
        }
        game.play(played.mv).expect("a game by the rules");
    }
    positions
}

/// Returns what the side to move expects in each position.
fn expectations(evaluator: &mut dyn Evaluator, positions: &[Position]) -> Vec<MoverWdl> {
    let mut expected = Vec::with_capacity(positions.len());
    let mut evaluations: Vec<Evaluation> = Vec::new();
    for positions in positions.chunks(BATCH) {
        let leaves: Vec<Leaf<'_>> = (positions.iter())
            .map(|position| Leaf::new(&position.game, &position.moves))
            .collect();
        evaluator.evaluate(&leaves, &mut evaluations);
        expected.extend(evaluations.iter().map(|it| it.wdl));
    }
    expected
}

#[cfg(test)]
mod tests {
    use super::*;
    use tafl_samples::{Ending, GameKind, PlayerId, PlyRecord};

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
        let measure = |wins| {
            zigzag(
                &mut Biased(wins),
                &[record.clone(), record.clone()],
                std::slice::from_ref(&rules),
            )
        };
        // Positions 1 to 8: the attackers are to move between two of the defenders in 2, 4 and 6.
        let fair = measure([0.6, 0.4]);
        assert_eq!((fair.plies, fair.error), (6, 0.0));
        assert!(fair.mean.abs() < 1e-6, "{fair:?}");
        // The attackers expect 0.2 at their moves, and the defenders 0.2 at theirs, -0.2 for the attackers.
        let biased = measure([0.6, 0.6]);
        assert!((biased.mean - 0.4).abs() < 1e-6, "{biased:?}");
        // A win of 0.6 against 0.4 has a logit of ln 1.5 more; half of it less for the win and more for the loss make both even.
        let games = [record];
        let offset = turn_offset(&mut Biased([0.6; 2]), &games, std::slice::from_ref(&rules));
        assert!((offset - 1.5_f32.ln() / 2.0).abs() < 1e-4, "{offset}");
        let nothing = turn_offset(&mut Biased([0.6; 2]), &[], std::slice::from_ref(&rules));
        assert!(nothing.abs() < f32::EPSILON);
    }
}
