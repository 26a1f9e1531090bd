//! Two numbers that change when rules or search behave differently.

use anyhow::Context;
use tafl_rules::{Game, Perft, RULESET_NAMES, Rules, perft};
use tafl_search::{Evaluation, Evaluator, Leaf, Mode, MoverWdl, RootStats, Search, SearchConfig};

/// Returns a number mixed from the perft numbers of every ruleset's start position, depths 1 to 3.
pub(super) fn of_rules() -> anyhow::Result<u64> {
    let (mut word, by_turns, bulk) = (Word::default(), false, true);
    for name in RULESET_NAMES {
        let rules = Rules::preset(name).with_context(|| format!("no ruleset {name}"))?;
        for depth in 1..=3 {
            let counted = Perft { by_turns, bulk };
            word.mix(perft(&rules, &rules.start(), depth, counted));
        }
    }
    Ok(word.0)
}

/// Returns a number mixed from visits and values of 800-visit searches by both algorithms, in two games of five plies.
pub(super) fn of_search() -> anyhow::Result<u64> {
    let mut word = Word::default();
    for config in [SearchConfig::gumbel(800), SearchConfig::puct(800)] {
        for name in ["copenhagen", "berserk-2024"] {
            let rules = Rules::preset(name).with_context(|| format!("no ruleset {name}"))?;
            let mut search = Search::new(&config, Game::new(rules), Mode::SelfPlay, 1);
            search.keep_tree();
            for _ in 0..5 {
                let stats = tafl_search::run(&mut search, &mut KeyEvaluator);
                word.mix_stats(&stats);
                search.advance(stats.chosen)?;
            }
        }
    }
    Ok(word.0)
}

/// Has an opinion on every position, drawn from its key: a stand-in for a network, the same everywhere.
struct KeyEvaluator;

impl Evaluator for KeyEvaluator {
    fn evaluate(&mut self, leaves: &[Leaf<'_>], evaluations: &mut Vec<Evaluation>) {
        evaluations.clear();
        evaluations.extend(leaves.iter().map(|leaf| {
            let key = leaf.game.position().key();
            let shape = leaf.game.rules().shape();
            let logit = |index: u16| unit(scramble(key ^ u64::from(index))) * 4.0 - 2.0;
            let win = unit(scramble(key));
            Evaluation {
                logits: leaf
                    .moves
                    .iter()
                    .map(|mv| logit(mv.policy_index(shape).0))
                    .collect(),
                wdl: MoverWdl {
                    win,
                    draw: 0.0,
                    loss: 1.0 - win,
                },
                moves_left: 50.0,
            }
        }));
    }
}

/// Returns a number from 0 to 1 that a 32-bit float holds exactly.
fn unit(bits: u64) -> f32 {
    (bits >> 48) as f32 / 65_536.0
}

/// Returns bits in which every bit depends on every given one (`SplitMix64`'s finalizer).
const fn scramble(bits: u64) -> u64 {
    let bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

/// A word into which numbers are mixed, in order.
#[derive(Default)]
struct Word(u64);

impl Word {
    fn mix(&mut self, number: u64) {
        self.0 = scramble(self.0 ^ number.wrapping_add(0x9e37_79b9_7f4a_7c15));
    }

    fn mix_stats(&mut self, stats: &RootStats) {
        for mv in &stats.moves {
            self.mix(mv.visits.into());
        }
        // Exponentials differ in their last bits between machines; a thousandth does not.
        self.mix((stats.value.value() * 1_000.0).round() as i64 as u64);
    }
}
