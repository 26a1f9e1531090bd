//! Many games at once.

use crate::argument::{SEEDS, choice, number, number_or, wrong, wrong_type};
use crate::batch::{Outputs, PartDone};
use crate::buffers::{Buffers, Planes};
use crate::env_info::StepInfo;
use crate::planes::{MaskKind, Number};
use crate::rules::{Rules, rules_or_usual};
use crate::slots::Slots;
use crate::threads::lock;
use numpy::{PyArray1, PyArray4, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::prelude::*;
use std::sync::{Mutex, MutexGuard};
use tafl_samples::PLANES;

/// Many games at once; one that is over begins anew in the same step.
///
/// obs, mask = env.reset(); obs, reward, done, info = env.step(env.sample()).
///
/// `observation`: planes in uint8 (255 stands for 1), in float32, or none. `mask`: "bool" [num_envs, actions]; "packed" uint8
/// [num_envs, ceil(actions / 8)], for numpy.unpackbits(mask, axis=1, count=actions); "csr", a `Csr`; or none. `max_plies`: a game
/// is cut after so many plies: done, reward 0.
///
/// The arrays are the environment's own and are written over by the next call: copy what you keep. Batch calls use all
/// cores and let other Python threads run. A second thread that calls meanwhile gets a `RuntimeError`.
/// It can be neither copied nor pickled.
#[pyclass(frozen, module = "taflforge")]
pub(crate) struct VecEnv {
    rules: Rules,
    buffers: Buffers,
    slots: Mutex<Slots>,
    /// The legal actions as they were told last.
    mask: Mutex<Py<PyAny>>,
}

/// Games at once, at most.
const MOST_GAMES: u64 = 1 << 20;

/// What a step returns.
type Stepped = (Py<PyAny>, Py<PyAny>, Py<PyAny>, StepInfo);

impl VecEnv {
    fn slots(&self) -> PyResult<MutexGuard<'_, Slots>> {
        lock(&self.slots, "environment")
    }

    /// Plays actions if there are any, and writes all arrays.
    fn advance(
        &self,
        py: Python<'_>,
        slots: &mut Slots,
        actions: Option<&[u16]>,
    ) -> PyResult<StepInfo> {
        match &self.buffers.planes {
            Planes::None => self.write::<u8>(py, slots, actions, None),
            Planes::Bytes(planes) => self.write(py, slots, actions, Some(planes.own.bind(py))),
            Planes::Floats(planes) => self.write(py, slots, actions, Some(planes.own.bind(py))),
        }
    }

    fn write<T: Number>(
        &self,
        py: Python<'_>,
        slots: &mut Slots,
        actions: Option<&[u16]>,
        planes: Option<&Bound<'_, PyArray4<T>>>,
    ) -> PyResult<StepInfo> {
        let buffers = &self.buffers;
        let mut planes = planes.map(|planes| planes.try_readwrite()).transpose()?;
        let mask = buffers.mask.bytes(py);
        let mut mask = mask.map(|mask| mask.try_readwrite()).transpose()?;
        let mut reward = buffers.reward.own.bind(py).try_readwrite()?;
        let mut done = buffers.done.own.bind(py).try_readwrite()?;
        let mut mover = buffers.mover.own.bind(py).try_readwrite()?;
        let mut side = buffers.side.own.bind(py).try_readwrite()?;
        let outputs = Outputs {
            planes: planes
                .as_mut()
                .map_or(Ok(&mut [][..]), |it| it.as_slice_mut())?,
            mask: mask
                .as_mut()
                .map_or(Ok(&mut [][..]), |it| it.as_slice_mut())?,
            reward: reward.as_slice_mut()?,
            done: done.as_slice_mut()?,
            mover: mover.as_slice_mut()?,
            side: side.as_slice_mut()?,
        };
        let parts = py.detach(|| slots.advance(actions, outputs));
        self.told(py, parts, planes.is_some())
    }

    /// Puts what the parts of a batch found together.
    fn told<T: Number>(
        &self,
        py: Python<'_>,
        parts: Vec<PartDone<T>>,
        has_planes: bool,
    ) -> PyResult<StepInfo> {
        let mask = self.buffers.mask.told(py, &parts)?;
        *lock(&self.mask, "environment")? = mask.clone_ref(py);
        let ended = parts.iter().flat_map(|part| &part.ended);
        let reasons: Vec<_> = ended.map(|it| (it.index, it.reason)).collect();
        let final_obs = if has_planes {
            let numbers: Vec<T> = parts.into_iter().flat_map(|it| it.last_planes).collect();
            let size = usize::from(self.rules.0.shape().size());
            let planes = PyArray1::from_vec(py, numbers);
            let planes = planes.reshape([reasons.len(), PLANES, size, size])?;
            planes.into_any().unbind()
        } else {
            py.None()
        };
        Ok(StepInfo {
            mask,
            mover: self.buffers.mover.array(py),
            side: self.buffers.side.array(py),
            reasons,
            final_obs,
        })
    }

    fn read_actions(&self, actions: &Bound<'_, PyAny>) -> PyResult<Vec<u16>> {
        let games = self.num_envs(actions.py());
        if let Ok(actions) = actions.extract::<numpy::PyReadonlyArray1<'_, u16>>() {
            let actions: Vec<u16> = actions.as_array().iter().copied().collect();
            return of_len(actions, games);
        }
        let wanted = || wrong_type("actions", "an array of whole numbers", actions);
        let numpy = actions.py().import("numpy")?;
        let given = numpy
            .call_method1("asarray", (actions,))
            .map_err(|_| wanted())?;
        let kind: String = given.getattr("dtype")?.getattr("kind")?.extract()?;
        if kind != "i" && kind != "u" {
            return Err(wanted());
        }
        let array = given.call_method1("astype", ("int64",))?;
        let Ok(array) = array.extract::<numpy::PyReadonlyArray1<'_, i64>>() else {
            return Err(wrong("actions", format!("not of shape [{games}]")));
        };
        let most = self.num_actions() as i64 - 1;
        let action = |(index, action): (usize, &i64)| {
            if (0..=most).contains(action) {
                return Ok(*action as u16);
            }
            // One above those of i64 has become negative.
            let action = given.get_item(index)?;
            let reason = format!("game {index}: {action} is not a number from 0 to {most}");
            Err(wrong("actions", reason))
        };
        let actions = array
            .as_array()
            .iter()
            .enumerate()
            .map(action)
            .collect::<PyResult<_>>()?;
        of_len(actions, games)
    }
}

fn of_len(actions: Vec<u16>, games: usize) -> PyResult<Vec<u16>> {
    if actions.len() == games {
        return Ok(actions);
    }
    Err(wrong(
        "actions",
        format!("{} of them for {games} games", actions.len()),
    ))
}

#[pymethods]
impl VecEnv {
    #[new]
    #[pyo3(
        signature = (ruleset = None, num_envs = None, seed = None, *, observation = Word::Usual, mask = Word::Usual, max_plies = None),
        text_signature = "(ruleset='copenhagen', num_envs=1, seed=0, *, observation='u8', mask='bool', max_plies=None)"
    )]
    #[expect(clippy::too_many_arguments, reason = "Python names them")]
    fn new(
        py: Python<'_>,
        ruleset: Option<&Bound<'_, PyAny>>,
        num_envs: Option<&Bound<'_, PyAny>>,
        seed: Option<&Bound<'_, PyAny>>,
        observation: Word<'_>,
        mask: Word<'_>,
        max_plies: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let rules = rules_or_usual(ruleset)?;
        let games = number_or(num_envs, "num_envs", 1..=MOST_GAMES, 1)? as usize;
        let seed = number_or(seed, "seed", SEEDS, 0)?;
        let bytes = observation.choose("observation", &[("u8", true), ("f32", false)])?;
        let kinds = [
            ("bool", MaskKind::Bool),
            ("packed", MaskKind::Packed),
            ("csr", MaskKind::Csr),
        ];
        let kind = mask.choose("mask", &kinds)?;
        let most = u64::from(u32::MAX);
        let max_plies = number_or(max_plies, "max_plies", 1..=most, most)? as u32;
        let buffers = Buffers::new(py, games, rules.shape(), (bytes, kind))?;
        let mut slots = Slots::new(rules.clone(), games, kind, max_plies);
        slots.seed(seed);
        let made = Self {
            rules: Rules(rules),
            buffers,
            slots: Mutex::new(slots),
            mask: Mutex::new(py.None()),
        };
        made.reset(py, None)?;
        Ok(made)
    }

    /// The rules of all games.
    #[getter]
    fn rules(&self) -> Rules {
        Rules(self.rules.0.clone())
    }

    /// Games at once.
    #[getter]
    fn num_envs(&self, py: Python<'_>) -> usize {
        self.buffers.reward.own.bind(py).len()
    }

    /// Actions of the board, legal or not.
    #[getter]
    fn num_actions(&self) -> usize {
        self.rules.0.shape().policy_len()
    }

    /// The shape of `obs`: num_envs, planes, size, size.
    #[getter]
    fn observation_shape(&self, py: Python<'_>) -> (usize, usize, usize, usize) {
        let size = usize::from(self.rules.0.shape().size());
        (self.num_envs(py), PLANES, size, size)
    }

    /// The planes now, [num_envs, planes, size, size]; None without `observation`.
    #[getter]
    fn obs(&self, py: Python<'_>) -> Py<PyAny> {
        self.buffers.planes.array(py)
    }

    /// The legal actions now, as the argument `mask` says; None without it.
    #[getter]
    fn mask(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ok(lock(&self.mask, "environment")?.clone_ref(py))
    }

    /// The side to move in each game: 0 attackers, 1 defenders; uint8 [num_envs].
    #[getter]
    fn side(&self, py: Python<'_>) -> Py<PyAny> {
        self.buffers.side.array(py)
    }

    /// Starts all games; a seed also begins the stream of `sample` anew. Returns `obs` and `mask`.
    #[pyo3(signature = (seed = None))]
    fn reset(
        &self,
        py: Python<'_>,
        seed: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<(Py<PyAny>, Py<PyAny>)> {
        let seed = seed.map(|seed| number(seed, "seed", SEEDS)).transpose()?;
        let mut slots = self.slots()?;
        let slots = &mut *slots;
        py.detach(|| {
            if let Some(seed) = seed {
                slots.seed(seed);
            }
            slots.reset();
        });
        let info = self.advance(py, slots, None)?;
        Ok((self.obs(py), info.mask))
    }

    /// Plays one action in each game: integers [num_envs].
    ///
    /// Returns planes, the reward of the side that moved (1 won, -1 lost, 0 else; float32 [num_envs]), which games ended
    /// (bool [num_envs]), and more. An action that is not legal raises `ValueError` with its game; no game has moved then.
    fn step(&self, py: Python<'_>, actions: &Bound<'_, PyAny>) -> PyResult<Stepped> {
        let actions = self.read_actions(actions)?;
        let mut slots = self.slots()?;
        let slots = &mut *slots;
        let checked = py.detach(|| slots.check(&actions));
        checked.map_err(|it| wrong("actions", format!("game {}: {}", it.index, it.reason)))?;
        let info = self.advance(py, slots, Some(&actions))?;
        let (reward, done) = (&self.buffers.reward, &self.buffers.done);
        Ok((self.obs(py), reward.array(py), done.array(py), info))
    }

    /// Returns a legal action of each game, all equally likely; uint16 [num_envs]. Every call draws anew.
    ///
    /// The same seed, and the same calls since then, give the same actions. The array, too, is the environment's own: the
    /// next `sample` writes over it.
    fn sample(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let mut slots = self.slots()?;
        let slots = &mut *slots;
        let mut sampled = self.buffers.sampled.own.bind(py).try_readwrite()?;
        let actions = sampled.as_slice_mut()?;
        py.detach(|| slots.sample(actions));
        Ok(self.buffers.sampled.array(py))
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let name = &self.rules.0.ruleset().name;
        format!("<VecEnv {name}, {} games>", self.num_envs(py))
    }
}

/// A word that may be None, which is not the same as left out.
pub(crate) enum Word<'py> {
    Usual,
    Given(Bound<'py, PyAny>),
}

impl<'py> FromPyObject<'_, 'py> for Word<'py> {
    type Error = PyErr;

    fn extract(word: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        Ok(Self::Given(word.to_owned()))
    }
}

impl Word<'_> {
    /// Returns what the word means; where none is given, the first one.
    fn choose<T: Copy>(&self, argument: &str, words: &[(&str, T)]) -> PyResult<Option<T>> {
        match self {
            Self::Usual => Ok(words.first().map(|(_, meaning)| *meaning)),
            Self::Given(word) if word.is_none() => Ok(None),
            Self::Given(word) => choice(word, argument, words).map(Some),
        }
    }
}
