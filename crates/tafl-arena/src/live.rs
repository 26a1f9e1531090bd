//! One game of a match in progress.

use crate::adjudication::Opinion;
use crate::baseline::{greedy_move, random_move};
use crate::matches::Match;
use crate::player::{Player, PlayerKind};
use crate::result::MatchGame;
use crate::{Adjudication, AlphaBeta};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use tafl_rules::{Game, Move, Setup, Side};
use tafl_samples::{Ending, GameRecord, PlyRecord, SearchRecord};
use tafl_search::{Evaluation, Leaf, Mode, Search, Step};
use tafl_selfplay::{derive_seed, search_record};

/// Why [`LiveGame::play_on`] came back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pause {
    /// The game is over or cut.
    Ended(Ending),
    /// The search of this player waits for the evaluation of its leaf.
    Evaluate(usize),
}

/// A game in progress with what its two players, 0 and 1, need to choose.
pub(crate) struct LiveGame<'a> {
    job: &'a Match<'a>,
    game_id: u64,
    seed: u64,
    /// The player who attacks.
    attackers: usize,
    game: Game,
    seats: [Seat; 2],
    opening_plies: usize,
    turns: [u32; 2],
    adjudication: Option<Adjudication>,
    opinion: Opinion,
    /// What was found at each ply of the players, if that is to be kept.
    searches: Option<Vec<Option<SearchRecord>>>,
}

struct Seat {
    search: Option<Search>,
    rng: Xoshiro256PlusPlus,
}

impl<'a> LiveGame<'a> {
    /// Starts a game from an opening; player 0 attacks in games with even numbers, player 1 in
    /// those with odd ones.
    pub(crate) fn start(job: &'a Match<'a>, opening: &[Move], game_id: u64) -> Self {
        let seed = derive_seed(job.seed, &[1, game_id]);
        let mut game = Game::new(job.rules.clone());
        let mut turns = [0; 2];
        for &mv in opening {
            play(&mut game, mv, &mut turns);
        }
        let seats = [0, 1].map(|player: usize| {
            let seed = derive_seed(seed, &[player as u64]);
            let new_search =
                |config| Search::new(config, game.clone(), Mode::Match, derive_seed(seed, &[1]));
            let rng = Xoshiro256PlusPlus::seed_from_u64(seed);
            Seat {
                search: job.players[player].search().map(new_search),
                rng,
            }
        });
        let attackers = (game_id % 2) as usize;
        Self {
            job,
            game_id,
            seed,
            attackers,
            game,
            seats,
            opening_plies: opening.len(),
            turns,
            adjudication: None,
            opinion: Opinion::default(),
            searches: None,
        }
    }

    /// Ends the game early as told, if both players search.
    pub(crate) fn adjudicated(self, adjudication: Option<Adjudication>) -> Self {
        let all_search = self.seats.iter().all(|seat| seat.search.is_some());
        Self {
            adjudication: adjudication.filter(|_| all_search),
            ..self
        }
    }

    /// Keeps what the searches say, if told so.
    pub(crate) fn recorded(self, recorded: bool) -> Self {
        Self {
            searches: recorded.then(Vec::new),
            ..self
        }
    }

    /// Plays plies until a search needs an evaluation or the game ends.
    ///
    /// `thinkers` are the alpha-beta players that the games of one worker share.
    pub(crate) fn play_on(&mut self, thinkers: &mut [Option<AlphaBeta>; 2]) -> Pause {
        loop {
            if let Some(outcome) = self.game.outcome() {
                return Pause::Ended(outcome.into());
            }
            if self.plies() >= self.job.config.max_plies as usize {
                return Pause::Ended(Ending::CAPPED);
            }
            let player = self.player_to_move();
            let seat = &mut self.seats[player];
            let mut found = None;
            let mv = match &mut seat.search {
                Some(search) => match search.select() {
                    Step::Evaluate => return Pause::Evaluate(player),
                    Step::Finished => {
                        let stats = search.root_stats();
                        let side = self.game.position().side();
                        let hear = |rule: Adjudication| self.opinion.hear(side, stats.value, &rule);
                        if let Some(winner) = self.adjudication.and_then(hear) {
                            return Pause::Ended(Ending::adjudicated(winner));
                        }
                        found = self.searches.is_some().then(|| search_record(&stats));
                        stats.chosen
                    }
                },
                None => match &mut thinkers[player] {
                    Some(thinker) => thinker.choose(&mut self.game).mv,
                    None => choose(self.job.players[player], &mut self.game, &mut seat.rng),
                },
            };
            play(&mut self.game, mv, &mut self.turns);
            if let Some(searches) = &mut self.searches {
                searches.push(found);
            }
            for search in self
                .seats
                .iter_mut()
                .filter_map(|seat| seat.search.as_mut())
            {
                search.advance(mv).expect("the searches follow the game");
            }
        }
    }

    /// Returns the plies so far, the opening's included.
    pub(crate) fn plies(&self) -> usize {
        self.game.moves().len()
    }

    /// Returns the leaf of the player for whom [`Self::play_on`] asked.
    pub(crate) fn leaf(&self) -> Leaf<'_> {
        let search = self.seats[self.player_to_move()].search.as_ref();
        search.expect("only a search asks for an evaluation").leaf()
    }

    pub(crate) fn expand(&mut self, evaluation: &Evaluation) {
        let search = self.seats[self.player_to_move()].search.as_mut();
        search
            .expect("only a search asks for an evaluation")
            .expand(evaluation);
    }

    pub(crate) fn into_match_game(mut self, ending: Ending) -> MatchGame {
        let found = self.searches.take().into_iter().flatten();
        let unsearched = std::iter::repeat_n(None, self.opening_plies);
        let searches = unsearched.chain(found).chain(std::iter::repeat(None));
        let rules = self.game.rules();
        let name = |player: usize| self.job.players[player].name.clone();
        let record = GameRecord {
            game_id: self.game_id,
            seed: self.seed,
            ruleset: rules.ruleset().name.clone(),
            ruleset_fingerprint: rules.ruleset().fingerprint(),
            start: Setup::of(&rules.start(), rules.shape()),
            generation: self.job.generation,
            attackers: name(self.attackers),
            defenders: name(1 - self.attackers),
            opening_plies: self.opening_plies as u32,
            handicap: None,
            plies: self
                .game
                .moves()
                .iter()
                .zip(searches)
                .map(|(&mv, search)| PlyRecord { mv, search })
                .collect(),
            ending,
        };
        MatchGame {
            attackers: self.attackers,
            turns: self.turns,
            record,
        }
    }

    fn player_to_move(&self) -> usize {
        match self.game.position().side() {
            Side::Attacker => self.attackers,
            Side::Defender => 1 - self.attackers,
        }
    }
}

/// Plays a move and counts the turn if it begins one; further plies of a chain belong to the same
/// turn.
fn play(game: &mut Game, mv: Move, turns: &mut [u32; 2]) {
    let position = game.position();
    turns[position.side().index()] += u32::from(position.chain().is_none());
    game.play_unchecked(mv);
}

fn choose(player: &Player<'_>, game: &mut Game, rng: &mut Xoshiro256PlusPlus) -> Move {
    match player.kind {
        PlayerKind::Greedy => greedy_move(game, rng),
        _ => random_move(game, rng),
    }
}
