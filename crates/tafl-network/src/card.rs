//! `model.json`: what a checkpoint is and where it comes from.

use crate::{Architecture, Compute, Losses};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use tafl_rules::Rules;
use tafl_store::WEIGHTS;

/// The version of a checkpoint folder's layout and of the fields of `model.json`.
pub const CHECKPOINT_FORMAT: u32 = 8;

/// The program that writes cards, with its version.
pub(crate) const PROGRAM: &str = concat!("tafl ", env!("CARGO_PKG_VERSION"));

/// The formats that are read. Networks of format 3 may have had heads for each role; those before 5 tell no ranges; those
/// before 6 have no destinations; 7 tells what was learned before the run, 8 from how many samples.
pub(crate) const ACCEPTED_CHECKPOINT_FORMATS: &[u32] = &[3, 4, 5, 6, 7, 8];

/// How moves become policy outputs, in words; see [`tafl_rules::PolicyIndex`].
pub(crate) const ACTION_ENCODING: &str = "from_square * 4 * (size - 1) + direction * (size - 1) + distance - 1; \
     squares rank by rank from a1; directions up, right, down, left; last index: end of a chain";

/// The contents of `model.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelCard {
    /// The version of the folder's layout and of these fields.
    pub format: u32,
    /// The version of the input planes, [`tafl_samples::ENCODING_VERSION`].
    pub encoding_version: u32,
    /// The program that wrote it, with its version.
    pub program: String,
    /// The shape of the network.
    pub architecture: Architecture,
    /// Names of the input planes, in order.
    pub planes: Vec<String>,
    /// How moves become policy outputs.
    pub action_encoding: String,
    /// Where the checkpoint comes from.
    pub provenance: Provenance,
    /// Training steps behind the weights.
    pub steps: u64,
    /// The largest output of each convolution of stem and blocks on positions that the network learned from, after its
    /// rectifier, in order: the scales of 8-bit inference. The first checkpoint of a run from another's weights adds
    /// positions of random games under its own rulesets. None: they are found on positions of random games.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub activation_ranges: Option<Vec<f32>>,
    /// SHA-256 of each file of the checkpoint, by name, in hexadecimal.
    pub sha256: BTreeMap<String, String>,
}

/// Where a checkpoint comes from; given by the run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Provenance {
    /// The run's name.
    pub run: String,
    /// The generation whose self-play uses these weights; 0 is untrained.
    pub generation: u32,
    /// The run's seed.
    pub seed: u64,
    /// The number format of training.
    pub compute: Compute,
    /// The rulesets that were learned in the run.
    pub rulesets: Vec<RulesetCard>,
    /// The fields of these rulesets whose other values were learned too, each as `FIELD` or `FIELD=VALUE`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rule_changes: Vec<String>,
    /// What was learned from, generation by generation; earlier ones may be put together.
    pub history: Vec<GenerationCard>,
    /// The checkpoint whose weights the run began with; none where they were random.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
}

/// A checkpoint of another run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Origin {
    /// The run's name.
    pub run: String,
    /// The checkpoint's number.
    pub generation: u32,
    /// Training steps behind its weights.
    pub steps: u64,
    /// SHA-256 of its weights' file, in hexadecimal.
    pub weights_sha256: String,
    /// Samples that it had learned from, those before its own run included as far as cards tell.
    #[serde(default)]
    pub samples: u64,
    /// The rulesets that it had learned, those before its own run included; the weights may have lost them since.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rulesets: Vec<RulesetCard>,
    /// The fields of these rulesets whose other values it had learned.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rule_changes: Vec<String>,
}

impl Origin {
    /// Returns the checkpoint that a card describes.
    pub fn of(card: &ModelCard) -> Self {
        let (from, sha256) = (&card.provenance, card.sha256.get(WEIGHTS));
        let mut learned = Self {
            run: from.run.clone(),
            generation: from.generation,
            steps: card.steps,
            weights_sha256: sha256.cloned().unwrap_or_default(),
            samples: from.all_samples(),
            rulesets: Vec::new(),
            rule_changes: Vec::new(),
        };
        // An untrained network names what it is to learn.
        if from.generation > 0 {
            learned.add(&from.rulesets, &from.rule_changes);
        }
        if let Some(before) = &from.origin {
            learned.add(&before.rulesets, &before.rule_changes);
        }
        learned
    }

    fn add(&mut self, rulesets: &[RulesetCard], rule_changes: &[String]) {
        let is_new = |it: &&RulesetCard| !self.rulesets.contains(it);
        let new: Vec<_> = rulesets.iter().filter(is_new).cloned().collect();
        self.rulesets.extend(new);
        let is_new = |it: &&String| !self.rule_changes.contains(it);
        let new: Vec<_> = rule_changes.iter().filter(is_new).cloned().collect();
        self.rule_changes.extend(new);
    }
}

/// A ruleset, by name and content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RulesetCard {
    /// Its name.
    pub name: String,
    /// [`tafl_rules::Ruleset::fingerprint`], 16 hexadecimal digits.
    pub fingerprint: String,
}

impl RulesetCard {
    /// Returns the card of a ruleset.
    pub fn of(rules: &Rules) -> Self {
        let ruleset = rules.ruleset();
        Self {
            name: ruleset.name.clone(),
            fingerprint: format!("{:016x}", ruleset.fingerprint()),
        }
    }
}

impl Provenance {
    /// Rows of the history, at most, so that the cards of a long run stay small.
    const MOST_ROWS: usize = 128;

    /// Adds what the latest generation's training was.
    ///
    /// Where there are too many rows, those of the older half are put together in pairs.
    pub fn add(&mut self, generation: GenerationCard) {
        self.history.push(generation);
        if self.history.len() <= Self::MOST_ROWS {
            return;
        }
        let newer = self.history.split_off(Self::MOST_ROWS / 2);
        let pairs = self.history.chunks(2).map(|pair| {
            let sum = |of: fn(&GenerationCard) -> u64| pair.iter().map(of).sum();
            let losses: Vec<Losses> = pair.iter().map(|card| card.losses).collect();
            GenerationCard {
                generation: pair[pair.len() - 1].generation,
                games: sum(|card| card.games),
                samples: sum(|card| card.samples),
                steps: sum(|card| card.steps),
                losses: Losses::mean(&losses),
            }
        });
        self.history = pairs.chain(newer).collect();
    }

    /// Returns the samples that the run has learned from, of all its rulesets.
    pub(crate) fn samples(&self) -> u64 {
        self.history.iter().map(|card| card.samples).sum()
    }

    /// Returns the samples that the weights have learned from, those before the run included as far as cards tell.
    pub fn all_samples(&self) -> u64 {
        let before = self.origin.as_ref().map_or(0, |origin| origin.samples);
        before.saturating_add(self.samples())
    }

    /// Returns whether two checkpoints are of one run. Its name is not enough: the later one must have learned from as many
    /// samples when it was as old as the other, as far as its history still tells.
    pub(crate) fn is_of_one_run_with(&self, other: &Self) -> bool {
        let (earlier, later) = match self.generation <= other.generation {
            true => (self, other),
            false => (other, self),
        };
        let age = earlier.history.last().map_or(0, |last| last.generation);
        let rows = || later.history.iter();
        let until = |end: usize| rows().take(end).map(|card| card.samples).sum::<u64>();
        let least = until(rows().filter(|card| card.generation <= age).count());
        let most = until(rows().filter(|card| card.generation < age).count() + 1);
        (&self.run, self.seed, &self.rulesets) == (&other.run, other.seed, &other.rulesets)
            && (earlier.history.is_empty() || (least..=most).contains(&earlier.samples()))
    }
}

/// What the training of a generation was, or of several that follow each other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GenerationCard {
    /// The generation whose games were new; of several the last one.
    pub generation: u32,
    /// Its games.
    pub games: u64,
    /// Their samples.
    pub samples: u64,
    /// Training steps made.
    pub steps: u64,
    /// Means of the losses over these steps.
    pub losses: Losses,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nothing(run: &str) -> Provenance {
        Provenance {
            run: run.to_owned(),
            generation: 0,
            seed: 1,
            compute: Compute::F32,
            rulesets: Vec::new(),
            rule_changes: Vec::new(),
            history: Vec::new(),
            origin: None,
        }
    }

    fn row(generation: u32, samples: u64) -> GenerationCard {
        GenerationCard {
            generation,
            games: 2,
            samples,
            steps: 3,
            losses: Losses::default(),
        }
    }

    #[test]
    fn checkpoints_of_one_run_are_told_from_those_of_one_that_is_called_alike() {
        let at = |last: u32, samples: u64| {
            let mut card = nothing("alike");
            (0..last).for_each(|generation| card.add(row(generation, samples)));
            card.generation = last;
            card
        };
        for (one, other) in [(3, 3), (3, 7), (40, 200), (199, 200), (0, 5)] {
            assert!(
                at(one, 10).is_of_one_run_with(&at(other, 10)),
                "{one} {other}"
            );
            assert!(
                at(other, 10).is_of_one_run_with(&at(one, 10)),
                "{one} {other}"
            );
        }
        assert!(!at(3, 10).is_of_one_run_with(&at(3, 11)));
        assert!(!at(3, 11).is_of_one_run_with(&at(7, 10)));
        assert!(!at(40, 15).is_of_one_run_with(&at(200, 10)));
        assert!(!nothing("a").is_of_one_run_with(&nothing("b")));
    }

    #[test]
    fn long_histories_are_put_together_without_losing_a_sample() {
        let mut card = nothing("long");
        for generation in 0..2000 {
            card.add(row(generation, u64::from(generation)));
            assert!(card.history.len() <= Provenance::MOST_ROWS);
            assert_eq!(card.samples(), u64::from(generation * (generation + 1) / 2));
        }
        let rising = card.history.windows(2);
        assert!(
            rising
                .into_iter()
                .all(|pair| pair[0].generation < pair[1].generation)
        );
        assert_eq!(card.history.iter().map(|it| it.steps).sum::<u64>(), 6000);
        let last = card.history.last().expect("a row");
        assert_eq!((last.generation, last.games), (1999, 2));
    }
}
