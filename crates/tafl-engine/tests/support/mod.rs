//! An engine in this process, and a conversation with it.

use std::io::{BufRead, BufReader, PipeReader, PipeWriter, Write, pipe};
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::Duration;
use tafl_engine::{EngineSetup, Limits, Protocol, Searcher, serve};
use tafl_rules::{Rules, known_names};
use tafl_search::{Evaluation, Evaluator, Leaf, MoverWdl, SearchConfig, UniformEvaluator};

/// How long a test waits for a line before it fails.
const PATIENCE: Duration = Duration::from_secs(30);

/// An engine that knows nothing and searches with few visits.
pub(crate) fn setup() -> EngineSetup {
    with_evaluator(|| Box::new(UniformEvaluator))
}

/// An engine with such an evaluator, for all rulesets.
pub(crate) fn with_evaluator(
    make: impl Fn() -> Box<dyn Evaluator> + Send + 'static,
) -> EngineSetup {
    EngineSetup {
        name: "test".to_owned(),
        version: "1".to_owned(),
        rules: Rules::preset("copenhagen").expect("a preset"),
        offered: known_names().filter_map(Rules::preset).collect(),
        find_rules: Box::new(|name| {
            Rules::preset(name).ok_or_else(|| format!("unknown ruleset {name:?}"))
        }),
        make_searcher: Box::new(move |_| {
            Ok(Searcher {
                evaluator: make(),
                search: SearchConfig::gumbel(8),
            })
        }),
        limits: Limits::default(),
        seed: 1,
    }
}

/// Judges each position at a whim, always the same one, so that games wander and end.
pub(crate) struct Whim;

impl Evaluator for Whim {
    fn evaluate(&mut self, leaves: &[Leaf<'_>], evaluations: &mut Vec<Evaluation>) {
        evaluations.clear();
        for leaf in leaves {
            let mut whim = leaf.game.position().key() ^ leaf.game.moves().len() as u64;
            let mut next = || {
                whim = whim
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                (whim >> 40) as f32 / (1_u64 << 24) as f32
            };
            let win = next();
            evaluations.push(Evaluation {
                logits: leaf.moves.iter().map(|_| 4.0 * next()).collect(),
                wdl: MoverWdl {
                    win,
                    draw: 0.0,
                    loss: 1.0 - win,
                },
                moves_left: 30.0,
            });
        }
    }
}

/// A conversation with an engine on a thread of its own.
pub(crate) struct Conversation {
    input: Option<PipeWriter>,
    answers: Receiver<String>,
    engine: Option<JoinHandle<Result<(), String>>>,
}

impl Conversation {
    /// Begins with a setup that `make` builds on the engine's thread.
    pub(crate) fn begin(
        protocol: Protocol,
        make: impl FnOnce() -> EngineSetup + Send + 'static,
    ) -> Self {
        let (input_end, input): (PipeReader, PipeWriter) = pipe().expect("a pipe");
        let (output, output_end) = pipe().expect("a pipe");
        let (sender, answers) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        let engine = std::thread::spawn(move || {
            let mut input = BufReader::new(input_end);
            serve(protocol, make(), &mut input, Box::new(output_end))
        });
        Self {
            input: Some(input),
            answers,
            engine: Some(engine),
        }
    }

    pub(crate) fn uci() -> Self {
        Self::begin(Protocol::Uci, setup)
    }

    pub(crate) fn htp() -> Self {
        Self::begin(Protocol::Htp, setup)
    }

    pub(crate) fn say(&mut self, line: &str) {
        self.say_bytes(line.as_bytes());
    }

    pub(crate) fn say_bytes(&mut self, line: &[u8]) {
        let input = self.input.as_mut().expect("it is open");
        input.write_all(line).expect("the engine reads");
        input.write_all(b"\n").expect("the engine reads");
    }

    /// Returns the next line.
    pub(crate) fn hear(&mut self) -> String {
        let line = self.answers.recv_timeout(PATIENCE);
        line.expect("a line comes in time")
    }

    /// Returns the lines up to the first that begins so, it included.
    pub(crate) fn hear_until(&mut self, beginning: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            lines.push(self.hear());
            if lines.last().is_some_and(|line| line.starts_with(beginning)) {
                return lines;
            }
        }
    }

    /// Says a line and returns the last of the lines up to that which begins so.
    pub(crate) fn ask(&mut self, line: &str, beginning: &str) -> String {
        self.say(line);
        self.hear_until(beginning).pop().expect("a line")
    }

    /// Says a line of HTP and returns the answer's first line.
    pub(crate) fn htp_answer(&mut self, line: &str) -> String {
        self.say(line);
        loop {
            let answer = self.hear();
            if answer.starts_with(['=', '?']) {
                return answer;
            }
        }
    }

    /// Ends the input; returns how the engine ended, and what it said last.
    pub(crate) fn close(mut self) -> (Result<(), String>, Vec<String>) {
        self.input = None;
        self.wait()
    }

    /// Waits for the engine to end by itself.
    pub(crate) fn wait(mut self) -> (Result<(), String>, Vec<String>) {
        let engine = self.engine.take().expect("it runs");
        let ended = engine.join().expect("it does not panic");
        (ended, self.answers.iter().collect())
    }
}
