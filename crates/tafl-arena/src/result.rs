//! What a match says: wins, draws and losses by side, pairs, sets.

use crate::tally::attackers_of;
use crate::{PairCounts, RatedPair, SetTally, SideResults, Tally};
use std::collections::BTreeMap;
use std::sync::Arc;
use tafl_rules::{Game, MatchWinner, Outcome, Rules, SetResult, Side, two_sets};
use tafl_samples::{EndingReason, Forfeit, GameRecord, PlayerId};

/// A finished game of a match.
#[derive(Debug, Clone, PartialEq)]
pub struct MatchGame {
    /// The player who attacked, 0 or 1.
    pub attackers: usize,
    /// Turns by [`Side::index`], the opening's included and a chain counting once.
    pub turns: [u32; 2],
    /// The game; its number is twice that of the opening, plus 1 where the second player attacked.
    /// Its plies carry searches only where the plan was mirrored.
    pub record: GameRecord,
}

/// All games of a match, by number.
#[derive(Debug, Clone, PartialEq)]
pub struct MatchResult {
    /// The players.
    pub players: [PlayerId; 2],
    /// The name of the ruleset.
    pub ruleset: String,
    /// The games; two of one opening follow each other.
    pub games: Vec<MatchGame>,
}

impl MatchGame {
    /// Returns the game of a record, where the match's first player is called `first`. Where both players have that
    /// name, the first one attacked in games with even numbers.
    ///
    /// Turns are counted up to the first move that is not legal; a stored record has none.
    pub fn of_record(record: GameRecord, first: &PlayerId, rules: &Arc<Rules>) -> Self {
        let mut game = Game::new(Arc::clone(rules));
        let mut turns = [0; 2];
        for ply in &record.plies {
            let (side, within_chain) = (game.position().side(), game.position().chain().is_some());
            if game.play(ply.mv).is_err() {
                break;
            }
            turns[side.index()] += u32::from(!within_chain);
        }
        Self {
            attackers: attackers_of(&record, first),
            turns,
            record,
        }
    }

    /// Returns the player, 0 or 1, who had a side.
    pub(crate) const fn player_of(&self, side: Side) -> usize {
        match side {
            Side::Attacker => self.attackers,
            Side::Defender => 1 - self.attackers,
        }
    }

    /// Returns the opening's number, from 0.
    pub const fn opening(&self) -> u64 {
        self.record.game_id / 2
    }

    /// Returns the first player's half points: 2 for a win, 1 for a draw or a capped game.
    pub fn half_points(&self) -> usize {
        match self.record.ending.winner {
            Some(side) if self.player_of(side) == 0 => 2,
            Some(_) => 0,
            None => 1,
        }
    }

    fn set_result(&self) -> SetResult {
        let ending = self.record.ending;
        let outcome = match ending.reason {
            EndingReason::Rule(reason) => Some(Outcome {
                winner: ending.winner,
                reason,
            }),
            EndingReason::Capped
            | EndingReason::Adjudicated
            | EndingReason::OtherRules
            | EndingReason::Forfeit(_) => None,
        };
        SetResult {
            outcome,
            turns: self.turns,
        }
    }
}

impl MatchResult {
    /// Returns the match of some games between two players; the games may come in any order.
    pub fn of_records(
        mut records: Vec<GameRecord>,
        players: [PlayerId; 2],
        rules: &Arc<Rules>,
    ) -> Self {
        records.sort_by_key(|record| record.game_id);
        let game = |record| MatchGame::of_record(record, &players[0], rules);
        Self {
            games: records.into_iter().map(game).collect(),
            ruleset: rules.ruleset().name.clone(),
            players,
        }
    }

    /// Returns the games of a player, 0 or 1, on one side, as that player sees them.
    pub fn tally(&self, player: usize, side: Side) -> Tally {
        let mut tally = Tally::default();
        for game in &self.games {
            if game.player_of(side) == player {
                tally.count(game.record.ending, side);
            }
        }
        tally
    }

    /// Returns all games as a player, 0 or 1, sees them.
    pub fn total(&self, player: usize) -> Tally {
        self.tally(player, Side::Attacker) + self.tally(player, Side::Defender)
    }

    /// Returns how often each player, 0 or 1, lost otherwise than on the board, and how.
    pub fn forfeits(&self) -> [BTreeMap<Forfeit, u64>; 2] {
        let mut counts = [BTreeMap::new(), BTreeMap::new()];
        for game in &self.games {
            let ending = game.record.ending;
            if let (Some(winner), EndingReason::Forfeit(forfeit)) = (ending.winner, ending.reason) {
                let loser = game.player_of(winner.opponent());
                *counts[loser].entry(forfeit).or_default() += 1;
            }
        }
        counts
    }

    /// Returns the complete pairs by the first player's points.
    pub fn pair_counts(&self) -> PairCounts {
        let mut counts = PairCounts::default();
        self.pairs()
            .for_each(|[first, second]| counts.add(first.half_points() + second.half_points()));
        counts
    }

    /// Returns the complete pairs scored as matches of two sets (spec.md 6), as the first player
    /// sees them.
    ///
    /// Both games have the same opening, so its turns weigh the same on both.
    pub fn set_tally(&self) -> SetTally {
        let mut tally = SetTally::default();
        for pair in self.pairs() {
            let mut sets = pair.map(MatchGame::set_result);
            // In the first one the first player attacks; who reads a match may call the other one the first.
            if pair[0].attackers != 0 {
                sets.reverse();
            }
            match two_sets(sets[0], sets[1]) {
                MatchWinner::FirstAttacker => tally.wins += 1,
                MatchWinner::FirstDefender => tally.losses += 1,
                MatchWinner::Drawn => tally.draws += 1,
                MatchWinner::Undecided => tally.undecided += 1,
            }
        }
        tally
    }

    /// Returns the results by side for [`crate::rate`], where the two players have the numbers
    /// `players` and the ruleset the number `ruleset`.
    pub fn side_results(&self, players: [usize; 2], ruleset: usize) -> [SideResults; 2] {
        [0, 1].map(|attackers: usize| {
            let tally = self.tally(attackers, Side::Attacker);
            SideResults {
                ruleset,
                attackers: players[attackers],
                defenders: players[1 - attackers],
                attacker_wins: tally.wins,
                draws: tally.draws + tally.capped,
                defender_wins: tally.losses,
            }
        })
    }

    /// Returns the complete pairs for [`crate::bootstrap`], numbered as for [`Self::side_results`].
    pub fn rated_pairs(&self, players: [usize; 2], ruleset: usize) -> Vec<RatedPair> {
        let pair = |games: [&MatchGame; 2]| RatedPair {
            ruleset,
            players,
            attackers: games.map(|game| players[game.attackers]),
            winners: games.map(|game| game.record.ending.winner),
        };
        self.pairs().map(pair).collect()
    }

    /// Iterates over the openings of which both games are finished.
    fn pairs(&self) -> impl Iterator<Item = [&MatchGame; 2]> {
        self.games.windows(2).filter_map(|two| match two {
            [first, second] if first.opening() == second.opening() => Some([first, second]),
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Side::{Attacker, Defender};
    use tafl_rules::{EndReason, Setup};
    use tafl_samples::{Ending, GameKind};

    fn record(game_id: u64, ending: Ending) -> GameRecord {
        let rules = Rules::preset("copenhagen-tournament").unwrap();
        GameRecord {
            game_id,
            seed: 0,
            ruleset: rules.ruleset().name.clone(),
            ruleset_fingerprint: 0,
            start: Setup::of(&rules.start(), rules.shape()),
            generation: 0,
            kind: GameKind::Match,
            attackers: "one".into(),
            defenders: "one".into(),
            opening_plies: 0,
            handicap: None,
            plies: Vec::new(),
            ending,
        }
    }

    /// Returns games of which each is given by its winner and the attackers' and defenders' turns.
    fn result(games: &[(Ending, [u32; 2])]) -> MatchResult {
        let game = |(id, &(ending, turns)): (usize, &(Ending, [u32; 2]))| MatchGame {
            attackers: id % 2,
            turns,
            record: record(id as u64, ending),
        };
        MatchResult {
            players: ["one".into(), "one".into()],
            ruleset: "copenhagen-tournament".to_owned(),
            games: games.iter().enumerate().map(game).collect(),
        }
    }

    const fn won(side: Side) -> Ending {
        Ending {
            winner: Some(side),
            reason: EndingReason::Rule(EndReason::KingEscaped),
        }
    }

    const DRAWN: Ending = Ending {
        winner: None,
        reason: EndingReason::Rule(EndReason::NoMove),
    };

    fn tally([wins, draws, losses, capped]: [u64; 4]) -> Tally {
        Tally {
            wins,
            draws,
            losses,
            capped,
        }
    }

    #[test]
    fn pairs_are_matches_of_two_sets() {
        let result = result(&[
            // The first player wins both; as attackers in 30 turns, the second in 20; in 25 both.
            (won(Attacker), [30, 29]),
            (won(Defender), [40, 40]),
            (won(Attacker), [30, 29]),
            (won(Attacker), [20, 19]),
            (won(Defender), [25, 25]),
            (won(Defender), [25, 25]),
            // A win and a draw; a win and a cut game.
            (DRAWN, [9, 9]),
            (won(Defender), [50, 50]),
            (won(Attacker), [8, 7]),
            (Ending::CAPPED, [99, 99]),
        ]);
        let sets = result.set_tally();
        let found = [sets.wins, sets.draws, sets.losses, sets.undecided];
        assert_eq!(found, [2, 1, 1, 1]);
        assert_eq!(result.pair_counts().0, [0, 0, 2, 2, 1]);
        // The same with the players called the other way round.
        let mut turned = result;
        (turned.games.iter_mut()).for_each(|game| game.attackers = 1 - game.attackers);
        let sets = turned.set_tally();
        let found = [sets.wins, sets.draws, sets.losses, sets.undecided];
        assert_eq!(found, [1, 1, 2, 1]);
    }

    #[test]
    fn games_of_several_files_are_paired_by_their_numbers() {
        let rules = Rules::preset("copenhagen-tournament").unwrap();
        let order: [u64; 6] = [0, 1, 2, 4, 3, 5];
        let records = order.map(|id| record(id, ENDINGS[id as usize]));
        let result = MatchResult::of_records(records.into(), ["one".into(), "one".into()], &rules);
        assert_eq!(result.pair_counts().pairs(), 3);
    }

    /// How seven games ended, of which the first player attacks in every second one.
    const ENDINGS: [Ending; 7] = [
        won(Attacker),
        won(Defender),
        DRAWN,
        won(Attacker),
        Ending::CAPPED,
        won(Defender),
        won(Defender),
    ];

    #[test]
    fn tallies_are_by_side_and_draws_and_cut_games_apart() {
        let result = result(&ENDINGS.map(|ending| (ending, [1, 1])));
        assert_eq!(result.tally(0, Attacker), tally([1, 1, 1, 1]));
        assert_eq!(result.tally(0, Defender), tally([2, 0, 1, 0]));
        assert_eq!(result.total(1), tally([2, 1, 3, 1]));
        let pairs = result.pair_counts().pairs();
        assert_eq!(pairs, 3, "the seventh game has no partner");
        let [first, second] = result.side_results([4, 7], 0);
        assert_eq!((first.attackers, first.defenders, first.draws), (4, 7, 2));
        let wins = (second.attacker_wins, second.defender_wins);
        assert_eq!((second.attackers, wins), (7, (1, 2)));
    }

    #[test]
    fn players_with_one_name_are_told_apart_by_the_numbers_of_their_games() {
        let rules = Rules::preset("copenhagen-tournament").unwrap();
        let records: Vec<GameRecord> = (0..).zip(ENDINGS).map(|(id, it)| record(id, it)).collect();
        let mut first = Tally::default();
        (records.iter()).for_each(|record| first.add_game(record, &"one".into()));
        assert_eq!(first, tally([3, 1, 2, 1]));
        let result = MatchResult::of_records(records, ["one".into(), "one".into()], &rules);
        assert_eq!(
            (result.total(0), result.total(1)),
            (first, tally([2, 1, 3, 1]))
        );
    }
}
