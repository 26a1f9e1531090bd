//! `OpenTafl` notation written: rulesets and positions read back, fields without a key are refused.

use crate::rules::board::ruleset;
use crate::rules::notation_opentafl::{BERSERK, BRANDUBH, START};
use crate::rules::random::{all_rulesets, random_ruleset};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::num::NonZeroU32;
use tafl_rules::notation::opentafl::{
    RecordError, approximate, read_position, read_ruleset, write_position, write_ruleset,
};
use tafl_rules::{
    Board, Chain, MatchFormat, NoMove, Piece, RankOrder, Repetition, Ruleset, Setup, Side, Switch,
};

#[test]
fn fields_that_no_key_can_say_are_refused_by_name() {
    let berserk = read_ruleset(&format!("dim:11 kj:r {BERSERK}")).expect("a ruleset");
    let refused = |field: &str, change: fn(&mut Ruleset)| {
        let mut ruleset = berserk.clone();
        change(&mut ruleset);
        let error = write_ruleset(&ruleset, RankOrder::LowestFirst).expect_err(field);
        assert!(
            matches!(&error, RecordError::NoWords(found) if found[0].0 == field),
            "{field}: {error}"
        );
        approximate(&mut ruleset, field);
        assert!(
            write_ruleset(&ruleset, RankOrder::LowestFirst).is_ok(),
            "{field}"
        );
    };
    refused("chain", |r| r.chain = Chain::Optional);
    refused("no_move", |r| r.no_move = NoMove::Draw);
    refused("repetition", |r| r.repetition = Repetition::Defenders);
    refused("repetition", |r| r.repetition = Repetition::Attackers);
    refused("repetition", |r| r.repetition = Repetition::Aggressor);
    refused("captureless_limit", |r| {
        r.captureless_limit = NonZeroU32::new(1)
    });
    refused("match", |r| r.match_format = MatchFormat::TwoSets);
    refused("jump_hostile", |r| r.jump_hostile = Switch::Off);
    let nameless = Ruleset {
        name: String::new(),
        ..berserk.clone()
    };
    let error = write_ruleset(&nameless, RankOrder::LowestFirst).expect_err("refused");
    assert!(error.to_string().starts_with("field `name`: "), "{error}");
}

#[test]
fn records_are_written_as_opentafl_writes_them() {
    let read = read_ruleset(&format!("dim:11 name:mine tfr:i efe:y sw:s {START}"));
    let read = read.expect("a ruleset");
    let written = write_ruleset(&read, RankOrder::LowestFirst);
    let expected = format!("dim:11 name:mine tfr:i sw:s efe:y atkf:y {START}");
    assert_eq!(written, Ok(expected));
    let limited = Ruleset {
        king_step_limit: NonZeroU32::new(1),
        ..read
    };
    let written = write_ruleset(&limited, RankOrder::LowestFirst).expect("it can be said");
    let speeds = " spd:-1,-1,-1,-1,-1,-1,-1,-1,-1,1,-1,-1, ";
    assert!(written.contains(speeds), "{written}");
}

/// Gives most fields that no key can represent the nearest values.
fn made_writable(mut ruleset: Ruleset, random: &mut Xoshiro256PlusPlus) -> Ruleset {
    let fields = ruleset.to_fields();
    for field in fields.keys().filter(|_| random.random_bool(0.95)) {
        approximate(&mut ruleset, field);
    }
    ruleset
}

#[test]
fn what_is_written_reads_back_as_the_same_rules() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(31);
    let mut rulesets = all_rulesets();
    rulesets.extend((0..600).map(|_| random_ruleset(&mut random)));
    // Lists of pieces do not tell a side that has no men.
    let has = |ruleset: &Ruleset, piece| ruleset.start.pieces.contains(&Some(piece));
    let men = [Piece::Attacker, Piece::Defender];
    rulesets.retain(|ruleset| men.into_iter().all(|piece| has(ruleset, piece)));
    let (mut written, mut throneless) = (0, 0);
    for drawn in rulesets {
        let ruleset = made_writable(drawn, &mut random);
        for order in [RankOrder::LowestFirst, RankOrder::HighestFirst] {
            let record = match write_ruleset(&ruleset, order) {
                Ok(record) => record,
                Err(RecordError::NoWords(_)) => continue,
                Err(error) => panic!("{error}"),
            };
            let read = read_ruleset(&record).unwrap_or_else(|error| panic!("{record}: {error}"));
            // Fields without meaning are not written.
            assert_eq!(read.name, ruleset.name);
            assert!(
                read.plays_as(&ruleset),
                "{record}: {read:?} for {ruleset:?}"
            );
            // A throne that is like any square is read as none, which has words of its own.
            if read.throne == ruleset.throne {
                assert_eq!(write_ruleset(&read, order), Ok(record));
            }
            written += 1;
            throneless += u32::from(!read.throne.is_on());
        }
    }
    assert!(written > 500 && throneless > 100, "{written}, {throneless}");
}

#[test]
fn positions_read_back_with_the_side_to_move() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(32);
    for _ in 0..300 {
        let setup = random_ruleset(&mut random).setup();
        for order in [RankOrder::LowestFirst, RankOrder::HighestFirst] {
            let record = write_position(&setup, order).expect("no chain is pending");
            assert_eq!(read_position(&record).as_ref(), Ok(&setup), "{record}");
        }
    }
}

#[test]
fn a_position_record_alone_lists_rank_1_first_with_the_attackers_to_move() {
    let setup = read_position("/3t3/7/7/3K3/7/7/7/").expect("a position");
    assert_eq!(setup.to_text(RankOrder::LowestFirst), "3t3/7/7/3K3/7/7/7");
    assert_eq!(setup.side, Side::Attacker);
    let record = write_position(&setup, RankOrder::HighestFirst);
    assert_eq!(record.as_deref(), Ok("atkf:y starti:/7/7/7/3K3/7/7/3t3/"));
    // OpenTafl copies positions as whole rules records.
    let copied = read_position("dim:7 name:x ks:w atkf:n starti:/7/7/7/3K3/7/7/3t3/");
    assert_eq!(copied, Ok(setup.with_side(Side::Defender)));
}

#[test]
fn positions_that_cannot_be_said_are_refused_by_field() {
    let error = read_position("/3t3/7/").expect_err("two ranks").to_string();
    assert_eq!(error, "key `start`: 2 ranks; a board has 7, 9 or 11");
    assert_eq!(
        read_position("atkf:y").expect_err("no board").to_string(),
        "key `start` is missing"
    );
    let pending = Setup {
        chain: Some("f2".parse().expect("a square")),
        ..ruleset("berserk-2024").setup()
    };
    let error = write_position(&pending, RankOrder::LowestFirst).expect_err("a chain");
    assert!(error.to_string().starts_with("field `chain`: "), "{error}");
}

#[test]
fn no_text_makes_the_readers_panic() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(33);
    let letters: Vec<char> = "/:,-0123456789tcnkTCNKdimstareöK \n".chars().collect();
    let records = [
        format!("dim:11 name:x esc:e cor:a1,k11 tfr:i ks:c kj:r sw:s efe:y spd:-1, {BERSERK}"),
        BRANDUBH.replace("start:", ""),
    ];
    for _ in 0..4000 {
        let mut text: Vec<char> = records[random.random_range(0..2)].chars().collect();
        for _ in 0..random.random_range(1..6) {
            let place = random.random_range(0..text.len());
            let letter = letters[random.random_range(0..letters.len())];
            match random.random_range(0..3) {
                0 => text[place] = letter,
                1 => text.insert(place, letter),
                _ => drop(text.remove(place)),
            }
        }
        let text: String = text.into_iter().collect();
        if let Ok(ruleset) = read_ruleset(&text) {
            ruleset
                .check()
                .expect("a ruleset that was read can be played");
        }
        drop(read_position(&text));
    }
}

#[test]
fn a_board_between_slashes_has_its_lowest_rank_first_wherever_it_stands() {
    let text = "/3t3/7/7/3K3/7/7/7/";
    let setup = read_position(text).expect("a position");
    let board = Board::try_from(text.to_owned()).expect("a board");
    assert_eq!(board, setup.board());
    let whole: Setup = format!("{text} attackers - 0").parse().expect("a position");
    assert_eq!(whole, setup);
    // The highest first are those without.
    let turned = Board::try_from(text.trim_matches('/').to_owned()).expect("a board");
    assert_ne!(board, turned);
}
