//! Why pieces were captured or not, for the reader who did not see it.

use tafl_rules::{
    Bitboard, Direction, EndReason, Game, KingCapture, Move, Piece, Position, Square,
};

/// What the last ply must do for a board to teach what it is meant to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shows {
    /// It captures so many pieces.
    Captures(u32),
    /// The game goes on, and nothing is captured.
    Nothing,
    /// The game ends so.
    Ends(EndReason),
}

/// A ply that was just played, with the board after it.
struct Played<'a> {
    game: &'a Game,
    before: &'a Position,
    mv: Move,
}

/// Returns a sentence for each capture of the last ply of a game, the king's included.
pub(crate) fn why(game: &Game, before: &Position, mv: Move, captured: Bitboard) -> Vec<String> {
    if mv.is_end() {
        return Vec::new();
    }
    let played = Played { game, before, mv };
    let mut row = Vec::new();
    let mut sentences = Vec::new();
    for square in captured.squares() {
        match played.of_piece(square) {
            Some(sentence) => sentences.push(sentence),
            None => row.push(square.to_string()),
        }
    }
    if !row.is_empty() {
        // A king in the row stays, so he may leave one alone.
        let (pieces, shape) = match row.len() {
            1 => ("piece", "a row on the edge with the king"),
            _ => ("pieces", "a row on the edge"),
        };
        let squares = row.join(" ");
        sentences.push(format!(
            "The {pieces} on {squares} stood in {shape}, an enemy in front of each, and {mv} closed it."
        ));
    }
    let end = game.outcome().map(|outcome| outcome.reason);
    if end == Some(EndReason::KingCaptured) {
        sentences.push(played.of_king());
    }
    sentences
}

/// Returns why a move that was just played does not show what it should.
pub(crate) fn missed(game: &Game, mv: Move, captured: Bitboard, shows: Shows) -> String {
    match shows {
        _ if mv.is_end() => "The turn was ended too soon.".to_owned(),
        Shows::Ends(EndReason::KingCaptured) => {
            format!("{mv} does not capture the king: {}.", free(game))
        }
        Shows::Ends(EndReason::KingEscaped) => format!("{mv} does not bring the king to his goal."),
        Shows::Ends(EndReason::Fort) => {
            format!("{mv} makes no fort: an attacker can still break in, or the king has no move.")
        }
        Shows::Ends(_) => format!("{mv} does not close the ring: there is still a way to an edge."),
        Shows::Nothing => format!("{mv} is another move than the one to try."),
        Shows::Captures(_) if !captured.is_empty() => {
            format!("{mv} captures, but not all that it could.")
        }
        Shows::Captures(_) => format!("{mv} captures nothing: {}.", near(game, mv.to())),
    }
}

/// Returns what keeps the king from being captured.
fn free(game: &Game) -> String {
    let (rules, position) = (game.rules(), game.position());
    let (shape, king) = (rules.shape(), position.king());
    let around = Direction::ALL.map(|it| it.step(king, shape));
    let around: Vec<Square> = around.into_iter().flatten().collect();
    let is_near = rules.is_throne(king) || around.iter().any(|it| rules.is_throne(*it));
    let by_four = match rules.ruleset().king_capture {
        KingCapture::FourSides | KingCapture::FourSidesThreeOnEdge => true,
        KingCapture::TwoSidesAwayFromThrone => is_near,
        KingCapture::TwoSidesOffThrone => rules.is_throne(king),
        KingCapture::TwoSides => false,
    };
    // The empty throne stands for an attacker.
    let is_open = |it: &&Square| position.piece_at(**it).is_none() && !rules.is_throne(**it);
    let open: Vec<String> = around
        .iter()
        .filter(is_open)
        .map(Square::to_string)
        .collect();
    match &open[..] {
        open if by_four && !open.is_empty() => {
            format!("nobody stands on {} beside him", listed(open))
        }
        _ => "he is not held from two opposite sides by this move".to_owned(),
    }
}

/// Returns what keeps the enemies beside a square from being captured by the piece there.
fn near(game: &Game, to: Square) -> String {
    let position = game.position();
    let shape = game.rules().shape();
    let mover = position.piece_at(to).map(Piece::side);
    for direction in Direction::ALL {
        let Some(square) = direction.step(to, shape) else {
            continue;
        };
        let Some(enemy) = position
            .piece_at(square)
            .filter(|it| Some(it.side()) != mover)
        else {
            continue;
        };
        let enemy = format!("the {} on {square}", name(enemy));
        return match direction.step(square, shape) {
            None => format!("{enemy} stands on the edge, which captures nobody"),
            Some(far) if position.piece_at(far).is_none() => {
                format!("{enemy} has nobody on its other side, {far}")
            }
            Some(far) => format!("{enemy} is not held from its other side, {far}"),
        };
    }
    format!("no enemy stands beside {to}")
}

impl Played<'_> {
    /// Returns why a piece was captured that was leapt over or stood between two; nothing for one of a row.
    fn of_piece(&self, square: Square) -> Option<String> {
        let taken = self.before.piece_at(square)?;
        let words = format!("The {} on {square}", name(taken));
        let shape = self.game.rules().shape();
        let (from, to) = (self.mv.from(), self.mv.to());
        let direction = self.mv.direction();
        let is_leapt = self.game.position().piece_at(to) == Some(Piece::Knight)
            && direction.step(from, shape) == Some(square)
            && direction.step(square, shape) == Some(to);
        if is_leapt {
            return Some(format!("{words} was jumped over by the knight."));
        }
        let opposite = self.beyond(square)?;
        let anvil = self.stander(opposite).or_else(|| self.hostile(opposite))?;
        let hammer = self.stander(to)?;
        Some(format!("{words} stood between {hammer} and {anvil}."))
    }

    fn of_king(&self) -> String {
        let (rules, position) = (self.game.rules(), self.game.position());
        let king = position.king();
        // On an edge three squares are beside him.
        let around = Direction::ALL
            .into_iter()
            .filter_map(|direction| direction.step(king, rules.shape()));
        let held = around.map(|square| {
            let stands_in =
                position.piece_at(square).is_none() && rules.restricted().contains(square);
            self.stander(square)
                .or_else(|| stands_in.then(|| self.special(square)))
        });
        if let Some(held) = held.collect::<Option<Vec<String>>>() {
            return format!("The king on {king} stood between {}.", listed(&held));
        }
        let opposite = self.beyond(king);
        let anvil = opposite.and_then(|it| self.stander(it).or_else(|| self.hostile(it)));
        let hammer = self.stander(self.mv.to()).unwrap_or_default();
        let anvil = anvil.unwrap_or_default();
        format!("The king on {king} stood between {hammer} and {anvil}.")
    }

    /// Returns the square on the other side of one that the piece that moved stands beside.
    fn beyond(&self, square: Square) -> Option<Square> {
        let shape = self.game.rules().shape();
        let is_towards = |it: &Direction| it.step(self.mv.to(), shape) == Some(square);
        let direction = Direction::ALL.into_iter().find(is_towards)?;
        direction.step(square, shape)
    }

    /// Returns the piece of the side that moved, in words, if one that captures stands there.
    fn stander(&self, square: Square) -> Option<String> {
        let piece = self.game.position().piece_at(square)?;
        let is_armed = piece != Piece::King || self.game.rules().ruleset().king_armed.is_on();
        let is_own = piece.side() == self.before.side();
        (is_own && is_armed).then(|| format!("the {} on {square}", name(piece)))
    }

    /// Returns a square that counts as an enemy, in words.
    fn hostile(&self, square: Square) -> Option<String> {
        let (rules, enemy) = (self.game.rules(), self.before.side().opponent());
        let hostile = rules.hostile(self.game.position(), enemy);
        hostile.contains(square).then(|| self.special(square))
    }

    fn special(&self, square: Square) -> String {
        match self.game.rules().is_throne(square) {
            true => format!("the empty throne {square}"),
            false => format!("the corner {square}"),
        }
    }
}

pub(crate) fn name(piece: Piece) -> &'static str {
    piece.into()
}

pub(crate) fn listed(words: &[String]) -> String {
    match words {
        [all @ .., last] if !all.is_empty() => format!("{} and {last}", all.join(", ")),
        _ => words.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tafl_rules::{RankOrder, Rules, Ruleset, Setup};

    #[test]
    fn all_that_hold_a_king_on_an_edge_are_named() {
        let ruleset = Ruleset {
            king_capture: KingCapture::FourSidesThreeOnEdge,
            ..tafl_rules::preset("brandubh").expect("a preset")
        };
        let rules = Rules::new(ruleset).expect("rules");
        for (ranks, mv, held) in [
            (
                "7/7/7/7/3t3/7/2tKt2",
                "d3-d2",
                "the attacker on d2, the attacker on e1 and the attacker on c1",
            ),
            (
                "7/7/7/7/1t5/7/1Kt4",
                "b3-b2",
                "the attacker on b2, the attacker on c1 and the corner a1",
            ),
        ] {
            let setup = Setup::from_text(ranks, RankOrder::HighestFirst).expect("a board");
            let mut game = Game::from_setup(rules.clone(), &setup).expect("a position");
            let before = *game.position();
            let mv: Move = mv.parse().expect("a move");
            let captured = game.play(mv).expect("legal").captured;
            let said = why(&game, &before, mv, captured).join(" ");
            let king = before.king();
            assert_eq!(said, format!("The king on {king} stood between {held}."));
        }
    }

    #[test]
    fn who_stood_in_a_row_with_the_king_did_so_alone() {
        let ruleset = Ruleset {
            shieldwall: tafl_rules::Switch::On,
            ..tafl_rules::preset("brandubh").expect("a preset")
        };
        let ranks = "7/5t1/7/7/7/3tt2/2tKT2";
        let setup = Setup::from_text(ranks, RankOrder::HighestFirst).expect("a board");
        let rules = Rules::new(ruleset).expect("rules");
        let mut game = Game::from_setup(rules, &setup).expect("a position");
        let before = *game.position();
        let mv: Move = "f6-f1".parse().expect("a move");
        let captured = game.play(mv).expect("legal").captured;
        let words = "The piece on e1 stood in a row on the edge with the king, an enemy in front of each, and f6-f1 closed it.";
        assert_eq!(why(&game, &before, mv, captured), [words]);
    }
}
