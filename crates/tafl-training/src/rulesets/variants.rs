//! Variants of a ruleset that differ from it in one field.

use super::word;
use crate::error::SourceError;
use anyhow::bail;
use std::path::Path;
use std::sync::Arc;
use tafl_arena::balance::FieldChange;
use tafl_config::{Change, Field, RulesetFile, ruleset_table};
use tafl_play::Repertoire;
use tafl_rules::{Rules, Ruleset};
use tafl_store::sha256_hex;
use toml::Value;

/// Fields that a variant cannot differ in.
const FIXED: [&str; 2] = ["name", "base"];

/// Characters of a ruleset's name.
const LONGEST_NAME: usize = 64;

/// A ruleset that differs from another in one field.
#[derive(Debug, Clone)]
pub struct RulesetVariant {
    /// Its rules; it is called after the other one, the field and the value.
    pub rules: Arc<Rules>,
    /// The difference.
    pub change: FieldChange,
}

/// Returns variants of a ruleset: for `FIELD=VALUE` the one with that value, for `FIELD` one for each other value.
///
/// # Errors
/// If there is no such field or value, or it is the ruleset's own.
pub fn variants(base: &Ruleset, wanted: &str) -> anyhow::Result<Vec<RulesetVariant>> {
    let (field, value) = match wanted.split_once('=') {
        Some((field, value)) => (field.trim(), Some(value)),
        None => (wanted.trim(), None),
    };
    let values = match value {
        Some(_) => vec![wanted.parse::<Change>()?.value],
        None => other_values(base, field)?,
    };
    let variant = |value| variant(base, field, value);
    values.into_iter().map(variant).collect()
}

/// The variants of a ruleset in every field, and what is left out.
#[derive(Debug, Default)]
pub struct AllVariants {
    /// The variants.
    pub found: Vec<RulesetVariant>,
    /// Fields that need a value, such as the start position, and values that do not fit the other fields.
    pub left_out: Vec<String>,
    /// Values with which games are the same as without them.
    pub without_effect: Vec<String>,
    /// Values with which games are the same as with one of `found`, which is named behind.
    pub repeated: Vec<String>,
}

/// Returns the variants of a ruleset in every field that has other values to go through.
pub fn all_variants(base: &Ruleset) -> AllVariants {
    let mut all = AllVariants::default();
    let fields = ruleset_table(base);
    let fields = fields.keys().filter(|name| !FIXED.contains(&name.as_str()));
    for field in fields {
        let Ok(values) = other_values(base, field) else {
            all.left_out.push(field.clone());
            continue;
        };
        for value in values {
            let text = format!("{field}={}", word(&value));
            let Ok(variant) = variant(base, field, value) else {
                all.left_out.push(text);
                continue;
            };
            let ruleset = variant.rules.ruleset();
            let mut before = all.found.iter();
            let same = before.find(|it| it.rules.ruleset().plays_as(ruleset));
            if ruleset.plays_as(base) {
                all.without_effect.push(text);
            } else if let Some(RulesetVariant { change, .. }) = same {
                let same = format!("{text} ({}={})", change.field, change.to);
                all.repeated.push(same);
            } else {
                all.found.push(variant);
            }
        }
    }
    all
}

/// Adds to rulesets their variants with other values of some fields, as far as each has any.
///
/// # Errors
/// If no ruleset has such a variant.
pub(crate) fn with_variants(
    listed: Vec<Arc<Rules>>,
    wanted: &[String],
) -> anyhow::Result<Repertoire> {
    let mut all = Repertoire::from(listed.clone());
    for text in wanted {
        let of = |rules: &Arc<Rules>| variants(rules.ruleset(), text);
        let found: Vec<_> = listed.iter().map(of).collect();
        let is_possible = found.iter().any(Result::is_ok);
        for (base, found) in found.into_iter().enumerate() {
            match found {
                Ok(found) => found
                    .into_iter()
                    .for_each(|it| all.add_variant(base, it.rules)),
                Err(error) if !is_possible => return Err(error),
                Err(_) => {}
            }
        }
    }
    Ok(all)
}

/// Returns the values other than that of a ruleset that a field of words or of `true` and `false` may hold.
fn other_values(ruleset: &Ruleset, field: &str) -> anyhow::Result<Vec<Value>> {
    let own = value_of(ruleset, field)?;
    if let Some(truth) = own.as_bool() {
        return Ok(vec![(!truth).into()]);
    }
    let described = tafl_config::fields::<RulesetFile>();
    let described = described.iter().find(|it| it.path == field);
    let choices = described.map(Field::choices).unwrap_or_default();
    let words = choices.iter().map(|(choice, _)| {
        let word = choice.strip_prefix('"')?.strip_suffix('"')?;
        Some(Value::from(word))
    });
    match words.collect::<Option<Vec<Value>>>() {
        Some(words) if !words.is_empty() => {
            Ok(words.into_iter().filter(|word| *word != own).collect())
        }
        _ if field == "start" => {
            bail!("give the ranks of a position, such as start={}", word(&own))
        }
        _ => bail!("give a value, such as {field}=50"),
    }
}

fn value_of(ruleset: &Ruleset, field: &str) -> anyhow::Result<Value> {
    if FIXED.contains(&field) {
        bail!("a variant cannot change `{field}`");
    }
    let fields = ruleset_table(ruleset);
    if let Some(own) = fields.get(field) {
        return Ok(own.clone());
    }
    let names = fields.keys().filter(|name| !FIXED.contains(&name.as_str()));
    Err(SourceError::RulesetField(field.to_owned(), names.cloned().collect()).into())
}

fn variant(base: &Ruleset, field: &str, value: Value) -> anyhow::Result<RulesetVariant> {
    let from = word(&value_of(base, field)?);
    let to = word(&value);
    let mut fields = ruleset_table(base);
    let name = name_of(&base.name, field, &to);
    fields.insert("name".to_owned(), name.into());
    fields.insert(field.to_owned(), value);
    let text = fields.to_string();
    let read = tafl_config::read_text::<RulesetFile>(Path::new(""), &text, &[]);
    let RulesetFile(ruleset) = read
        .map_err(|faults| anyhow::anyhow!("{}", faults.0[0].error.reason))?
        .config;
    if ruleset.fingerprint() == base.fingerprint() {
        bail!("{} already has `{field}` {from}", base.name);
    }
    let rules = Rules::new(ruleset)?;
    let sizes = [base.start.shape.size(), rules.shape().size()];
    if sizes[0] != sizes[1] {
        bail!(
            "a board of {0}x{0}, where {1} has {2}x{2}",
            sizes[1],
            base.name,
            sizes[0]
        );
    }
    let change = FieldChange {
        field: field.to_owned(),
        from,
        to,
    };
    Ok(RulesetVariant { rules, change })
}

/// Returns the name of a variant, such as `copenhagen_shieldwall-false`; a value that makes it too long, such as a start
/// position, is told by a few digits of its hash.
fn name_of(base: &str, field: &str, value: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let plain = |c: char| if is_plain(c) { c } else { '-' };
    let plain_value: String = value.chars().map(plain).collect();
    let name = format!("{base}_{field}-{plain_value}");
    if name.len() <= LONGEST_NAME {
        return name;
    }
    let digits = &sha256_hex(value.as_bytes())[..8];
    let kept = LONGEST_NAME - field.len() - digits.len() - 2;
    let base: String = base.chars().take(kept).collect();
    format!("{base}_{field}-{digits}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn copenhagen() -> Ruleset {
        tafl_rules::preset("copenhagen").expect("a preset")
    }

    #[test]
    fn a_field_alone_stands_for_all_its_other_values() {
        let wanted = ["shieldwall", "chain", "captureless_limit=40"];
        let found = wanted.map(|text| variants(&copenhagen(), text).expect("variants"));
        let found = found.concat();
        let names = found.iter().map(|it| it.rules.ruleset().name.as_str());
        let names: Vec<&str> = names.collect();
        let expected = [
            "copenhagen_shieldwall-false",
            "copenhagen_chain-optional",
            "copenhagen_chain-forced",
            "copenhagen_captureless_limit-40",
        ];
        assert_eq!(names, expected);
        let change = |it: &RulesetVariant| format!("{} {}", it.change.from, it.change.to);
        assert_eq!(change(&found[0]), "true false");
        assert_eq!(change(&found[3]), "100 40");
    }

    #[test]
    fn variants_differ_from_the_base_in_that_field_alone() {
        let wanted = [
            "shieldwall=false",
            "repetition=draw",
            "king_capture",
            "king_armed",
            "throne_hostile",
            "moves_first",
        ];
        let base = copenhagen();
        let found = wanted.map(|text| variants(&base, text).expect("variants"));
        let found = found.concat();
        // The king's capture has four other values.
        assert_eq!(found.len(), wanted.len() + 3);
        for variant in &found {
            let own = variant.rules.ruleset();
            let [old, new] = [&base, own].map(ruleset_table);
            let differing: Vec<&String> = old
                .keys()
                .filter(|field| old[*field] != new[*field])
                .collect();
            assert_eq!(differing, ["name", &*variant.change.field]);
            assert_eq!(word(&new[&variant.change.field]), variant.change.to);
        }
    }

    #[test]
    fn a_start_position_is_varied_by_its_ranks() {
        let base = tafl_rules::preset("brandubh").expect("a preset");
        let starts = [
            "3t3/3t3/3T3/ttTKTtt/3T3/3t3/7",
            "3t3/3t3/3T3/ttTKT1t/3T3/3t3/3t3",
        ];
        let found = starts.map(|ranks| variants(&base, &format!("start={ranks}")).expect("one"));
        let names = found.each_ref().map(|it| &it[0].rules.ruleset().name);
        assert!(names[0] != names[1] && names.iter().all(|it| it.starts_with("brandubh_start-")));
        assert_eq!(found[0][0].change.to, starts[0]);
        let refused = |text: &str| format!("{:#}", variants(&base, text).expect_err("it is wrong"));
        assert!(refused("start").contains("give the ranks of a position, such as start=3t3/"));
        let tablut = tafl_rules::preset_source("tablut").expect("a preset");
        let tablut = tablut
            .lines()
            .find_map(|line| line.strip_prefix("start = "));
        let ranks = tablut
            .and_then(|it| it.split('"').nth(1))
            .expect("its ranks");
        let other = refused(&format!("start={ranks}"));
        assert!(
            other.contains("a board of 9x9, where brandubh has 7x7"),
            "{other}"
        );
    }

    #[test]
    fn every_field_is_varied_that_needs_no_value() {
        let AllVariants {
            found,
            left_out,
            without_effect,
            repeated,
        } = all_variants(&copenhagen());
        let names: std::collections::BTreeSet<&str> =
            found.iter().map(|it| &*it.rules.ruleset().name).collect();
        assert_eq!(names.len(), found.len());
        assert!(names.contains("copenhagen_shieldwall-false"));
        assert!(
            names.contains("copenhagen_chain-forced")
                || left_out.iter().any(|it| it == "chain=forced")
        );
        assert!(left_out.iter().any(|it| it == "start"), "{left_out:?}");
        let expected = [
            "captureless_reason=unfinishable",
            "jump_hostile=true",
            "match=two-sets",
        ];
        let sorted: std::collections::BTreeSet<&String> = without_effect.iter().collect();
        assert_eq!(sorted.into_iter().collect::<Vec<_>>(), expected);
        let expected = [
            "throne_hostile_to=nobody (throne_hostile=false)",
            "throne_pass=king (throne_pass=none)",
        ];
        assert_eq!(repeated, expected);
        // Commanders jump.
        let berserk = tafl_rules::preset("berserk-2024").expect("a preset");
        let jumps = all_variants(&berserk).found;
        assert!(jumps.iter().any(|it| it.change.field == "jump_hostile"));
    }

    #[test]
    fn unknown_fields_and_values_are_refused() {
        for (wanted, expected) in [
            ("shieldwal", "\"shieldwal\" is not a field of rulesets"),
            ("name=x", "a variant cannot change `name`"),
            ("captureless_limit", "give a value"),
            (
                "shieldwall=true",
                "copenhagen already has `shieldwall` true",
            ),
            ("shieldwall=maybe", "expected true | false, found \"maybe\""),
            (
                "chain=sometimes",
                "expected \"none\" | \"optional\" | \"forced\", found \"sometimes\"",
            ),
            (
                "captureless_limit=0",
                "expected \"none\" | whole number from 1 up, found 0",
            ),
            (
                "captureless_limit=100000000000",
                "found 100000000000; the largest is 4294967295",
            ),
        ] {
            let error = variants(&copenhagen(), wanted).expect_err("it is wrong");
            let message = format!("{error:#}");
            assert!(message.contains(expected), "{wanted:?}: {message}");
        }
    }

    #[test]
    fn rulesets_learn_the_variants_that_they_can_have_each_once() {
        let listed = ["copenhagen", "fetlar", "berserk-2024"];
        let listed: Vec<Arc<Rules>> = (listed.iter())
            .map(|name| Rules::preset(name).expect("a preset"))
            .collect();
        let with = |wanted: &[&str]| {
            let wanted: Vec<String> = wanted.iter().map(|&text| text.to_owned()).collect();
            with_variants(listed.clone(), &wanted)
        };
        // Fetlar has no shieldwall captures; Copenhagen without them is one ruleset, however often it is named.
        let all = with(&["shieldwall=false", "shieldwall=false"]).expect("variants");
        assert_eq!(all.listed().len(), 3);
        let names: Vec<&str> = (all.iter().skip(3))
            .map(|rules| rules.ruleset().name.as_str())
            .collect();
        assert_eq!(names[0], "copenhagen_shieldwall-false");
        assert!(
            !names.contains(&"fetlar_shieldwall-false"),
            "its own value: {names:?}"
        );
        let error = with(&["shieldwal"]).expect_err("no such field").to_string();
        assert!(error.contains("not a field of rulesets"), "{error}");
    }
}
