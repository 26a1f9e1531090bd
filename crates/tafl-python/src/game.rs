//! One game.

use crate::argument::{self, Playable, choice, mv, named_move, number, number_or, text, wrong};
use crate::planes::{Number, list_actions, write_planes};
use crate::played::Played;
use crate::ply::Ply;
use crate::rules::{Rules, rules_or_usual};
use crate::setup;
use crate::threads::count_leaves;
use numpy::{PyArray1, PyArray3, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use std::sync::Arc;
use tafl_rules::notation::opentafl;
use tafl_rules::notation::taflzero::{Beside, Fen};
use tafl_rules::{Move, RankOrder, Setup, Side, Square};
use tafl_samples::PLANES;

/// A game under one ruleset, from its start; `from_text` begins elsewhere.
///
/// Not to be used by two threads at once: that raises `RuntimeError`.
#[pyclass(module = "taflforge")]
pub(crate) struct Game {
    pub(crate) played: Played,
    /// Memory for the legal actions.
    legal: Vec<u16>,
}

/// What a game is pickled as: its rules, its first position, its plies.
type Reduced<'py> = (Bound<'py, PyAny>, (Rules, String, Vec<String>));

impl Game {
    pub(crate) const fn of(played: Played) -> Self {
        Self {
            played,
            legal: Vec::new(),
        }
    }

    const fn game(&self) -> &tafl_rules::Game {
        &self.played.game
    }

    fn planes<'py, T: Number>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let size = usize::from(self.game().rules().shape().size());
        let planes = PyArray3::<T>::zeros(py, [PLANES, size, size], false);
        write_planes(self.game(), planes.try_readwrite()?.as_slice_mut()?);
        Ok(planes.into_any())
    }

    /// Lists the legal actions anew.
    fn list(&mut self) -> &[u16] {
        self.legal.clear();
        if self.game().outcome().is_none() {
            list_actions(&self.played.game, &mut self.legal);
        }
        &self.legal
    }

    fn arrows(&self, arrows: &Bound<'_, PyAny>) -> PyResult<Vec<(Move, f32)>> {
        let wanted = || argument::wrong_type("arrows", "a dict of moves and numbers", arrows);
        let arrows = arrows.cast::<PyDict>().map_err(|_| wanted())?;
        let shape = self.game().rules().shape();
        let arrow = |(move_, weight): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
            let share = weight.extract::<f32>().map_err(|_| wanted())?;
            if !(0.0..=1.0).contains(&share) {
                return Err(wrong("arrows", format!("{weight} is not from 0 to 1")));
            }
            Ok((mv(&move_, "arrows", shape)?, share))
        };
        arrows.iter().map(arrow).collect()
    }
}

#[pymethods]
impl Game {
    #[new]
    #[pyo3(signature = (ruleset = None), text_signature = "(ruleset='copenhagen')")]
    fn new(ruleset: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        Ok(Self::of(Played::new(tafl_rules::Game::new(
            rules_or_usual(ruleset)?,
        ))))
    }

    /// Starts from a board: ranks from the highest, "3t3/7/...", letters t c (attackers), T N K (defenders).
    ///
    /// A UCI FEN (letters a d k, as `to_uci_fen` writes it) or an OpenTafl record ("atkf:y start:/...") is read too. Where
    /// the text says no side, the one that moves first under the rules begins. `chain`: the square of the piece that may go on
    /// capturing. `captureless`: plies since the last capture; its limit is judged after the next ply, as all but no-move is.
    /// `ValueError` if the text says otherwise than these or `side`.
    #[staticmethod]
    #[pyo3(signature = (board, side = None, ruleset = None, *, chain = None, captureless = None))]
    fn from_text(
        board: &Bound<'_, PyAny>,
        side: Option<&Bound<'_, PyAny>>,
        ruleset: Option<&Bound<'_, PyAny>>,
        chain: Option<&Bound<'_, PyAny>>,
        captureless: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let rules = rules_or_usual(ruleset)?;
        let sides = Side::ALL.map(|it| (it.name(), it));
        let square = |chain: &Bound<'_, PyAny>| {
            let square = text(chain, "chain")?.parse::<Square>();
            square.map_err(|error| wrong("chain", error))
        };
        let plies = |plies| number(plies, "captureless", 0..=1_000_000_000);
        let beside = Beside {
            side: side.map(|it| choice(it, "side", &sides)).transpose()?,
            chain: chain.map(square).transpose()?,
            captureless: captureless.map(plies).transpose()?.map(|it| it as u32),
        };
        let setup = setup::read(&text(board, "board")?, &rules, beside)?;
        Ok(Self::of(Played::new(setup::game(rules, &setup)?)))
    }

    /// The rules.
    #[getter]
    fn rules(&self) -> Rules {
        Rules(Arc::clone(self.game().rules()))
    }

    /// Who is to move. Inside a chain of captures (Berserk) a side moves again: never assume that they alternate.
    ///
    /// After the end of the game: who moved last, if that decided it on the board (king-captured, king-escaped, encirclement,
    /// fort), and so has won; else (no-move, repetition, captureless, unfinishable) who would be to move.
    #[getter]
    fn side<'py>(&self, py: Python<'py>) -> &'py Bound<'py, PyString> {
        match self.game().position().side() {
            Side::Attacker => pyo3::intern!(py, "attackers"),
            Side::Defender => pyo3::intern!(py, "defenders"),
        }
    }

    /// Who won: "attackers", "defenders" or "draw"; None while the game goes on.
    #[getter]
    fn outcome<'py>(&self, py: Python<'py>) -> Option<&'py Bound<'py, PyString>> {
        self.game().outcome().map(|outcome| match outcome.winner {
            Some(Side::Attacker) => pyo3::intern!(py, "attackers"),
            Some(Side::Defender) => pyo3::intern!(py, "defenders"),
            None => pyo3::intern!(py, "draw"),
        })
    }

    /// Why it ended: king-captured, king-escaped, encirclement, fort, no-move, repetition, captureless, unfinishable.
    #[getter]
    fn reason(&self) -> Option<&'static str> {
        self.game().outcome().map(|outcome| outcome.reason.name())
    }

    /// The ranks from the highest, as `from_text` reads them.
    #[getter]
    fn board(&self) -> String {
        self.played.setup().to_text(RankOrder::HighestFirst)
    }

    /// The letter of the piece on each occupied square.
    #[getter]
    fn pieces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (position, pieces) = (self.game().position(), PyDict::new(py));
        for square in position.occupied().squares() {
            if let Some(piece) = position.piece_at(square) {
                pieces.set_item(square.to_string(), piece.letter())?;
            }
        }
        Ok(pieces)
    }

    /// The square of the piece that may go on capturing.
    #[getter]
    fn chain(&self) -> Option<String> {
        let square = self.game().position().chain();
        square.map(|square| square.to_string())
    }

    /// How often the position has occurred, this time included.
    #[getter]
    fn occurrences(&self) -> u32 {
        self.game().occurrences()
    }

    /// Plies since the last capture.
    #[getter]
    fn captureless(&self) -> u32 {
        self.game().position().captureless()
    }

    /// Plies played since the first position.
    #[getter]
    fn ply(&self) -> usize {
        self.played.plies()
    }

    /// The plies since the first position, as moves.
    #[getter]
    fn history(&self) -> Vec<String> {
        self.game().moves().iter().map(Move::to_string).collect()
    }

    /// The same as turns with captures: "f6-f9xf8"; the plies of a chain are joined.
    #[getter]
    fn turns(&self) -> Vec<String> {
        self.played.turns()
    }

    /// A 64-bit hash of pieces and side to move.
    #[getter]
    fn key(&self) -> u64 {
        self.game().position().key()
    }

    /// Returns the legal moves in the order of their numbers; none when the game is over.
    fn legal_moves(&self) -> Vec<String> {
        self.game().legal().iter().map(Move::to_string).collect()
    }

    /// Returns the numbers of the legal moves, rising; uint16 [moves].
    fn legal_actions<'py>(&mut self, py: Python<'py>) -> Bound<'py, PyArray1<u16>> {
        PyArray1::from_slice(py, self.list())
    }

    /// Returns which of all actions are legal; bool [rules.actions].
    fn legal_mask<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<bool>>> {
        let (rules, position) = (self.game().rules(), self.game().position());
        let mask = PyArray1::zeros(py, rules.shape().policy_len(), false);
        if self.game().outcome().is_none() {
            let mut written = mask.try_readwrite()?;
            let actions = written.as_slice_mut()?;
            rules.legal_runs(position, |run| {
                actions[usize::from(run.start)..usize::from(run.end)].fill(true);
            });
        }
        Ok(mask)
    }

    /// Returns whether it could be played; False, too, for the number of a move that leads off the board.
    fn is_legal(&self, r#move: &Bound<'_, PyAny>) -> PyResult<bool> {
        Ok(self.why_illegal(r#move)?.is_none())
    }

    /// Returns what is against a move; None if it is legal.
    fn why_illegal(&self, r#move: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
        let read = Playable::read(r#move, "move", self.game().rules().shape())?;
        Ok(match read {
            Ok(playable) => self.played.refusal(&playable),
            Err(reason) => Some(reason),
        })
    }

    /// Plays a move, by text or number, or a turn as `turns` has them. `ValueError` if it is not legal.
    fn play(&mut self, r#move: &Bound<'_, PyAny>) -> PyResult<Ply> {
        let shape = self.game().rules().shape();
        let playable = Playable::read(r#move, "move", shape)?;
        let captured = playable.and_then(|it| self.played.play_any(&it));
        let captured = captured.map_err(|reason| wrong("move", reason))?;
        let mv = self.game().moves().last().copied().unwrap_or(Move::END);
        Ok(Ply {
            mv,
            shape,
            captured,
            ends: self.game().outcome().is_some(),
        })
    }

    /// Takes back plies; `ValueError` if there are fewer.
    #[pyo3(signature = (plies = None), text_signature = "($self, plies=1)")]
    fn undo(&mut self, plies: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let plies = number_or(plies, "plies", 0..=u32::MAX.into(), 1)? as usize;
        if plies > self.played.plies() {
            let reason = format!(
                "{} were played, {plies} cannot be undone",
                self.played.plies()
            );
            return Err(wrong("plies", reason));
        }
        self.played.take_back(plies);
        Ok(())
    }

    /// Returns a game of its own with the same plies.
    fn copy(&self) -> Self {
        Self::of(self.played.clone())
    }

    /// Returns the planes, [planes, size, size]: float32 as the trainer's, or uint8, of which 255 stands for 1.
    ///
    /// The numbers between 0 and 1 (captureless, handicaps) are rounded to the nearest 1/255 in uint8.
    #[pyo3(signature = (dtype = None), text_signature = "($self, dtype='u8')")]
    fn observation<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let is_f32 = match dtype {
            Some(dtype) => choice(dtype, "dtype", &[("u8", false), ("f32", true)])?,
            None => false,
        };
        if is_f32 {
            self.planes::<f32>(py)
        } else {
            self.planes::<u8>(py)
        }
    }

    /// Returns the position as a UCI FEN, which `from_text` reads while the game goes on.
    fn to_uci_fen(&self) -> String {
        let last = self.game().moves().last().filter(|mv| !mv.is_end());
        let fen = Fen {
            last_to: last.map(|mv| mv.to()),
            plies: self.played.plies() as u32,
            ..Fen::of(self.played.setup())
        };
        fen.to_string()
    }

    /// Returns an OpenTafl position record, which has no place for `captureless`. `ValueError` inside a chain: none either.
    fn to_opentafl(&self) -> PyResult<String> {
        let record = opentafl::write_position(&self.played.setup(), RankOrder::LowestFirst);
        record.map_err(|error| wrong("game", error))
    }

    /// Returns the leaves of the tree `depth` plies from here, 0 to 8, without repetitions and limits.
    fn perft(slf: &Bound<'_, Self>, depth: &Bound<'_, PyAny>) -> PyResult<u64> {
        let depth = number(depth, "depth", 0..=8)? as u32;
        // Other threads may play on meanwhile.
        let game = slf.borrow().game().clone();
        if game.outcome().is_some() && depth > 0 {
            return Ok(0);
        }
        count_leaves(slf.py(), game.rules(), game.position(), depth)
    }

    /// Returns a drawing, with an arrow for each of some moves, the stronger the nearer its number is to 1.
    #[pyo3(signature = (arrows = None))]
    fn svg(&self, arrows: Option<&Bound<'_, PyAny>>) -> PyResult<String> {
        let arrows = arrows.map_or(Ok(Vec::new()), |arrows| self.arrows(arrows))?;
        Ok(self.played.drawn().with_arrows(arrows).svg())
    }

    fn _repr_svg_(&self) -> String {
        self.played.drawn().svg()
    }

    fn __str__(&self) -> String {
        let end = self.game().outcome().map(|outcome| outcome.to_string());
        let side = self.game().position().side();
        let below = end.unwrap_or_else(|| format!("{side} to move"));
        format!("{}{below}", self.played.drawn().ascii())
    }

    fn __repr__(&self) -> String {
        let name = &self.game().rules().ruleset().name;
        let setup = Fen::of(self.played.setup()).to_taflforge();
        format!("<Game {name} {setup}>")
    }

    fn __copy__(&self) -> Self {
        Self::of(self.played.clone())
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Self {
        Self::of(self.played.clone())
    }

    /// Returns a game of what another one was pickled as.
    #[staticmethod]
    fn _restored(rules: &Bound<'_, Rules>, first: &str, moves: Vec<String>) -> PyResult<Self> {
        let rules = Arc::clone(&rules.get().0);
        let setup: Setup = first.parse().map_err(|error| wrong("first", error))?;
        let mut played = Played::new(setup::game(rules, &setup)?);
        for mv in moves {
            let shape = played.game.rules().shape();
            let mv = named_move(&mv, "moves", shape)?;
            let _captured = played.play(mv).map_err(|reason| wrong("moves", reason))?;
        }
        Ok(Self::of(played))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduced<'py>> {
        let make = slf.get_type().getattr("_restored")?;
        let this = slf.borrow();
        let first = Setup::of(&this.played.first, this.game().rules().shape());
        Ok((make, (this.rules(), first.to_string(), this.history())))
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        let other = other.cast::<Self>().map(|other| other.borrow());
        other.is_ok_and(|other| {
            let rules = [self, &*other].map(|it| it.game().rules().ruleset().fingerprint());
            rules[0] == rules[1]
                && self.played.first == other.played.first
                && self.game().moves() == other.game().moves()
        })
    }
}

/// Returns a copy of the game that an argument is.
pub(crate) fn argument(game: &Bound<'_, PyAny>, argument: &str) -> PyResult<tafl_rules::Game> {
    let found = game.cast::<Game>();
    let found = found.map_err(|_| argument::wrong_type(argument, "a Game", game))?;
    Ok(found.borrow().played.game.clone())
}
