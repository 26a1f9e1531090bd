//! Search with a network.

use crate::argument::{SEEDS, number_or, wrong, wrong_type};
use crate::game;
use crate::net::Net;
use crate::threads::on_all_cores;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use rayon::prelude::*;
use tafl_forward::NetEvaluator;
use tafl_rules::Game;
use tafl_search::{Mode, RootStats, SearchConfig};
use tafl_training::PlayerSource;

/// Gumbel `AlphaZero`'s search, as `tafl` plays.
#[pyclass(frozen, module = "taflforge")]
pub(crate) struct Search {
    net: Py<Net>,
    config: SearchConfig,
    seed: u64,
}

impl Search {
    fn search(&self, net: &Net, game: &Game) -> RootStats {
        net.with(|net| {
            let mut search =
                tafl_search::Search::new(&self.config, game.clone(), Mode::Match, self.seed);
            tafl_search::run(&mut search, &mut NetEvaluator(net))
        })
    }
}

#[pymethods]
impl Search {
    #[new]
    #[pyo3(signature = (net, visits = None, seed = None), text_signature = "(net, visits=100, seed=0)")]
    fn new(
        net: &Bound<'_, PyAny>,
        visits: Option<&Bound<'_, PyAny>>,
        seed: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let found = net.cast::<Net>();
        let found = found.map_err(|_| wrong_type("net", "a Net with backend=\"rust\"", net))?;
        let visits = number_or(visits, "visits", 1..=1_000_000, 100)? as u32;
        let seed = number_or(seed, "seed", SEEDS, 0)?;
        let folder = found.get().folder_path().clone();
        let run = PlayerSource::checkpoint(folder).own_config();
        let run = run.map_err(|error| wrong("net", format!("{error:#}")))?;
        Ok(Self {
            net: found.clone().unbind(),
            config: SearchConfig {
                visits,
                ..run.search
            },
            seed,
        })
    }

    #[getter]
    const fn visits(&self) -> u32 {
        self.config.visits
    }

    /// Searches the position of a game that is not over.
    fn run<'py>(&self, py: Python<'py>, game: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let game = game::argument(game, "game")?;
        let net = self.net.get();
        net.check(&game)?;
        let stats = py.detach(|| self.search(net, &game));
        result(py, &stats)
    }

    /// Does the same for many, on all cores.
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
            net.check(&game).map_err(|error| {
                wrong("games", format!("{}: {}", checked.len(), error.value(py)))
            })?;
            checked.push(game);
        }
        let search = |game: &Game| self.search(net, game);
        let searched: Vec<RootStats> =
            py.detach(|| on_all_cores(|| checked.par_iter().map(search).collect()));
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
    let value = stats.value.win - stats.value.loss;
    let make = py.import("taflforge._tuples")?.getattr("SearchResult")?;
    make.call1((stats.chosen.to_string(), value, visits))
}
