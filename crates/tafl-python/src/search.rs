//! Search with a network, or with a function in its place.

use crate::argument::{not_over, number_or, wrong, wrong_type};
use crate::asked::Asked;
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
///
/// In place of a network `net` may be a function, which is called as one: with planes float32 [batch, planes, size, size], as
/// `Game.observation("f32")` has them; a batch has a leaf of each search, or those of one search that do not depend on each other.
/// It returns logits of all actions, [batch, actions], of which the legal ones count (np.log of probabilities); and of the side to
/// move win, draw and loss, [batch, 3], or win less loss, -1 to 1, [batch]; more is not looked at. Without a network's run a draw counts 0.
#[pyclass(frozen, module = "taflforge")]
pub(crate) struct Search {
    /// The network, or the function.
    #[pyo3(get)]
    net: Py<PyAny>,
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
    /// Checks that a game goes on, on a board of the network.
    fn check(&self, py: Python<'_>, game: &Game) -> PyResult<()> {
        match self.net.bind(py).cast::<Net>() {
            Ok(net) => net.get().check(py, game),
            Err(_) => not_over(game, "game"),
        }
    }

    /// Searches positions to their ends, on all cores; Ctrl-C ends it.
    fn search(&self, py: Python<'_>, games: Vec<Game>) -> PyResult<Vec<RootStats>> {
        // A match's search draws nothing at random.
        let begin = |game| tafl_search::Search::new(&self.config, game, Mode::Match, 0);
        let begun = games.into_iter().map(begin);
        let net = self.net.bind(py);
        let Ok(net) = net.cast::<Net>() else {
            return ask(net, begun.collect());
        };
        let net = net.get();
        let begun = begun.map(|search| Searched::Begun(Box::new(search)));
        let mut searches: Vec<Searched> = begun.collect();
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

/// Searches the same with a function from Python.
fn ask(
    function: &Bound<'_, PyAny>,
    mut searches: Vec<tafl_search::Search>,
) -> PyResult<Vec<RootStats>> {
    let py = function.py();
    let error = None;
    let (mut asked, mut evaluations) = (Asked { function, error }, Vec::new());
    loop {
        let select = |search: &mut tafl_search::Search| search.select_within(CERTAIN_AT_ONCE);
        let select_all = || searches.par_iter_mut().map(select).collect();
        let steps: Vec<Option<Step>> = py.detach(|| on_all_cores(select_all));
        if steps.iter().all(|step| *step == Some(Step::Finished)) {
            return Ok(searches
                .iter()
                .map(tafl_search::Search::root_stats)
                .collect());
        }
        let with_steps = searches.iter_mut().zip(steps);
        let waiting = with_steps.filter(|(_, step)| *step == Some(Step::Evaluate));
        let mut waiting: Vec<_> = waiting.map(|(search, _)| search).collect();
        match &mut waiting[..] {
            [] => {}
            [one] => one.evaluate(&mut asked),
            many => {
                let leaves: Vec<_> = many.iter().map(|it| it.leaf()).collect();
                asked.evaluate(&leaves, &mut evaluations);
                for (search, evaluation) in many.iter_mut().zip(&evaluations) {
                    search.expand(evaluation);
                }
            }
        }
        if let Some(error) = asked.error.take() {
            return Err(error);
        }
        py.check_signals()?;
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
        let usual = match net.cast::<Net>() {
            Ok(found) => {
                let folder = found.get().folder_path().clone();
                let run = PlayerSource::checkpoint(folder).own_config();
                run.map_err(|error| wrong("net", format!("{error:#}")))?
                    .search
            }
            Err(_) if net.is_callable() => SearchConfig::default(),
            Err(_) => {
                let wanted = "a Net with backend=\"rust\", or a function";
                return Err(wrong_type("net", wanted, net));
            }
        };
        let visits = number_or(visits, "visits", 1..=1_000_000, 100)? as u32;
        Ok(Self {
            net: net.clone().unbind(),
            config: SearchConfig { visits, ..usual },
        })
    }

    /// Visits of each search.
    #[getter]
    const fn visits(&self) -> u32 {
        self.config.visits
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyType>, (Py<PyAny>, u32)) {
        let this = slf.get();
        (
            slf.get_type(),
            (this.net.clone_ref(slf.py()), this.visits()),
        )
    }

    /// Searches the position of a game that is not over.
    fn run<'py>(&self, py: Python<'py>, game: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let game = game::argument(game, "game")?;
        self.check(py, &game)?;
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
        let mut checked: Vec<Game> = Vec::new();
        for game in given {
            let game = game::argument(&game?, "games")?;
            self.check(py, &game).map_err(|error| {
                wrong("games", format!("{}: {}", checked.len(), error.value(py)))
            })?;
            checked.push(game);
        }
        // A function has no board of its own, a batch has one.
        let size = |game: &Game| game.rules().shape().size();
        if let Some(other) = checked.iter().find(|it| size(it) != size(&checked[0])) {
            let (found, first) = (size(other), size(&checked[0]));
            let reason = format!("boards of {first}x{first} and of {found}x{found}");
            return Err(wrong("games", reason));
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
