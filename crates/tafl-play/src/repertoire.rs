//! The rulesets of self-play.

use std::ops::Deref;
use std::sync::Arc;
use tafl_rules::Rules;
use tafl_samples::GameRecord;

/// The rulesets of a run, and variants of them; as a slice, the rulesets come first.
#[derive(Debug, Clone, Default)]
pub struct Repertoire {
    rules: Vec<Arc<Rules>>,
    /// For each variant the number of the ruleset that it is a variant of.
    bases: Vec<usize>,
}

impl From<Vec<Arc<Rules>>> for Repertoire {
    fn from(rules: Vec<Arc<Rules>>) -> Self {
        let bases = Vec::new();
        Self { rules, bases }
    }
}

impl Deref for Repertoire {
    type Target = [Arc<Rules>];

    fn deref(&self) -> &Self::Target {
        &self.rules
    }
}

impl Repertoire {
    /// Returns the rulesets without variants.
    pub fn listed(&self) -> &[Arc<Rules>] {
        &self.rules[..self.rules.len() - self.bases.len()]
    }

    /// Adds a variant of the ruleset with that number, unless its rules are there already.
    ///
    /// # Panics
    /// If there is no such ruleset.
    pub fn add_variant(&mut self, base: usize, rules: Arc<Rules>) {
        assert!(base < self.listed().len(), "a variant of a listed ruleset");
        let fingerprint = rules.ruleset().fingerprint();
        let is_same = |it: &Arc<Rules>| it.ruleset().fingerprint() == fingerprint;
        if !self.rules.iter().any(is_same) {
            self.rules.push(rules);
            self.bases.push(base);
        }
    }

    /// Returns the variants of all rulesets.
    pub fn variants(&self) -> &[Arc<Rules>] {
        &self.rules[self.listed().len()..]
    }

    /// Returns whether a game tells which side its ruleset favors: it is even, and of no variant.
    pub fn is_even(&self, game: &GameRecord) -> bool {
        let is_its = |it: &Arc<Rules>| it.ruleset().name == game.ruleset;
        game.is_even() && !self.variants().iter().any(is_its)
    }

    pub(crate) fn variants_of(&self, base: usize) -> Vec<&Arc<Rules>> {
        let all = self.variants().iter().zip(&self.bases);
        let own = all.filter(|(_, of)| **of == base);
        own.map(|(rules, _)| rules).collect()
    }
}
