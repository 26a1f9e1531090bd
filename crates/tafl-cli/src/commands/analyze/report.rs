//! What was found, as text and as JSON.

use crate::table::{self, Align};
use serde::Serialize;
use tafl_engine::{PrincipalLine, Thought};
use tafl_rules::notation::taflzero::Fen;
use tafl_rules::{Game, Move, Setup, Side};
use tafl_search::{MoverWdl, Proof};

/// Who looked, and how.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Circumstances {
    pub(super) ruleset: String,
    pub(super) checkpoint: String,
    /// Visits of each search.
    pub(super) visits: u32,
}

/// Probabilities as the side to move sees them.
#[derive(Debug, Clone, Copy, Serialize)]
struct Chances {
    win: f32,
    draw: f32,
    loss: f32,
}

impl From<MoverWdl> for Chances {
    fn from(MoverWdl { win, draw, loss }: MoverWdl) -> Self {
        Self { win, draw, loss }
    }
}

/// A certain result.
#[derive(Debug, Clone, Copy, Serialize)]
struct Certain {
    /// `attackers`, `defenders` or `draw`.
    result: &'static str,
    /// Plies to the end.
    plies: u16,
}

impl From<Proof> for Certain {
    fn from(proof: Proof) -> Self {
        Self {
            result: proof.winner.map_or("draw", Side::name),
            plies: proof.plies,
        }
    }
}

/// A position and its best moves.
#[derive(Debug, Serialize)]
pub(super) struct PositionReport {
    #[serde(flatten)]
    circumstances: Circumstances,
    fen: String,
    side_to_move: Side,
    /// Win minus loss of the attackers, -1 to 1, after the search.
    value_attackers: f32,
    /// After the search, as the side to move sees it.
    chances_of_side_to_move: Chances,
    /// Before it, from the network alone.
    network_chances_of_side_to_move: Chances,
    certain: Option<Certain>,
    visits_made: u32,
    time_ms: u64,
    lines: Vec<LineRow>,
}

/// A move and what follows.
#[derive(Debug, Serialize)]
struct LineRow {
    /// Plies, the move first.
    moves: Vec<String>,
    value_attackers: f32,
    chances_of_side_to_move: Chances,
    certain: Option<Certain>,
    visits: u32,
    /// The search's share for the move, 0 to 1.
    policy: f32,
    /// The network's, 0 to 1.
    prior: f32,
}

impl PositionReport {
    pub(super) fn new(circumstances: &Circumstances, game: &Game, thought: &Thought) -> Self {
        let line = |line: &PrincipalLine| LineRow {
            moves: line.moves.iter().map(Move::to_string).collect(),
            value_attackers: line.value.for_attackers(thought.side).0,
            chances_of_side_to_move: line.value.into(),
            certain: line.proven.map(Certain::from),
            visits: line.visits,
            policy: line.policy,
            prior: line.prior,
        };
        Self {
            circumstances: circumstances.clone(),
            fen: fen(game),
            side_to_move: thought.side,
            value_attackers: thought.value.for_attackers(thought.side).0,
            chances_of_side_to_move: thought.value.into(),
            network_chances_of_side_to_move: thought.network_value.into(),
            certain: thought.proven.map(Certain::from),
            visits_made: thought.visits,
            time_ms: thought.elapsed.as_millis() as u64,
            lines: thought.lines.iter().map(line).collect(),
        }
    }

    pub(super) fn text(&self) -> String {
        let (side, chances) = (self.side_to_move, self.chances_of_side_to_move);
        let Circumstances {
            ruleset,
            checkpoint,
            ..
        } = &self.circumstances;
        let certain = self.certain.map_or_else(String::new, |certain| {
            format!("certain: {} in {} plies\n", result(certain), certain.plies)
        });
        let head = [
            ("value", Align::Right),
            ("visits", Align::Right),
            ("share", Align::Right),
            ("prior", Align::Right),
            ("line", Align::Left),
        ];
        let row = |line: &LineRow| {
            vec![
                line.certain
                    .map_or_else(|| signed(line.value_attackers), result_mark),
                line.visits.to_string(),
                percent(line.policy),
                percent(line.prior),
                line.moves.join(" "),
            ]
        };
        let rows: Vec<_> = self.lines.iter().map(row).collect();
        format!(
            "{ruleset}, {side} to move; {} visits by {checkpoint}\n\
             value of the attackers {}; chances of the {side}: win {}, draw {}, loss {}\n{certain}\n{}\n\
             Values are those of the attackers, -1 to 1.\n",
            self.visits_made,
            signed(self.value_attackers),
            percent(chances.win),
            percent(chances.draw),
            percent(chances.loss),
            table::format(&head, &rows)
        )
    }
}

/// A game, ply by ply.
#[derive(Debug, Serialize)]
pub(super) struct GameReport {
    #[serde(flatten)]
    circumstances: Circumstances,
    pub(super) title: String,
    pub(super) plies: Vec<PlyRow>,
    /// Win minus loss of the attackers at the end: the result where the game is over.
    pub(super) last_value_attackers: f32,
    /// How the game ended, as the rules see it.
    outcome: Option<String>,
    /// Numbers of the plies at which the value fell most for the side that played them, the worst first.
    pub(super) falls: Vec<usize>,
}

/// A ply, and the search of the position before it.
#[derive(Debug, Serialize)]
pub(super) struct PlyRow {
    /// From 1.
    pub(super) ply: usize,
    pub(super) side: Side,
    #[serde(rename = "move")]
    pub(super) mv: String,
    /// Win minus loss of the attackers before the ply, -1 to 1.
    pub(super) value_attackers: f32,
    /// The same after it.
    pub(super) value_attackers_after: f32,
    /// What the value fell by for the side that played the ply; below 0 where it rose.
    pub(super) fall: f32,
    /// What the search would have played, and what it expected then.
    best: Vec<String>,
    certain: Option<Certain>,
}

impl GameReport {
    pub(super) fn new(circumstances: &Circumstances, title: String) -> Self {
        Self {
            circumstances: circumstances.clone(),
            title,
            plies: Vec::new(),
            last_value_attackers: 0.0,
            outcome: None,
            falls: Vec::new(),
        }
    }

    /// Takes in what was thought before a ply.
    pub(super) fn add(&mut self, game: &Game, thought: &Thought, mv: Move) {
        let line = thought.lines.first();
        self.plies.push(PlyRow {
            ply: self.plies.len() + 1,
            side: game.position().side(),
            mv: mv.to_string(),
            value_attackers: thought.value.for_attackers(thought.side).0,
            value_attackers_after: 0.0,
            fall: 0.0,
            best: line.map_or_else(Vec::new, |line| {
                line.moves.iter().map(Move::to_string).collect()
            }),
            certain: thought.proven.map(Certain::from),
        });
    }

    /// Takes in the last position, and finds the `count` plies at which the value fell most.
    pub(super) fn finish(&mut self, game: &Game, last: Option<&Thought>, count: usize) {
        self.outcome = game.outcome().map(|outcome| outcome.to_string());
        self.last_value_attackers = match (game.outcome(), last) {
            (Some(outcome), _) => MoverWdl::of_outcome(outcome, Side::Attacker).value(),
            (None, Some(thought)) => thought.value.for_attackers(thought.side).0,
            (None, None) => 0.0,
        };
        let after = self.plies.iter().skip(1).map(|row| row.value_attackers);
        let after: Vec<f32> = after.chain([self.last_value_attackers]).collect();
        for (row, after) in self.plies.iter_mut().zip(after) {
            row.value_attackers_after = after;
            row.fall = match row.side {
                Side::Attacker => row.value_attackers - after,
                Side::Defender => after - row.value_attackers,
            };
        }
        let mut order: Vec<&PlyRow> = self.plies.iter().filter(|row| row.fall > 0.0).collect();
        order.sort_by(|one, other| {
            other
                .fall
                .total_cmp(&one.fall)
                .then(one.ply.cmp(&other.ply))
        });
        self.falls = order.iter().take(count).map(|row| row.ply).collect();
    }

    pub(super) fn text(&self) -> String {
        let Circumstances {
            ruleset,
            checkpoint,
            visits,
        } = &self.circumstances;
        let head = [
            ("ply", Align::Right),
            ("side", Align::Left),
            ("move", Align::Left),
            ("before", Align::Right),
            ("after", Align::Right),
            ("fall", Align::Right),
            ("best", Align::Left),
        ];
        let row = |row: &PlyRow, length: usize| {
            let best: Vec<&str> = row.best.iter().take(length).map(String::as_str).collect();
            vec![
                row.ply.to_string(),
                row.side.to_string(),
                row.mv.clone(),
                signed(row.value_attackers),
                signed(row.value_attackers_after),
                signed(row.fall),
                best.join(" "),
            ]
        };
        let all: Vec<_> = self.plies.iter().map(|ply| row(ply, 1)).collect();
        let worst = self.falls.iter().map(|&ply| row(&self.plies[ply - 1], 5));
        let end = self.outcome.as_ref().map_or_else(
            || format!("value at the end {}", signed(self.last_value_attackers)),
            Clone::clone,
        );
        let mut text = format!(
            "{}\n{ruleset}; {visits} visits a ply by {checkpoint}. Values are those of the attackers, -1 to 1;\n\
             a fall is what a ply lost for the side that played it.\n\n{}\n{end}\n",
            self.title,
            table::format(&head, &all)
        );
        if !self.falls.is_empty() {
            let rows: Vec<_> = worst.collect();
            text += &format!("\nWhere it fell most\n\n{}", table::format(&head, &rows));
        }
        text
    }
}

fn fen(game: &Game) -> String {
    let fen = Fen {
        plies: game.moves().len() as u32,
        ..Fen::of(Setup::of(game.position(), game.rules().shape()))
    };
    fen.to_string()
}

fn result(certain: Certain) -> String {
    match certain.result {
        "draw" => "draw".to_owned(),
        side => format!("{side} win"),
    }
}

/// Returns a short text for a value that is certain, such as `+1 in 3`.
fn result_mark(certain: Certain) -> String {
    let value = match certain.result {
        "attackers" => "+1",
        "defenders" => "-1",
        _ => "0",
    };
    format!("{value} in {}", certain.plies)
}

fn signed(value: f32) -> String {
    // Adding 0 makes +0 of -0.
    format!("{:+.2}", (100.0 * value).round() / 100.0 + 0.0)
}

fn percent(share: f32) -> String {
    format!("{:.1} %", 100.0 * share)
}
