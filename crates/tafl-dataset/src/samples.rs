//! Samples in their file.

use crate::columns::{self, Columns, lists, numbers, optionals, wdls, words};
use crate::schema::{FileKind, policy_fields};
use crate::{DatasetError, parquet_file};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Int8Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type};
use arrow_array::{Array, ArrayRef, BooleanArray, StringArray, StructArray};
use std::path::Path;
use std::sync::Arc;
use tafl_rules::{Bitboard, BoardShape, Move, Piece, RankOrder, Setup, Side};
use tafl_samples::{Facts, ProvenResult, Sample, SearchRecord};

/// Reads the samples of a file, in its order.
///
/// Every value is checked as far as it can be without the ruleset; whether the position and the moves
/// are legal is found out when a batch is made.
///
/// # Errors
/// If the file is missing, damaged or of another schema, or a value cannot be; names column and row.
pub fn read_samples(path: &Path) -> Result<Vec<Sample>, DatasetError> {
    let mut shared = Shared::default();
    parquet_file::read(path, FileKind::Samples, |columns, row| {
        sample(columns, row, &mut shared)
    })
}

/// What the rows of a game have in common, kept once.
#[derive(Default)]
pub(crate) struct Shared {
    ruleset: Arc<str>,
}

impl Shared {
    fn ruleset(&mut self, columns: &Columns<'_>, row: usize) -> Result<Arc<str>, DatasetError> {
        let name = columns.word("ruleset", row)?;
        if *self.ruleset != *name {
            self.ruleset = name.into();
        }
        Ok(Arc::clone(&self.ruleset))
    }
}

/// Reads the sample of a row.
pub(crate) fn sample(
    columns: &Columns<'_>,
    row: usize,
    shared: &mut Shared,
) -> Result<Sample, DatasetError> {
    let board = columns.board("board", row)?;
    let shape = board.shape;
    let played = columns.number::<UInt16Type>("played", row)?;
    let moves_left = columns.number::<UInt32Type>("moves_left", row)?;
    if moves_left == 0 {
        return Err(columns.bad("moves_left", row, "0, expected at least 1"));
    }
    let facts = facts(columns, row, &board)?;
    let wdl = columns.wdl("root_wdl", row)?;
    let (proven, proven_result) = proof(columns, row, facts.side, wdl)?;
    let final_pieces = [
        columns.number::<UInt32Type>("final_attackers", row)?,
        columns.number::<UInt32Type>("final_defenders", row)?,
    ];
    Ok(Sample {
        ruleset: shared.ruleset(columns, row)?,
        game_id: columns.number::<UInt64Type>("game_id", row)?,
        ply: columns.number::<UInt32Type>("ply", row)?,
        facts,
        played: columns.mv("played", row, played, shape)?,
        search: SearchRecord {
            policy: policy(columns, row, shape)?,
            wdl,
            network_wdl: columns.wdl("network_wdl", row)?,
            visits: columns.number::<UInt32Type>("visits", row)?,
            proven,
            prior_divergence: prior_divergence(columns, row)?,
            checkpoint: columns.optional::<UInt32Type>("checkpoint", row),
        },
        proven_result,
        ending: columns.ending(row)?,
        moves_left,
        final_pieces,
        reply: columns.optional_mv("reply", row, shape)?,
    })
}

/// Returns whether the search of a ply proved its result, and the first proven result from this ply on.
fn proof(
    columns: &Columns<'_>,
    row: usize,
    side: Side,
    wdl: [f32; 3],
) -> Result<(bool, Option<ProvenResult>), DatasetError> {
    let own = columns.flag("proven", row)?;
    let of_search = own.then(|| ProvenResult::of_search(side, wdl)).flatten();
    // Files of version 1 know of the ply itself only, and searches of their time proved what they said.
    if !columns.has_version(2) {
        return Ok((own, of_search));
    }
    let winner = columns.winner("proven_outcome", row)?;
    let result = winner.map(|winner| ProvenResult { winner });
    if own && (of_search.is_none() || of_search != result) {
        let reason = format!("differs from root_wdl, {wdl:?}, which is marked as proven");
        return Err(columns.bad("proven_outcome", row, reason));
    }
    Ok((own, result))
}

/// Reads the divergence of a policy from its prior; 0 in a file of version 1, which does not know it.
fn prior_divergence(columns: &Columns<'_>, row: usize) -> Result<f32, DatasetError> {
    if !columns.has_version(2) {
        return Ok(0.0);
    }
    let divergence = columns.number::<Float32Type>("prior_divergence", row)?;
    if divergence >= 0.0 && divergence.is_finite() {
        return Ok(divergence);
    }
    Err(columns.bad("prior_divergence", row, format!("{divergence}")))
}

fn pieces(board: &Setup) -> [Bitboard; 5] {
    let mut pieces = [Bitboard::EMPTY; 5];
    for (index, piece) in board.pieces.iter().enumerate() {
        if let Some(piece) = piece {
            let squares = &mut pieces[*piece as usize];
            *squares = squares.with(board.shape.square(index));
        }
    }
    pieces
}

fn facts(columns: &Columns<'_>, row: usize, board: &Setup) -> Result<Facts, DatasetError> {
    let shape = board.shape;
    Ok(Facts {
        pieces: pieces(board),
        side: columns.side("side", row)?,
        chain: columns.square("chain", row, shape)?,
        occurrences: columns.number::<UInt32Type>("occurrences", row)?,
        captureless: columns.number::<UInt32Type>("captureless", row)?,
        last_move: columns.optional_mv("last_move", row, shape)?,
        weakness: weakness(columns, row)?,
    })
}

/// Reads what weakens each side; a file of version 2 does not know it.
fn weakness(columns: &Columns<'_>, row: usize) -> Result<[[u8; 2]; 2], DatasetError> {
    if !columns.has_version(3) {
        return Ok([[0; 2]; 2]);
    }
    let number = |column| columns.number::<UInt8Type>(column, row);
    Ok([
        [number("attackers_random")?, number("attackers_alphabeta")?],
        [number("defenders_random")?, number("defenders_alphabeta")?],
    ])
}

fn policy(
    columns: &Columns<'_>,
    row: usize,
    shape: BoardShape,
) -> Result<Vec<(Move, f32)>, DatasetError> {
    let entries = columns.list("policy", row)?;
    let entries: &StructArray = entries.as_struct();
    let (moves, probabilities) = (entries.column(0), entries.column(1));
    if moves.null_count() + probabilities.null_count() > 0 {
        return Err(columns.bad("policy", row, "an entry is null"));
    }
    let moves = moves.as_primitive::<UInt16Type>().values();
    let probabilities = probabilities.as_primitive::<Float32Type>().values();
    let mut policy = Vec::with_capacity(moves.len());
    for (&index, &p) in moves.iter().zip(probabilities) {
        let mv = columns.mv("policy", row, index, shape)?;
        if !(p > 0.0 && p <= 1.0) {
            return Err(columns.bad("policy", row, format!("{mv} has probability {p}")));
        }
        policy.push((mv, p));
    }
    if moves.is_sorted_by(|a, b| a < b) && !moves.is_empty() {
        Ok(policy)
    } else {
        Err(columns.bad("policy", row, "moves are missing or not in ascending order"))
    }
}

/// Lays samples out in columns; they are [`crate::as_stored`].
pub(crate) fn to_columns(samples: &[Sample], shapes: &[BoardShape]) -> Vec<ArrayRef> {
    let all = || samples.iter();
    let each = || samples.iter().zip(shapes.iter().copied());
    let index = |mv: Move, shape| mv.policy_index(shape).0;
    let counts = |count: fn(&Sample) -> u32| numbers::<UInt32Type>(all().map(count));
    let boards = each().map(|(s, shape)| board_text(&s.facts.pieces, shape));
    let chain = each().map(|(s, shape)| s.facts.chain.map(|square| columns::square(square, shape)));
    let last_move = each().map(|(s, shape)| s.facts.last_move.map(|mv| index(mv, shape)));
    let reply = each().map(|(s, shape)| s.reply.map(|mv| index(mv, shape)));
    let proven = all().map(|s| s.proven_result.map(|result| columns::result(result.winner)));
    vec![
        words(all().map(|s| &*s.ruleset)),
        numbers::<UInt64Type>(all().map(|s| s.game_id)),
        counts(|s| s.ply),
        words(all().map(|s| s.facts.side.name())),
        Arc::new(StringArray::from_iter_values(boards)),
        optionals::<UInt8Type>(chain),
        counts(|s| s.facts.occurrences),
        counts(|s| s.facts.captureless),
        optionals::<UInt16Type>(last_move),
        numbers::<UInt16Type>(each().map(|(s, shape)| index(s.played, shape))),
        policies(samples, shapes),
        wdls(all().map(|s| s.search.wdl)),
        wdls(all().map(|s| s.search.network_wdl)),
        counts(|s| s.search.visits),
        Arc::new(BooleanArray::from_iter(
            all().map(|s| Some(s.search.proven)),
        )),
        optionals::<Int8Type>(all().map(|s| columns::outcome(s.ending))),
        words(all().map(|s| s.ending.reason.name())),
        counts(|s| s.moves_left),
        counts(|s| s.final_pieces[0]),
        counts(|s| s.final_pieces[1]),
        optionals::<UInt16Type>(reply),
        numbers::<Float32Type>(all().map(|s| s.search.prior_divergence)),
        optionals::<Int8Type>(proven),
        optionals::<UInt32Type>(all().map(|s| s.search.checkpoint)),
        weakness_column(samples, 0, 0),
        weakness_column(samples, 0, 1),
        weakness_column(samples, 1, 0),
        weakness_column(samples, 1, 1),
    ]
}

fn weakness_column(samples: &[Sample], side: usize, kind: usize) -> ArrayRef {
    numbers::<UInt8Type>(samples.iter().map(|s| s.facts.weakness[side][kind]))
}

fn board_text(squares: &[Bitboard; 5], shape: BoardShape) -> String {
    let mut pieces = vec![None; shape.squares()];
    for (kind, squares) in Piece::ALL.into_iter().zip(squares) {
        squares
            .squares()
            .for_each(|square| pieces[shape.index(square)] = Some(kind));
    }
    // The text is of the pieces alone.
    Setup {
        shape,
        pieces,
        side: Side::Attacker,
        chain: None,
        captureless: 0,
    }
    .to_text(RankOrder::HighestFirst)
}

fn policies(samples: &[Sample], shapes: &[BoardShape]) -> ArrayRef {
    let moves = samples.iter().zip(shapes).flat_map(|(s, &shape)| {
        let policy = s.search.policy.iter();
        policy.map(move |(mv, _)| mv.policy_index(shape).0)
    });
    let probabilities = samples
        .iter()
        .flat_map(|s| s.search.policy.iter().map(|&(_, p)| p));
    let values = vec![
        numbers::<UInt16Type>(moves),
        numbers::<Float32Type>(probabilities),
    ];
    let entries = StructArray::new(policy_fields(), values, None);
    lists(
        samples.iter().map(|s| s.search.policy.len()),
        Arc::new(entries),
    )
}
