//! A line of a journal: a game as JSON, with moves as indices and floats as bits.

use serde::{Deserialize, Serialize};
use std::sync::Arc;
use tafl_rules::{Move, PolicyIndex, Rules, Setup, Side};
use tafl_samples::{Ending, GameRecord, Handicap, PlayerId, PlyRecord, SearchRecord};

/// A game. Its generation and its rules are those of the whole journal.
#[derive(Serialize, Deserialize)]
pub(super) struct Line {
    game_id: u64,
    seed: u64,
    ruleset: String,
    attackers: PlayerId,
    defenders: PlayerId,
    opening_plies: u32,
    handicap: Option<(Side, u32)>,
    plies: Vec<(u16, Option<Search>)>,
    winner: Option<Side>,
    reason: String,
}

#[derive(Serialize, Deserialize)]
struct Search {
    policy: Vec<(u16, u32)>,
    wdl: [u32; 3],
    network_wdl: [u32; 3],
    visits: u32,
    proven: bool,
    prior_divergence: u32,
    #[serde(default)]
    checkpoint: Option<u32>,
}

/// Returns the ruleset of a name.
pub(super) fn rules_of<'a>(rules: &'a [Arc<Rules>], name: &str) -> Option<&'a Rules> {
    let mut rules = rules.iter().map(|rules| &**rules);
    rules.find(|rules| rules.ruleset().name == name)
}

impl Line {
    pub(super) fn of(game: &GameRecord, rules: &Rules) -> Self {
        let index = |mv: Move| mv.policy_index(rules.shape()).0;
        let plies = game.plies.iter().map(|ply| {
            let search = ply.search.as_ref();
            (
                index(ply.mv),
                search.map(|search| Search::of(search, &index)),
            )
        });
        Self {
            game_id: game.game_id,
            seed: game.seed,
            ruleset: game.ruleset.clone(),
            attackers: game.attackers.clone(),
            defenders: game.defenders.clone(),
            opening_plies: game.opening_plies,
            handicap: game
                .handicap
                .map(|handicap| (handicap.side, handicap.rate.to_bits())),
            plies: plies.collect(),
            winner: game.ending.winner,
            reason: game.ending.reason.name().to_owned(),
        }
    }

    /// Returns the game, or why the line is not one.
    pub(super) fn into_record(
        self,
        rules: &[Arc<Rules>],
        generation: u32,
    ) -> Result<GameRecord, String> {
        let rules = rules_of(rules, &self.ruleset)
            .ok_or_else(|| format!("ruleset {:?} is not played here", self.ruleset))?;
        let mv = |index: u16| {
            let mv = Move::from_policy_index(PolicyIndex(index), rules.shape());
            mv.ok_or_else(|| format!("{index} is not the index of a move"))
        };
        let plies = self.plies.into_iter().map(|(index, search)| {
            let search = search.map(|search| search.into_record(&mv)).transpose()?;
            let mv = mv(index)?;
            Ok(PlyRecord { mv, search })
        });
        let reason = self.reason.parse();
        Ok(GameRecord {
            game_id: self.game_id,
            seed: self.seed,
            ruleset_fingerprint: rules.ruleset().fingerprint(),
            start: Setup::of(&rules.start(), rules.shape()),
            ruleset: self.ruleset,
            generation,
            attackers: self.attackers,
            defenders: self.defenders,
            opening_plies: self.opening_plies,
            handicap: self.handicap.map(|(side, rate)| Handicap {
                side,
                rate: f32::from_bits(rate),
            }),
            plies: plies.collect::<Result<_, String>>()?,
            ending: Ending {
                winner: self.winner,
                reason: reason.map_err(|error: tafl_rules::UnknownName| error.to_string())?,
            },
        })
    }
}

impl Search {
    fn of(search: &SearchRecord, index: &dyn Fn(Move) -> u16) -> Self {
        let policy = search.policy.iter();
        Self {
            policy: policy.map(|&(mv, p)| (index(mv), p.to_bits())).collect(),
            wdl: search.wdl.map(f32::to_bits),
            network_wdl: search.network_wdl.map(f32::to_bits),
            visits: search.visits,
            proven: search.proven,
            prior_divergence: search.prior_divergence.to_bits(),
            checkpoint: search.checkpoint,
        }
    }

    fn into_record(self, mv: &dyn Fn(u16) -> Result<Move, String>) -> Result<SearchRecord, String> {
        let policy = self.policy.into_iter();
        let policy = policy.map(|(index, p)| Ok((mv(index)?, f32::from_bits(p))));
        Ok(SearchRecord {
            policy: policy.collect::<Result<_, String>>()?,
            wdl: self.wdl.map(f32::from_bits),
            network_wdl: self.network_wdl.map(f32::from_bits),
            visits: self.visits,
            proven: self.proven,
            prior_divergence: f32::from_bits(self.prior_divergence),
            checkpoint: self.checkpoint,
        })
    }
}
