//! Names of other programs in configs.

use std::collections::BTreeSet;
use tafl_config::RulesetFile;
use tafl_config::{Config, Meant, fields, meant};
use tafl_studies::StudyConfig;
use tafl_training::RunConfig;

fn check<T: Config>(known: &BTreeSet<String>) {
    let lines = T::WORDS.lines().filter(|line| !line.starts_with('#'));
    let (mut seen, mut count) = (BTreeSet::new(), 0);
    for line in lines {
        let (names, _) = line
            .split_once(" = ")
            .or(line.split_once(": "))
            .expect("what the names mean");
        for name in names.split(' ') {
            let first = meant(T::WORDS, name).expect("it is there");
            let own = meant(line, name).expect("it is in its line");
            assert_eq!(first, own, "{name} stands before");
            assert!(seen.insert(name), "{name} stands twice");
            count += 1;
            if let Meant::Fields(paths) = own {
                let unknown: Vec<_> = paths.iter().filter(|it| !known.contains(**it)).collect();
                assert!(unknown.is_empty(), "{name}: {unknown:?}");
            }
        }
    }
    assert!(count > 10, "{count}");
}

#[test]
fn words_stand_once_and_for_fields_that_are() {
    let of = |fields: Vec<tafl_config::Field>| fields.into_iter().map(|it| it.path);
    let [runs, rules] = [fields::<RunConfig>(), fields::<RulesetFile>()].map(of);
    let known: BTreeSet<String> = runs.chain(rules).collect();
    check::<RunConfig>(&known);
    check::<RulesetFile>(&known);
    check::<StudyConfig>(&of(fields::<StudyConfig>()).collect());
}
