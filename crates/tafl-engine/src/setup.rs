//! What an engine is made of, and where its answers go.

use crate::Limits;
use crate::search_thread::{MakeSearcher, SearchThread};
use std::collections::BTreeSet;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tafl_rules::Rules;

/// Finds a ruleset by name; an error is shown to the client that asked.
pub type FindRules = dyn Fn(&str) -> Result<Arc<Rules>, String>;

/// What an engine is made of.
pub struct EngineSetup {
    /// Its name, without its version.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The ruleset to begin with.
    pub rules: Arc<Rules>,
    /// The rulesets that it offers, besides that at the start.
    pub offered: Vec<Arc<Rules>>,
    /// Finds any other ruleset, which may be refused.
    pub find_rules: Box<FindRules>,
    /// Makes what plays a ruleset.
    pub make_searcher: Box<MakeSearcher>,
    /// What is spent on a ply where the protocol says nothing.
    pub limits: Limits,
    /// Where everything random comes from.
    pub seed: u64,
}

impl EngineSetup {
    /// Returns the rulesets that are offered, the one in force first.
    pub(crate) fn offers(&self) -> impl Iterator<Item = &Arc<Rules>> {
        let mut seen = BTreeSet::new();
        std::iter::once(&self.rules)
            .chain(&self.offered)
            .filter(move |rules| seen.insert(&rules.ruleset().name))
    }

    /// Returns the ruleset of a name or a file.
    pub(crate) fn rules_by(&self, name: &str) -> Result<Arc<Rules>, String> {
        match self.offers().find(|rules| rules.ruleset().name == name) {
            Some(rules) => Ok(Arc::clone(rules)),
            None => (self.find_rules)(name),
        }
    }

    /// Goes on with other rules, or changes nothing where they cannot be played.
    pub(crate) fn change_rules(
        &mut self,
        rules: Arc<Rules>,
        search_thread: &SearchThread,
    ) -> Result<(), String> {
        if rules.ruleset() != self.rules.ruleset() {
            search_thread.load(&rules)?;
            self.rules = rules;
        }
        Ok(())
    }
}

/// A conversation in some protocol.
pub(crate) trait Session {
    /// Answers a line.
    fn hear(&mut self, line: &str) -> Flow;

    /// Tells what is wrong with the input.
    fn complain(&self, what: &str);

    /// Tells what is wrong with a line that cannot be read; its begin is given.
    fn misread(&mut self, _begin: &[u8], what: &str) {
        self.complain(what);
    }

    /// Notes that no further line will come.
    fn end_of_input(&mut self) {}
}

/// Whether there is more to say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flow {
    GoOn,
    Quit,
}

/// Where answers go, from the thread that listens and from the one that searches.
#[derive(Clone)]
pub(crate) struct Output {
    stream: Arc<Mutex<Box<dyn Write + Send>>>,
    broken: Arc<AtomicBool>,
}

impl Output {
    pub(crate) fn new(stream: Box<dyn Write + Send>) -> Self {
        Self {
            stream: Arc::new(Mutex::new(stream)),
            broken: Arc::default(),
        }
    }

    /// Returns whether something could not be written.
    pub(crate) fn is_broken(&self) -> bool {
        self.broken.load(Ordering::Relaxed)
    }

    /// Writes a line, or several, and lets them go at once.
    pub(crate) fn line(&self, text: &str) {
        let mut stream = self.stream.lock().unwrap_or_else(PoisonError::into_inner);
        let written = writeln!(stream, "{text}").and_then(|()| stream.flush());
        if written.is_err() {
            self.broken.store(true, Ordering::Relaxed);
        }
    }
}
