//! The columns of files of games: everything that is stored of games, and of positions to learn from, stands here once.

use crate::cell::{Number, Pieces};
use crate::column::{ANY_BOARD, Row, declared, table};
use crate::parquet_file::{Field, fields};
use crate::rounding::{round_nats, round_policy, round_wdl};
use tafl_rules::{Bitboard, BoardShape, Move, Setup, Side};
use tafl_samples::{
    Ending, EndingReason, Facts, GameKind, GameRecord, Handicap, PlayerId, ProvenResult, Sample,
    SearchRecord,
};

/// One ply of a game.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Turn {
    pub(crate) game_id: u64,
    pub(crate) ply: u32,
    pub(crate) plies: u32,
    /// The policy index of the move; `None` in the one row of a game that has no ply.
    pub(crate) played: Option<u16>,
}

/// A ply that is learned from, with its board.
#[derive(Debug, Clone)]
pub(crate) struct Learned {
    pub(crate) sample: Sample,
    pub(crate) shape: BoardShape,
}

impl Learned {
    /// Returns a ply with its numbers as they are stored.
    pub(crate) fn new(mut sample: Sample, shape: BoardShape) -> Self {
        let search = &mut sample.search;
        search.policy = round_policy(&search.policy, shape);
        search.wdl = round_wdl(search.wdl);
        search.network_wdl = round_wdl(search.network_wdl);
        search.prior_divergence = round_nats(search.prior_divergence);
        Self { sample, shape }
    }
}

impl Row for Turn {}

impl Row for Learned {
    fn shape(&self) -> BoardShape {
        self.shape
    }
}

impl Row for GameRecord {
    fn shape(&self) -> BoardShape {
        self.start.shape
    }
}

table! {
    /// What belongs to a game, the same in all of its rows.
    pub(crate) GAME: GameRecord {
        game_id [game_id] "number of the game: begins again at 0 in each generation of a run; a worker counts from a \
            random number",
        generation [generation] "generation of self-play that the game belongs to",
        seed [seed] "random seed of the game",
        ruleset [ruleset] "name of the ruleset",
        ruleset_fingerprint [ruleset_fingerprint] "hash of the ruleset's fields, equal for equal rules",
        kind [kind] "kind of game: even, handicap (some plies of a side are random), partner (alpha-beta plays a side), \
            taught (it plays both), match",
        start [start] "first position, highest rank first, letters as in `board`",
        start_side [start.side] "side to move in it: attackers or defenders",
        start_chain [start.chain] "square of a pending chain in it, rank * size + file; usually null",
        start_captureless [start.captureless] "piece moves since the last capture in it; usually 0",
        attackers [attackers] "player of the attackers, such as the name of a checkpoint",
        defenders [defenders] "player of the defenders",
        handicap_attackers (|game: &GameRecord| rate(game, Side::Attacker), |game: &mut GameRecord, rate| set_rate(game, Side::Attacker, rate))
            "probability that a ply of the attackers is random; null: no random plies",
        handicap_defenders (|game: &GameRecord| rate(game, Side::Defender), |game: &mut GameRecord, rate| set_rate(game, Side::Defender, rate))
            "the same for the defenders",
        opening_plies [opening_plies] "plies of the opening, which no player chose",
        outcome (|game: &GameRecord| outcome(game.ending), |game: &mut GameRecord, result| set_outcome(&mut game.ending, result))
            "result for the attackers: 1 won, 0 drawn, -1 lost; null: the game was cut",
        reason (|game: &GameRecord| game.ending.reason, |game: &mut GameRecord, reason| set_reason(&mut game.ending, reason))
            "why the game ended, in the words of the rules; capped: cut at the ply limit",
    } others {}
}

table! {
    /// What belongs to a ply of any kind.
    pub(crate) TURN: Turn {
        plies [plies] "all plies of the game",
        ply [ply] "plies played before this one, opening included; from 0; rows that are learned from stand first, so \
            sort by generation, game_id and ply",
        played [played] "the move played, as a policy index: from * 4 * (size - 1) + direction * (size - 1) + distance - \
            1, from = rank * size + file counted from a1, directions up 0, right 1, down 2, left 3; the last index, \
            squares * 4 * (size - 1), ends a chain; null: the game has no plies",
    } others {
        game_id [game_id],
    }
}

table! {
    /// What belongs to a ply that is learned from; null in the others.
    pub(crate) LEARNED: Learned {
        side [sample.facts.side] "side to move: attackers or defenders; it stays the same inside a capture chain",
        board (|it: &Learned| Pieces::new(it.sample.facts.pieces, it.shape), set_board)
            "pieces, highest rank first, ranks separated by slashes: t attacker, c commander, T defender, N knight, K \
            king, numbers count empty squares",
        chain [sample.facts.chain] "inside a capture chain the square of the piece that may go on, rank * size + file; \
            else null",
        occurrences [sample.facts.occurrences] "how often the position has occurred, this time included; 1 inside a chain",
        captureless [sample.facts.captureless] "piece moves since the last capture, both sides'",
        last_move [sample.facts.last_move] "the ply before, as a policy index; null in the first position of a game",
        policy_moves (|it: &Learned| it.sample.search.policy.iter().map(|it| it.0).collect::<Vec<_>>(), set_moves)
            "moves of the policy target, as policy indices, ascending; those with less than 1/2048 are left out",
        policy (|it: &Learned| it.sample.search.policy.iter().map(|it| it.1).collect::<Vec<_>>(), set_policy)
            "their probabilities, above 0 to 1, rounded to 5 significant bits, so the sum is near 1 (normalize)",
        root_wdl [sample.search.wdl] "probabilities of win, draw, loss of the side to move after the search; multiples of \
            1/1024 that sum to 1",
        network_wdl [sample.search.network_wdl] "the same, predicted by the network before the search; the \
            result of the game where none searched (see `visits`)",
        visits [sample.search.visits] "visits made by the search, without those kept from earlier plies; 0: the \
            result was proven at once, or, where `proven` is false, alpha-beta chose the move and nobody searched: the \
            policy is that move and root_wdl the result of the game",
        proven [sample.search.proven] "whether the search proved the result, so that root_wdl is exact",
        prior_divergence (|it: &Learned| it.sample.search.prior_divergence, |it: &mut Learned, nats| {
            it.sample.search.prior_divergence = nats;
            check_nats(nats)
        }) "Kullback-Leibler divergence of the policy from the network's without noise, both of the moves that the search \
            looked at, in nats, at least 0, rounded to 5 significant bits; below 1/1024, and where nobody searched, it is 0",
        checkpoint [sample.search.checkpoint] "checkpoint that searched; it may be newer than the one that the game began \
            with; null: unknown",
        proven_outcome (|it: &Learned| it.sample.proven_result, set_proven)
            "result for the attackers that the first search at or after this ply proved: 1 won, 0 drawn, -1 lost; null: \
            none did",
        final_attackers [sample.final_pieces[0]] "attackers on the board when the game ended or was cut",
        final_defenders [sample.final_pieces[1]] "defenders on the board when the game ended or was cut, the king included",
        reply [sample.reply] "the first move of the other side's next turn, as a policy index; null: it has none",
        attackers_random [sample.facts.weakness[0][0]] "share of the attackers' plies that are random, as a handicap, in \
            1/255; 0 in even games",
        attackers_alphabeta [sample.facts.weakness[0][1]] "turns that alpha-beta looks ahead if it plays the attackers; 0 \
            if it does not",
        defenders_random [sample.facts.weakness[1][0]] "the same as `attackers_random` for the defenders",
        defenders_alphabeta [sample.facts.weakness[1][1]] "the same as `attackers_alphabeta` for the defenders",
    } others {
        ruleset [sample.ruleset],
        game_id [sample.game_id],
        ply [sample.ply],
        plies (set_length),
        played [sample.played],
        outcome (|it: &mut Learned, result| set_outcome(&mut it.sample.ending, result)),
        reason (|it: &mut Learned, reason| set_reason(&mut it.sample.ending, reason)),
    }
}

/// Returns the columns of a file of games, in their order.
pub(crate) fn columns() -> Vec<Field> {
    let learned = fields(&LEARNED).map(|field| Field {
        is_nullable: true,
        meaning: format!("{}; null in rows that are not learned from", field.meaning).into(),
        ..field
    });
    fields(&GAME).chain(fields(&TURN)).chain(learned).collect()
}

fn rate(game: &GameRecord, side: Side) -> Option<f32> {
    let handicap = game.handicap.filter(|handicap| handicap.side == side)?;
    Some(handicap.rate)
}

fn set_rate(game: &mut GameRecord, side: Side, rate: Option<f32>) -> Result<(), String> {
    match rate {
        Some(rate) if !(0.0..=1.0).contains(&rate) => Err(format!("{rate} is not from 0 to 1")),
        Some(rate) => {
            game.handicap = Some(Handicap { side, rate });
            Ok(())
        }
        None => Ok(()),
    }
}

fn outcome(ending: Ending) -> Option<ProvenResult> {
    let winner = ending.winner;
    (!ending.is_capped()).then_some(ProvenResult { winner })
}

/// Keeps who won; the reason, read next, must fit.
fn set_outcome(ending: &mut Ending, outcome: Option<ProvenResult>) -> Result<(), String> {
    *ending = outcome.map_or(Ending::CAPPED, |result| Ending {
        winner: result.winner,
        reason: EndingReason::Adjudicated,
    });
    Ok(())
}

fn set_reason(ending: &mut Ending, reason: EndingReason) -> Result<(), String> {
    let needs_winner = !matches!(
        reason,
        EndingReason::Rule(_) | EndingReason::Capped | EndingReason::OtherRules
    );
    let is_cut = reason == EndingReason::Capped;
    if ending.is_capped() != is_cut || needs_winner && ending.winner.is_none() {
        let outcome = outcome(*ending).map(|result| result.number(ANY_BOARD));
        return Err(format!("{reason} with outcome {outcome:?}"));
    }
    ending.reason = reason;
    Ok(())
}

fn check_nats(nats: f32) -> Result<(), String> {
    let is_one = nats >= 0.0 && nats.is_finite();
    is_one.then_some(()).ok_or_else(|| nats.to_string())
}

fn set_board(it: &mut Learned, board: Pieces) -> Result<(), String> {
    it.sample.facts.pieces = board.squares;
    it.shape = board.shape;
    Ok(())
}

/// Keeps the first result proven from a ply on: that of its own search, if that proved one.
fn set_proven(it: &mut Learned, result: Option<ProvenResult>) -> Result<(), String> {
    let Sample { search, facts, .. } = &it.sample;
    let own = ProvenResult::of_search(facts.side, search.wdl);
    if search.proven && (own.is_none() || own != result) {
        let wdl = search.wdl;
        let reason = format!("differs from root_wdl, {wdl:?}, which is marked as proven");
        return Err(reason);
    }
    it.sample.proven_result = result;
    Ok(())
}

fn set_moves(it: &mut Learned, moves: Vec<Move>) -> Result<(), String> {
    let is_ascending = moves.is_sorted_by_key(|mv| mv.number(it.shape));
    let indices = moves.windows(2).all(|pair| pair[0] != pair[1]);
    it.sample.search.policy = moves.into_iter().map(|mv| (mv, 0.0)).collect();
    if is_ascending && indices && !it.sample.search.policy.is_empty() {
        return Ok(());
    }
    Err("moves are missing or not in ascending order".to_owned())
}

fn set_policy(it: &mut Learned, shares: Vec<f32>) -> Result<(), String> {
    let policy = &mut it.sample.search.policy;
    if shares.len() != policy.len() {
        return Err(format!(
            "{} probabilities of {} moves",
            shares.len(),
            policy.len()
        ));
    }
    for ((mv, p), share) in policy.iter_mut().zip(shares) {
        if !(share > 0.0 && share <= 1.0) {
            return Err(format!("{mv} has probability {share}"));
        }
        *p = share;
    }
    Ok(())
}

fn set_length(it: &mut Learned, plies: u32) -> Result<(), String> {
    let sample = &mut it.sample;
    sample.moves_left = plies.saturating_sub(sample.ply);
    match sample.moves_left {
        0 => Err(format!("{plies}, but this is ply {}", sample.ply + 1)),
        _ => Ok(()),
    }
}

/// Returns a game of which nothing is known yet.
pub(crate) fn blank_game() -> GameRecord {
    GameRecord {
        game_id: 0,
        seed: 0,
        ruleset: String::new(),
        ruleset_fingerprint: 0,
        start: Setup {
            shape: ANY_BOARD,
            pieces: Vec::new(),
            side: Side::Attacker,
            chain: None,
            captureless: 0,
        },
        generation: 0,
        kind: GameKind::Even,
        attackers: PlayerId::Checkpoint(0),
        defenders: PlayerId::Checkpoint(0),
        opening_plies: 0,
        handicap: None,
        plies: Vec::new(),
        ending: Ending::CAPPED,
    }
}

/// Returns a ply to learn from of which nothing is known yet.
pub(crate) fn blank() -> Learned {
    let facts = Facts {
        pieces: [Bitboard::EMPTY; 5],
        side: Side::Attacker,
        chain: None,
        occurrences: 0,
        captureless: 0,
        last_move: None,
        weakness: [[0; 2]; 2],
    };
    let sample = Sample {
        ruleset: "".into(),
        game_id: 0,
        ply: 0,
        facts,
        played: Move::END,
        search: SearchRecord::default(),
        proven_result: None,
        ending: Ending::CAPPED,
        moves_left: 0,
        final_pieces: [0; 2],
        reply: None,
    };
    Learned {
        sample,
        shape: ANY_BOARD,
    }
}
