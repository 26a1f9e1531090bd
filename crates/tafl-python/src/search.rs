//! Search with a network.

use crate::argument::{number_or, wrong, wrong_type};
use crate::game;
use crate::net::Net;
use crate::numbers::policy;
use crate::threads::{SLICE, on_all_cores};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyType};
use rayon::prelude::*;
use std::time::Instant;
use tafl_forward::NetEvaluator;
use tafl_rules::Game;
use tafl_search::{Evaluator, Mode, RootStats, SearchConfig, Step};
use tafl_training::PlayerSource;

/// Gumbel AlphaZero's search, as `tafl` plays. Nothing is random: the same visits and network choose the same moves.
#[pyclass(frozen, module = "taflforge")]
pub(crate) struct Search {
    /// The network.
    #[pyo3(get)]
    net: Py<Net>,
    config: SearchConfig,
}

/// Visits without an evaluation after which the time is looked at.
const CERTAIN_AT_ONCE: u32 = 1_000;

/// A search that has begun, or what it found.
enum Searched {
    Begun(Box<tafl_search::Search>),
    Done(RootStats),
}

impl Search {
    fn begin(&self, game: Game) -> Searched {
        // A match's search draws nothing at random.
        let search = tafl_search::Search::new(&self.config, game, Mode::Match, 0);
        Searched::Begun(Box::new(search))
    }

    /// Searches positions to their ends, on all cores; Ctrl-C ends it.
    fn search(&self, py: Python<'_>, games: Vec<Game>) -> PyResult<Vec<RootStats>> {
        let net = self.net.get();
        let mut searches: Vec<Searched> = games.into_iter().map(|game| self.begin(game)).collect();
        loop {
            let until = Instant::now() + SLICE;
            let go_on = |search: &mut Searched| search.go_on(net, until);
            let are_done = py.detach(|| match &mut searches[..] {
                [one] => go_on(one),
                many => on_all_cores(|| {
                    many.par_iter_mut()
                        .map(go_on)
                        .reduce(|| true, |a, b| a && b)
                }),
            });
            if are_done {
                return Ok(searches.into_iter().filter_map(Searched::done).collect());
            }
            py.check_signals()?;
        }
    }
}

impl Searched {
    /// Searches until some time; returns whether it is done.
    fn go_on(&mut self, net: &Net, until: Instant) -> bool {
        let Self::Begun(search) = self else {
            return true;
        };
        let found = net.with(|net| {
            let (mut net, mut evaluations) = (NetEvaluator(net), Vec::new());
            while Instant::now() < until {
                match search.select_within(CERTAIN_AT_ONCE) {
                    Some(Step::Evaluate) => {
                        net.evaluate(&[search.leaf()], &mut evaluations);
                        search.expand(&evaluations[0]);
                    }
                    Some(Step::Finished) => return Some(search.root_stats()),
                    None => {}
                }
            }
            None
        });
        let is_done = found.is_some();
        if let Some(stats) = found {
            *self = Self::Done(stats);
        }
        is_done
    }

    fn done(self) -> Option<RootStats> {
        match self {
            Self::Done(stats) => Some(stats),
            Self::Begun(_) => None,
        }
    }
}

#[pymethods]
impl Search {
    #[new]
    #[pyo3(signature = (net, visits = None), text_signature = "(net, visits=100)")]
    fn new(net: &Bound<'_, PyAny>, visits: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let found = net.cast::<Net>();
        let found = found.map_err(|_| wrong_type("net", "a Net with backend=\"rust\"", net))?;
        let visits = number_or(visits, "visits", 1..=1_000_000, 100)? as u32;
        let folder = found.get().folder_path().clone();
        let run = PlayerSource::checkpoint(folder).own_config();
        let run = run.map_err(|error| wrong("net", format!("{error:#}")))?;
        Ok(Self {
            net: found.clone().unbind(),
            config: SearchConfig {
                visits,
                ..run.search
            },
        })
    }

    /// Visits of each search.
    #[getter]
    const fn visits(&self) -> u32 {
        self.config.visits
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyType>, (Py<Net>, u32)) {
        let this = slf.get();
        (
            slf.get_type(),
            (this.net.clone_ref(slf.py()), this.visits()),
        )
    }

    /// Searches the position of a game that is not over.
    fn run<'py>(&self, py: Python<'py>, game: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let game = game::argument(game, "game")?;
        self.net.get().check(py, &game)?;
        result(py, &self.search(py, vec![game])?[0])
    }

    /// Does the same for many, on all cores; each result is what `run` returns.
    fn run_many<'py>(
        &self,
        py: Python<'py>,
        games: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyList>> {
        let Ok(given) = games.try_iter() else {
            return Err(wrong_type("games", "a list of games", games));
        };
        let net = self.net.get();
        let mut checked: Vec<Game> = Vec::new();
        for game in given {
            let game = game::argument(&game?, "games")?;
            net.check(py, &game).map_err(|error| {
                wrong("games", format!("{}: {}", checked.len(), error.value(py)))
            })?;
            checked.push(game);
        }
        let searched = self.search(py, checked)?;
        let results = searched.iter().map(|stats| result(py, stats));
        PyList::new(py, results.collect::<PyResult<Vec<_>>>()?)
    }

    fn __repr__(&self) -> String {
        format!("<Search of {} visits>", self.config.visits)
    }
}

fn result<'py>(py: Python<'py>, stats: &RootStats) -> PyResult<Bound<'py, PyAny>> {
    let visits = PyDict::new(py);
    for root in &stats.moves {
        visits.set_item(root.mv.to_string(), root.visits)?;
    }
    let shares = stats.moves.iter();
    let policy = policy(py, shares.map(|root| (root.mv, f64::from(root.policy))))?;
    let value = stats.value.win - stats.value.loss;
    let make = py.import("taflforge._tuples")?.getattr("SearchResult")?;
    let made = make.call1((stats.chosen.to_string(), value, visits))?;
    made.setattr("policy", policy)?;
    Ok(made)
}
