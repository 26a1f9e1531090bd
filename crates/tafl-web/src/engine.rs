//! What the page asks and what it is told, as JSON.

use crate::book::Book;
use crate::error::EngineError;
use crate::lesson::{attempt, lesson};
use crate::level::{ALPHABETA_DEPTHS, LEVELS};
use crate::reasons::reasons;
use crate::refusal::refusal;
use crate::ruleset::{
    Fields, LIMITS, playable, rules_of, rules_of_file, ruleset_of, switches, words_of,
};
use crate::state::GameText;
use crate::text;
use crate::thinking::Thinking;
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::cmp::Reverse;
use std::sync::Arc;
use tafl_forward::Net;
use tafl_rules::{Bitboard, Move, PRESET_NAMES, Rules, Ruleset, known_names};
use tafl_search::{AlphaBeta, SearchConfig};

/// What is known of a network besides its weights.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetCard {
    /// Its name.
    pub name: String,
    /// The rulesets that it has learned.
    pub rulesets: Vec<Fields>,
    /// How it searches.
    pub search: SearchConfig,
}

/// A network with what it knows.
struct Member {
    net: Net,
    card: NetCard,
    learned: Vec<Ruleset>,
}

/// The page's engine: networks, a book, and the search in progress.
#[derive(Default)]
pub struct Engine {
    members: Vec<Member>,
    book: Book,
    thinking: Option<Thinking>,
    /// The number of the search in progress, which whoever began it has.
    number: u32,
}

/// A question.
#[derive(Debug, Deserialize)]
#[serde(tag = "op", rename_all = "kebab-case", deny_unknown_fields)]
enum Request {
    /// What there is: rulesets, levels, networks.
    About,
    /// A ruleset: its board, its fields, its file, and which network knows it.
    Ruleset { ruleset: Value },
    /// The ruleset of a file's text; the file's name stands in errors, and for the name that the text may lack.
    Toml { file: String, text: String },
    /// Why a move is not legal, or a piece cannot be moved.
    Refusal {
        game: GameText,
        from: String,
        to: Option<String>,
    },
    /// Small boards that show a ruleset's rules.
    Lesson { ruleset: Value },
    /// What became of moves on one of them.
    Attempt {
        ruleset: Value,
        topic: String,
        moves: Vec<String>,
    },
    /// Why the last ply of a game captured what it did.
    Why { game: GameText },
    /// What speaks for a move.
    Reasons {
        game: GameText,
        #[serde(rename = "move")]
        mv: String,
    },
    /// The positions of a game after `from` plies and later.
    Line { game: GameText, from: usize },
    /// What a text holds.
    Read {
        text: String,
        ruleset: Value,
        /// Others of the page, besides presets.
        #[serde(default)]
        own: Vec<Value>,
        /// Which game of the text, from 1.
        #[serde(default = "first")]
        game: usize,
    },
    /// The lines on which the games of a text begin, with their titles; none where no game can be read.
    Games { text: String },
    /// Moves played in a position by others.
    Book { game: GameText },
    /// The move of alpha-beta, which knows any rules.
    Alphabeta { game: GameText, depth: u32 },
    /// Begins a search, in place of the one in progress; `net` null judges by random games.
    Think {
        game: GameText,
        net: Option<usize>,
        visits: u32,
        seed: u64,
    },
    /// Goes on with a search for so many evaluations.
    Step { number: u32, evaluations: u32 },
    /// Gives a search more visits.
    GoOn { number: u32, visits: u32 },
    /// What a search has found.
    Findings { number: u32, lines: usize },
    /// The move to play, drawn at a temperature.
    Choose {
        number: u32,
        temperature: f32,
        seed: u64,
    },
    /// What a search thinks of a move.
    Judge {
        number: u32,
        #[serde(rename = "move")]
        mv: String,
    },
}

/// How well a network knows a ruleset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Knows {
    /// It has learned the switches, but with other limits to games without an end.
    Moves,
    /// It has learned each of its switches, but not this ruleset.
    Switches,
    /// It has learned it.
    Ruleset,
}

impl Engine {
    /// Adds a network: its file, and what is known of it.
    ///
    /// # Errors
    /// If the file is no network, or a ruleset of the card cannot be played.
    pub fn add_net(&mut self, card: NetCard, bytes: &[u8]) -> Result<(), EngineError> {
        let words = format!("Network {}", card.name);
        let net = Net::read(bytes).map_err(EngineError::about(&words))?;
        let learned = card.rulesets.iter().map(|it| ruleset_of(it.clone()));
        let learned = learned.collect::<Result<_, EngineError>>()?;
        self.members.push(Member { net, card, learned });
        Ok(())
    }

    /// Sets the book.
    pub fn set_book(&mut self, book: Book) {
        self.book = book;
    }

    /// Answers a question: `{"ok": ...}`, or `{"error": "..."}` with a sentence for the reader.
    pub fn answer(&mut self, request: &[u8]) -> Vec<u8> {
        let unknown = EngineError::about("The page asked what the engine does not know");
        let request = serde_json::from_slice(request).map_err(unknown);
        let answer = match request.and_then(|request| self.act(request)) {
            Ok(value) => json!({ "ok": value }),
            Err(error) => json!({ "error": error.to_string() }),
        };
        answer.to_string().into_bytes()
    }

    fn act(&mut self, request: Request) -> Result<Value, EngineError> {
        Ok(match request {
            Request::About => self.about(),
            Request::Ruleset { ruleset } => self.ruleset(&*playable(&ruleset)?),
            Request::Toml { file, text } => self.ruleset(&*rules_of_file(&file, &text)?),
            Request::Refusal { game, from, to } => {
                json!(refusal(&game.game()?, &from, to.as_deref())?)
            }
            Request::Lesson { ruleset } => {
                let (rules, boards) = lesson(rules_of(&ruleset)?.ruleset())?;
                json!({ "ruleset": self.ruleset(&rules), "boards": boards })
            }
            Request::Attempt {
                ruleset,
                topic,
                moves,
            } => json!(attempt(rules_of(&ruleset)?.ruleset(), &topic, &moves)?),
            Request::Why { game } => json!(game.why()?),
            Request::Reasons { game, mv } => json!(reasons(&game.game()?, read_move(&mv)?)),
            Request::Line { game, from } => json!(game.states(from)?),
            Request::Read {
                text,
                ruleset,
                own,
                game,
            } => json!(text::read(text::Source {
                text: &text,
                game,
                current: &ruleset,
                own: &own,
            })?),
            Request::Games { text } => json!(text::games(&text)),
            Request::Book { game } => json!(self.book.moves(&game.game()?)),
            Request::Alphabeta { game, depth } => {
                let mut game = game.game()?;
                let is_over = game.outcome().is_some();
                let mut player = AlphaBeta::new(depth, game.rules());
                json!((!is_over).then(|| player.choose(&mut game).mv.to_string()))
            }
            Request::Think {
                game,
                net,
                visits,
                seed,
            } => self.think(&game, net, visits, seed)?,
            Request::Step {
                number,
                evaluations,
            } => self.step(number, evaluations)?,
            Request::GoOn { number, visits } => {
                self.current(number)?.go_on(visits);
                Value::Null
            }
            Request::Findings { number, lines } => json!(self.current(number)?.findings(lines)),
            Request::Choose {
                number,
                temperature,
                seed,
            } => {
                let stats = self.current(number)?.stats();
                let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
                json!(stats.map(|stats| stats.draw(temperature, &mut rng).to_string()))
            }
            Request::Judge { number, mv } => {
                let mv = read_move(&mv)?;
                json!(self.current(number)?.judge(mv))
            }
        })
    }

    fn about(&self) -> Value {
        let presets = known_names().filter_map(Rules::preset);
        let rulesets = presets.chain(self.own_rulesets());
        let levels = LEVELS.map(|level| {
            json!({ "name": level.name, "visits": level.visits, "temperature": level.temperature })
        });
        let depths = ALPHABETA_DEPTHS.map(|depth| {
            let name = format!("alphabeta:{depth}");
            json!({ "name": name, "depth": depth })
        });
        let levels = [&levels[..], &depths].concat();
        json!({
            "rulesets": rulesets.map(|rules| self.ruleset(&rules)).collect::<Vec<_>>(),
            "made_for": self.made_for(),
            "levels": levels,
            "nets": self.members.iter().map(|it| it.card.name.clone()).collect::<Vec<_>>(),
        })
    }

    /// Returns the ruleset that the page was made for: an own one that a network learned, else the first of the others, those of
    /// the book before those without games.
    fn made_for(&self) -> &str {
        let own = self.own_rulesets();
        let learned = || self.members.iter().flat_map(|it| &it.learned);
        let own = learned().find(|it| own.iter().any(|rules| rules.ruleset().name == it.name));
        let presets = || known_names().filter(|name| learned().any(|it| it.name == *name));
        let preset = presets().find(|name| self.book.has(name));
        let preset = preset.or_else(|| presets().next());
        own.map_or(preset.unwrap_or(PRESET_NAMES[0]), |it| &it.name)
    }

    /// Returns the rulesets that networks learned and that are not compiled in, each name once.
    fn own_rulesets(&self) -> Vec<Arc<Rules>> {
        let learned = self.members.iter().flat_map(|it| &it.learned);
        let mut own: Vec<Arc<Rules>> = Vec::new();
        for ruleset in learned {
            let is_known = Rules::preset(&ruleset.name).is_some()
                || own.iter().any(|it| it.ruleset().name == ruleset.name);
            if !is_known && let Ok(rules) = Rules::new(ruleset.clone()) {
                own.push(rules);
            }
        }
        own
    }

    fn ruleset(&self, rules: &Rules) -> Value {
        let (shape, ruleset) = (rules.shape(), rules.ruleset());
        let squares = |set: Bitboard| -> Vec<usize> {
            set.squares().map(|square| shape.index(square)).collect()
        };
        let known = self.known(ruleset);
        json!({
            "board": {
                "ruleset": ruleset.name,
                "size": shape.size(),
                "throne": rules.throne().squares().next().map(|square| shape.index(square)),
                "restricted": squares(rules.restricted()),
                "goals": squares(rules.goals()),
            },
            "form": ruleset.to_fields(),
            "toml": ruleset.to_toml(),
            "words": words_of(ruleset),
            "king": ruleset.king_in_words(),
            "preset": tafl_rules::preset(&ruleset.name).is_some_and(|preset| preset == *ruleset),
            "net": known.map(|(net, _)| net),
            "knows": known.map(|(_, knows)| knows),
        })
    }

    /// Returns the network that knows a ruleset best: of those that know it equally well, the first.
    fn known(&self, ruleset: &Ruleset) -> Option<(usize, Knows)> {
        let rate = |(index, member): (usize, &Member)| {
            if member.net.shape() != ruleset.start.shape {
                return None;
            }
            let own = ruleset.fingerprint();
            let is_learned = member.learned.iter().any(|it| it.fingerprint() == own);
            let of_each: Vec<Fields> = member.learned.iter().map(switches).collect();
            let mut wanted = switches(ruleset);
            wanted.retain(|name, value| !of_each.iter().any(|it| it.get(name) == Some(&*value)));
            let knows = match wanted.keys().all(|name| LIMITS.contains(&&**name)) {
                _ if is_learned => Knows::Ruleset,
                _ if wanted.is_empty() => Knows::Switches,
                true => Knows::Moves,
                false => return None,
            };
            Some((knows, Reverse(index)))
        };
        let rated = self.members.iter().enumerate().filter_map(rate);
        rated.max().map(|(knows, Reverse(index))| (index, knows))
    }

    fn think(
        &mut self,
        game: &GameText,
        net: Option<usize>,
        visits: u32,
        seed: u64,
    ) -> Result<Value, EngineError> {
        let game = game.game()?;
        let config = match net.map(|net| self.members.get(net)) {
            None => SearchConfig {
                lookahead_plies: 1,
                ..SearchConfig::puct(visits)
            },
            Some(Some(member)) if member.net.shape() == game.rules().shape() => SearchConfig {
                visits,
                ..member.card.search.clone()
            },
            Some(_) => {
                let reason = "There is no network for this board.";
                return Err(EngineError(reason.to_owned()));
            }
        };
        self.number += 1;
        self.thinking = Some(Thinking::new(game, &config, net, seed));
        Ok(json!(self.number))
    }

    fn step(&mut self, number: u32, evaluations: u32) -> Result<Value, EngineError> {
        let mut thinking = self.thinking.take();
        let of_number = thinking.as_mut().filter(|_| number == self.number);
        let stepped = of_number.map(|thinking| {
            let net = thinking.net.map(|net| &mut self.members[net].net);
            let done = thinking.step(net, evaluations);
            json!({ "done": done, "visits": thinking.visits() })
        });
        self.thinking = thinking;
        stepped.ok_or_else(gone)
    }

    fn current(&mut self, number: u32) -> Result<&mut Thinking, EngineError> {
        let is_it = number == self.number;
        self.thinking.as_mut().filter(|_| is_it).ok_or_else(gone)
    }
}

const fn first() -> usize {
    1
}

fn read_move(text: &str) -> Result<Move, EngineError> {
    let mv = text.parse();
    mv.map_err(|error| EngineError(format!("{error}.")))
}

fn gone() -> EngineError {
    EngineError("Another search has begun.".to_owned())
}
