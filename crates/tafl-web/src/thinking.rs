//! The search of one position, a few evaluations at a time, and what it found.

use serde::Serialize;
use tafl_forward::{Net, NetEvaluator};
use tafl_rules::{Game, Move, Side};
use tafl_search::{
    Evaluation, Evaluator, Judged, Mode, MoverWdl, PrincipalLine, Proof, RolloutEvaluator,
    RootStats, Search, SearchConfig, SearchReport, Step,
};

/// Plies of a line that are shown.
const LINE_PLIES: usize = 12;

/// A search and what evaluates its positions: the network of that number, or random games.
pub(crate) struct Thinking {
    search: Search,
    pub(crate) net: Option<usize>,
    rollouts: RolloutEvaluator,
    evaluations: Vec<Evaluation>,
}

/// Chances of the attackers: win, draw, loss.
type Chances = [f32; 3];

/// What a search found; all values are the attackers'.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Findings {
    visits: u32,
    side: Side,
    value: Chances,
    network: Chances,
    proven: Option<Proof>,
    lines: Vec<Line>,
    /// Every legal move that was not left out: its text, the network's share, the search's share, visits.
    moves: Vec<(String, f32, f32, u32)>,
}

/// A move and what follows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Line {
    moves: Vec<String>,
    value: Chances,
    visits: u32,
    policy: f32,
    prior: f32,
    proven: Option<Proof>,
}

impl Thinking {
    pub(crate) fn new(game: Game, config: &SearchConfig, net: Option<usize>, seed: u64) -> Self {
        Self {
            search: Search::new(config, game, Mode::Match, seed),
            net,
            rollouts: RolloutEvaluator { seed },
            evaluations: Vec::with_capacity(1),
        }
    }

    /// Searches until so many evaluations are done, or the visits are; returns whether they are.
    pub(crate) fn step(&mut self, net: Option<&mut Net>, evaluations: u32) -> bool {
        let mut of_net = net.map(NetEvaluator);
        for _ in 0..evaluations {
            if self.search.select() == Step::Finished {
                return true;
            }
            let leaf = [self.search.leaf()];
            match &mut of_net {
                Some(evaluator) => evaluator.evaluate(&leaf, &mut self.evaluations),
                None => self.rollouts.evaluate(&leaf, &mut self.evaluations),
            }
            self.search.expand(&self.evaluations[0]);
        }
        self.search.select() == Step::Finished
    }

    /// Goes on with another budget of visits in the same tree.
    pub(crate) const fn go_on(&mut self, visits: u32) {
        self.search.set_visits(visits);
        self.search.search_on();
    }

    pub(crate) const fn visits(&self) -> u32 {
        self.search.visits_done()
    }

    /// Returns the statistics of the root, once it has its evaluation.
    pub(crate) fn stats(&self) -> Option<RootStats> {
        self.search.is_begun().then(|| self.search.root_stats())
    }

    /// Returns what was found so far, with so many lines at most.
    pub(crate) fn findings(&self, lines: usize) -> Option<Findings> {
        if !self.search.is_begun() {
            return None;
        }
        let report = SearchReport::of(&self.search, lines, std::time::Duration::ZERO);
        let (side, stats) = (report.side, report.stats);
        let chances = |wdl: MoverWdl| {
            let wdl = match side {
                Side::Attacker => wdl,
                Side::Defender => wdl.for_opponent(),
            };
            [wdl.win, wdl.draw, wdl.loss]
        };
        let told = |moves: &[Move]| moves.iter().take(LINE_PLIES).map(Move::to_string).collect();
        let line = |line: &PrincipalLine| Line {
            moves: told(&line.moves),
            value: chances(line.value),
            visits: line.visits,
            policy: line.policy,
            prior: line.prior,
            proven: line.proven,
        };
        let moves = stats.moves.iter();
        Some(Findings {
            visits: stats.visits,
            side,
            value: chances(stats.value),
            network: chances(stats.network_value),
            proven: stats.proven,
            lines: report.lines.iter().map(line).collect(),
            moves: moves
                .map(|it| (it.mv.to_string(), it.prior, it.policy, it.visits))
                .collect(),
        })
    }

    /// Returns what the search thinks of a move: how much it is worth less than the best one, 0 to 2 (0 for the best one
    /// itself); if the move had few visits, the value of the best one, -1 to 1, where that is certain. Both are the mover's.
    pub(crate) fn judge(&self, mv: Move) -> Option<(Option<f32>, Option<f32>)> {
        Some(match Judged::of(&self.stats()?, mv) {
            Judged::Worse(drop) => (Some(drop), None),
            Judged::Unknown(best) => (None, best),
        })
    }
}
