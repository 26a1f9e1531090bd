//! Analyses as text.

use crate::text::table;
use tafl_play::{
    AnalysisSetting, AnalyzedLine, AnalyzedPly, CertainResult, GameAnalysis, PositionAnalysis,
};

/// Returns a position and its best moves as text.
pub(crate) fn position_text(analysis: &PositionAnalysis) -> String {
    let (side, chances) = (analysis.side_to_move, analysis.chances_of_side_to_move);
    let AnalysisSetting {
        ruleset,
        checkpoint,
        ..
    } = &analysis.setting;
    let certain = analysis.certain.map_or_else(String::new, |certain| {
        let plies = match certain.plies {
            1 => "1 ply".to_owned(),
            plies => format!("{plies} plies"),
        };
        format!("certain: {} in {plies}\n", result(certain))
    });
    let row = |line: &AnalyzedLine| {
        vec![
            line.certain
                .map_or_else(|| signed(line.value_attackers), result_mark),
            line.visits.to_string(),
            percent(line.prior),
            line.moves.join(" "),
        ]
    };
    let head = ">value | >visits | >prior | line";
    let table = table::of(head, analysis.lines.iter().map(row));
    format!(
        "{ruleset}, {side} to move; {} visits by {checkpoint}\n\
             value of the attackers {}; chances of the {side}: win {}, draw {}, loss {}\n{certain}\n{}\n\
             It would play the first line. Values are win minus loss of the attackers, -1 to 1; the prior is how\n\
             strongly the network preferred a move before the search.\n",
        analysis.visits_made,
        signed(analysis.value_attackers),
        percent(chances.win),
        percent(chances.draw),
        percent(chances.loss),
        table
    )
}

/// Returns a game, ply by ply, as text.
pub(crate) fn game_text(analysis: &GameAnalysis) -> String {
    let AnalysisSetting {
        ruleset,
        checkpoint,
        visits,
    } = &analysis.setting;
    let head = ">ply | side | move | >before | >after | >drop | best";
    let row = |row: &AnalyzedPly, length: usize| {
        let best: Vec<&str> = row.best.iter().take(length).map(String::as_str).collect();
        vec![
            row.ply.to_string(),
            row.side.to_string(),
            row.mv.clone(),
            signed(row.value_attackers),
            signed(row.value_attackers_after),
            signed(row.drop),
            best.join(" "),
        ]
    };
    let all = analysis.plies.iter().map(|ply| row(ply, 1));
    let worst = analysis
        .drops
        .iter()
        .map(|&ply| row(&analysis.plies[ply - 1], 5));
    let end = analysis.outcome.as_ref().map_or_else(
        || format!("value at the end {}", signed(analysis.last_value_attackers)),
        Clone::clone,
    );
    let mut text = format!(
        "{}\n{ruleset}; {visits} visits a ply by {checkpoint}. Values are those of the attackers, -1 to 1;\n\
             a drop is by how much a ply is worth less than the best one, for the side that played it.\n\n{}\n{end}\n",
        analysis.title,
        table::of(head, all)
    );
    if !analysis.drops.is_empty() {
        text += &format!("\nLargest drops\n\n{}", table::of(head, worst));
    }
    text
}

fn result(certain: CertainResult) -> String {
    match certain.result {
        "draw" => "draw".to_owned(),
        side => format!("{side} win"),
    }
}

/// Returns a short text for a value that is certain, such as `+1 in 3`.
fn result_mark(certain: CertainResult) -> String {
    let value = match certain.result {
        "attackers" => "+1",
        "defenders" => "-1",
        _ => "0",
    };
    format!("{value} in {}", certain.plies)
}

fn signed(value: f32) -> String {
    // Adding 0 makes +0 of -0.
    format!("{:+.2}", (100.0 * value).round() / 100.0 + 0.0)
}

fn percent(share: f32) -> String {
    format!("{:.1} %", 100.0 * share)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tafl_play::Analyst;
    use tafl_rules::{Game, Rules, Side};
    use tafl_search::{Evaluation, Evaluator, Leaf, MoverWdl, SearchConfig};

    /// Sees the attackers in front by so much when it is their turn, and nobody else.
    struct Leaning(f32);

    impl Evaluator for Leaning {
        fn evaluate(&mut self, leaves: &[Leaf<'_>], evaluations: &mut Vec<Evaluation>) {
            let of_leaf = |leaf: &Leaf<'_>| {
                let win = match leaf.game.position().side() {
                    Side::Attacker => self.0,
                    Side::Defender => 0.0,
                };
                let wdl = MoverWdl {
                    win,
                    draw: 1.0 - win,
                    loss: 0.0,
                };
                Evaluation {
                    logits: vec![0.0; leaf.moves.len()],
                    wdl,
                    moves_left: 50.0,
                }
            };
            *evaluations = leaves.iter().map(of_leaf).collect();
        }
    }

    #[test]
    fn values_that_lean_to_the_side_to_move_are_noted() {
        let rules = Rules::preset("brandubh").expect("a preset");
        let turns = "d6-e6 d5-e5 e6-f6 e5-f5 f6-e6 f5-e5 e6-d6 e5-d5 d6-c6 d5-c5 c6-b6 c5-b5";
        let turns = turns.split(' ');
        let moves: Vec<_> = turns.map(|turn| turn.parse().expect("a move")).collect();
        let text = |lean: f32| {
            let mut analyst = Analyst {
                evaluator: Box::new(Leaning(lean)),
                search: SearchConfig {
                    visits: 2,
                    ..SearchConfig::default()
                },
                seed: 1,
                setting: AnalysisSetting {
                    ruleset: "brandubh".to_owned(),
                    checkpoint: "leaning".to_owned(),
                    visits: 2,
                },
            };
            let game = (String::new(), &moves[..]);
            let analysis = analyst.game(Game::new(rules.clone()), game, 0, &|_| ());
            game_text(&analysis.expect("legal moves"))
        };
        let words = "this network leans to a side";
        assert!(!text(0.15).contains(words));
        let noted = text(0.6);
        assert!(noted.contains(words), "{noted}");
        // The mean of the root and of two moves of the other side.
        assert!(noted.contains("plies the values are -0.20 away"), "{noted}");
    }
}
