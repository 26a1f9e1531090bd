//! Games as the page shows them.

use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;
use tafl_rules::{Move, RankOrder, Rules, Side, TurnText};
use tafl_samples::{GameRecord, RecordError, Replay, SearchRecord};

/// Moves of a search that are listed at most.
const LISTED_MOVES: usize = 5;

/// One game, ply by ply.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ViewedGame {
    /// Whether it is a game of a match; else of self-play.
    pub is_match: bool,
    /// The generation.
    pub generation: u32,
    /// The game's number within its file or generation, as text: a worker's are greater than a browser's numbers tell apart.
    pub game_id: String,
    /// The name of the ruleset.
    pub ruleset: String,
    /// Who played the attackers.
    pub attackers: String,
    /// Who played the defenders.
    pub defenders: String,
    /// Plies at the beginning that no player chose.
    pub opening_plies: u32,
    /// The side some of whose plies were random.
    pub handicap: Option<Side>,
    /// The side that won.
    pub winner: Option<Side>,
    /// Why the game ended, in the words of the files.
    pub reason: &'static str,
    /// The first position, highest rank first.
    pub start: String,
    /// All plies with what they captured, such as `a4-d4xd5`, a space between them; `end` ends a chain.
    pub plies: String,
    /// The side that made each ply, `a` or `d`.
    pub sides: String,
    /// Numbers of the plies (from 0) that go on with a capture chain of the same side, or end it.
    pub chained: Vec<usize>,
    /// What the search found before a ply, where it is stored, by the ply's number.
    pub searches: BTreeMap<u32, SearchedPly>,
}

/// What a search found before one ply.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SearchedPly {
    /// Chances that the attackers win, draw, lose, in thousandths, after the search.
    pub search: [u16; 3],
    /// The same as the network alone gave them.
    pub network: [u16; 3],
    /// Visits of the search.
    pub visits: u32,
    /// Whether the search proved the result.
    pub proven: bool,
    /// The moves that the search prefers, best first, with their shares in thousandths; the one played comes last where it
    /// is not one of them.
    pub moves: Vec<(String, u16)>,
}

/// Plays a game again and puts it into the form of the page.
pub(crate) fn view(
    record: &GameRecord,
    rules: &Arc<Rules>,
    is_match: bool,
) -> Result<ViewedGame, RecordError> {
    let (mut plies, mut sides, mut chained) = (Vec::new(), String::new(), Vec::new());
    let mut searches = BTreeMap::new();
    let mut replay = Replay::new(record, rules)?;
    while let Some(ply) = replay.next() {
        let (number, position) = (plies.len(), replay.game().position());
        let side = position.side();
        if position.chain().is_some() {
            chained.push(number);
        }
        if let Some(search) = &ply.search {
            searches.insert(number as u32, searched(side, ply.mv, search));
        }
        let turn = TurnText {
            plies: vec![(ply.mv, replay.play(ply)?)],
        };
        plies.push(turn.to_string());
        sides.push(match side {
            Side::Attacker => 'a',
            Side::Defender => 'd',
        });
    }
    replay.end()?;
    Ok(ViewedGame {
        is_match,
        generation: record.generation,
        game_id: record.game_id.to_string(),
        ruleset: record.ruleset.clone(),
        attackers: record.attackers.to_string(),
        defenders: record.defenders.to_string(),
        opening_plies: record.opening_plies,
        handicap: record.handicap.map(|handicap| handicap.side),
        winner: record.ending.winner,
        reason: record.ending.reason.name(),
        start: record.start.to_text(RankOrder::HighestFirst),
        plies: plies.join(" "),
        sides,
        chained,
        searches,
    })
}

fn searched(side: Side, played: Move, search: &SearchRecord) -> SearchedPly {
    let for_attackers = |[win, draw, loss]: [f32; 3]| match side {
        Side::Attacker => [win, draw, loss].map(thousandths),
        Side::Defender => [loss, draw, win].map(thousandths),
    };
    SearchedPly {
        search: for_attackers(search.wdl),
        network: for_attackers(search.network_wdl),
        visits: search.visits,
        proven: search.proven,
        moves: preferred(&search.policy, played),
    }
}

fn preferred(policy: &[(Move, f32)], played: Move) -> Vec<(String, u16)> {
    let mut moves = policy.to_vec();
    moves.sort_by(|one, other| other.1.total_cmp(&one.1));
    // A policy may leave out what was played: it looks at all values, the choice at the moves that were visited most.
    let share = moves.iter().find(|&&(mv, _)| mv == played);
    let share = share.map_or(0.0, |&(_, share)| share);
    moves.truncate(LISTED_MOVES);
    if moves.iter().all(|&(mv, _)| mv != played) {
        moves.push((played, share));
    }
    let text = |(mv, share): (Move, f32)| (mv.to_string(), thousandths(share));
    moves.into_iter().map(text).collect()
}

fn thousandths(share: f32) -> u16 {
    (share * 1000.0).round().clamp(0.0, 1000.0) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_played_is_listed_however_little_the_policy_thought_of_it() {
        let mv = |text: &str| text.parse::<Move>().expect("a move");
        let policy: Vec<(Move, f32)> = [
            "d1-c1", "d1-d2", "d1-d3", "d1-d4", "e1-e2", "e1-e3", "e1-e4",
        ]
        .into_iter()
        .zip([0.02, 0.03, 0.05, 0.1, 0.2, 0.2, 0.4])
        .map(|(text, share)| (mv(text), share))
        .collect();
        let listed = |played: &str| preferred(&policy, mv(played));
        let best = [
            ("e1-e4", 400),
            ("e1-e2", 200),
            ("e1-e3", 200),
            ("d1-d4", 100),
            ("d1-d3", 50),
        ]
        .map(|(text, share)| (text.to_owned(), share));
        assert_eq!(listed("e1-e3"), best, "it is among the best");
        let with = |text: &str, share: u16| [best.as_slice(), &[(text.to_owned(), share)]].concat();
        assert_eq!(listed("d1-c1"), with("d1-c1", 20), "it is far behind");
        assert_eq!(listed("f1-f2"), with("f1-f2", 0), "it has no share");
    }
}
