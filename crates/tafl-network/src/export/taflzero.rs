//! What differs between `TaflZero` 0.3 and this program: planes, order of moves, outputs.
//!
//! `TaflZero` numbers squares as this program does, rank by rank from a1, and moves as
//! `from * 4 * (size - 1) + direction * (size - 1) + distance - 1`, with its directions towards rank 1, away from it,
//! towards file a, away from it. Its network's value is one number, its moves left are hundreds of plies.

use super::graph::Onnx;
use super::job::ExportError;
use super::lines::{self, SOURCES};
use super::stored::Named;
use crate::architecture::LEARNED;
use ndarray::{Array3, Axis};
use tafl_graph::{INPUT, MOVES_LEFT_SCALE, OUTPUTS};
use tafl_rules::{Bitboard, Chain, Direction, Escape, Game, KingCapture, Rules, Side};
use tafl_samples::{Facts, PLANES as OWN_PLANES, encode, plane_names};

/// The planes of `TaflZero`'s `base` set, in order: name, meaning, whether all squares have the same number.
pub(super) const PLANE_DOCS: [(&str, &str, bool); PLANES] = [
    ("attackers", "1 where an attacker stands", false),
    (
        "defenders",
        "1 where a defender stands, the king left out",
        false,
    ),
    ("king", "1 where the king stands", false),
    ("stm", "1 everywhere when the defenders are to move", true),
    ("throne", "1 on the throne", false),
    ("corners", "1 on the corners", false),
    (
        "edges",
        "1 on all edge squares; not read where the king escapes to the corners",
        false,
    ),
    (
        "group_bfs",
        "1 where defenders and king could walk, past each other but not attackers; not read",
        false,
    ),
    ("king_bfs", "1 where the king could walk; not read", false),
    (
        "rep1",
        "1 everywhere when the position occurred at least once before",
        true,
    ),
    (
        "rep2",
        "1 everywhere when it occurred at least twice before",
        true,
    ),
];

/// How moves become policy outputs.
pub(super) const ACTION_ENCODING: &str = "from_square * 4 * (size - 1) + direction * (size - 1) + distance - 1; squares \
     rank by rank from a1; directions down (towards rank 1), up, left, right";

/// How many planes there are.
pub(super) const PLANES: usize = 11;

/// Those of the pieces.
pub(super) const ATTACKERS: usize = 0;
pub(super) const DEFENDERS: usize = 1;
pub(super) const KING: usize = 2;

/// Plies per unit of the moves-left output.
const MOVES_LEFT_PLIES: f32 = 100.0;

/// This program's direction for each of `TaflZero`'s.
const DIRECTIONS: [Direction; 4] = [
    Direction::Down,
    Direction::Up,
    Direction::Left,
    Direction::Right,
];

/// Our planes of squares that are filled from one of theirs, as they are.
const SAME: [(&str, usize); 6] = [
    ("attackers", ATTACKERS),
    ("defenders", DEFENDERS),
    ("king", KING),
    ("throne", 4),
    ("occurred_before", 9),
    ("occurred_twice_before", 10),
];

/// Our planes that the graph computes, in the order of [`SOURCES`]: of one move, and of at most two; with the names of the
/// values that hold them, and of the planes to which they are added.
const LINES: [(&str, &str, &[&str]); 2] = [
    (
        "lines.one",
        "lines.one.own.sum",
        &["king_one", "home_one", "attackers_reach", "defenders_reach"],
    ),
    ("lines.two", "own/planes", &["king_two", "home_two"]),
];

/// A 1x1 convolution that makes our planes of theirs, and the order of their moves.
pub(super) struct Adapter {
    /// `[OWN_PLANES, PLANES]`.
    weight: Vec<f32>,
    /// `[OWN_PLANES]`: what is the same in all positions of the ruleset.
    bias: Vec<f32>,
    size: usize,
    /// Their plane of the squares to which the king escapes.
    goal: usize,
}

impl Adapter {
    /// Returns the adapter for a ruleset, if `TaflZero` can play it.
    pub(super) fn new(rules: &Rules) -> Result<Self, ExportError> {
        let ruleset = rules.ruleset();
        let refuse = |reason: &str| {
            let name = ruleset.name.clone();
            Err(ExportError::Ruleset(name, reason.to_owned()))
        };
        // Constants tell the network of the other fields.
        if ruleset.ranks.is_on() || ruleset.chain != Chain::None {
            return refuse("TaflZero knows no knight, commanders or capture chains");
        }
        match ruleset.king_capture {
            KingCapture::FourSides | KingCapture::TwoSidesAwayFromThrone => {}
            KingCapture::TwoSides => {
                return refuse("TaflZero's king is captured by four on the throne");
            }
            KingCapture::TwoSidesOffThrone => {
                return refuse("TaflZero's king is not captured by two beside the throne");
            }
            KingCapture::FourSidesThreeOnEdge => {
                return refuse("TaflZero's king is not captured on an edge");
            }
        }
        if let Some((field, value)) = ruleset.later_changed().first() {
            return refuse(&format!("TaflZero knows no `{field} = {value}`"));
        }
        let size = usize::from(rules.shape().size());
        if size == 7 {
            return refuse("TaflZero plays on 11x11 and 9x9 only");
        }
        let mut adapter = Self {
            weight: vec![0.0; OWN_PLANES * PLANES],
            bias: constants(rules),
            size,
            goal: match ruleset.escape {
                Escape::Corners => 5,
                Escape::Edges => 6,
            },
        };
        for name in LINES.iter().flat_map(|(_, _, names)| *names) {
            adapter.bias[own_plane(name)] = 0.0;
        }
        for (own, theirs) in SAME {
            adapter.connect(own, theirs, 1.0);
        }
        adapter.connect("goal", adapter.goal, 1.0);
        // Theirs is 1 for the defenders, ours for the attackers.
        adapter.connect("attackers_to_move", 3, -1.0);
        adapter.bias[own_plane("attackers_to_move")] = 1.0;
        Ok(adapter)
    }

    /// Makes a plane of ours theirs times a factor; the plane has no constant then.
    fn connect(&mut self, name: &str, theirs: usize, factor: f32) {
        let plane = own_plane(name);
        self.bias[plane] = 0.0;
        self.weight[plane * PLANES + theirs] = factor;
    }

    /// Returns the number of policy outputs: theirs has none for the end of a chain.
    const fn policy_len(&self) -> usize {
        self.size * self.size * 4 * (self.size - 1)
    }

    /// Adds our planes of theirs to a graph, as `own/planes`.
    pub(super) fn add_planes(&self, graph: &mut Onnx) {
        lines::mix(graph, "adapter", INPUT, &self.weight, &self.bias);
        lines::add(graph, self.size, self.goal);
        let mut before = "adapter";
        for (walked, sum, names) in LINES {
            let mut weight = [0.0; OWN_PLANES * SOURCES];
            for (source, name) in names.iter().enumerate() {
                weight[own_plane(name) * SOURCES + source] = 1.0;
            }
            lines::mix(
                graph,
                &format!("{walked}.own"),
                walked,
                &weight,
                &[0.0; OWN_PLANES],
            );
            graph.add(&format!("{sum} = Add({before}, {walked}.own)"));
            before = sum;
        }
    }

    /// Adds their outputs of ours to a graph.
    pub(super) fn add_outputs(&self, graph: &mut Onnx) {
        let (squares, distances) = (self.size * self.size, self.size - 1);
        let directions = DIRECTIONS.map(|own| (own as usize).to_string()).join(",");
        let units = MOVES_LEFT_SCALE as f32 / MOVES_LEFT_PLIES;
        graph.add(&format!(
            "policy.shape = int64[4] 0,{squares},4,{distances}\n\
             policy.lines = Reshape(own/policy.moves, policy.shape)\n\
             policy.order = int32[4] {directions}\n\
             policy.turned = Gather<axis=2>(policy.lines, policy.order)\n\
             policy = Flatten<axis=1>(policy.turned)\n\
             value.sign = float[3,1] 1,0,-1\n\
             value = Gemm(own/{}, value.sign)\n\
             moves_left.scale = float[] {units}\n\
             moves_left = Mul(own/{}, moves_left.scale)",
            OUTPUTS[1], LEARNED[2]
        ));
    }

    /// Returns name, length and meaning of their outputs; logits have the meaning that is given.
    pub(super) const fn output_docs(
        &self,
        logits: &'static str,
    ) -> [(&'static str, usize, &'static str); 3] {
        let value = "expected result of the side to move, from -1 (loss) to 1 (win)";
        let moves_left = "plies until the game ends, divided by 100";
        [
            ("policy", self.policy_len(), logits),
            ("value", 1, value),
            ("moves_left", 1, moves_left),
        ]
    }

    /// Returns their number for the move that is our policy output `index`.
    pub(super) fn policy_place(&self, index: usize) -> usize {
        let distances = self.size - 1;
        let (line, distance) = (index / distances, index % distances);
        let (from, direction) = (line / 4, line % 4);
        let theirs = DIRECTIONS
            .iter()
            .position(|&own| own as usize == direction)
            .expect("all four directions are there");
        (from * 4 + theirs) * distances + distance
    }

    /// Returns what this program's outputs are in their form.
    pub(super) fn outputs(&self, own: &Named) -> Named {
        let [policy, wdl, moves_left] = ["policy", "wdl", "moves_left"].map(|name| &own[name]);
        let len = self.policy_len();
        let mut turned = Vec::with_capacity(policy.len());
        for row in policy.chunks_exact(len + 1) {
            let start = turned.len();
            turned.resize(start + len, 0.0);
            for (index, &logit) in row[..len].iter().enumerate() {
                turned[start + self.policy_place(index)] = logit;
            }
        }
        let (triples, _) = wdl.as_chunks::<3>();
        let value = triples.iter().map(|[win, _, loss]| win - loss).collect();
        let moves_left = moves_left.iter().map(|plies| plies / MOVES_LEFT_PLIES);
        [
            ("policy", turned),
            ("value", value),
            ("moves_left", moves_left.collect()),
        ]
        .into()
    }
}

fn own_plane(name: &str) -> usize {
    plane_names()
        .iter()
        .position(|&plane| plane == name)
        .expect("the planes have these names")
}

/// Returns our planes that are the same on all squares, at the start and to the defenders; the others are 0.
fn constants(rules: &Rules) -> Vec<f32> {
    let facts = Facts {
        pieces: [Bitboard::default(); 5],
        side: Side::Defender,
        chain: None,
        occurrences: 1,
        captureless: 0,
        last_move: None,
        weakness: [[0; 2]; 2],
    };
    let size = usize::from(rules.shape().size());
    let mut planes = Array3::zeros((size, size, OWN_PLANES));
    encode(&facts, rules, planes.view_mut());
    let planes = planes.axis_iter(Axis(2));
    planes
        .map(|plane| plane.fold(1.0, |least, &number| f32::min(least, number)))
        .collect()
}

/// Returns the facts of a position that their planes can tell.
pub(super) fn told(game: &Game) -> Facts {
    Facts {
        chain: None,
        captureless: 0,
        last_move: None,
        ..Facts::of(game)
    }
}
