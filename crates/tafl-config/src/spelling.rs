//! The name that a misspelled one was meant to be.

use crate::path::{join, split};
use crate::words::{Meant, plain};

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

/// Returns the fields that a path names in another spelling, or as if they were in another section.
pub fn spelled<'a>(typed: &str, paths: &[&'a str]) -> Option<Meant<'a>> {
    let plainly = |path: &str| path.split('.').map(plain).collect::<Vec<_>>();
    let mut same = paths.to_vec();
    same.retain(|path| plainly(path) == plainly(typed));
    match same[..] {
        [] => elsewhere(typed, split(typed).1, paths),
        _ => Some(Meant::Fields(same)),
    }
}

/// Returns the fields that a path names with a slip: in its section, or else in others.
pub fn similar<'a>(typed: &str, paths: &[&'a str]) -> Option<Meant<'a>> {
    let (section, name) = split(typed);
    let own = paths.iter().filter(|path| split(path).0 == section);
    let near = nearest(name, own.map(|path| split(path).1));
    if let Some(near) = near.map(|near| join(section, near)) {
        let found = paths.iter().find(|path| **path == near)?;
        return Some(Meant::Fields(vec![*found]));
    }
    let names = paths.iter().map(|path| split(path).1);
    let same = names.clone().find(|other| plain(other) == plain(name));
    elsewhere(typed, same.or_else(|| nearest(name, names))?, paths)
}

/// Returns the fields of a name: where some are in a section like the typed one, those.
fn elsewhere<'a>(typed: &str, name: &str, paths: &[&'a str]) -> Option<Meant<'a>> {
    let is_within = |path: &str, other: &str| {
        let rest = other.strip_prefix(path);
        rest.is_some_and(|rest| rest.starts_with(['.', '[']))
    };
    let is_section = |path: &str| paths.iter().any(|other| is_within(path, other));
    let mut found = paths.to_vec();
    found.retain(|path| split(path).1 == name && !is_section(path));
    let mut near = found.clone();
    near.retain(|path| is_near(split(typed).0, split(path).0));
    let found = if near.is_empty() { found } else { near };
    (!found.is_empty()).then_some(Meant::Fields(found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_found_by_case_by_a_slip_and_where_its_section_is_another() {
        let paths = [
            "precision",
            "loop",
            "loop.games",
            "search",
            "search.visits",
            "arena.visits",
        ];
        let cases = [
            ("LOOP.GAMES", Some("loop.games")),
            ("loop.gams", Some("loop.games")),
            ("gams", Some("loop.games")),
            ("search.precision", Some("precision")),
            ("search.precison", Some("precision")),
            ("serach.visits", Some("search.visits")),
            ("serach", Some("search")),
            ("visit", Some("search.visits` or `arena.visits")),
            ("gamma", None),
        ];
        for (typed, expected) in cases {
            let meant = spelled(typed, &paths).or_else(|| similar(typed, &paths));
            let advice = meant.map(|meant| meant.advice());
            let expected = expected.map(|path| format!("did you mean `{path}`?"));
            assert_eq!(advice, expected, "{typed}");
        }
    }

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
