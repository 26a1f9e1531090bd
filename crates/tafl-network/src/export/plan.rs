//! What an export is about, once it is seen that it can be made.

use super::job::{Export, ExportError, ExportFormat};
use super::taflzero::Adapter;
use std::sync::Arc;
use tafl_rules::{Game, Rules};

/// An export that the rulesets allow.
pub(super) struct Plan<'a> {
    pub(super) job: &'a Export<'a>,
    /// The rulesets that the file is for, at least one.
    pub(super) rules: Vec<Arc<Rules>>,
    /// What `TaflZero` needs.
    pub(super) adapter: Option<Adapter>,
}

impl<'a> Plan<'a> {
    pub(super) fn new(job: &'a Export<'a>) -> Result<Self, ExportError> {
        let expected = job.network.architecture().board_size;
        for rules in job.rules {
            let found = rules.shape().size();
            if found != expected {
                return Err(ExportError::Board {
                    ruleset: rules.ruleset().name.clone(),
                    found,
                    expected,
                });
            }
        }
        let first = job.rules.first().ok_or(ExportError::NoRuleset)?;
        if job.format != ExportFormat::Taflzero {
            let (rules, adapter) = (job.rules.to_vec(), None);
            return Ok(Self {
                job,
                rules,
                adapter,
            });
        }
        // The first ruleset that it can play; if there is none, why it cannot play the first.
        let mut fitting = job
            .rules
            .iter()
            .filter_map(|rules| Some((rules, Adapter::new(rules).ok()?)));
        let (rules, adapter) = match fitting.next() {
            Some(fitting) => fitting,
            None => (first, Adapter::new(first)?),
        };
        Ok(Self {
            job,
            rules: vec![Arc::clone(rules)],
            adapter: Some(adapter),
        })
    }

    /// Returns the start of the first ruleset, which serves as an example.
    pub(super) fn example(&self) -> Game {
        Game::new(Arc::clone(&self.rules[0]))
    }
}
