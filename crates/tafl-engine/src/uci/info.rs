//! Lines of `info`.

use crate::write_ply;
use tafl_rules::{Game, Side};
use tafl_search::{MoverWdl, PrincipalLine, Proof, SearchReport};

/// Returns one line for each line of play; numbered if there may be many.
pub(super) fn lines(search_report: &SearchReport, many: bool) -> String {
    let lines = (1..).zip(&search_report.lines);
    let lines = lines.map(|(number, line)| one(search_report, line, many.then_some(number)));
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns the answer; with a game, also the reply that is expected, but within a chain, where the same side goes on.
pub(super) fn best(search_report: &SearchReport, game: Option<&Game>) -> String {
    let best = search_report.best();
    let reply = game.and_then(|game| {
        let mut next = game.clone();
        next.play(best).ok()?;
        let is_handed_over = next.position().side() != search_report.side;
        search_report.lines[0]
            .moves
            .get(1)
            .filter(|_| is_handed_over)
    });
    let reply = reply.map_or_else(String::new, |&mv| format!(" ponder {}", write_ply(mv)));
    format!("bestmove {}{reply}", write_ply(best))
}

fn one(search_report: &SearchReport, line: &PrincipalLine, number: Option<usize>) -> String {
    let pv: Vec<String> = line.moves.iter().map(|&mv| write_ply(mv)).collect();
    let number = number.map_or_else(String::new, |number| format!(" multipv {number}"));
    let (value, visits) = (line.value, search_report.stats.visits);
    let permille = |share: f32| (1000.0 * share).round();
    let speed = search_report.visits_per_second();
    format!(
        "info depth {}{number} score {} winrate {:.1}% wdl {} {} {} nodes {visits} time {} nps {speed} speed {speed} pv {}",
        pv.len(),
        score(value, line.proven, search_report.side),
        100.0 * (value.win + value.draw / 2.0),
        permille(value.win),
        permille(value.draw),
        permille(value.loss),
        search_report.elapsed.as_millis(),
        pv.join(" "),
    )
}

/// Returns `cp N` or, where the result is certain, `mate N`: plies to the win, or below 0 to the loss.
///
/// The number of `cp` is 111.714640912 tan(1.5620688421 v) of win minus loss, as of Leela Chess Zero (its UCI
/// option `ScoreType`, "centipawn"), which `TaflZero` took over.
fn score(value: MoverWdl, proven: Option<Proof>, side: Side) -> String {
    match proven {
        Some(Proof {
            winner: Some(winner),
            plies,
        }) if winner == side => format!("mate {plies}"),
        Some(Proof {
            winner: Some(_),
            plies,
        }) => format!("mate -{plies}"),
        Some(_) => "cp 0".to_owned(),
        None => {
            let v = f64::from(value.value()).clamp(-1.0, 1.0);
            format!(
                "cp {:.0}",
                (111.714_640_912 * (1.562_068_842_1 * v).tan()).trunc() + 0.0
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(win: f32, loss: f32, proven: Option<(Option<Side>, u16)>) -> String {
        let draw = 1.0 - win - loss;
        let proof = |(winner, plies)| Proof { winner, plies };
        score(
            MoverWdl { win, draw, loss },
            proven.map(proof),
            Side::Defender,
        )
    }

    #[test]
    fn scores_are_those_of_the_formula() {
        assert_eq!(of(0.5, 0.5, None), "cp 0");
        // 111.714640912 * tan(1.5620688421 * 0.5) = 110.7
        assert_eq!(of(0.75, 0.25, None), "cp 110");
        assert_eq!(of(0.25, 0.75, None), "cp -110");
        assert_eq!(of(1.0, 0.0, None), "cp 12800");
    }

    #[test]
    fn certain_results_are_counted_in_plies() {
        assert_eq!(of(1.0, 0.0, Some((Some(Side::Defender), 3))), "mate 3");
        assert_eq!(of(0.0, 1.0, Some((Some(Side::Attacker), 2))), "mate -2");
        assert_eq!(of(0.0, 0.0, Some((None, 4))), "cp 0");
    }
}
