//! How boards are drawn on standard output.

use std::io::IsTerminal;
use tafl_rules::{Diagram, DiagramColor};

/// In which characters boards are drawn: pieces and a frame, or letters for pipes, files and plain terminals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Style(Option<DiagramColor>);

impl Style {
    /// Returns the style for standard output: pieces for a terminal whose locale is UTF-8, in color unless its user has
    /// set `NO_COLOR`; letters for everything else.
    pub(crate) fn of_stdout() -> Self {
        Self::choose(std::io::stdout().is_terminal(), |name| {
            std::env::var_os(name).map(|value| value.to_string_lossy().into_owned())
        })
    }

    fn choose(is_terminal: bool, variable: impl Fn(&str) -> Option<String>) -> Self {
        let given = |name| variable(name).filter(|value| !value.is_empty());
        let is_plain = given("TERM").is_none_or(|terminal| terminal == "dumb");
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(given);
        let locale = locale.unwrap_or_default().to_ascii_lowercase();
        let is_utf8 = locale.contains("utf-8") || locale.contains("utf8");
        let color = match given("NO_COLOR") {
            Some(_) => DiagramColor::Off,
            None => DiagramColor::Ansi,
        };
        Self((is_terminal && !is_plain && is_utf8).then_some(color))
    }

    /// Returns the drawing, which ends its last line.
    pub(crate) fn draw(self, diagram: &Diagram<'_>) -> String {
        self.0
            .map_or_else(|| diagram.ascii(), |color| diagram.unicode(color))
    }

    /// Returns a line that names the pieces, where letters do not say it.
    pub(crate) fn legend(self, diagram: &Diagram<'_>) -> Option<String> {
        self.0.map(|_| diagram.legend())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLORED: Style = Style(Some(DiagramColor::Ansi));

    fn style(variables: &[(&str, &str)]) -> Style {
        Style::choose(true, |name| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn a_terminal_with_a_utf8_locale_gets_unicode_in_color() {
        assert_eq!(
            style(&[("TERM", "xterm"), ("LANG", "de_DE.UTF-8")]),
            COLORED
        );
        assert_eq!(style(&[("TERM", "linux"), ("LC_CTYPE", "C.utf8")]), COLORED);
    }

    #[test]
    fn no_color_leaves_the_characters() {
        let plain = [("TERM", "xterm"), ("LANG", "C.UTF-8"), ("NO_COLOR", "1")];
        assert_eq!(style(&plain), Style(Some(DiagramColor::Off)));
        let empty = [("TERM", "xterm"), ("LANG", "C.UTF-8"), ("NO_COLOR", "")];
        assert_eq!(style(&empty), COLORED);
    }

    #[test]
    fn pipes_plain_terminals_and_other_locales_get_ascii() {
        let piped = Style::choose(false, |_| Some("utf-8".to_owned()));
        assert_eq!(piped, Style(None));
        let dumb = [("TERM", "dumb"), ("LANG", "C.UTF-8")];
        assert_eq!(style(&dumb), Style(None));
        assert_eq!(style(&[("LANG", "C.UTF-8")]), Style(None));
        assert_eq!(style(&[("TERM", "xterm")]), Style(None));
        let overruled = [("TERM", "xterm"), ("LC_ALL", "C"), ("LANG", "C.UTF-8")];
        assert_eq!(style(&overruled), Style(None));
    }
}
