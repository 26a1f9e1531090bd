//! Names of other programs, and what they are here.

/// What a name that is no field means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Meant<'a> {
    /// These fields, by their paths.
    Fields(Vec<&'a str>),
    /// No field, for a reason.
    Nothing(&'static str),
}

/// Returns what a name that is no field means, if the words know it.
///
/// A line of words is `names = fields` or `names: reason`, with blanks between names and between fields. Case, `-` for `_`, an
/// ending `s`, and `num_` or `n_` before a name make no difference.
pub fn meant(words: &'static str, typed: &str) -> Option<Meant<'static>> {
    let typed = plain(typed);
    let is_it = |names: &str| names.split(' ').any(|name| plain(name) == typed);
    words.lines().find_map(|line| match line.split_once(" = ") {
        Some((names, fields)) => is_it(names).then(|| Meant::Fields(fields.split(' ').collect())),
        None => {
            let (names, reason) = line.split_once(": ")?;
            is_it(names).then_some(Meant::Nothing(reason))
        }
    })
}

/// Returns a name without what makes no difference.
pub(crate) fn plain(name: &str) -> String {
    let name = name.to_lowercase().replace('-', "_");
    let begins = ["num_", "n_", "number_of_"].iter();
    let name = begins.fold(&*name, |name, begin| {
        name.strip_prefix(begin).unwrap_or(name)
    });
    name.strip_suffix('s').unwrap_or(name).to_owned()
}

impl Meant<'_> {
    /// Returns it as what an error adds.
    pub fn advice(&self) -> String {
        match self {
            Self::Fields(paths) => format!("did you mean `{}`?", paths.join("` or `")),
            Self::Nothing(reason) => (*reason).to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_known_however_it_is_written() {
        let words = "simulations sims = search.visits arena.visits\nmomentum: it is a constant\n";
        let advice = |name| meant(words, name).map(|it| it.advice());
        for name in ["simulations", "Simulation", "num_simulations", "n-sims"] {
            let expected = "did you mean `search.visits` or `arena.visits`?";
            assert_eq!(advice(name).as_deref(), Some(expected), "{name}");
        }
        assert_eq!(advice("momentum").as_deref(), Some("it is a constant"));
        assert_eq!(advice("simulate"), None);
    }
}
