//! The name that a misspelled one was meant to be.

/// Returns the name that is most like `typed`, if any is like it at all.
#[must_use]
pub fn nearest<'a>(typed: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let rated = names
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(typed, name), name));
    let (edits, name) = rated.min_by_key(|(edits, _)| *edits)?;
    let most = (typed.chars().count().max(name.chars().count()) / 3).max(1);
    (edits <= most).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_found_by_a_few_wrong_letters_and_no_more() {
        let names = ["reuse", "generations", "batch_size"];
        let cases = [
            ("reuses", Some("reuse")),
            ("batchsize", Some("batch_size")),
            ("genreations", Some("generations")),
            ("visits", None),
            ("", None),
        ];
        for (typed, meant) in cases {
            assert_eq!(nearest(typed, names), meant, "{typed}");
        }
        assert_eq!(nearest("x", []), None);
    }
}
