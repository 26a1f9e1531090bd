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
             It would play the first line; the others are by visits, certain losses last. Values are win minus\n\
             loss of the attackers, -1 to 1; the prior is how strongly the network preferred a move before the\n\
             search.\n",
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
        ..
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
