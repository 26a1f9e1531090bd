//! Which moves were played in a position, and how these games ended.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;
use tafl_rules::{Game, Move, Rules, Side, Symmetry};
use tafl_samples::Facts;

/// Plies from the start that a book knows.
const BOOK_PLIES: usize = 16;

/// How many games went on with a move, by how they ended: attackers won, drawn, defenders won, without a known result.
type Counts = [u32; 4];

/// Games by ruleset, by who played them; positions that are alike but for a turn of the board count as one.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Book(BTreeMap<String, BTreeMap<String, Table>>);

/// The moves of each position, by its key.
type Table = BTreeMap<String, BTreeMap<String, Counts>>;

/// A move of a position, with the games in which it was played.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BookMove {
    /// The move.
    #[serde(rename = "move")]
    pub mv: String,
    /// Who played: `players` of a text, who may be anybody, `self-play`, `programs`.
    pub source: String,
    /// Games by how they ended: attackers won, drawn, defenders won, without a known result.
    pub games: Counts,
}

impl Book {
    /// Adds a game from the start of its ruleset, as far as its moves are legal, but for the first `opening` plies, which
    /// nobody chose. `result` is nothing where it is not known, else who won, nobody in a draw.
    pub fn add(
        &mut self,
        source: &str,
        rules: &Arc<Rules>,
        (moves, opening): (&[Move], usize),
        result: Option<Option<Side>>,
    ) {
        let of_ruleset = self.0.entry(rules.ruleset().name.clone()).or_default();
        let table = of_ruleset.entry(source.to_owned()).or_default();
        let result = match result {
            Some(Some(Side::Attacker)) => 0,
            Some(None) => 1,
            Some(Some(Side::Defender)) => 2,
            None => 3,
        };
        let mut game = Game::new(rules.clone());
        for (ply, &mv) in moves.iter().take(BOOK_PLIES).enumerate() {
            let (key, symmetries) = canonical(&game);
            let turned = symmetries.iter().map(|it| it.mv(mv, rules.shape()));
            let Some(turned) = turned.min() else {
                return;
            };
            if game.play(mv).is_err() {
                return;
            }
            if ply < opening {
                continue;
            }
            let of_position = table.entry(key).or_default();
            of_position.entry(turned.to_string()).or_default()[result] += 1;
        }
    }

    /// Leaves out positions that fewer games came to, so that a book of many games stays small.
    #[must_use]
    pub fn of_at_least(mut self, games: u32) -> Self {
        let tables = self.0.values_mut().flat_map(BTreeMap::values_mut);
        for table in tables {
            table.retain(|_, moves| moves.values().flatten().sum::<u32>() >= games);
        }
        self
    }

    /// Returns whether there are games of a ruleset.
    pub fn has(&self, ruleset: &str) -> bool {
        let mut tables = self.0.get(ruleset).into_iter().flat_map(BTreeMap::values);
        tables.any(|table| !table.is_empty())
    }

    /// Returns the moves that were played in a position, those of most games first.
    pub fn moves(&self, game: &Game) -> Vec<BookMove> {
        let Some(of_ruleset) = self.0.get(&game.rules().ruleset().name) else {
            return Vec::new();
        };
        let (key, symmetries) = canonical(game);
        let back = symmetries[0].inverse();
        let mut found = Vec::new();
        for (source, table) in of_ruleset {
            for (text, games) in table.get(&key).into_iter().flatten() {
                let Ok(mv) = text.parse::<Move>() else {
                    continue;
                };
                found.push(BookMove {
                    mv: back.mv(mv, game.rules().shape()).to_string(),
                    source: source.clone(),
                    games: *games,
                });
            }
        }
        found.sort_by_key(|it| std::cmp::Reverse(it.games.iter().sum::<u32>()));
        found
    }
}

/// Returns a key that is equal for positions that are alike but for a turn of the board, and the turns that lead there.
fn canonical(game: &Game) -> (String, Vec<Symmetry>) {
    let (rules, facts) = (game.rules(), Facts::of(game));
    let turned = Symmetry::ALL.into_iter().filter_map(|symmetry| {
        let position = facts.under(symmetry, rules.shape()).position(rules).ok()?;
        Some((position.key(), symmetry))
    });
    let turned: Vec<(u64, Symmetry)> = turned.collect();
    let least = turned.iter().map(|(key, _)| *key).min().unwrap_or_default();
    let leading = turned.into_iter().filter(|(key, _)| *key == least);
    (
        format!("{least:016x}"),
        leading.map(|(_, symmetry)| symmetry).collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moves(texts: &str) -> Vec<Move> {
        let words = texts.split(' ');
        words.map(|text| text.parse().expect("a move")).collect()
    }

    #[test]
    fn turned_games_count_as_one() {
        let rules = Rules::preset("brandubh").expect("a preset");
        let mut book = Book::default();
        let games = [
            ("d1-c1 d3-c3", Some(Side::Attacker)),
            // Mirrored, turned, and another answer.
            ("d1-e1 d3-e3", Some(Side::Defender)),
            ("a4-a5 c4-c5", None),
            ("g4-g5 e4-e7", None),
        ];
        for (texts, winner) in games {
            book.add("players", &rules, (&moves(texts), 0), Some(winner));
        }
        // Its result is not known, and its first ply was nobody's choice.
        book.add("players", &rules, (&moves("d1-c1 d3-c3"), 1), None);
        let text = serde_json::to_string(&book).expect("JSON");
        let book: Book = serde_json::from_str(&text).expect("a book");
        let start = Game::new(rules.clone());
        let first = book.moves(&start);
        assert_eq!(first.len(), 1);
        assert_eq!(
            (first[0].games, &*first[0].source),
            ([1, 2, 1, 0], "players")
        );
        for first in ["d1-c1", "a4-a5", "d7-e7"] {
            let mut game = start.clone();
            game.play(first.parse().expect("a move")).expect("legal");
            let answers = book.moves(&game);
            let counts: Vec<Counts> = answers.iter().map(|it| it.games).collect();
            assert_eq!(counts, [[1, 1, 1, 1], [0, 1, 0, 0]], "{first}");
            for answer in &answers {
                let mv = answer.mv.parse().expect("a move");
                assert!(game.clone().play(mv).is_ok(), "{first} {}", answer.mv);
            }
        }
        assert!(book.has("brandubh") && !book.has("tablut"));
        let few = book.of_at_least(6);
        assert_eq!((few.moves(&start), few.has("brandubh")), (vec![], false));
    }
}
