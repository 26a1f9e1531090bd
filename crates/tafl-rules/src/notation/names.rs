//! Names of rulesets and other games in words.

/// Returns the words of a name, in lower case; `after` is none, as in `Brandubh after Walker`.
pub(super) fn words_of(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let words = lower.split(|letter: char| !letter.is_alphanumeric() && letter != '×');
    let words = words.filter(|word| !word.is_empty() && *word != "after");
    words.map(str::to_owned).collect()
}

/// Returns the squares along a side of a board such as `9x9`.
pub(super) fn size_of(word: &str) -> Option<u8> {
    let (files, ranks) = word.split_once(['x', '×'])?;
    (files == ranks).then(|| files.parse().ok()).flatten()
}

/// Names of games without a ruleset of their own here, or with several.
const OTHERS: [&str; 6] = [
    "alea",
    "berserk",
    "evangelii",
    "linnaean",
    "linnaeus",
    "saami",
];

/// Returns the presets, the other games and the boards that a text mentions, as it spells them.
pub(super) fn names_in(text: &str) -> Vec<String> {
    let is_name = |word: &String| {
        let single = crate::known_names().filter(|name| !name.contains('-'));
        size_of(word).is_some() || single.chain(OTHERS).any(|name| is_near(word, name))
    };
    let mut names = words_of(text);
    names.retain(is_name);
    let all = format!("-{}-", words_of(text).join("-"));
    let mentioned = crate::known_names().filter(|name| all.contains(&format!("-{name}-")));
    names.extend(mentioned.map(str::to_owned));
    names
}

/// Shorter names are other words as soon as a letter differs.
const LEAST_LETTERS: usize = 6;

/// Returns whether a word is a name but for a letter more, less or other, or two that changed their places.
pub(super) fn is_near(word: &str, name: &str) -> bool {
    let slips = usize::from(word.len().min(name.len()) >= LEAST_LETTERS);
    strsim::damerau_levenshtein(word, name) <= slips
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_known_with_one_slip() {
        for word in [
            "fetlar",
            "fetler",
            "kopenhagen",
            "tabult",
            "brandub",
            "berserkk",
        ] {
            assert_eq!(names_in(word).first().map(String::as_str), Some(word));
        }
        for word in ["tables", "skald", "sami", "fetter", "brandon", "hans"] {
            assert!(names_in(word).is_empty(), "{word}");
        }
    }
}
