//! Drawings: golden texts, and laws of SVG.

use crate::rules::board::{drawn, ruleset};
use crate::rules::random::all_rulesets;
use roxmltree::{Document, Node};
use std::sync::Arc;
use tafl_rules::{
    Bitboard, Diagram, DiagramColor, Move, Piece, Position, RankOrder, Rules, Setup, Side, Square,
};

const BRANDUBH_AFTER_D6_F6: &str = "
    . . . t . . .
    . . . . . t .
    . . . T . . .
    t t T K T t t
    . . . T . . .
    . . . t . . .
    . . . t . . .";

/// A chain is pending on d7, the king is off his throne, all kinds stand on the board.
const BERSERK: &str = "
    . . . . . . . . . . .
    . . . . . t . . . . .
    . . . . . c . . . . .
    . . . . . . . . . . .
    . . . N . . . T . . .
    . . . . . . . . . . .
    t . . . K . . . . . .
    . . . . . . . . . . c
    . . . . . . . . . . .
    . . . . . . . . . . .
    . . . . t t . . . . .";

fn rules(name: &str) -> Arc<Rules> {
    Rules::new(ruleset(name)).expect("a preset")
}

fn position(rules: &Rules, drawing: &str, side: Side, chain: Option<&str>) -> Position {
    let chain = chain.map(|name| name.parse().expect("a square"));
    let setup = Setup {
        chain,
        ..drawn(drawing, side)
    };
    rules.position(&setup).expect("a position")
}

fn squares(names: &str) -> Bitboard {
    let names = names.split_whitespace();
    names
        .map(|name| name.parse::<Square>().expect("a square"))
        .collect()
}

fn mv(text: &str) -> Option<Move> {
    Some(text.parse().expect("a move"))
}

/// Returns a text without its ANSI escapes.
fn without_color(text: &str) -> String {
    let mut parts = text.split("\x1b[");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| {
        all + part.split_once('m').expect("an escape ends in m").1
    })
}

#[test]
fn ascii_brackets_the_last_move_and_shows_throne_and_goals() {
    let rules = rules("brandubh");
    let moved = position(&rules, BRANDUBH_AFTER_D6_F6, Side::Defender, None);
    let diagram = Diagram::new(&rules, &moved).with_last_move(mv("d6-f6"));
    let expected = "\
\x20 7  x  .  .  t  .  .  x 
  6  .  .  . [.] . [t] . 
  5  .  .  .  T  .  .  . 
  4  t  t  T  K  T  t  t 
  3  .  .  .  T  .  .  . 
  2  .  .  .  t  .  .  . 
  1  x  .  .  t  .  .  x 
     a  b  c  d  e  f  g \n";
    assert_eq!(diagram.ascii(), expected);
    let end = diagram.with_last_move(Some(Move::END));
    assert_eq!(end.ascii(), Diagram::new(&rules, &moved).ascii());
}

#[test]
fn ascii_writes_two_digit_ranks_and_ranked_pieces() {
    let rules = rules("berserk-2024");
    let chain = position(&rules, BERSERK, Side::Defender, Some("d7"));
    let diagram = Diagram::new(&rules, &chain)
        .with_last_move(mv("d5-d7"))
        .with_captured(squares("d6"));
    let expected = "\
\x2011  x  .  .  .  .  .  .  .  .  .  x 
 10  .  .  .  .  .  t  .  .  .  .  . 
  9  .  .  .  .  .  c  .  .  .  .  . 
  8  .  .  .  .  .  .  .  .  .  .  . 
  7  .  .  . [N] .  .  .  T  .  .  . 
  6  .  .  .  .  .  +  .  .  .  .  . 
  5  t  .  . [.] K  .  .  .  .  .  . 
  4  .  .  .  .  .  .  .  .  .  .  c 
  3  .  .  .  .  .  .  .  .  .  .  . 
  2  .  .  .  .  .  .  .  .  .  .  . 
  1  x  .  .  .  t  t  .  .  .  .  x 
     a  b  c  d  e  f  g  h  i  j  k \n";
    assert_eq!(diagram.ascii(), expected);
}

#[test]
fn unicode_shows_the_chain_and_captured_squares_without_color() {
    let rules = rules("berserk-2024");
    let chain = position(&rules, BERSERK, Side::Defender, Some("d7"));
    let diagram = Diagram::new(&rules, &chain)
        .with_last_move(mv("d5-d7"))
        .with_captured(squares("d6"));
    let expected = "    \
    ╭─────────────────────────────────╮
 11 │ ╳  ·  ·  ·  ·  ·  ·  ·  ·  ·  ╳ │
 10 │ ·  ·  ·  ·  ·  ◆  ·  ·  ·  ·  · │
  9 │ ·  ·  ·  ·  ·  ▲  ·  ·  ·  ·  · │
  8 │ ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  · │
  7 │ ·  ·  · {♞} ·  ·  ·  ○  ·  ·  · │
  6 │ ·  ·  ·  ×  ·  ╬  ·  ·  ·  ·  · │
  5 │ ◆  ·  · [·] ♚  ·  ·  ·  ·  ·  · │
  4 │ ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ▲ │
  3 │ ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  · │
  2 │ ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  · │
  1 │ ╳  ·  ·  ·  ◆  ◆  ·  ·  ·  ·  ╳ │
    ╰─────────────────────────────────╯
      a  b  c  d  e  f  g  h  i  j  k\n";
    assert_eq!(diagram.unicode(DiagramColor::Off), expected);
    let legend = "◆ attacker   ▲ commander   ○ defender   ♞ knight   ♚ king";
    assert_eq!(diagram.legend(), legend);
}

#[test]
fn corners_are_ordinary_where_the_king_escapes_to_the_edge() {
    let rules = rules("tablut");
    let diagram = Diagram::new(&rules, &rules.start());
    assert!(!diagram.ascii().contains('x'));
    assert!(!diagram.unicode(DiagramColor::Off).contains('╳'));
    assert_eq!(
        diagram.legend(),
        "◆ attacker   ○ defender   ♚ king",
        "nobody has a rank"
    );
}

#[test]
fn color_says_nothing_that_the_characters_do_not_say() {
    for ruleset in all_rulesets() {
        let rules = Rules::new(ruleset).expect("playable");
        let diagram = Diagram::new(&rules, &rules.start()).with_last_move(mv("a1-a4"));
        let colored = diagram.unicode(DiagramColor::Ansi);
        let plain = diagram.unicode(DiagramColor::Off);
        assert_eq!(without_color(&colored), plain);
        let escapes = colored.matches("\x1b[0m").count();
        assert_eq!(escapes, rules.shape().squares(), "each square ends its own");
    }
}

#[test]
fn all_lines_of_a_unicode_board_are_equally_wide() {
    for ruleset in all_rulesets() {
        let rules = Rules::new(ruleset).expect("playable");
        let text = Diagram::new(&rules, &rules.start()).unicode(DiagramColor::Off);
        let size = usize::from(rules.shape().size());
        let widths = text.lines().map(|line| line.chars().count());
        let widths: Vec<usize> = widths.collect();
        let (files, board) = widths.split_last().expect("lines");
        assert!(board.iter().all(|width| *width == 3 * size + 6), "{text}");
        assert_eq!(*files, 3 * size + 4);
    }
}

/// Returns the elements of an SVG with one tag.
fn elements<'a>(document: &'a Document<'_>, tag: &str) -> Vec<Node<'a, 'a>> {
    let all = document.descendants();
    all.filter(|node| node.tag_name().name() == tag).collect()
}

#[test]
fn an_svg_is_xml_that_says_what_it_shows() {
    for ruleset in all_rulesets() {
        let rules = Rules::new(ruleset).expect("playable");
        let svg = Diagram::new(&rules, &rules.start()).svg();
        let document = Document::parse(&svg).expect("valid XML");
        let root = document.root_element();
        assert_eq!(
            root.tag_name().namespace(),
            Some("http://www.w3.org/2000/svg")
        );
        assert_eq!(root.attribute("role"), Some("img"));
        let side = 40 * i32::from(rules.shape().size()) + 52;
        let view = format!("0 0 {side} {side}");
        assert_eq!(root.attribute("viewBox"), Some(view.as_str()));
        let name = &rules.ruleset().name;
        assert_eq!(
            elements(&document, "title")[0].text(),
            Some(format!("Start position of {name}, attackers to move").as_str())
        );
        let description = elements(&document, "desc")[0].text().expect("a text");
        let text = rules.ruleset().start.to_text(RankOrder::HighestFirst);
        assert!(description.contains(&text), "{description}");
        assert!(svg.len() < 6000, "{name}: {} bytes", svg.len());
    }
}

#[test]
fn an_svg_has_every_piece_of_the_board_in_its_place() {
    for ruleset in all_rulesets() {
        let rules = Rules::new(ruleset).expect("playable");
        let start = rules.start();
        let svg = Diagram::new(&rules, &start).svg();
        let document = Document::parse(&svg).expect("valid XML");
        let uses = elements(&document, "use");
        assert_eq!(uses.len(), start.occupied().count() as usize);
        for drawn in uses {
            let at = |name| -> u8 {
                let text = drawn.attribute(name).expect("a coordinate");
                ((text.parse::<u16>().expect("a number") - 46) / 40) as u8
            };
            let square = Square::new(at("x"), rules.shape().size() - 1 - at("y"));
            let kind = match start.piece_at(square).expect("a piece") {
                Piece::Attacker => "#tafl-attacker",
                Piece::Commander => "#tafl-commander",
                Piece::Defender => "#tafl-defender",
                Piece::Knight => "#tafl-knight",
                Piece::King => "#tafl-king",
            };
            assert_eq!(drawn.attribute("href"), Some(kind), "{square}");
            let defined = |node: &Node<'_, '_>| node.attribute("id") == kind.strip_prefix('#');
            assert!(document.descendants().any(|node| defined(&node)), "{kind}");
        }
    }
}

#[test]
fn an_svg_describes_everything_that_is_pointed_out() {
    let rules = rules("berserk-2024");
    let chain = position(&rules, BERSERK, Side::Defender, Some("d7"));
    let plain = Diagram::new(&rules, &chain);
    let full = plain
        .clone()
        .with_last_move(mv("d5-d7"))
        .with_captured(squares("d6"));
    let svg = full.svg();
    let document = Document::parse(&svg).expect("valid XML");
    assert_eq!(
        elements(&document, "title")[0].text(),
        Some("berserk-2024, defenders to move")
    );
    assert_eq!(
        elements(&document, "desc")[0].text(),
        Some(
            "6 attackers, 2 defenders, king on e5; ranks from the highest: \
             11/5t5/5c5/11/3N3T3/11/t3K6/10c/11/11/4tt5. Last move d5-d7. \
             The piece on d7 may go on capturing. Captured: d6."
        )
    );
    assert_eq!(svg, full.svg(), "the same drawing is the same bytes");
    assert!(svg.len() > plain.svg().len());
}

#[test]
fn what_cannot_be_pointed_out_is_left_out() {
    let rules = rules("brandubh");
    let start = rules.start();
    let plain = Diagram::new(&rules, &start);
    let same = plain.clone().with_captured(squares("d4 k11"));
    assert_eq!(same.svg(), plain.svg());
    assert_eq!(
        same.unicode(DiagramColor::Ansi),
        plain.unicode(DiagramColor::Ansi)
    );
}
