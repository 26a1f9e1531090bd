//! One recorded state, and the games that the states of a file belong to.

use super::super::{Disagreement, listed};
use anyhow::{Context, bail};
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;
use tafl_rules::{Bitboard, Game, Move, RankOrder, Rules, Setup, Side, Square};

/// A line of the file.
#[derive(Debug, Deserialize)]
pub(super) struct State<'a> {
    game: u64,
    #[serde(borrow)]
    pub(super) ruleset: Cow<'a, str>,
    ply: u64,
    #[serde(borrow)]
    position: Cow<'a, str>,
    #[serde(borrow)]
    side: Cow<'a, str>,
    #[serde(deserialize_with = "Option::deserialize")]
    chain: Option<String>,
    #[serde(borrow)]
    moves: Vec<Cow<'a, str>>,
    #[serde(rename = "move", deserialize_with = "Option::deserialize")]
    mv: Option<String>,
    #[serde(borrow)]
    captured: Vec<Cow<'a, str>>,
    #[serde(borrow)]
    status: Cow<'a, str>,
    #[serde(deserialize_with = "Option::deserialize")]
    reason: Option<String>,
}

/// What became of one state.
pub(super) struct Step {
    /// Whether a game begins with the state.
    pub(super) begins_game: bool,
    /// Where the rules disagree with it, if they do.
    pub(super) disagreement: Option<Box<Disagreement>>,
}

/// Follows the games of a file from state to state.
#[derive(Debug, Default)]
pub(super) struct Follower {
    rules: BTreeMap<String, Arc<Rules>>,
    open: BTreeMap<(String, u64), OpenGame>,
}

/// A game of which more states may come.
#[derive(Debug)]
struct OpenGame {
    game: Game,
    ply: u64,
    /// The rules disagreed with it, so its further states mean nothing.
    is_lost: bool,
}

impl Follower {
    /// Compares a state with its game.
    ///
    /// A game begins with its first state, or where the ply goes back although the number is the same.
    pub(super) fn step(&mut self, state: &State<'_>) -> anyhow::Result<Step> {
        let parsed = Parsed::of(state)?;
        let rules = self.rules_of(&state.ruleset)?;
        let key = (state.ruleset.to_string(), state.game);
        let open = self.open.remove(&key).filter(|open| open.ply < state.ply);
        let begins_game = open.is_none();
        let mut open = match open {
            Some(open) => open,
            None => OpenGame {
                game: parsed.begin(rules)?,
                ply: 0,
                is_lost: false,
            },
        };
        open.ply = state.ply;
        let mut disagreement = None;
        if !open.is_lost {
            disagreement = parsed.compare(&mut open.game).err().map(|error| {
                let place = format!("game {}, ply {}: {}", state.game, state.ply, error.text);
                Box::new(Disagreement {
                    text: place,
                    ..*error
                })
            });
            open.is_lost = disagreement.is_some();
        }
        if state.mv.is_some() {
            self.open.insert(key, open);
        }
        Ok(Step {
            begins_game,
            disagreement,
        })
    }

    fn rules_of(&mut self, name: &str) -> anyhow::Result<Arc<Rules>> {
        if let Some(rules) = self.rules.get(name) {
            return Ok(rules.clone());
        }
        let Some(rules) = Rules::preset(name) else {
            let known = tafl_training::ruleset_names().join(", ");
            bail!("field `ruleset`: unknown ruleset {name:?} (known are {known})");
        };
        self.rules.insert(name.to_owned(), rules.clone());
        Ok(rules)
    }
}

/// A state whose texts mean something.
struct Parsed<'a> {
    state: &'a State<'a>,
    setup: Setup,
    moves: Vec<Move>,
    mv: Option<Move>,
    captured: Bitboard,
}

impl<'a> Parsed<'a> {
    fn of(state: &'a State<'a>) -> anyhow::Result<Self> {
        let position = Setup::from_text(&state.position, RankOrder::HighestFirst);
        let mut setup = position.context("field `position`")?;
        setup.side = state.side.parse().context("field `side`")?;
        setup.chain = match &state.chain {
            Some(square) => Some(square.parse().context("field `chain`")?),
            None => None,
        };
        let moves = state
            .moves
            .iter()
            .map(|mv| mv.parse())
            .collect::<Result<Vec<Move>, _>>();
        let mut moves = moves.context("field `moves`")?;
        moves.sort_unstable();
        let mv = state
            .mv
            .as_deref()
            .map(str::parse)
            .transpose()
            .context("field `move`")?;
        let captured = state.captured.iter().map(|square| square.parse::<Square>());
        let captured = captured
            .collect::<Result<_, _>>()
            .context("field `captured`")?;
        if !["ongoing", "attackers", "defenders", "draw"].contains(&&*state.status) {
            bail!("field `status`: unknown status {:?}", state.status);
        }
        Ok(Self {
            state,
            setup,
            moves,
            mv,
            captured,
        })
    }

    fn begin(&self, rules: Arc<Rules>) -> anyhow::Result<Game> {
        let position = rules.position(&self.setup).context("field `position`")?;
        Ok(Game::from_position(rules, position))
    }

    fn compare(&self, game: &mut Game) -> Result<(), Box<Disagreement>> {
        self.compare_before(game)
            .map_err(|text| Box::new(Disagreement::new(game, text)))?;
        let before = game.mark();
        self.compare_after(game).map_err(|text| {
            game.rewind(&before);
            Box::new(Disagreement::new(game, text))
        })
    }

    fn compare_before(&self, game: &Game) -> Result<(), String> {
        let found = Setup::of(game.position(), game.rules().shape());
        if found.pieces != self.setup.pieces {
            let found = found.to_text(RankOrder::HighestFirst);
            return Err(format!(
                "position is {found}; recorded is {}",
                self.state.position
            ));
        }
        // Nobody is to move once the game is over, so writers may differ.
        if game.outcome().is_none() && found.side != self.setup.side {
            return Err(format!(
                "{} are to move; recorded are {}",
                found.side, self.setup.side
            ));
        }
        if found.chain != self.setup.chain {
            let [found, recorded] = [found.chain, self.setup.chain].map(listed);
            return Err(format!("chain is {found}; recorded is {recorded}"));
        }
        let mut moves = Vec::new();
        game.legal_moves(&mut moves);
        moves.sort_unstable();
        if moves != self.moves {
            let surplus = moves.iter().filter(|mv| !self.moves.contains(mv));
            let missing = self.moves.iter().filter(|mv| !moves.contains(mv));
            let (surplus, missing) = (listed(surplus), listed(missing));
            return Err(format!(
                "legal but not recorded: {surplus}; recorded but not legal: {missing}"
            ));
        }
        Ok(())
    }

    fn compare_after(&self, game: &mut Game) -> Result<(), String> {
        let after = self.mv.map_or(String::new(), |mv| format!(" after {mv}"));
        let captured = match self.mv {
            Some(mv) => game.play(mv).map_err(|error| error.to_string())?.captured,
            None => Bitboard::EMPTY,
        };
        if captured != self.captured {
            let [found, recorded] = [captured, self.captured].map(|set| listed(set.squares()));
            return Err(format!("captured{after}: {found}; recorded is {recorded}"));
        }
        let outcome = game.outcome();
        let status = outcome.map_or("ongoing", |end| end.winner.map_or("draw", Side::name));
        let reason = outcome.map(|end| end.reason.name());
        let recorded = (&*self.state.status, self.state.reason.as_deref());
        if (status, reason) != recorded {
            let words = |(status, reason): (&str, Option<&str>)| {
                reason.map_or(status.to_owned(), |reason| format!("{status} ({reason})"))
            };
            let (found, recorded) = (words((status, reason)), words(recorded));
            return Err(format!("status{after} is {found}; recorded is {recorded}"));
        }
        Ok(())
    }
}
