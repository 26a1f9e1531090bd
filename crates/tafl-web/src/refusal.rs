//! Why the reader cannot move so, in the words of `tafl play`.

use crate::EngineError;
use crate::reasons::in_words;
use crate::ruleset::of_page;
use tafl_rules::{Direction, Game, IllegalMove, Move, Square};

/// Returns why a move is not legal, or, without a target, why a piece cannot be moved; nothing where there is no reason.
pub(crate) fn refusal(
    game: &Game,
    from: &str,
    to: Option<&str>,
) -> Result<Option<String>, EngineError> {
    let square = |text: &str| text.parse::<Square>().map_err(EngineError::about(text));
    let (from, to) = (square(from)?, to.map(square).transpose()?);
    let Some(to) = to else {
        return Ok(of_piece(game, from));
    };
    let Some(mv) = Move::new(from, to) else {
        return Ok(Some(format!("{from}-{to} is not in a straight line.")));
    };
    Ok(against(game, mv).map(|why| format!("{mv} is not legal: {why}.")))
}

/// Returns why a piece cannot be moved at all.
fn of_piece(game: &Game, from: Square) -> Option<String> {
    let shape = game.rules().shape();
    let legal = game.legal();
    if legal.iter().any(|mv| !mv.is_end() && mv.from() == from) {
        return None;
    }
    let is_own = game
        .position()
        .pieces(game.position().side())
        .contains(from);
    if is_own && game.position().chain().is_none() {
        return Some(format!("The piece on {from} cannot move."));
    }
    let beside = Direction::ALL
        .into_iter()
        .find_map(|it| it.step(from, shape))?;
    let why = against(game, Move::new(from, beside)?)?;
    let mut letters = why.chars();
    let first = letters.next()?.to_uppercase();
    Some(format!("{first}{}.", letters.as_str()))
}

fn against(game: &Game, mv: Move) -> Option<String> {
    match game.clone().play(mv) {
        Ok(_) => None,
        Err(IllegalMove::NotLegal(_, _, why)) => Some(of_page(&why.to_string())),
        Err(IllegalMove::GameOver(_, outcome)) => {
            Some(format!("the game is over: {}", in_words(outcome)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tafl_rules::{Chain, RankOrder, Rules, Ruleset, Setup, Side};

    #[test]
    fn the_words_are_those_of_the_terminal() {
        let game = Game::new(Rules::preset("brandubh").expect("a preset"));
        let said = |from, to| refusal(&game, from, to).expect("squares");
        let expected = [
            (
                ("d7", Some("a7")),
                "d7-a7 is not legal: only the king may stop on a7.",
            ),
            (("d7", Some("e5")), "d7-e5 is not in a straight line."),
            (("d6", Some("d5")), "d6-d5 is not legal: d5 is not free."),
            (("d7", Some("d3")), "d7-d3 is not legal: d3 is not free."),
            (("d5", None), "The piece on d5 is the other side's."),
        ];
        for ((from, to), words) in expected {
            assert_eq!(said(from, to).as_deref(), Some(words));
        }
        assert_eq!(said("d6", None), None, "it can move");
        assert!(refusal(&game, "z9", None).is_err());
    }

    #[test]
    fn a_chain_ends_by_the_button_of_the_page() {
        let ruleset = Ruleset {
            chain: Chain::Optional,
            ..tafl_rules::preset("brandubh").expect("a preset")
        };
        let rules = Rules::new(ruleset).expect("rules");
        let ranks = "7/2Tt3/7/t4tT/7/1K2T2/7";
        let setup = Setup::from_text(ranks, RankOrder::HighestFirst).expect("a board");
        let mut game = Game::from_setup(rules, &setup.with_side(Side::Defender)).expect("playable");
        game.play("e2-e6".parse().expect("a move")).expect("legal");
        let said = refusal(&game, "c6", Some("c5")).expect("squares");
        let words =
            "c6-c5 is not legal: the piece on e6 goes on, or the button “End turn” ends its chain.";
        assert_eq!(said.as_deref(), Some(words));
    }
}
