//! The name that a misspelled one was meant to be.

/// Returns the name that is most like `typed`, if any is like it at all.
pub fn nearest<'a>(typed: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let rated = names
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(typed, name), name));
    let (_, name) = rated.min_by_key(|(edits, _)| *edits)?;
    is_near(typed, name).then_some(name)
}

/// Returns whether a third of the letters differ at most, and, of names with as many parts, a half in each part: another
/// word is no slip.
fn is_near(typed: &str, name: &str) -> bool {
    let differ_in = |one: &str, other: &str, share: usize| {
        let letters = one.chars().count().max(other.chars().count());
        strsim::damerau_levenshtein(one, other) <= (letters / share).max(1)
    };
    let [own, others] = [typed, name].map(|it| it.split('_').count());
    let mut parts = typed.split('_').zip(name.split('_'));
    differ_in(typed, name, 3)
        && (own != others || parts.all(|(one, other)| differ_in(one, other, 2)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_found_by_a_few_wrong_letters_and_no_more() {
        let names = ["reuse", "generations", "batch_size", "throne_hostile"];
        let cases = [
            ("reuses", Some("reuse")),
            ("batchsize", Some("batch_size")),
            ("genreations", Some("generations")),
            ("visits", None),
            ("thrown_hostil", Some("throne_hostile")),
            ("corner_hostile", None),
            ("", None),
        ];
        for (typed, meant) in cases {
            assert_eq!(nearest(typed, names), meant, "{typed}");
        }
        assert_eq!(nearest("x", []), None);
    }
}
