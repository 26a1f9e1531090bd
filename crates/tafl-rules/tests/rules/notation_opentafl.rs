//! `OpenTafl` notation read: what each key becomes, and what is refused.

use crate::rules::board::ruleset;
use std::num::NonZeroU32;
use tafl_rules::notation::opentafl::{read_ruleset, write_ruleset};
use tafl_rules::{
    CapturelessReason, Chain, Escape, HostileTo, KingCapture, MatchFormat, NoMove, Piece,
    RankOrder, Repetition, Ruleset, Side, Square, Switch, ThroneUse,
};

pub(crate) const START: &str =
    "start:/3ttttt3/5t5/11/t4T4t/t3TTT3t/tt1TTKTT1tt/t3TTT3t/t4T4t/11/5t5/3ttttt3/";
pub(crate) const BERSERK: &str =
    "start:/3ttttt3/5c5/11/t4T4t/t3NTT3t/tc1TTKTT1ct/t3TTT3t/t4T4t/11/5c5/3ttttt3/";
pub(crate) const BRANDUBH: &str = "start:/3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3/";
const TABLUT: &str = "start:/3ttt3/4t4/4T4/t3T3t/ttTTKTTtt/t3T3t/4T4/4t4/3ttt3/";

/// Returns what the reader gives the fields that `OpenTafl` has no key for.
fn without_keys(ruleset: Ruleset) -> Ruleset {
    Ruleset {
        no_move: NoMove::Loses,
        captureless_limit: None,
        captureless_reason: CapturelessReason::Captureless,
        match_format: MatchFormat::Single,
        jump_hostile: ruleset.ranks,
        ..ruleset
    }
}

fn refusal(record: &str) -> String {
    match read_ruleset(record) {
        Ok(ruleset) => panic!("{record}: {ruleset:?}"),
        Err(error) => error.to_string(),
    }
}

/// Asserts that `words` between the size and the start are refused with this text.
#[track_caller]
fn refuses(words: &str, expected: &str) {
    assert_eq!(refusal(&format!("dim:11 {words} {START}")), expected);
}

#[test]
fn opentafls_own_copenhagen_differs_only_where_it_has_no_keys() {
    let read = read_ruleset(&format!(
        "dim:11 name:copenhagen atkf:y tfr:i sw:s efe:y {START}"
    ));
    let expected = Ruleset {
        repetition: Repetition::Off,
        ..without_keys(ruleset("copenhagen"))
    };
    assert_eq!(read, Ok(expected));
}

#[test]
fn a_record_with_defaults_only_is_fetlar() {
    let read = read_ruleset(&format!("dim:11 name:fetlar {START}"));
    assert_eq!(read, Ok(without_keys(ruleset("fetlar"))));
}

#[test]
fn berserk_has_jumps_by_rank_and_forced_chains() {
    let record = format!("dim:11 name:berserk-2024 surf:n tfr:i kj:r ber:c {BERSERK}");
    let expected = Ruleset {
        repetition: Repetition::Off,
        chain: Chain::Forced,
        ..without_keys(ruleset("berserk-2024"))
    };
    let read = read_ruleset(&record).expect("expressible");
    // OpenTafl's knight stands on e5, as ours does.
    assert_eq!(read, expected);
}

#[test]
fn small_boards_have_a_king_who_is_strong_at_the_throne() {
    let record = format!("dim:7 name:brandubh surf:n ks:c nj:n cj:n {BRANDUBH}");
    assert_eq!(read_ruleset(&record), Ok(without_keys(ruleset("brandubh"))));
    let record = format!("dim:9 name:tablut esc:e cor: surf:n ks:c {TABLUT}");
    assert_eq!(read_ruleset(&record), Ok(without_keys(ruleset("tablut"))));
}

#[test]
fn start_lists_rank_1_first_and_starti_the_highest() {
    let lowest = read_ruleset("dim:7 start:/7/1t5/7/3K3/7/7/3t3/").expect("a ruleset");
    let highest = read_ruleset("dim:7 starti:/3t3/7/7/3K3/7/1t5/7/").expect("a ruleset");
    assert_eq!(lowest, highest);
    let b2: Square = "b2".parse().expect("a square");
    let index = lowest.start.shape.index(b2);
    assert_eq!(lowest.start.pieces[index], Some(Piece::Attacker));
}

#[test]
fn the_order_of_keys_and_old_words_for_the_king_are_no_matter() {
    let read = read_ruleset(&format!("{START} ks:y\n efe:n dim:11"));
    assert_eq!(read, read_ruleset(&format!("dim:11 {START}")));
}

#[test]
fn the_defenders_may_move_first() {
    let read = read_ruleset(&format!("dim:11 atkf:n {START}")).expect("a ruleset");
    assert_eq!(read.moves_first, Side::Defender);
}

#[test]
fn speeds_limit_the_steps_of_the_king_and_of_all_others() {
    for (speeds, expected) in [
        ("-1", [None, None]),
        ("3", [Some(3), Some(3)]),
        ("2,2,", [Some(2), Some(2)]),
        ("-1,-1,-1,-1,-1,-1,-1,1,", [Some(1), None]),
        ("4,9,9,9,9,9,4,9,9,-1,9,9", [None, Some(4)]),
    ] {
        let read = read_ruleset(&format!("dim:11 spd:{speeds} {START}")).expect(speeds);
        let limits = [read.king_step_limit, read.men_step_limit];
        assert_eq!(limits.map(|it| it.map(NonZeroU32::get)), expected);
    }
}

#[test]
fn values_that_no_ruleset_can_say_are_refused_by_key_and_reason() {
    let cases = [
        ("tfr:w", "who wins does not depend on whose ply repeats"),
        ("tfr:l", "who wins does not depend on whose ply repeats"),
        (
            "ka:h",
            "the king captures as mover and as the far piece (`y`), or not at all (`n`)",
        ),
        (
            "kj:j",
            "a king jumps from or to restricted squares only (`r`)",
        ),
        ("sw:w", "a corner closes a row"),
        ("ber:m", "a chain goes on by captures only"),
        ("spd:3,2,", "all pieces but the king have one limit"),
        (
            "linc:y",
            "no defender is captured against his king on the throne",
        ),
        (
            "cor:a1,a2,",
            "the king escapes to the four corners of the board",
        ),
        (
            "cen:e5,",
            "the throne is the middle of the board, or there is none (`cen:`)",
        ),
        ("afor:a5,", "there are no fortresses"),
        ("cors:KT", "the king alone enters a corner"),
        ("corp:T", "the king enters a corner"),
        (
            "cenhe:tT",
            "the empty throne is hostile to the king, and to all men of a side, of both or of none",
        ),
        (
            "cenhe:",
            "the empty throne is hostile to the king, and to all men of a side, of both or of none",
        ),
        (
            "cenh:T",
            "the throne with the king on it is not hostile to defenders",
        ),
        (
            "cenp:tK",
            "the throne is for all pieces, the defenders, the king, or nobody",
        ),
        (
            "cens:tK",
            "the throne is for all pieces, the defenders, the king, or nobody",
        ),
    ];
    for (word, reason) in cases {
        let (key, value) = word.split_once(':').expect("a key");
        let expected = format!("key `{key}`: {value:?} cannot be represented: {reason}");
        refuses(word, &expected);
    }
    let reason = "the king may come back to the throne if his men may stop there";
    let expected = format!("key `cenre`: \"t\" cannot be represented: {reason}");
    refuses("cens:TK cenre:t", &expected);
}

#[test]
fn a_throne_that_is_hostile_to_some_only_is_refused() {
    let reason = "the empty throne is hostile to all pieces of a side, of both or of none";
    let expected = format!("key `cenhe`: \"K\" cannot be represented: {reason}");
    refuses("ks:w cenhe:K", &expected);
    let reason = "the throne with an unarmed king on it is hostile to nobody";
    let expected = format!(
        "key `cenh` is missing, so it is \"tcnkmg\", which cannot be represented: {reason}"
    );
    refuses("ka:n", &expected);
}

#[test]
fn use_and_hostility_of_squares_have_words() {
    let record = format!("dim:11 name:fetlar cens:TK cenp:TK cenhe:tK corh:TK sw:s swf:n {START}");
    let expected = Ruleset {
        throne_stop: ThroneUse::Defenders,
        throne_pass: ThroneUse::Defenders,
        throne_hostile_to: HostileTo::Attackers,
        corners_hostile_to: HostileTo::Defenders,
        shieldwall: Switch::On,
        shieldwall_by_end: Switch::Off,
        ..without_keys(ruleset("fetlar"))
    };
    assert_eq!(read_ruleset(&record), Ok(expected));
    // There a piece stops only where it may pass.
    let shut = read_ruleset(&format!("dim:11 cens:TK cenp:K {START}")).expect("a ruleset");
    assert_eq!(
        (shut.throne_stop, shut.throne_pass),
        (ThroneUse::King, ThroneUse::King)
    );
    let written = write_ruleset(
        &Ruleset {
            throne_stop: ThroneUse::Defenders,
            throne_pass: ThroneUse::None,
            ..shut
        },
        RankOrder::LowestFirst,
    );
    assert!(written.expect("a record").contains(" cens:TCNK cenp:TCNK "));
    let left = read_ruleset(&format!("dim:11 cenre: cenp: corh: {START}")).expect("a ruleset");
    let found = (left.throne_stop, left.throne_pass, left.corners_hostile_to);
    let nobody = (ThroneUse::None, ThroneUse::None, HostileTo::Nobody);
    assert_eq!(found, nobody);
}

#[test]
fn a_key_left_out_is_refused_where_its_default_is() {
    let error = refusal(&format!("dim:9 esc:e {TABLUT}"));
    let reason = "where the king escapes to the edges, corners are ordinary squares (`cor:`)";
    let expected = format!(
        "key `cor` is missing, so it is \"default\", which cannot be represented: {reason}"
    );
    assert_eq!(error, expected);
    let error = refusal(&format!("dim:11 {BERSERK}"));
    assert!(
        error.starts_with("key `kj` is missing, so it is \"n\""),
        "{error}"
    );
}

#[test]
fn keys_without_meaning_may_have_any_of_their_values() {
    let plain = read_ruleset(&format!("dim:11 {START}"));
    let words = "nj:n cj:r mj:c gj:j swf:n aforh:t dforre: corh:tT cenh: corre: spd:-1,-1,";
    assert_eq!(read_ruleset(&format!("dim:11 {words} {START}")), plain);
    let listed = "cor:a1,a11,k1,k11, cen:f6, afor: cens:Kcn corh:tTK";
    assert_eq!(read_ruleset(&format!("dim:11 {listed} {START}")), plain);
}

#[test]
fn malformed_records_are_refused_by_key() {
    refuses(
        "rules",
        "\"rules\" is not a key with its value (such as dim:11)",
    );
    refuses("color:red", "unknown key `color`");
    refuses(
        "spd:0",
        "key `spd`: \"0\" is not -1 or a number of steps for all pieces, two for the sides, or one for each of tcnkmgTCNKMG",
    );
    refuses("efe:y efe:y", "key `efe` is given twice");
    refuses("esc:q", "key `esc`: \"q\" is not one of c, e");
    refuses("surf:yes", "key `surf`: \"yes\" is not one of y, n");
    refuses("nj:x", "key `nj`: \"x\" is not one of n, r, j, c");
    refuses(
        "cor:a1;a2",
        "key `cor`: \"a1;a2\" is not squares of the board, each with a comma",
    );
    refuses(
        "aforh:x",
        "key `aforh`: \"x\" is not made of the letters tcnkmgTCNKMG",
    );
    refuses("starti:/7/", "key `starti`: `start` is given too");
    refuses(
        "name:Old(er)",
        "key `name`: \"Old(er)\" cannot be represented: a name is made of letters, digits, `-` and `_`",
    );
    assert_eq!(refusal(START), "key `dim` is missing");
    assert_eq!(refusal("dim:11"), "key `start` is missing");
    assert_eq!(
        refusal(&format!("dim:13 {START}")),
        "key `dim`: \"13\" cannot be represented: a board has 7, 9 or 11 ranks; the squares of a larger one \
         do not fit 128 bits"
    );
    assert_eq!(
        refusal(&format!("dim:9 {START}")),
        "key `dim`: \"9\" cannot be represented: the start position has another size"
    );
    let error = refusal("dim:7 starti:/3m3/7/7/3K3/7/7/7/");
    assert_eq!(
        error,
        "key `starti`: 'm' in rank 7 is neither a piece (t, c, T, N, K) nor a number"
    );
    let error = refusal("dim:7 start:/t6/7/7/3K3/7/7/7/");
    assert_eq!(
        error,
        "key `start`: attacker on a1, which is reserved for the king"
    );
}

#[test]
fn a_frail_king_and_a_harmless_throne_have_words() {
    let read = read_ruleset(&format!(
        "dim:11 name:fetlar ks:w ka:n cenh: cenhe: atkf:n {START}"
    ));
    let fetlar = without_keys(ruleset("fetlar"));
    let frail = Ruleset {
        king_capture: KingCapture::TwoSides,
        king_armed: Switch::Off,
        throne_hostile: Switch::Off,
        moves_first: Side::Defender,
        ..fetlar.clone()
    };
    assert_eq!(read, Ok(frail));
    let strong = read_ruleset(&format!("dim:11 name:fetlar cenhe:K {START}"));
    let harmless = Ruleset {
        throne_hostile: Switch::Off,
        ..fetlar
    };
    assert_eq!(strong, Ok(harmless));
}

#[test]
fn escape_and_king_are_said_by_one_key_each() {
    let edges = read_ruleset(&format!("dim:9 esc:e cor: sw:w {TABLUT}")).expect("a ruleset");
    assert_eq!(
        (edges.escape, edges.shieldwall),
        (Escape::Edges, Switch::On)
    );
    assert_eq!(edges.king_capture, KingCapture::FourSides);
    let three = read_ruleset(&format!("dim:11 ks:m {START}")).expect("a ruleset");
    assert_eq!(three.king_capture, KingCapture::FourSidesThreeOnEdge);
}

#[test]
fn a_board_without_a_throne_is_one_without_center_or_with_a_plain_one() {
    // The example of OpenTafl's specification.
    let sea_battle = format!("dim:9 name:sea-battle-9 esc:e ka:n ks:w cor: cen: {TABLUT}");
    let read = read_ruleset(&sea_battle).expect("a ruleset");
    assert_eq!(
        (read.throne, read.king_armed, read.escape),
        (Switch::Off, Switch::Off, Escape::Edges)
    );
    let plain = "cens:tcnkTCNK cenh: cenhe:";
    for king in ["ks:w", "ks:s"] {
        let without = read_ruleset(&format!("dim:7 {king} cen: {BRANDUBH}"));
        let harmless = read_ruleset(&format!("dim:7 {king} {plain} {BRANDUBH}"));
        assert_eq!(harmless, without);
        assert_eq!(without.expect("a ruleset").throne, Switch::Off);
    }
    // There this king is taken by four, which a board without a throne has not.
    let error = refusal(&format!("dim:7 ks:c {plain} {BRANDUBH}"));
    assert!(error.starts_with("key `cenhe`: "), "{error}");
    let error = refusal(&format!("dim:7 ks:w cen: cens:x {BRANDUBH}"));
    assert!(
        error.starts_with("key `cens`: \"x\" is not made"),
        "{error}"
    );
}
