//! Names of other programs, and what they are here.

/// What a name of another program means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meant {
    /// These fields, by their paths.
    Fields(&'static [&'static str]),
    /// No field, for a reason.
    Nothing(&'static str),
}

/// Returns what a name that is no field means, if the words know it.
///
/// Case, `-` for `_`, an ending `s`, and `num_` or `n_` before it make no difference.
#[must_use]
pub fn meant(words: &[(&[&str], Meant)], typed: &str) -> Option<Meant> {
    let typed = plain(typed);
    let is_it = |names: &[&str]| names.iter().any(|name| plain(name) == typed);
    let named = words.iter().find(|(names, _)| is_it(names));
    named.map(|(_, meant)| *meant)
}

fn plain(name: &str) -> String {
    let name = name.to_lowercase().replace('-', "_");
    let begins = ["num_", "n_", "number_of_"].iter();
    let name = begins.fold(&*name, |name, begin| {
        name.strip_prefix(begin).unwrap_or(name)
    });
    name.strip_suffix('s').unwrap_or(name).to_owned()
}

impl Meant {
    /// Returns it as what an error adds.
    #[must_use]
    pub fn advice(self) -> String {
        match self {
            Self::Fields(paths) => format!("did you mean `{}`?", paths.join("` or `")),
            Self::Nothing(reason) => reason.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_known_however_it_is_written() {
        let words: [(&[&str], Meant); 2] = [
            (
                &["simulations"],
                Meant::Fields(&["search.visits", "arena.visits"]),
            ),
            (&["momentum"], Meant::Nothing("it is a constant")),
        ];
        for name in [
            "simulations",
            "Simulation",
            "num_simulations",
            "n-simulations",
        ] {
            let found = meant(&words, name).map(Meant::advice);
            let expected = "did you mean `search.visits` or `arena.visits`?";
            assert_eq!(found.as_deref(), Some(expected), "{name}");
        }
        assert_eq!(
            meant(&words, "momentum").map(Meant::advice).as_deref(),
            Some("it is a constant")
        );
        assert_eq!(meant(&words, "simulate"), None);
    }
}
