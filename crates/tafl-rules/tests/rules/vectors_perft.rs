//! `perft.tsv`: leaf counts agreed by two to five engines.

use crate::rules::board::ruleset;
use crate::rules::fixtures;
use tafl_rules::{
    Chain, Perft, Position, RankOrder, Rules, Ruleset, Setup, Side, perft, perft_divide,
    perft_parallel,
};

const BULK: Perft = Perft {
    by_turns: false,
    bulk: true,
};

/// The rulesets of the engines: Berserk's chains are forced there.
fn engine_ruleset(name: &str) -> Ruleset {
    match name {
        "berserk" => Ruleset {
            chain: Chain::Forced,
            ..ruleset("berserk-2024")
        },
        name => ruleset(name),
    }
}

fn read_position(rules: &Rules, text: &str, side: &str) -> Position {
    let side: Side = side.parse().expect("a side");
    let setup = Setup::from_text(text, RankOrder::LowestFirst).expect("a position");
    rules
        .position(&setup.with_side(side))
        .expect("a playable position")
}

#[test]
fn every_row_counts_as_many_leaves() {
    let text = fixtures::read("perft.tsv");
    let mut counted = 0;
    for row in fixtures::rows(&text) {
        let rules = Rules::new(engine_ruleset(row[0])).expect("a ruleset");
        let position = read_position(&rules, row[1], row[2]);
        for (depth, expected) in (1..).zip(&row[3..6]) {
            if *expected == "-" {
                continue;
            }
            let expected: u64 = expected.parse().expect("a count");
            let found = perft_parallel(&rules, &position, depth, BULK);
            assert_eq!(found, expected, "{} depth {depth}: {}", row[0], row[1]);
            counted += 1;
        }
    }
    assert_eq!(counted, COUNTS);
}

/// Counts in the file, but for the disputed ones.
const COUNTS: usize = 154;

#[test]
fn plain_bulk_divided_and_parallel_counts_agree() {
    for name in ["copenhagen", "berserk"] {
        let rules = Rules::new(engine_ruleset(name)).expect("a ruleset");
        let start = rules.start();
        let plain = Perft {
            by_turns: false,
            bulk: false,
        };
        let expected = if name == "berserk" { 6792 } else { 6788 };
        assert_eq!(perft(&rules, &start, 2, plain), expected);
        assert_eq!(perft(&rules, &start, 2, BULK), expected);
        assert_eq!(perft_parallel(&rules, &start, 2, plain), expected);
        let divided: u64 = perft_divide(&rules, &start, 2, BULK)
            .iter()
            .map(|(_, n)| n)
            .sum();
        assert_eq!(divided, expected);
        assert_eq!(perft(&rules, &start, 0, BULK), 1);
    }
}

#[test]
fn berserk_counts_whole_turns() {
    let rules = Rules::preset("berserk-2024").expect("a preset");
    let by_turns = Perft {
        by_turns: true,
        bulk: true,
    };
    for (depth, expected) in [(1, 116), (2, 6792), (3, 807_934)] {
        assert_eq!(
            perft_parallel(&rules, &rules.start(), depth, by_turns),
            expected
        );
    }
}
