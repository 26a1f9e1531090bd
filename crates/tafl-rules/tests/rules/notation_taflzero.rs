//! `TaflZero`'s FEN and what is read beyond it: what it says, what it cannot say, and that what is written reads back.

use crate::rules::board::{drawn, ruleset};
use crate::rules::random::random_ruleset;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use tafl_rules::notation::games::read_games;
use tafl_rules::notation::taflzero::{Beside, Fen, FenError};
use tafl_rules::{Piece, RULESET_NAMES, RankOrder, Rules, Ruleset, Setup, Side};

fn read(text: &str) -> Result<Fen, FenError> {
    text.parse()
}

#[test]
fn the_start_of_taflzero_is_copenhagens() {
    let text = "3aaaaa3/5a5/11/a4d4a/a3ddd3a/aa1ddkdd1aa/a3ddd3a/a4d4a/11/5a5/3aaaaa3 - a 0 0";
    let fen = read(text).expect("a FEN");
    assert_eq!(fen, Fen::of(ruleset("copenhagen").setup()));
    assert_eq!(fen.to_taflzero().as_deref(), Ok(text));
}

#[test]
fn ranks_stand_highest_first() {
    let fen = read("3a3/7/7/3k3/7/1d5/7 d").expect("a FEN");
    let expected = drawn(
        "
        . . . t . . .
        . . . . . . .
        . . . . . . .
        . . . K . . .
        . . . . . . .
        . T . . . . .
        . . . . . . .",
        Side::Defender,
    );
    assert_eq!(fen.setup, expected);
}

#[test]
fn fields_after_the_ranks_may_be_left_out() {
    let ranks = "3a3/7/7/3k3/7/7/7";
    let whole = read(&format!("{ranks} d7 d 7 42")).expect("a FEN");
    assert_eq!(whole.last_to, Some("d7".parse().expect("a square")));
    assert_eq!(
        (whole.setup.side, whole.setup.captureless, whole.plies),
        (Side::Defender, 7, 42)
    );
    let short = [
        (ranks.to_owned(), format!("{ranks} - a 0 0")),
        (format!("{ranks} -"), format!("{ranks} - a 0 0")),
        (format!("{ranks} d"), format!("{ranks} - d 0 0")),
        (format!("{ranks} d 7"), format!("{ranks} - d 7 0")),
        (format!("{ranks} d 7 42"), format!("{ranks} - d 7 42")),
        (format!("{ranks} d7 a"), format!("{ranks} d7 a 0 0")),
        (format!(" {ranks}  -  a 1 "), format!("{ranks} - a 1 0")),
    ];
    for (text, expected) in short {
        assert_eq!(
            read(&text).expect("a FEN").to_taflzero(),
            Ok(expected),
            "{text}"
        );
    }
}

#[test]
fn malformed_texts_are_refused_by_field() {
    let ranks = "3a3/7/7/3k3/7/7/7";
    let cases = [
        (
            String::new(),
            "field `ranks`: 1 rank; a board has 7, 9 or 11",
        ),
        (
            ranks.replace("3k3", "3k2") + " a",
            "field `ranks`: rank 4 has 6 squares instead of 7",
        ),
        (
            ranks.replace('k', "x") + " a",
            "field `ranks`: 'x' in rank 4",
        ),
        (
            format!("{ranks} h1 a"),
            "field `last`: \"h1\" is not a square of the board or `-`",
        ),
        (
            format!("{ranks} - w"),
            "field `side`: \"w\" is not `attackers` (`a`) or `defenders` (`d`)",
        ),
        (
            format!("{ranks} a x"),
            "field `clock`: \"x\" is not a number of plies",
        ),
        (
            format!("{ranks} a 1 -1"),
            "field `plies`: \"-1\" is not a number of plies",
        ),
        (
            format!("{ranks} a 1 1 1"),
            "field `chain`: \"1\" is not a square of the board or `-`",
        ),
        (
            format!("{ranks} a 1 1 - -"),
            "more than 6 fields (ranks, last, side, clock, plies, chain)",
        ),
    ];
    for (text, expected) in cases {
        let error = read(&text).expect_err("malformed").to_string();
        assert!(error.starts_with(expected), "{text}: {error}");
    }
}

#[test]
fn ranks_and_chains_have_no_place_in_it() {
    let berserk = ruleset("berserk-2024").setup();
    let error = Fen::of(berserk)
        .to_taflzero()
        .expect_err("commanders")
        .to_string();
    assert_eq!(
        error,
        "field `ranks`: no letter for the commander on f2 (TaflZero has soldiers and a king only)"
    );
    let f2 = "f2".parse().expect("a square");
    let pending = Setup {
        chain: Some(f2),
        ..ruleset("copenhagen").setup()
    };
    assert_eq!(Fen::of(pending).to_taflzero(), Err(FenError::Chain(f2)));
    let tablut = ruleset("tablut").setup();
    let elsewhere = Fen {
        last_to: "k11".parse().ok(),
        ..Fen::of(tablut)
    };
    let error = elsewhere
        .to_taflzero()
        .expect_err("another board")
        .to_string();
    assert!(error.starts_with("field `last`: \"k11\""), "{error}");
}

#[test]
fn our_own_text_is_read_too() {
    for name in RULESET_NAMES {
        let setup = ruleset(name).setup();
        let fen = Fen::of(setup.clone());
        assert_eq!(read(&fen.to_string()), Ok(fen.clone()), "{name}");
        let own = setup.to_text(RankOrder::HighestFirst);
        assert_eq!(read(&own), Ok(fen.clone()), "{name}");
        let own = format!("{own} defenders 5");
        let setup = Setup {
            captureless: 5,
            ..setup.with_side(Side::Defender)
        };
        assert_eq!(read(&own), Ok(Fen::of(setup)), "{name}");
    }
}

#[test]
fn a_pending_chain_is_the_sixth_field() {
    let mut fen = read("2ac3/7/3n3/3k3/7/7/7 - a 0 9").expect("a FEN");
    fen.setup.chain = Some("d7".parse().expect("a square"));
    let text = fen.to_string();
    assert_eq!(text, "2ac3/7/3n3/3k3/7/7/7 - a 0 9 d7");
    assert_eq!(read(&text), Ok(fen.clone()));
    // Every other text of ours that has it.
    let bare = Fen::of(fen.setup.clone());
    assert_eq!(read(&bare.to_taflforge()), Ok(bare.clone()));
    let setup = fen.setup.to_string();
    assert_eq!(setup, "2tc3/7/3N3/3K3/7/7/7 attackers d7 0");
    assert_eq!(read(&setup), Ok(bare));
    let counted = read("2tc3/7/3N3/3K3/7/7/7 attackers - 12").expect("a setup");
    assert_eq!((counted.setup.captureless, counted.setup.chain), (12, None));
}

#[test]
fn what_is_written_reads_back() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(41);
    let mut written = 0;
    for _ in 0..400 {
        let mut setup = random_ruleset(&mut random).setup();
        setup.captureless = random.random_range(0..1000);
        let shape = setup.shape;
        let last_to = random
            .random_bool(0.5)
            .then(|| shape.square(random.random_range(0..49)));
        let plies = random.random();
        let ranked = [Some(Piece::Knight), Some(Piece::Commander)];
        let sayable = !setup.pieces.iter().any(|piece| ranked.contains(piece));
        let fen = Fen {
            setup,
            last_to,
            plies,
        };
        let text = fen.to_string();
        assert_eq!(fen.to_taflzero().ok(), sayable.then(|| text.clone()));
        assert_eq!(read(&text), Ok(fen), "{text}");
        written += usize::from(sayable);
    }
    assert!(written > 100, "{written}");
}

#[test]
fn no_text_makes_the_reader_panic() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(42);
    let letters: Vec<char> = "/-0123456789adkcnTt ö".chars().collect();
    for _ in 0..4000 {
        let mut text: Vec<char> = "3a3/7/7/3k3/7/1d5/7 d7 d 7 42".chars().collect();
        for _ in 0..random.random_range(1..6) {
            let place = random.random_range(0..text.len());
            text[place] = letters[random.random_range(0..letters.len())];
        }
        let text: String = text.into_iter().collect();
        if let Ok(fen) = read(&text) {
            let again = fen.to_string();
            assert_eq!(read(&again), Ok(fen), "{text}");
        }
    }
}

#[test]
fn what_is_said_beside_a_text_must_not_contradict_it() {
    let rules = Rules::preset("berserk-2024").expect("a preset");
    let ranks = "3a7/11/11/11/11/5k5/11/11/11/11/11";
    let record = "dim:11 atkf:n starti:/3t7/11/11/11/11/5K5/11/11/11/11/11/";
    let said = Beside {
        side: Some(Side::Defender),
        chain: Some("f6".parse().expect("a square")),
        captureless: Some(3),
    };
    for text in [
        ranks,
        &format!("{ranks} d"),
        &format!("{ranks} - d 3 9 f6"),
        record,
    ] {
        let setup = Fen::read_beside(text, &rules, said).expect("it agrees");
        assert_eq!(Some(setup.side), said.side, "{text}");
        assert_eq!(
            (setup.chain, Some(setup.captureless)),
            (said.chain, said.captureless),
            "{text}"
        );
    }
    for (text, field) in [
        (format!("{ranks} - a 3 9"), "side"),
        (record.replace("atkf:n", "atkf:y"), "side"),
        (format!("{ranks} - d 0 9"), "captureless"),
        (format!("{ranks} defenders d1 3"), "chain"),
    ] {
        let error = Fen::read_beside(&text, &rules, said).expect_err("it says otherwise");
        let begins = format!("field `{field}`: the text says ");
        assert!(error.to_string().starts_with(&begins), "{text}: {error}");
    }
}

#[test]
fn a_board_alone_begins_with_the_side_that_moves_first() {
    let rules = Rules::new(Ruleset {
        moves_first: Side::Defender,
        ..ruleset("brandubh")
    });
    let rules = rules.expect("playable");
    let board = "3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3";
    for (text, side) in [
        (board.to_owned(), Side::Defender),
        (format!("{board} attackers"), Side::Attacker),
        (format!("/{board}/"), Side::Attacker),
    ] {
        let setup = Fen::read_under(&text, &rules).expect("a position");
        assert_eq!(setup.side, side, "{text}");
    }
    let game = format!("position: {board}\nd5-c5 d6-d5\n");
    let (_, game) = read_games(&game).swap_remove(0);
    let replayed = game.expect("a game").replay(&rules);
    assert_eq!(replayed.expect("legal").game.moves().len(), 2);
}
