//! Tables for people: text in columns.

use tafl_arena::rounded;

/// How a column is aligned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    /// Text.
    Left,
    /// Numbers.
    Right,
}

/// Returns rows below a head such as `player | >Elo`: the names of the columns, those of numbers behind a `>`. Columns
/// without a text in any row are left out.
pub(crate) fn of(head: &'static str, rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let column = |name: &'static str| match name.trim().strip_prefix('>') {
        Some(name) => (name, Align::Right),
        None => (name.trim(), Align::Left),
    };
    let mut head: Vec<(&str, Align)> = head.split('|').map(column).collect();
    let mut rows: Vec<Vec<String>> = rows.into_iter().collect();
    for place in (0..head.len()).rev() {
        if !rows.is_empty() && rows.iter().all(|row| row[place].is_empty()) {
            head.remove(place);
            rows.iter_mut().for_each(|row| drop(row.remove(place)));
        }
    }
    format(&head, &rows)
}

/// Returns a whole number with its sign, and 0 as +0.
pub(crate) fn signed(number: f64) -> String {
    format!("{:+.0}", rounded(number, 0))
}

/// Returns a share in whole per cent; what there is of it is not 0.
pub(crate) fn whole_percent(share: f64) -> String {
    let percent = rounded(100.0 * share, 0);
    if percent == 0.0 && share > 0.0 {
        return "<1".to_owned();
    }
    format!("{percent:.0}")
}

/// Returns rows in aligned columns, two spaces apart, the head underlined; without spaces at line ends.
pub(crate) fn format(head: &[(&str, Align)], rows: &[Vec<String>]) -> String {
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells
            .chain([head[column].0.chars().count()])
            .max()
            .unwrap_or(0)
    };
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let line = |cells: Vec<&str>| {
        let aligned = (0..head.len()).map(|column| {
            let (cell, width) = (cells[column], widths[column]);
            match head[column].1 {
                Align::Left => format!("{cell:<width$}"),
                Align::Right => format!("{cell:>width$}"),
            }
        });
        aligned.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
    };
    let rules: Vec<String> = widths.iter().map(|&width| "-".repeat(width)).collect();
    let mut lines = vec![head.iter().map(|(name, _)| *name).collect()];
    lines.push(rules.iter().map(String::as_str).collect());
    lines.extend(
        rows.iter()
            .map(|row| row.iter().map(String::as_str).collect()),
    );
    lines.into_iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_of_many_are_not_none() {
        let texts = [0.0, 0.0003, 0.005, 0.53, 1.0].map(whole_percent);
        assert_eq!(texts, ["0", "<1", "1", "53", "100"]);
    }

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let rows = [
            vec!["checkpoint 8".to_owned(), "+412 ± 80".to_owned()],
            vec!["random".to_owned(), "-90".to_owned()],
        ];
        let text = of("player | >Elo", rows);
        assert_eq!(
            text,
            "player              Elo\n------------  ---------\ncheckpoint 8  +412 ± 80\nrandom              -90\n"
        );
    }
}
