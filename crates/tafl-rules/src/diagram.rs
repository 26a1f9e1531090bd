//! A position as a drawing: plain text, text for a terminal, SVG.

mod svg;
mod text;

use crate::text::listed;
use crate::{Bitboard, Move, Position, RankOrder, Rules, Setup, Side, Square};

/// A position with what is pointed out on it, to be drawn as text or as SVG.
///
/// ```
/// use tafl_rules::{Diagram, Rules};
///
/// let rules = Rules::preset("brandubh").expect("a preset");
/// let start = Diagram::new(&rules, &rules.start());
/// assert_eq!(
///     start.ascii(),
///     "  7  x  .  .  t  .  .  x \n  6  .  .  .  t  .  .  . \n  5  .  .  .  T  .  .  . \n\
///      \x20 4  t  t  T  K  T  t  t \n  3  .  .  .  T  .  .  . \n  2  .  .  .  t  .  .  . \n\
///      \x20 1  x  .  .  t  .  .  x \n     a  b  c  d  e  f  g \n"
/// );
/// assert!(start.svg().starts_with("<svg "));
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct Diagram<'a> {
    rules: &'a Rules,
    position: Position,
    last: Option<Move>,
    captured: Bitboard,
    arrows: Vec<(Move, f32)>,
}

/// Whether a drawing for a terminal uses color, which only repeats what its characters say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiagramColor {
    /// Characters only.
    Off,
    /// ANSI escapes of 256 colors, on a board with a background of its own.
    Ansi,
}

/// What a square is, with or without a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ground {
    Field,
    Throne,
    /// A corner where the king wins, which is his alone.
    Corner,
    /// A square of the edge where the king wins; any piece may stand there.
    Edge,
}

impl<'a> Diagram<'a> {
    /// Returns the drawing of a position with nothing pointed out but a pending chain.
    pub const fn new(rules: &'a Rules, position: &Position) -> Self {
        Self {
            rules,
            position: *position,
            last: None,
            captured: Bitboard::EMPTY,
            arrows: Vec::new(),
        }
    }

    /// Returns the drawing with both squares of the last move pointed out; [`Move::END`] has none.
    pub fn with_last_move(mut self, last: Option<Move>) -> Self {
        self.last = last.filter(|mv| !mv.is_end());
        self
    }

    /// Returns the drawing with a cross where pieces were captured and nothing stands now; not in ASCII.
    pub fn with_captured(mut self, captured: Bitboard) -> Self {
        self.captured = (captured & self.rules.shape().board()) - self.position.occupied();
        self
    }

    /// Returns the drawing with an arrow for each of some moves, the stronger the greater its weight, 0 to 1; only in SVG.
    /// [`Move::END`] has none.
    pub fn with_arrows(mut self, arrows: impl IntoIterator<Item = (Move, f32)>) -> Self {
        let arrows = arrows.into_iter().filter(|(mv, _)| !mv.is_end());
        self.arrows = arrows.collect();
        self
    }

    /// Returns the board in ASCII with coordinates, highest rank first, in the letters of position texts.
    ///
    /// The last move's squares stand in brackets. An empty throne is `+`, an empty corner that is a goal `x`.
    pub fn ascii(&self) -> String {
        text::ascii(self)
    }

    /// Returns the board in a frame, in characters that fill one column each.
    ///
    /// [`Self::legend`] names the pieces. Brackets are those of [`Self::ascii`]; braces hold the piece that may go on
    /// capturing, `×` is where one was captured.
    pub fn unicode(&self, color: DiagramColor) -> String {
        text::unicode(self, color)
    }

    /// Returns one line that names the characters of [`Self::unicode`], for the kinds of this ruleset.
    pub fn legend(&self) -> String {
        text::legend(self.rules.ruleset())
    }

    /// Returns the board as an SVG document of its own, some 5 kB; the same drawing is the same bytes.
    ///
    /// It is readable on light and dark pages and without color. Its title names ruleset and side to move, its
    /// description the position text. Several may stand in one HTML page: their shared ids mean the same shapes.
    pub fn svg(&self) -> String {
        svg::draw(self)
    }

    fn is_of_last_move(&self, square: Square) -> bool {
        self.last
            .is_some_and(|mv| mv.from() == square || mv.to() == square)
    }

    fn ground(&self, square: Square) -> Ground {
        if self.rules.is_throne(square) {
            Ground::Throne
        } else if !self.rules.goals().contains(square) {
            Ground::Field
        } else if self.rules.restricted().contains(square) {
            Ground::Corner
        } else {
            Ground::Edge
        }
    }

    /// Returns the squares of the board in the order of reading: highest rank first, then by file.
    fn squares(&self) -> impl Iterator<Item = Square> {
        let size = self.rules.shape().size();
        (0..size)
            .rev()
            .flat_map(move |rank| (0..size).map(move |file| Square::new(file, rank)))
    }

    fn title(&self) -> String {
        let (name, side) = (&self.rules.ruleset().name, self.position.side());
        if self.position == self.rules.start() {
            format!("Start position of {name}, {side} to move")
        } else {
            format!("{name}, {side} to move")
        }
    }

    fn description(&self) -> String {
        let shape = self.rules.shape();
        let mut text = format!(
            "{} attackers, {} defenders, king on {}; ranks from the highest: {}.",
            self.position.pieces(Side::Attacker).count(),
            self.position.pieces(Side::Defender).count() - 1,
            self.position.king(),
            Setup::of(&self.position, shape).to_text(RankOrder::HighestFirst),
        );
        if let Some(mv) = self.last {
            text += &format!(" Last move {mv}.");
        }
        if let Some(square) = self.position.chain() {
            text += &format!(" The piece on {square} may go on capturing.");
        }
        if !self.captured.is_empty() {
            text += &format!(" Captured: {}.", listed(self.captured.squares()));
        }
        if !self.arrows.is_empty() {
            let arrows = self.arrows.iter();
            let arrows: Vec<String> = arrows
                .map(|(mv, weight)| format!("{mv} ({:.0} %)", 100.0 * weight))
                .collect();
            text += &format!(" Arrows: {}.", arrows.join(", "));
        }
        text
    }
}
