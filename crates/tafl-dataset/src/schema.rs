//! The columns of the files, what they mean, and the version of it all.

use arrow_schema::{DataType, Field, Fields, Schema};
use std::collections::HashMap;
use std::sync::Arc;

/// The version of the files written; changes with any change to a column or its meaning.
pub const SCHEMA_VERSION: u32 = 4;

/// The versions that the readers accept; what a column of a later one would say is unknown then.
pub(crate) const ACCEPTED_SCHEMA_VERSIONS: [u32; 4] = [1, 2, 3, 4];

/// The meaning of a column. It is in the file as the field's metadata, key `description`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ColumnDoc {
    /// The name.
    pub name: &'static str,
    /// Meaning, unit, range and point of view.
    pub meaning: &'static str,
    /// The first schema version that has it.
    pub since: u32,
}

const RULESET: ColumnDoc = doc("ruleset", "name of the ruleset");

const GAME_ID: ColumnDoc = doc(
    "game_id",
    "number of the game: counts from 0 in a generation of a run; a worker counts from a random number",
);

const OUTCOME: ColumnDoc = doc(
    "outcome",
    "result for the attackers: 1 won, 0 drawn, -1 lost; null: the game was cut",
);

const REASON: ColumnDoc = doc(
    "reason",
    "why the game ended, in the words of the rules; capped: cut at the ply limit",
);

/// One row a position that is learned from; by rising game and ply.
pub const SAMPLE_COLUMNS: &[ColumnDoc] = &[
    RULESET,
    GAME_ID,
    doc(
        "ply",
        "plies played before this one, opening included; from 0",
    ),
    doc(
        "side",
        "side to move: attackers or defenders; it stays the same inside a capture chain",
    ),
    doc(
        "board",
        "pieces, highest rank first, ranks separated by slashes: t attacker, c commander, T defender, N knight, K \
         king, numbers count empty squares",
    ),
    doc(
        "chain",
        "inside a capture chain the square of the piece that may go on, rank * size + file counted \
         from a1; else null",
    ),
    doc(
        "occurrences",
        "how often the position has occurred, this time included; 1 inside a chain",
    ),
    doc(
        "captureless",
        "piece moves since the last capture, both sides'",
    ),
    doc(
        "last_move",
        "the ply before, as a policy index; null in the first position of a game",
    ),
    doc(
        "played",
        "the move played, as a policy index: from * 4 * (size - 1) + direction * (size - 1) + \
         distance - 1, from = rank * size + file, directions up 0, right 1, down 2, left 3; the \
         last index, squares * 4 * (size - 1), ends a chain",
    ),
    doc(
        "policy",
        "the policy target, in ascending order of moves: policy index and probability, above 0 to 1, rounded to 5 \
         significant bits; moves below 1/2048 are left out, so the sum is near 1 (normalize)",
    ),
    doc(
        "root_wdl",
        "probabilities of win, draw, loss of the side to move after the search; multiples of \
         1/1024 that sum to 1",
    ),
    doc(
        "network_wdl",
        "the same, predicted by the network before the search",
    ),
    doc(
        "visits",
        "visits made by the search, without those kept from earlier plies; 0: alpha-beta chose the move, nobody searched",
    ),
    doc(
        "proven",
        "whether the search proved the result, so that root_wdl is exact",
    ),
    OUTCOME,
    REASON,
    doc(
        "moves_left",
        "plies to the end of the game, this one included; at least 1",
    ),
    doc(
        "final_attackers",
        "attackers on the board when the game ended or was cut",
    ),
    doc(
        "final_defenders",
        "defenders on the board when the game ended or was cut, the king included",
    ),
    added(
        2,
        "reply",
        "the first move of the other side's next turn, as a policy index; null: it has none, or unknown",
    ),
    added(
        2,
        "prior_divergence",
        "Kullback-Leibler divergence of the policy from the network's prior without noise, in nats, \
         at least 0, rounded to 5 significant bits; below 1/1024 it is 0",
    ),
    added(
        2,
        "proven_outcome",
        "result for the attackers that the first search at or after this ply proved: 1 won, 0 drawn, \
         -1 lost; null: none did",
    ),
    added(
        3,
        "checkpoint",
        "checkpoint that searched; it may be newer than the one that the game began with; null: unknown",
    ),
    added(
        3,
        "attackers_random",
        "share of the attackers' plies that are random, as a handicap, in 1/255; 0 in even games",
    ),
    added(
        3,
        "attackers_alphabeta",
        "turns that alpha-beta looks ahead if it plays the attackers; 0 if it does not",
    ),
    added(
        3,
        "defenders_random",
        "the same as `attackers_random` for the defenders",
    ),
    added(
        3,
        "defenders_alphabeta",
        "the same as `attackers_alphabeta` for the defenders",
    ),
];

/// One row a game; by rising game.
const GAME_COLUMNS: &[ColumnDoc] = &[
    GAME_ID,
    doc(
        "generation",
        "generation of self-play that the game belongs to",
    ),
    doc("seed", "random seed of the game"),
    RULESET,
    doc(
        "ruleset_fingerprint",
        "hash of the ruleset's fields, equal for equal rules",
    ),
    doc(
        "start",
        "first position, highest rank first, letters as in the samples' `board`",
    ),
    doc("start_side", "side to move in it: attackers or defenders"),
    doc(
        "start_chain",
        "square of a pending chain in it, rank * size + file; usually null",
    ),
    doc(
        "start_captureless",
        "piece moves since the last capture in it; usually 0",
    ),
    doc(
        "attackers",
        "player of the attackers, such as the name of a checkpoint",
    ),
    doc("defenders", "player of the defenders"),
    doc(
        "opening_plies",
        "plies of the opening, which no player chose",
    ),
    doc("plies", "all plies of the game"),
    doc(
        "moves",
        "all plies as policy indices, as in the samples' `played`",
    ),
    OUTCOME,
    REASON,
    added(
        2,
        "handicap_attackers",
        "probability that a ply of the attackers is random; null: no random plies, or unknown",
    ),
    added(2, "handicap_defenders", "the same for the defenders"),
    added(
        4,
        "kind",
        "kind of game: even, handicap (some plies of a side are random), partner (alpha-beta plays a side), taught (it \
         plays both), match",
    ),
];

/// One row a number; in the order of measurement.
const METRIC_COLUMNS: &[ColumnDoc] = &[
    doc("generation", "generation during which it was measured"),
    doc("step", "training steps made before it, over the whole run"),
    doc(
        "name",
        "what was measured, such as loss/policy; the unit is part of the name",
    ),
    doc("value", "the number"),
    added(
        3,
        "seconds",
        "wall-clock time that the run had been worked on, pauses between its processes left out; null: unknown",
    ),
];

const fn doc(name: &'static str, meaning: &'static str) -> ColumnDoc {
    added(1, name, meaning)
}

const fn added(since: u32, name: &'static str, meaning: &'static str) -> ColumnDoc {
    ColumnDoc {
        name,
        meaning,
        since,
    }
}

/// The kinds of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub(crate) enum FileKind {
    Samples,
    Games,
    Metrics,
}

impl FileKind {
    pub(crate) const fn columns(self) -> &'static [ColumnDoc] {
        match self {
            Self::Samples => SAMPLE_COLUMNS,
            Self::Games => GAME_COLUMNS,
            Self::Metrics => METRIC_COLUMNS,
        }
    }

    pub(crate) fn schema(self) -> Arc<Schema> {
        let fields = self.columns().iter().map(ColumnDoc::field);
        Arc::new(Schema::new(fields.collect::<Fields>()))
    }
}

impl ColumnDoc {
    fn field(&self) -> Field {
        let nullable = matches!(
            self.name,
            "chain"
                | "checkpoint"
                | "start_chain"
                | "last_move"
                | "outcome"
                | "proven_outcome"
                | "reply"
                | "handicap_attackers"
                | "handicap_defenders"
                | "strength"
                | "seconds"
                | "low"
                | "high"
        );
        let metadata = HashMap::from([("description".into(), self.meaning.into())]);
        Field::new(self.name, self.data_type(), nullable).with_metadata(metadata)
    }

    fn data_type(&self) -> DataType {
        let item = |entry| Arc::new(Field::new("item", entry, false));
        match self.name {
            "ruleset" | "side" | "start_side" | "attackers" | "defenders" | "reason" | "name"
            | "player" | "kind" => words(),
            "board" | "start" => DataType::Utf8,
            "game_id" | "seed" | "ruleset_fingerprint" | "step" => DataType::UInt64,
            "chain"
            | "start_chain"
            | "attackers_random"
            | "attackers_alphabeta"
            | "defenders_random"
            | "defenders_alphabeta" => DataType::UInt8,
            "last_move" | "played" | "reply" => DataType::UInt16,
            "policy" => DataType::List(item(DataType::Struct(policy_fields()))),
            "moves" => DataType::List(item(DataType::UInt16)),
            "root_wdl" | "network_wdl" => DataType::FixedSizeList(item(DataType::Float32), 3),
            "handicap_attackers" | "handicap_defenders" | "prior_divergence" => DataType::Float32,
            "proven" => DataType::Boolean,
            "outcome" | "proven_outcome" => DataType::Int8,
            "value" | "low" | "high" | "seconds" => DataType::Float64,
            _ => DataType::UInt32,
        }
    }
}

/// A few words, each stored once.
fn words() -> DataType {
    DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8))
}

/// The parts of one move of a policy.
pub(crate) fn policy_fields() -> Fields {
    Fields::from(vec![
        Field::new("move", DataType::UInt16, false),
        Field::new("p", DataType::Float32, false),
    ])
}
