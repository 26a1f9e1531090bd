//! The values of a game as a drawing.

use super::report::{GameReport, PlyRow};
use std::fmt::Write;
use tafl_rules::Side;

/// The drawing, in its own units.
const WIDTH: f32 = 800.0;
const HEIGHT: f32 = 320.0;
/// The field of the curve within it: left, top, right, bottom.
const FIELD: [f32; 4] = [56.0, 44.0, 784.0, 276.0];

/// Returns the curve of the attackers' value over the plies, with a mark where it fell most.
pub(super) fn svg(report: &GameReport) -> String {
    let [left, _, right, bottom] = FIELD;
    let title = escaped(&report.title);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" \
         font-size=\"12\" role=\"img\">\n<title>{title}</title>\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#ffffff\"/>\n\
         <text x=\"{left}\" y=\"20\" font-size=\"14\" fill=\"#222222\">{title}</text>\n\
         <text x=\"{left}\" y=\"36\" fill=\"#666666\">value of the attackers by ply</text>\n"
    );
    for (value, label) in [(1.0, "+1"), (0.5, ""), (0.0, "0"), (-0.5, ""), (-1.0, "-1")] {
        let y = height(value);
        // Writing to a text cannot fail, here and below.
        let _ = writeln!(
            svg,
            "<path d=\"M{left} {y:.1}H{right}\" stroke=\"{}\"/>\
             <text x=\"{:.0}\" y=\"{:.1}\" text-anchor=\"end\" fill=\"#444444\">{label}</text>",
            if value == 0.0 { "#888888" } else { "#e2e2e2" },
            left - 8.0,
            y + 4.0
        );
    }
    let count = report.plies.len();
    for ply in (0..=count).step_by(step(count)) {
        let x = along(ply, count);
        let _ = writeln!(
            svg,
            "<path d=\"M{x:.1} {bottom}v5\" stroke=\"#888888\"/>\
             <text x=\"{x:.1}\" y=\"{:.0}\" text-anchor=\"middle\" fill=\"#444444\">{ply}</text>",
            bottom + 19.0
        );
    }
    let values = report.plies.iter().map(|row| row.value_attackers);
    let values = values.chain([report.last_value_attackers]);
    let points: Vec<String> = values
        .enumerate()
        .map(|(ply, value)| format!("{:.1} {:.1}", along(ply, count), height(value)))
        .collect();
    let _ = writeln!(
        svg,
        "<path d=\"M{}\" fill=\"none\" stroke=\"#1f5fa8\" stroke-width=\"2\" stroke-linejoin=\"round\"/>",
        points.join("L")
    );
    for &ply in &report.falls {
        svg += &mark(&report.plies[ply - 1], count);
    }
    let _ = writeln!(
        svg,
        "<text x=\"{right}\" y=\"36\" text-anchor=\"end\" fill=\"#666666\">\
         marks: falls by the attackers (dark) and by the defenders (light)</text>\n</svg>"
    );
    svg
}

/// Returns the mark of a ply at which the value fell, with what was played.
fn mark(row: &PlyRow, count: usize) -> String {
    let (x, y) = (along(row.ply, count), height(row.value_attackers_after));
    let fill = match row.side {
        Side::Attacker => "#2b2a33",
        Side::Defender => "#fffaf0",
    };
    // Near the right edge the words stand to the left of the mark.
    let (shift, anchor) = if x > WIDTH - 120.0 {
        (-8.0, "end")
    } else {
        (8.0, "start")
    };
    let move_text = escaped(&row.mv);
    format!(
        "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"5\" fill=\"{fill}\" stroke=\"#b3261e\" stroke-width=\"2\">\
         <title>ply {}: {move_text} of the {}, fall {:.2}</title></circle>\
         <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\" fill=\"#b3261e\">{}. {move_text}</text>\n",
        row.ply,
        row.side,
        row.fall,
        x + shift,
        y - 6.0,
        row.ply
    )
}

/// Returns how many plies lie between two numbers below the curve: about ten of them are written.
fn step(count: usize) -> usize {
    [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]
        .into_iter()
        .find(|step| count / step <= 12)
        .unwrap_or(count)
}

fn along(ply: usize, count: usize) -> f32 {
    let [left, _, right, _] = FIELD;
    left + (right - left) * ply as f32 / count.max(1) as f32
}

fn height(value: f32) -> f32 {
    let [_, top, _, bottom] = FIELD;
    top + (bottom - top) * (1.0 - value.clamp(-1.0, 1.0)) / 2.0
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_lie_between_the_edges_and_plies_from_left_to_right() {
        let [left, top, right, bottom] = FIELD;
        assert_eq!(
            [height(1.0), height(0.0), height(-1.0)],
            [top, (top + bottom) / 2.0, bottom]
        );
        assert_eq!(
            [along(0, 40), along(40, 40), along(0, 0)],
            [left, right, left]
        );
        assert_eq!([step(0), step(12), step(30), step(400)], [1, 1, 5, 50]);
        assert_eq!(escaped("a < b & c"), "a &lt; b &amp; c");
    }
}
