//! What a network thinks of a position, or of each position of a game.

use serde::Serialize;
use std::time::Instant;
use tafl_rules::notation::taflzero::Fen;
use tafl_rules::{Game, IllegalMove, Move, Setup, Side};
use tafl_search::{
    Evaluator, Judged, Leaf, Mode, MoverWdl, PrincipalLine, Proof, RootStats, Search, SearchConfig,
    SearchReport,
};

/// A network that looks at one position after the other.
pub struct Analyst {
    /// Evaluates positions.
    pub evaluator: Box<dyn Evaluator>,
    /// How it searches.
    pub search: SearchConfig,
    /// Where everything random comes from.
    pub seed: u64,
    /// What is said about it in the results.
    pub setting: AnalysisSetting,
}

impl Analyst {
    /// Searches a position and returns the given number of best moves; `None` if the game is over.
    pub fn position(&mut self, game: &Game, lines: usize) -> Option<PositionAnalysis> {
        let mut report = self.think(game, lines)?;
        let share = self.share_of(&report.stats, game);
        for line in &mut report.lines {
            line.prior *= share;
        }
        Some(PositionAnalysis::new(&self.setting, game, &report))
    }

    /// Returns how strongly the network prefers the moves that a search looked at, together: 1 unless looking ahead left some out.
    fn share_of(&mut self, stats: &RootStats, game: &Game) -> f32 {
        let legal = game.legal();
        if legal.len() == stats.moves.len() {
            return 1.0;
        }
        let mut evaluations = Vec::new();
        let leaf = Leaf::new(game, &legal);
        self.evaluator.evaluate(&[leaf], &mut evaluations);
        let logits = &evaluations[0].logits;
        let most = logits.iter().copied().fold(f32::MIN, f32::max);
        let (mut all, mut searched) = (0.0, 0.0);
        for (mv, logit) in legal.iter().zip(logits) {
            let weight = (logit - most).exp();
            all += weight;
            if stats.moves.iter().any(|root| root.mv == *mv) {
                searched += weight;
            }
        }
        searched / all
    }

    /// Searches every position of a game, and finds the `drops` plies that lost most; `progress` hears how many are done.
    ///
    /// # Errors
    /// If a move is not legal.
    pub fn game(
        &mut self,
        start: Game,
        title: String,
        moves: &[Move],
        drops: usize,
        progress: &dyn Fn(u64),
    ) -> Result<GameAnalysis, IllegalMove> {
        let mut game = start;
        let mut plies: Vec<AnalyzedPly> = Vec::new();
        for (number, &mv) in (1..).zip(moves) {
            plies.extend(self.ply(number, &game, mv));
            game.play(mv)?;
            progress(number as u64);
        }
        let last_value_attackers = self.value_attackers(&game);
        let mut after = last_value_attackers;
        for row in plies.iter_mut().rev() {
            row.value_attackers_after = after;
            if let Some(best) = row.best_value {
                row.drop = (best - seen_by(row.side, after)).max(0.0);
            }
            after = row.value_attackers;
        }
        let mut order: Vec<&AnalyzedPly> =
            plies.iter().filter(|row| row.drop >= LEAST_DROP).collect();
        // Of equal drops the first one stays in front.
        order.sort_by(|one, other| other.drop.total_cmp(&one.drop));
        Ok(GameAnalysis {
            setting: self.setting.clone(),
            title,
            drops: order.iter().take(drops).map(|row| row.ply).collect(),
            plies,
            last_value_attackers,
            outcome: game.outcome().map(|outcome| outcome.to_string()),
        })
    }

    /// Searches the position before a ply, and the one after the best ply where its value is needed; `None` if the game is over.
    fn ply(&mut self, number: usize, game: &Game, mv: Move) -> Option<AnalyzedPly> {
        let report = self.think(game, 1)?;
        let mut row = AnalyzedPly::new(number, &report, mv);
        match Judged::of(&report.stats, mv) {
            Judged::Worse(drop) => row.drop = drop,
            Judged::Unknown(Some(certain)) => row.best_value = Some(certain),
            Judged::Unknown(None) => {
                let mut better = game.clone();
                better.play_unchecked(report.best());
                row.best_value = Some(seen_by(row.side, self.value_attackers(&better)));
            }
        }
        Some(row)
    }

    /// Returns the value of a position after a search, or of the result if the game is over.
    fn value_attackers(&mut self, game: &Game) -> f32 {
        match game.outcome() {
            Some(outcome) => MoverWdl::certain(outcome.winner, Side::Attacker).value(),
            None => self.think(game, 1).map_or(0.0, |it| for_attackers(&it)),
        }
    }

    fn think(&mut self, game: &Game, lines: usize) -> Option<SearchReport> {
        if game.outcome().is_some() {
            return None;
        }
        let began = Instant::now();
        let mut search = Search::new(&self.search, game.clone(), Mode::Match, self.seed);
        tafl_search::run(&mut search, self.evaluator.as_mut());
        Some(SearchReport::of(&search, lines, began.elapsed()))
    }
}

/// Who looked, and how.
#[derive(Debug, Clone, Serialize)]
pub struct AnalysisSetting {
    /// Name of the ruleset.
    pub ruleset: String,
    /// Name of the network.
    pub checkpoint: String,
    /// The numbers that it computes in, such as `int8`.
    pub precision: String,
    /// Visits of each search.
    pub visits: u32,
}

/// A certain result.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct CertainResult {
    /// `attackers`, `defenders` or `draw`.
    pub result: &'static str,
    /// Plies to the end.
    pub plies: u16,
}

impl From<Proof> for CertainResult {
    fn from(proof: Proof) -> Self {
        Self {
            result: proof.winner.map_or("draw", Side::name),
            plies: proof.plies,
        }
    }
}

/// A position and its best moves.
#[derive(Debug, Serialize)]
pub struct PositionAnalysis {
    /// Who looked, and how.
    #[serde(flatten)]
    pub setting: AnalysisSetting,
    /// The position as TaflZero writes it.
    pub fen: String,
    /// Whose turn it is.
    pub side_to_move: Side,
    /// Win minus loss of the attackers, -1 to 1, after the search.
    pub value_attackers: f32,
    /// After the search, as the side to move sees it.
    pub chances_of_side_to_move: MoverWdl,
    /// Before it, from the network alone.
    pub network_chances_of_side_to_move: MoverWdl,
    /// The certain result, once known.
    pub certain: Option<CertainResult>,
    /// Visits of the search.
    pub visits_made: u32,
    /// What it took, in milliseconds.
    pub time_ms: u64,
    /// The best moves, the chosen one first.
    pub lines: Vec<AnalyzedLine>,
}

/// A move and what follows.
#[derive(Debug, Serialize)]
pub struct AnalyzedLine {
    /// Plies, the move first.
    pub moves: Vec<String>,
    /// Win minus loss of the attackers, -1 to 1.
    pub value_attackers: f32,
    /// The same position's chances as the side to move at the root sees them.
    pub chances_of_side_to_move: MoverWdl,
    /// The certain result, once known.
    pub certain: Option<CertainResult>,
    /// Visits of the move.
    pub visits: u32,
    /// The search's share for the move, 0 to 1.
    pub policy: f32,
    /// The network's among all legal moves, 0 to 1.
    pub prior: f32,
}

impl PositionAnalysis {
    fn new(setting: &AnalysisSetting, game: &Game, report: &SearchReport) -> Self {
        let line = |line: &PrincipalLine| AnalyzedLine {
            moves: line.moves.iter().map(Move::to_string).collect(),
            value_attackers: line.value.for_attackers(report.side).0,
            chances_of_side_to_move: line.value,
            certain: line.proven.map(CertainResult::from),
            visits: line.visits,
            policy: line.policy,
            prior: line.prior,
        };
        Self {
            setting: setting.clone(),
            fen: fen(game),
            side_to_move: report.side,
            value_attackers: for_attackers(report),
            chances_of_side_to_move: report.stats.value,
            network_chances_of_side_to_move: report.stats.network_value,
            certain: report.stats.proven.map(CertainResult::from),
            visits_made: report.stats.visits,
            time_ms: report.elapsed.as_millis() as u64,
            lines: report.lines.iter().map(line).collect(),
        }
    }
}

/// A game, ply by ply.
#[derive(Debug, Serialize)]
pub struct GameAnalysis {
    /// Who looked, and how.
    #[serde(flatten)]
    pub setting: AnalysisSetting,
    /// What the game is called.
    pub title: String,
    /// Every ply.
    pub plies: Vec<AnalyzedPly>,
    /// Win minus loss of the attackers at the end: the result where the game is over.
    pub last_value_attackers: f32,
    /// How the game ended, as the rules see it.
    pub outcome: Option<String>,
    /// Numbers of the plies at which the value dropped most for the side that played them, the worst first.
    pub drops: Vec<usize>,
}

/// The smallest drop that is listed among the largest.
const LEAST_DROP: f32 = 0.005;

/// A ply, and the search of the position before it.
#[derive(Debug, Serialize)]
pub struct AnalyzedPly {
    /// From 1.
    pub ply: usize,
    /// Who played it.
    pub side: Side,
    /// The ply as text.
    #[serde(rename = "move")]
    pub mv: String,
    /// Win minus loss of the attackers before the ply, -1 to 1.
    pub value_attackers: f32,
    /// The same after it.
    pub value_attackers_after: f32,
    /// By how much the ply is worth less than the best one, for the side that played it, 0 to 2; 0 for the best one.
    ///
    /// Both are judged by the search before the ply. Where that hardly looked at the ply, two more of the same length are
    /// compared: of the positions after it and after the best one. A network sees whoever is to move a little better; that
    /// is the same in both, and no other ply of the game has a part in it.
    pub drop: f32,
    /// What the best one is worth for the side that played, where the drop is to be found by the search after the ply.
    #[serde(skip)]
    best_value: Option<f32>,
    /// What the search would have played, and what it expected then.
    pub best: Vec<String>,
    /// The certain result, once known.
    pub certain: Option<CertainResult>,
}

impl AnalyzedPly {
    /// Returns a ply with the search before it; the one after it is not known yet.
    fn new(ply: usize, report: &SearchReport, mv: Move) -> Self {
        let best = report.lines[0].moves.iter();
        Self {
            ply,
            side: report.side,
            mv: mv.to_string(),
            value_attackers: for_attackers(report),
            value_attackers_after: 0.0,
            drop: 0.0,
            best_value: None,
            best: best.map(Move::to_string).collect(),
            certain: report.stats.proven.map(CertainResult::from),
        }
    }
}

/// Returns what a value of the attackers is for a side.
fn seen_by(side: Side, value_attackers: f32) -> f32 {
    match side {
        Side::Attacker => value_attackers,
        Side::Defender => -value_attackers,
    }
}

fn for_attackers(report: &SearchReport) -> f32 {
    report.stats.value.for_attackers(report.side).0
}

fn fen(game: &Game) -> String {
    let fen = Fen {
        plies: game.moves().len() as u32,
        ..Fen::of(Setup::of(game.position(), game.rules().shape()))
    };
    fen.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tafl_rules::{RankOrder, Rules};
    use tafl_search::{Evaluation, UniformEvaluator};

    fn analyst(evaluator: impl Evaluator + 'static, visits: u32) -> Analyst {
        Analyst {
            evaluator: Box::new(evaluator),
            search: SearchConfig {
                visits,
                ..SearchConfig::default()
            },
            seed: 1,
            setting: AnalysisSetting {
                ruleset: "brandubh".to_owned(),
                checkpoint: "own".to_owned(),
                precision: "f32".to_owned(),
                visits,
            },
        }
    }

    /// Likes to be to move, and to have many moves.
    struct Mobility;

    impl Evaluator for Mobility {
        fn evaluate(&mut self, leaves: &[Leaf<'_>], evaluations: &mut Vec<Evaluation>) {
            evaluations.clear();
            evaluations.extend(leaves.iter().map(|leaf| {
                let moves = leaf.moves.len() as f32;
                let win = (0.6 + 0.02 * (moves - 40.0)).clamp(0.1, 0.9);
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
    fn a_ply_drops_as_much_whatever_was_played_after_it() {
        let start = || Game::new(Rules::preset("brandubh").expect("a preset"));
        let mut game = start();
        for ply in 0..10 {
            let legal = game.legal();
            game.play(legal[7 * ply % legal.len()]).expect("legal");
        }
        let moves = game.moves();
        let mut analyst = analyst(Mobility, 12);
        let mut drops = |moves: &[Move]| {
            let found = analyst.game(start(), "game".to_owned(), moves, 9, &|_| {});
            let plies = found.expect("legal plies").plies.into_iter();
            // In millionths.
            plies.map(|ply| (1e6 * ply.drop) as u32).collect::<Vec<_>>()
        };
        let whole = drops(moves);
        assert_eq!(whole.len(), moves.len());
        for count in [1, 2, 3, 6] {
            assert_eq!(drops(&moves[..count]), whole[..count], "{count} plies");
        }
        assert!(whole.iter().any(|drop| *drop > 10_000), "{whole:?}");
    }

    #[test]
    fn a_prior_is_the_networks_among_all_legal_moves() {
        let rules = Rules::preset("brandubh").expect("a preset");
        // Unless f2-f7 blocks the way, the king is in the corner next.
        let setup = Setup::from_text("2tK3/7/7/7/7/5t1/7", RankOrder::HighestFirst);
        let game = Game::from_setup(rules, &setup.expect("a board")).expect("a position");
        let mut analyst = analyst(UniformEvaluator, 8);
        let found = analyst.position(&game, 9).expect("a game that goes on");
        let legal = game.legal().len();
        assert!(found.lines.len() < legal);
        let prior = found.lines[0].prior * legal as f32;
        assert!((prior - 1.0).abs() < 1e-4, "{prior}");
    }
}
