//! Networks that compute in Rust.

use crate::argument::{choice, not_over, path, wrong, wrong_type};
use crate::numbers;
use crate::threads::{self, on_all_cores};
use ndarray::{ArrayView3, ArrayView4, s};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray4};
use pyo3::exceptions::{PyFileNotFoundError, PyUserWarning};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::ffi::CString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use tafl_forward::NetEvaluator;
use tafl_graph::WdlAndLength;
use tafl_network::{
    Compute, Device, Export, ExportFormat, ModelCard, Network, Precision, RulesetCard, StoredAs,
};
use tafl_rules::{Move, Rules};
use tafl_samples::PLANES;
use tafl_search::{Evaluation, Evaluator, Leaf};
use tafl_training::Learned;

/// Returns the names of the networks in the package.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    include_str!("../../../data/nets/inside.list").lines()
}

/// A network that computes on the CPU without other packages; several threads may use it at once.
///
/// net(obs) evaluates positions: planes [batch, planes, size, size], uint8 (255 stands for 1) or float32. It returns logits of all
/// actions, legal or not, [batch, actions]; probabilities of win, draw and loss of the side to move, [batch, 3]; plies to the end
/// of the game, [batch]; all in float32.
#[pyclass(frozen, module = "taflforge")]
pub(crate) struct Net {
    folder: PathBuf,
    network: Network,
    card: ModelCard,
    compute: Compute,
    first: tafl_forward::Net,
    /// Copies that no thread computes with at the moment.
    spare: Mutex<Vec<tafl_forward::Net>>,
    /// Rulesets, by their fingerprints, of which was said that they were not learned.
    warned: Mutex<BTreeSet<String>>,
    learned: Learned,
}

/// A copy of a network that goes back when it is dropped.
struct Lent<'a>(&'a Net, Option<tafl_forward::Net>);

/// Logits, chances and plies to the end of a batch.
type Evaluated<'py> = (
    Bound<'py, PyArray2<f32>>,
    Bound<'py, PyArray2<f32>>,
    Bound<'py, PyArray1<f32>>,
);

/// The same, one position after the other.
struct Outputs {
    logits: Vec<f32>,
    wdl: Vec<f32>,
    moves_left: Vec<f32>,
}

/// Loads a checkpoint's folder, or where there is none of that name a network of `NETS`; `precision` is "f32", "int8" or "auto".
#[pyfunction]
pub(crate) fn load_net(
    py: Python<'_>,
    net: &Bound<'_, PyAny>,
    precision: &Bound<'_, PyAny>,
) -> PyResult<Net> {
    let given = path(net, "net")?;
    let precisions = [
        ("f32", Precision::F32),
        ("int8", Precision::Int8),
        ("auto", Precision::Auto),
    ];
    let precision = choice(precision, "precision", &precisions)?;
    let name = given.to_str().filter(|name| names().any(|it| it == *name));
    let folder = match name.filter(|_| !tafl_store::is_checkpoint_or_run(&given)) {
        Some(name) => {
            let package = py.import("taflforge")?.getattr("__path__")?.get_item(0)?;
            package.extract::<PathBuf>()?.join("nets").join(name)
        }
        None => given,
    };
    if !folder.exists() {
        let reason = match folder
            .to_str()
            .and_then(|name| tafl_config::nearest(name, names()))
        {
            Some(meant) => format!("did you mean {meant:?}?"),
            None => format!(
                "the networks in the package are {}",
                names().collect::<Vec<_>>().join(", ")
            ),
        };
        return Err(PyFileNotFoundError::new_err(format!(
            "net: {} does not exist; {reason}",
            folder.display()
        )));
    }
    if !tafl_store::is_checkpoint(&folder) {
        let last = tafl_store::checkpoints(&folder).unwrap_or_default().pop();
        let hint = last.map_or_else(String::new, |(_, last)| {
            format!(
                "; it is a run, the last of its networks is {}",
                last.display()
            )
        });
        let is_weights = folder.extension().is_some_and(|it| it == "safetensors");
        let hint = match is_weights {
            true => "; a run that begins with a PyTorch module's weights makes a network's folder",
            false => &*hint,
        };
        let reason = format!("{} holds no network{hint}", folder.display());
        return Err(wrong("net", reason));
    }
    py.detach(|| Net::load(folder, precision))
        .map_err(|error| wrong("net", error))
}

impl Net {
    fn load(folder: PathBuf, precision: Precision) -> Result<Self, String> {
        let loaded = tafl_network::load_network(&folder);
        let (network, card) = loaded.map_err(|error| error.to_string())?;
        let compute = precision.resolve(&network, Device::Cpu);
        let first = tafl_network::in_rust(&network, compute).map_err(|error| error.to_string())?;
        Ok(Self {
            learned: Learned::of(&folder, &card.provenance),
            folder,
            network,
            card,
            compute,
            first,
            spare: Mutex::default(),
            warned: Mutex::default(),
        })
    }

    pub(crate) fn folder_path(&self) -> &PathBuf {
        &self.folder
    }

    fn lend(&self) -> Lent<'_> {
        let spare = self
            .spare
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop();
        Lent(self, Some(spare.unwrap_or_else(|| self.first.clone())))
    }

    /// Does something with a copy of the network.
    pub(crate) fn with<T>(&self, work: impl FnOnce(&mut tafl_forward::Net) -> T) -> T {
        let mut lent = self.lend();
        work(lent.net())
    }

    /// Warns, once for each ruleset, of one that the network has not learned.
    fn warn_if_foreign(&self, py: Python<'_>, rules: &Rules) -> PyResult<()> {
        let Some(doubt) = self.learned.doubt(rules) else {
            return Ok(());
        };
        let own = RulesetCard::of(rules).fingerprint;
        let warned = || self.warned.lock().unwrap_or_else(PoisonError::into_inner);
        if warned().contains(&own) {
            return Ok(());
        }
        let said = format!("{} {doubt}", self.name());
        PyErr::warn(py, &py.get_type::<PyUserWarning>(), &CString::new(said)?, 1)?;
        warned().insert(own);
        Ok(())
    }

    /// Checks that a game goes on, on the board of the network.
    pub(crate) fn check(&self, py: Python<'_>, game: &tafl_rules::Game) -> PyResult<()> {
        let (found, expected) = (game.rules().shape().size(), self.first.shape().size());
        if found != expected {
            let reason =
                format!("a board of {found}x{found}, the network plays on {expected}x{expected}");
            return Err(wrong("game", reason));
        }
        not_over(game, "game")?;
        self.warn_if_foreign(py, game.rules())
    }

    fn evaluate(&self, game: &Bound<'_, PyAny>) -> PyResult<(Vec<Move>, Evaluation)> {
        let py = game.py();
        let game = crate::game::argument(game, "game")?;
        self.check(py, &game)?;
        let moves = game.legal();
        let mut evaluations = Vec::new();
        let leaf = &[Leaf::new(&game, &moves)];
        py.detach(|| self.with(|net| NetEvaluator(net).evaluate(leaf, &mut evaluations)));
        let evaluation = evaluations.pop().unwrap_or_else(Evaluation::empty);
        Ok((moves, evaluation))
    }

    /// Computes a batch on all cores; Ctrl-C ends it. `into` makes the numbers of a position ones that the network takes in.
    fn compute<T: Sync>(
        &self,
        py: Python<'_>,
        planes: &ArrayView4<'_, T>,
        into: impl Fn(&mut tafl_forward::Net, ArrayView3<'_, T>) -> WdlAndEnd + Sync,
    ) -> PyResult<Outputs> {
        let (positions, actions) = (planes.dim().0, self.first.shape().policy_len());
        let mut outputs = Outputs {
            logits: vec![0.0; positions * actions],
            wdl: vec![0.0; positions * 3],
            moves_left: vec![0.0; positions],
        };
        let at_once = AT_ONCE * threads::count();
        for first in (0..positions).step_by(at_once) {
            let last = positions.min(first + at_once);
            let planes = planes.slice(s![first..last, .., .., ..]);
            let rows = outputs.logits[first * actions..last * actions].par_chunks_mut(actions);
            let rows = rows.zip(outputs.wdl[first * 3..last * 3].par_chunks_mut(3));
            let rows = rows.zip(&mut outputs.moves_left[first..last]).enumerate();
            let compute = |lent: &mut Lent<'_>, (index, ((logits, wdl), moves_left)): Row<'_>| {
                let net = lent.net();
                let planes = planes.index_axis(ndarray::Axis(0), index);
                let (said, end) = into(net, planes.permuted_axes([1, 2, 0]));
                for (logit, found) in logits.iter_mut().zip(net.logits().chain([end])) {
                    *logit = found;
                }
                wdl.copy_from_slice(&said.wdl);
                *moves_left = said.moves_left;
            };
            py.detach(|| on_all_cores(|| rows.for_each_init(|| self.lend(), compute)));
            py.check_signals()?;
        }
        Ok(outputs)
    }

    fn check_planes(&self, found: (usize, usize, usize, usize)) -> PyResult<()> {
        let size = usize::from(self.first.shape().size());
        let (_, planes, ranks, files) = found;
        if (planes, ranks, files) == (PLANES, size, size) {
            return Ok(());
        }
        let reason = format!("shape {found:?} is not (batch, {PLANES}, {size}, {size})");
        Err(wrong("obs", reason))
    }

    /// Returns the rulesets that it learned.
    fn rules(&self) -> Result<Vec<Arc<Rules>>, String> {
        let rules = tafl_training::learned_rules(&self.folder, &self.card);
        let rules = rules.map_err(|error| format!("{error:#}"))?;
        Ok(rules.into_iter().map(|it| it.rules).collect())
    }

    fn write(
        &self,
        py: Python<'_>,
        folder: &Path,
        format: ExportFormat,
        rules: &[Arc<Rules>],
    ) -> PyResult<()> {
        let job = Export {
            network: &self.network,
            card: &self.card,
            rules,
            format,
            stored: StoredAs::F32,
            strength: None,
        };
        let exported = py.detach(|| {
            tafl_store::create_folder(folder).map_err(|error| error.to_string())?;
            tafl_network::export(&job, folder).map_err(|error| error.to_string())
        });
        exported.map_err(|error| wrong("folder", error))?;
        Ok(())
    }
}

/// The formats of exports.
fn formats() -> [(&'static str, ExportFormat); 3] {
    let formats = [
        ExportFormat::Onnx,
        ExportFormat::Pytorch,
        ExportFormat::Safetensors,
    ];
    formats.map(|it| (it.into(), it))
}

/// Positions that a thread computes between two looks at Python's signals.
const AT_ONCE: usize = 16;

/// The number of a position, and where its logits, chances and length go.
type Row<'a> = (usize, ((&'a mut [f32], &'a mut [f32]), &'a mut f32));

/// Chances and length, and the logit of the end of a chain.
type WdlAndEnd = (WdlAndLength, f32);

fn forward(net: &mut tafl_forward::Net, planes: ArrayView3<'_, f32>) -> WdlAndEnd {
    let values = net.forward_planes(planes);
    (WdlAndLength::of(&values), values[values.len() - 1])
}

impl Lent<'_> {
    fn net(&mut self) -> &mut tafl_forward::Net {
        self.1.get_or_insert_with(|| self.0.first.clone())
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        let mut spare = self.0.spare.lock().unwrap_or_else(PoisonError::into_inner);
        spare.extend(self.1.take());
    }
}

#[pymethods]
impl Net {
    /// Its run and the number of its checkpoint.
    #[getter]
    fn name(&self) -> String {
        let provenance = &self.card.provenance;
        format!("{} {}", provenance.run, provenance.generation)
    }

    /// The folder of its weights and `model.json`.
    #[getter]
    fn folder(&self) -> String {
        self.folder.display().to_string()
    }

    /// Files of the board that it plays on.
    #[getter]
    fn size(&self) -> u8 {
        self.first.shape().size()
    }

    /// The numbers that it computes in: "f32" or "int8".
    #[getter]
    fn precision(&self) -> String {
        self.compute.to_string()
    }

    /// Names of the rulesets that its run learns.
    #[getter]
    fn rulesets<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let rulesets = self.card.provenance.rulesets.iter();
        PyTuple::new(py, rulesets.map(|it| it.name.as_str()).collect::<Vec<_>>())
    }

    /// Numbers that it learned.
    #[getter]
    fn parameters(&self) -> u64 {
        self.network.architecture().parameter_count()
    }

    /// Evaluates positions: planes [batch, planes, size, size], uint8 (255 stands for 1) or float32.
    fn __call__<'py>(&self, py: Python<'py>, obs: &Bound<'py, PyAny>) -> PyResult<Evaluated<'py>> {
        let outputs = if let Ok(planes) = obs.extract::<PyReadonlyArray4<'_, f32>>() {
            let planes = planes.as_array();
            self.check_planes(planes.dim())?;
            if planes.iter().any(|it| !it.is_finite()) {
                return Err(wrong("obs", "a number is not finite"));
            }
            if planes.iter().any(|it| *it > 1.0) {
                return Err(wrong("obs", "a number of float32 planes is above 1"));
            }
            if planes.iter().any(|it| *it < 0.0) {
                return Err(wrong("obs", "a number of float32 planes is below 0"));
            }
            self.compute(py, &planes, forward)?
        } else if let Ok(planes) = obs.extract::<PyReadonlyArray4<'_, u8>>() {
            let planes = planes.as_array();
            self.check_planes(planes.dim())?;
            // Pieces stand in every position.
            if planes.outer_iter().any(|it| it.iter().max() == Some(&1)) {
                return Err(wrong("obs", "uint8 planes have 255 for 1, these have 1"));
            }
            let into = |net: &mut _, planes: ArrayView3<'_, u8>| {
                forward(net, planes.mapv(|it| f32::from(it) / 255.0).view())
            };
            self.compute(py, &planes, into)?
        } else {
            let wanted = "an array [batch, planes, size, size] of uint8 or float32";
            return Err(wrong_type("obs", wanted, obs));
        };
        let positions = outputs.moves_left.len();
        let actions = self.first.shape().policy_len();
        Ok((
            outputs
                .logits
                .into_pyarray(py)
                .reshape([positions, actions])?,
            outputs.wdl.into_pyarray(py).reshape([positions, 3])?,
            outputs.moves_left.into_pyarray(py),
        ))
    }

    /// Returns the probability of each legal move.
    fn policy<'py>(
        &self,
        py: Python<'py>,
        game: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (moves, evaluation) = self.evaluate(game)?;
        let most = evaluation.logits.iter().copied().fold(f32::MIN, f32::max);
        let weights = evaluation.logits.iter();
        let weights = weights.map(|it| f64::from(it - most).exp());
        numbers::policy(py, moves.iter().copied().zip(weights))
    }

    /// Returns the probabilities of win, draw and loss of the side to move.
    fn value(&self, game: &Bound<'_, PyAny>) -> PyResult<(f32, f32, f32)> {
        let (_, Evaluation { wdl, .. }) = self.evaluate(game)?;
        Ok((wdl.win, wdl.draw, wdl.loss))
    }

    /// Writes the network for other programs, in float32 whatever its precision: onnx, or model.py with its weights, or
    /// safetensors.
    fn export(
        &self,
        py: Python<'_>,
        folder: &Bound<'_, PyAny>,
        format: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let format = choice(format, "format", &formats())?;
        let folder = path(folder, "folder")?;
        let rules = self.rules().map_err(|error| wrong("net", error))?;
        self.write(py, &folder, format, &rules)
    }

    /// Writes the network for this process alone, which asks no card for the rules: those of a checkpoint may be elsewhere.
    fn _export(&self, py: Python<'_>, folder: PathBuf, format: &Bound<'_, PyAny>) -> PyResult<()> {
        let format = choice(format, "format", &formats())?;
        let rules = self.rules().or_else(|error| {
            let presets = tafl_rules::known_names().filter_map(Rules::preset);
            let mut fitting = presets.filter(|it| it.shape() == self.first.shape());
            fitting
                .next()
                .map(|it| vec![it])
                .ok_or_else(|| wrong("net", error))
        });
        self.write(py, &folder, format, &rules?)
    }

    /// Checks that the network can evaluate a game; warns of rules that it has not learned.
    fn _check(&self, game: &Bound<'_, PyAny>) -> PyResult<()> {
        self.check(game.py(), &crate::game::argument(game, "game")?)
    }

    /// It never changes, so a copy is itself.
    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        slf
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (PathBuf, String))> {
        let (load, this) = (
            slf.py().import("taflforge._core")?.getattr("load_net")?,
            slf.get(),
        );
        let folder = std::path::absolute(&this.folder)?;
        Ok((load, (folder, this.precision())))
    }

    fn __repr__(&self) -> String {
        format!("<Net {} in {}>", self.name(), self.compute)
    }
}
