//! `model.json` of an export: what its numbers mean and where they come from.

use super::job::{Export, ExportFormat, StoredAs, StrengthCard};
use super::stored::{Named, POSITIONS, Stored, Verification};
use super::taflzero::{self, Adapter};
use crate::card::{ACTION_ENCODING, PROGRAM};
use crate::{ModelCard, RulesetCard};
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::Arc;
use tafl_graph::{Graph, INPUT, OUTPUTS};
use tafl_rules::{Game, Move, Piece, RankOrder, Rules, Setup, Side};
use tafl_samples::{Facts, MARKED_PLANES, PLANE_DOCS, SIDE_PLANE, plane_names, plane_sets};

/// The version of an export's layout and of the fields of its `model.json`.
const EXPORT_FORMAT: u32 = 5;

/// Moves of the policy that a test vector lists.
const MOVES: usize = 5;

/// The contents of an export's `model.json`.
#[derive(Serialize)]
pub(super) struct Card {
    export_format: u32,
    format: ExportFormat,
    program: &'static str,
    file: &'static str,
    pub(super) sha256: String,
    /// The other files, with the SHA-256 of each.
    pub(super) texts: BTreeMap<&'static str, String>,
    /// The SHA-256 of the card without the line that holds it.
    pub(super) own_sha256: String,
    weights: StoredAs,
    rulesets: Vec<RulesetUse>,
    input: &'static str,
    planes: Vec<PlaneCard>,
    pub(super) outputs: Vec<OutputCard>,
    action_encoding: &'static str,
    pub(super) example: ExampleCard,
    test_vectors: Vec<TestVector>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) graph: Option<Graph>,
    pub(super) verification: Verification,
    strength: Option<StrengthCard>,
    pub(super) checkpoint: ModelCard,
}

/// A ruleset, and what an encoder must know of it.
#[derive(Serialize)]
struct RulesetUse {
    #[serde(flatten)]
    ruleset: RulesetCard,
    /// The planes that have a number other than 0 on all squares, with it.
    uniform: BTreeMap<&'static str, f32>,
    captureless_limit: Option<NonZeroU32>,
    /// Whether there is a throne.
    throne: bool,
    /// All its fields, as a ruleset file has them, with the start position and the side that moves first.
    fields: Map<String, Value>,
}

/// An input plane.
#[derive(Serialize)]
struct PlaneCard {
    name: &'static str,
    meaning: &'static str,
    shape: [usize; 2],
    range: [f32; 2],
    uniform: bool,
}

/// An output.
#[derive(Serialize)]
pub(super) struct OutputCard {
    pub(super) name: &'static str,
    pub(super) len: usize,
    pub(super) meaning: &'static str,
}

/// A move, and what the network says of the position in which it is possible.
#[derive(Serialize)]
pub(super) struct ExampleCard {
    ruleset: String,
    position: String,
    side: Side,
    #[serde(rename = "move")]
    mv: String,
    index: usize,
    pub(super) outputs: Named,
}

/// A position, its planes, and what the network says of it.
#[derive(Serialize)]
struct TestVector {
    ruleset: String,
    position: String,
    side: Side,
    chain: Option<String>,
    last_move: Option<String>,
    occurrences: u32,
    captureless: u32,
    planes: BTreeMap<&'static str, PlaneNumbers>,
    policy: Vec<(String, f32)>,
    outputs: Named,
}

/// The numbers of a plane.
#[derive(Serialize)]
#[serde(untagged)]
enum PlaneNumbers {
    /// The squares with a 1, separated by spaces; 0 elsewhere.
    Squares(String),
    /// The number that all squares have.
    Everywhere(f32),
}

/// What an encoder may get wrong without a position that shows it: a piece within a chain, ranks, a position that occurred
/// before, and a limit of moves without a capture.
const SHOWN: [fn(&Game) -> bool; 4] = [
    |game| game.position().chain().is_some(),
    |game| !game.position().pieces_of_kind(Piece::Knight).is_empty(),
    |game| Facts::of(game).occurrences > 1,
    |game| game.position().captureless() > 0 && game.rules().ruleset().captureless_limit.is_some(),
];

impl Card {
    /// Returns the card of a file whose weights were checked on `games`, [`POSITIONS`] of each ruleset, and gave `outputs`;
    /// the checksums are not known yet.
    pub(super) fn new(
        job: &Export<'_>,
        stored: &Stored,
        adapter: Option<&Adapter>,
        games: &[Game],
        outputs: &Named,
        verification: Verification,
    ) -> Self {
        let rulesets = games.chunks(POSITIONS).map(|games| games[0].rules());
        let (action_encoding, test_vectors) = match adapter {
            // TaflZero's planes are its own.
            Some(_) => (taflzero::ACTION_ENCODING, Vec::new()),
            None => (ACTION_ENCODING, test_vectors(games, outputs)),
        };
        let is_safetensors = job.format == ExportFormat::Safetensors;
        Self {
            export_format: EXPORT_FORMAT,
            format: job.format,
            program: PROGRAM,
            file: job.format.file_name(),
            sha256: String::new(),
            texts: BTreeMap::new(),
            own_sha256: String::new(),
            weights: stored.precision,
            rulesets: rulesets.map(RulesetUse::of).collect(),
            input: INPUT,
            planes: plane_cards(job),
            outputs: output_cards(job, adapter),
            action_encoding,
            example: ExampleCard::of(&games[0], adapter, row(outputs, 0)),
            test_vectors,
            graph: is_safetensors.then(|| stored.graph.clone()),
            verification,
            strength: job.strength.clone(),
            checkpoint: job.card.clone(),
        }
    }

    /// Returns the file's own description of its numbers.
    pub(super) fn metadata(&self) -> Vec<(&'static str, String)> {
        let planes: Vec<&str> = self.planes.iter().map(|plane| plane.name).collect();
        let planes = match self.format {
            ExportFormat::Taflzero => "base".to_owned(),
            _ => planes.join(","),
        };
        let rulesets = self.rulesets.iter().map(|it| &it.ruleset);
        let rulesets = rulesets.map(|it| format!("{} {}", it.name, it.fingerprint));
        let checkpoint = &self.checkpoint;
        let provenance = &checkpoint.provenance;
        vec![
            ("planes", planes),
            ("encoding_version", checkpoint.encoding_version.to_string()),
            ("action_encoding", self.action_encoding.to_owned()),
            ("board_size", checkpoint.architecture.board_size.to_string()),
            ("rulesets", rulesets.collect::<Vec<_>>().join(", ")),
            ("export_format", EXPORT_FORMAT.to_string()),
            ("program", PROGRAM.to_owned()),
            ("run", provenance.run.clone()),
            ("generation", provenance.generation.to_string()),
            ("weights", self.weights.to_string()),
        ]
    }
}

impl RulesetUse {
    fn of(rules: &Arc<Rules>) -> Self {
        let (_, uniform) = plane_sets(&Facts::of(&Game::new(Arc::clone(rules))), rules);
        let uniform = uniform.into_iter().enumerate();
        let uniform = uniform.filter(|(plane, it)| *plane != SIDE_PLANE && *it != 0.0);
        Self {
            ruleset: RulesetCard::of(rules),
            uniform: uniform
                .map(|(plane, it)| (plane_names()[plane], it))
                .collect(),
            captureless_limit: rules.ruleset().captureless_limit,
            throne: !rules.throne().is_empty(),
            fields: rules.ruleset().to_fields(),
        }
    }
}

impl ExampleCard {
    /// Returns the worked example: a start, with the numbers that the stored weights give there.
    fn of(start: &Game, adapter: Option<&Adapter>, mut outputs: Named) -> Self {
        let mut moves = Vec::new();
        start.legal_moves(&mut moves);
        // One that goes further than one square shows more.
        let further = moves.iter().find(|mv| mv.distance() > 1);
        let mv = further.unwrap_or(&moves[0]);
        let own = usize::from(mv.policy_index(start.rules().shape()).0);
        let index = adapter.map_or(own, |it| it.policy_place(own));
        if let Some(policy) = outputs.get_mut("policy") {
            *policy = vec![policy[index]];
        }
        Self {
            ruleset: start.rules().ruleset().name.clone(),
            position: text(start),
            side: start.position().side(),
            mv: mv.to_string(),
            index,
            outputs,
        }
    }
}

impl TestVector {
    /// Returns a position with the numbers that the stored weights give there.
    fn of(game: &Game, mut outputs: Named) -> Self {
        let facts = Facts::of(game);
        let logits = outputs.remove("policy").unwrap_or_default();
        let mut legal = Vec::new();
        game.legal_moves(&mut legal);
        let logit = |mv: &Move| logits[usize::from(mv.policy_index(game.rules().shape()).0)];
        let policy = legal.iter().map(|mv| (mv.to_string(), logit(mv)));
        let mut policy: Vec<(String, f32)> = policy.collect();
        policy.sort_by(|one, other| other.1.total_cmp(&one.1));
        policy.truncate(MOVES);
        Self {
            ruleset: game.rules().ruleset().name.clone(),
            position: text(game),
            side: facts.side,
            chain: facts.chain.map(|square| square.to_string()),
            last_move: facts.last_move.map(|mv| mv.to_string()),
            occurrences: facts.occurrences,
            captureless: facts.captureless,
            planes: plane_numbers(game),
            policy,
            outputs,
        }
    }
}

/// Returns the numbers of one position.
fn row(outputs: &Named, row: usize) -> Named {
    let positions = outputs["moves_left"].len();
    let row_of = |numbers: &Vec<f32>| {
        let len = numbers.len() / positions;
        numbers[row * len..][..len].to_vec()
    };
    let rows = outputs.iter();
    rows.map(|(name, numbers)| (*name, row_of(numbers)))
        .collect()
}

/// Returns a position's ranks separated by slashes.
fn text(game: &Game) -> String {
    Setup::of(game.position(), game.rules().shape()).to_text(RankOrder::HighestFirst)
}

/// Returns vectors of positions from the middle of games, of all on which the weights were checked: one of each ruleset, and
/// what these do not show.
fn test_vectors(games: &[Game], outputs: &Named) -> Vec<TestVector> {
    let is_later = |place: &usize| !games[*place].moves().is_empty();
    let of_ruleset = |first| {
        (first..first + POSITIONS)
            .filter(is_later)
            .nth(POSITIONS / 2)
    };
    let rulesets = (0..games.len()).step_by(POSITIONS);
    let mut chosen: Vec<usize> = rulesets.filter_map(of_ruleset).collect();
    for shows in SHOWN {
        if !chosen.iter().any(|&place| shows(&games[place])) {
            let mut later = (0..games.len()).filter(is_later);
            chosen.extend(later.find(|&place| shows(&games[place])));
        }
    }
    let vector = |place| TestVector::of(&games[place], row(outputs, place));
    chosen.into_iter().map(vector).collect()
}

/// Returns the planes of a position that are not 0 everywhere.
fn plane_numbers(game: &Game) -> BTreeMap<&'static str, PlaneNumbers> {
    let (marked, uniform) = plane_sets(&Facts::of(game), game.rules());
    let marked = marked.iter().enumerate();
    let marked = marked.filter(|(_, squares)| !squares.is_empty());
    let marked = marked.map(|(plane, squares)| {
        let squares: Vec<String> = squares.squares().map(|it| it.to_string()).collect();
        (plane, PlaneNumbers::Squares(squares.join(" ")))
    });
    let uniform = uniform.into_iter().enumerate();
    let uniform = uniform.filter(|(_, number)| *number != 0.0);
    let uniform = uniform.map(|(plane, number)| (plane, PlaneNumbers::Everywhere(number)));
    let all = marked.chain(uniform);
    all.map(|(plane, numbers)| (plane_names()[plane], numbers))
        .collect()
}

/// Returns the outputs of a file, in order.
fn output_cards(job: &Export<'_>, adapter: Option<&Adapter>) -> Vec<OutputCard> {
    let logits =
        "logits of all moves, legal or not: leave out the illegal ones, then take the softmax";
    let wdl = "win, draw and loss of the side to move, probabilities";
    let own = [
        (OUTPUTS[0], job.network.architecture().policy_len(), logits),
        (OUTPUTS[1], 3, wdl),
        (OUTPUTS[2], 1, "plies until the game ends"),
    ];
    let outputs = adapter.map_or(own, |it| it.output_docs(logits)).into_iter();
    outputs
        .map(|(name, len, meaning)| OutputCard { name, len, meaning })
        .collect()
}

/// Returns the input planes of a file, in order.
fn plane_cards(job: &Export<'_>) -> Vec<PlaneCard> {
    let size = job.network.architecture().size();
    let card = |(name, meaning, uniform)| PlaneCard {
        name,
        meaning,
        shape: [size; 2],
        range: [0.0, 1.0],
        uniform,
    };
    if job.format == ExportFormat::Taflzero {
        return taflzero::PLANE_DOCS.map(card).into();
    }
    let planes = PLANE_DOCS.iter().enumerate();
    let planes = planes.map(|(index, it)| (it.name, it.meaning, index >= MARKED_PLANES));
    planes.map(card).collect()
}
