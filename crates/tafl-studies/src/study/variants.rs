//! Variants of a ruleset that differ from it in one field.

use super::PlannedRuleset;
use anyhow::{Context, bail};
use std::sync::Arc;
use tafl_rules::Rules;
use tafl_training::ruleset_variants;

/// Returns the base and its variants: for `FIELD=VALUE` the one with that value, for `FIELD` one for each other value.
///
/// # Errors
/// If there is no such field or value, or it is the base's own.
pub fn plan(base: &Arc<Rules>, wanted: &[String]) -> anyhow::Result<Vec<PlannedRuleset>> {
    let mut planned = vec![PlannedRuleset::of(base)];
    for text in wanted {
        let found = ruleset_variants(base.ruleset(), text);
        for variant in found.with_context(|| format!("--field {text}"))? {
            let name = &variant.rules.ruleset().name;
            if planned.iter().any(|it| it.rules.ruleset().name == *name) {
                bail!("--field {text}: given twice");
            }
            planned.push(PlannedRuleset {
                change: Some(variant.change),
                ..PlannedRuleset::of(&variant.rules)
            });
        }
    }
    Ok(planned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn planned(wanted: &[&str]) -> anyhow::Result<Vec<PlannedRuleset>> {
        let wanted: Vec<String> = wanted.iter().map(|&text| text.to_owned()).collect();
        plan(&Rules::preset("copenhagen").expect("a preset"), &wanted)
    }

    #[test]
    fn the_base_comes_first() {
        let found = planned(&["shieldwall", "captureless_limit=40"]).expect("variants");
        let names = found.iter().map(|it| it.rules.ruleset().name.as_str());
        let expected = [
            "copenhagen",
            "copenhagen_shieldwall-false",
            "copenhagen_captureless_limit-40",
        ];
        assert_eq!(names.collect::<Vec<_>>(), expected);
        assert_eq!(found[0].change, None);
    }

    #[test]
    fn wrong_fields_and_what_is_given_twice_are_refused_by_their_option() {
        for (wanted, expected) in [
            (&["shieldwal"][..], "--field shieldwal: \"shieldwal\""),
            (
                &["shieldwall", "shieldwall=false"],
                "--field shieldwall=false: given twice",
            ),
        ] {
            let message = format!("{:#}", planned(wanted).expect_err("it is wrong"));
            assert!(message.contains(expected), "{message}");
        }
    }
}
