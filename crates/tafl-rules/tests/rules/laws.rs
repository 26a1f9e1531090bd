//! Laws that hold in every game under every ruleset.

use crate::rules::board::draw;
use crate::rules::random::{all_rulesets, random_game, random_move, random_ruleset};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::BTreeSet;
use tafl_rules::{
    Bitboard, BoardShape, Game, Move, Piece, PolicyIndex, Position, RankOrder, Rules, Setup, Side,
    Symmetry, TurnText,
};

/// Calls `law` with the game before each ply and the ply, over random games of all kinds.
pub(crate) fn in_random_games(seed: u64, mut law: impl FnMut(&Game, Move)) {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut rulesets = all_rulesets();
    rulesets.extend((0..40).map(|_| random_ruleset(&mut random)));
    for ruleset in rulesets {
        for from_start in [true, false, false] {
            let mut game = random_game(&ruleset, from_start, &mut random);
            for _ in 0..60 {
                let Some(mv) = random_move(&game, &mut random) else {
                    break;
                };
                law(&game, mv);
                game.play(mv).expect("a legal move");
            }
        }
    }
}

fn all_moves(shape: BoardShape) -> impl Iterator<Item = Move> {
    let squares = shape.board();
    let pairs = squares
        .squares()
        .flat_map(move |from| squares.squares().map(move |to| (from, to)));
    pairs
        .filter_map(|(from, to)| Move::new(from, to))
        .chain([Move::END])
}

#[test]
fn the_key_kept_up_to_date_equals_the_key_computed_anew() {
    in_random_games(1, |game, _| {
        assert_eq!(
            game.position().key(),
            game.position().recomputed_key(),
            "{}",
            draw(game)
        );
    });
}

#[test]
fn the_sets_of_pieces_are_consistent() {
    in_random_games(2, |game, _| {
        let position = game.position();
        let shape = game.rules().shape();
        let mut by_kind = Bitboard::EMPTY;
        for kind in Piece::ALL {
            let set = position.pieces_of_kind(kind);
            assert!((by_kind & set).is_empty(), "{}", draw(game));
            by_kind |= set;
            assert!(
                (set - position.pieces(kind.side())).is_empty(),
                "{}",
                draw(game)
            );
            for square in set.squares() {
                assert_eq!(position.piece_at(square), Some(kind), "{}", draw(game));
            }
        }
        assert_eq!(by_kind, position.occupied(), "{}", draw(game));
        let [attackers, defenders] = Side::ALL.map(|side| position.pieces(side));
        assert!((attackers & defenders).is_empty(), "{}", draw(game));
        assert!(
            (position.occupied() - shape.board()).is_empty(),
            "{}",
            draw(game)
        );
        assert_eq!(position.pieces_of_kind(Piece::King).count(), 1);
        assert!(defenders.contains(position.king()), "{}", draw(game));
    });
}

#[test]
fn runs_of_policy_outputs_are_the_listed_moves() {
    in_random_games(15, |game, _| {
        let (rules, position) = (game.rules(), game.position());
        let moves = game.legal();
        let listed: Vec<u16> = moves
            .iter()
            .map(|mv| mv.policy_index(rules.shape()).0)
            .collect();
        let mut outputs = Vec::new();
        rules.legal_runs(position, |run| {
            assert!(!run.is_empty(), "{}", draw(game));
            outputs.extend(run);
        });
        assert_eq!(outputs, listed, "{}", draw(game));
    });
}

#[test]
fn a_game_that_forgets_goes_on_as_before() {
    in_random_games(16, |game, mv| {
        let (mut whole, mut forgetful) = (game.clone(), game.clone());
        for _ in 0..2 {
            forgetful.forget(8);
            assert_eq!(forgetful.occurrences(), whole.occurrences());
        }
        assert_eq!(forgetful.moves().last(), whole.moves().last());
        for game in [&mut whole, &mut forgetful] {
            game.play(mv).expect("a legal move");
        }
        assert_eq!(forgetful.outcome(), whole.outcome(), "{}", draw(game));
        assert_eq!(forgetful.position(), whole.position(), "{}", draw(game));
    });
}

#[test]
fn exactly_the_listed_moves_are_legal() {
    in_random_games(3, |game, _| {
        let (rules, position) = (game.rules(), game.position());
        let moves = game.legal();
        let listed: BTreeSet<Move> = moves.iter().copied().collect();
        assert_eq!(listed.len(), moves.len(), "{}", draw(game));
        let legal = all_moves(rules.shape()).filter(|mv| rules.is_legal(position, *mv));
        assert_eq!(legal.collect::<BTreeSet<Move>>(), listed, "{}", draw(game));
        assert_eq!(
            rules.has_legal_move(position),
            !listed.is_empty(),
            "{}",
            draw(game)
        );
    });
}

#[test]
fn moves_are_listed_by_square_direction_and_distance() {
    in_random_games(4, |game, _| {
        let moves = game.legal();
        let shape = game.rules().shape();
        assert!(
            moves.is_sorted_by_key(|mv| mv.policy_index(shape)),
            "{}",
            draw(game)
        );
    });
}

fn mirrored(symmetry: Symmetry, position: &Position, rules: &Rules) -> Position {
    let shape = rules.shape();
    let setup = Setup::of(position, shape);
    let mut image = setup.clone();
    for (index, piece) in setup.pieces.iter().enumerate() {
        image.pieces[shape.index(symmetry.square(shape.square(index), shape))] = *piece;
    }
    image.chain = setup.chain.map(|square| symmetry.square(square, shape));
    rules
        .position(&image)
        .expect("the image of a playable position")
}

#[test]
fn symmetry_commutes_with_moves_play_and_outcome() {
    in_random_games(5, |game, mv| {
        let (rules, shape) = (game.rules(), game.rules().shape());
        let moves = game.legal();
        let mut after = game.clone();
        let ply = after.play(mv).expect("a legal move");
        for symmetry in Symmetry::ALL {
            let image = mirrored(symmetry, game.position(), rules);
            let mut image = Game::from_position(rules.clone(), image);
            let mut of_image = image.legal();
            of_image.sort_unstable();
            let mut expected: Vec<Move> = moves.iter().map(|mv| symmetry.mv(*mv, shape)).collect();
            expected.sort_unstable();
            assert_eq!(of_image, expected, "{symmetry:?}\n{}", draw(game));
            let ply_of_image = image.play(symmetry.mv(mv, shape)).expect("a legal move");
            let captured = symmetry.bitboard(ply.captured, shape);
            assert_eq!(
                ply_of_image.captured,
                captured,
                "{mv} {symmetry:?}\n{}",
                draw(game)
            );
            assert_eq!(
                ply_of_image.outcome,
                ply.outcome,
                "{mv} {symmetry:?}\n{}",
                draw(game)
            );
            // The king is off the goals while a game goes on, so a setup describes it.
            if after.outcome().is_none() {
                let expected = mirrored(symmetry, after.position(), rules);
                assert_eq!(
                    image.position(),
                    &expected,
                    "{mv} {symmetry:?}\n{}",
                    draw(game)
                );
            }
        }
    });
}

#[test]
fn symmetries_form_a_group_of_eight() {
    for size in [7, 9, 11] {
        let shape = BoardShape::new(size).expect("a size");
        let mut images = BTreeSet::new();
        for symmetry in Symmetry::ALL {
            let image: Vec<usize> = (0..shape.squares())
                .map(|index| shape.index(symmetry.square(shape.square(index), shape)))
                .collect();
            for index in 0..shape.squares() {
                let square = shape.square(index);
                let back = symmetry
                    .inverse()
                    .square(symmetry.square(square, shape), shape);
                assert_eq!(back, square);
            }
            images.insert(image);
        }
        assert_eq!(images.len(), 8);
    }
}

#[test]
fn position_texts_lead_back_in_both_rank_orders() {
    in_random_games(6, |game, _| {
        let setup = Setup::of(game.position(), game.rules().shape());
        for order in [RankOrder::HighestFirst, RankOrder::LowestFirst] {
            let text = setup.to_text(order);
            let mut back = Setup::from_text(&text, order).expect("its own text");
            back = back.with_side(setup.side);
            (back.chain, back.captureless) = (setup.chain, setup.captureless);
            assert_eq!(back, setup, "{text}");
            assert_eq!(
                Setup::from_text(&format!("/{text}/"), order)
                    .unwrap()
                    .pieces,
                setup.pieces
            );
        }
        let position = game.rules().position(&setup).expect("a playable position");
        assert_eq!(&position, game.position());
    });
}

#[test]
fn move_and_turn_texts_lead_back() {
    in_random_games(7, |game, mv| {
        assert_eq!(mv.to_string().parse(), Ok(mv));
        if mv.is_end() {
            return;
        }
        let mut game = game.clone();
        let mut turn = TurnText { plies: Vec::new() };
        let mut next = Some(mv);
        // Goes on by the first continuation, as far as the chain leads.
        while let Some(mv) = next {
            let ply = game.play(mv).expect("a legal move");
            turn.plies.push((mv, ply.captured));
            let moves = game.legal();
            next = moves
                .first()
                .copied()
                .filter(|_| game.position().chain().is_some());
        }
        let text = turn.to_string();
        assert_eq!(text.parse(), Ok(turn), "{text}");
    });
}

#[test]
fn a_stopped_chain_reads_as_joined_steps() {
    let text = "d5-f5xe5-f8xf7xf9-end";
    let turn: TurnText = text.parse().expect("a turn");
    assert_eq!(turn.plies.len(), 3);
    assert_eq!(turn.plies[1].0, "f5-f8".parse().expect("a move"));
    assert!(turn.plies[2].0.is_end());
    assert_eq!(turn.to_string(), text);
    let twice: TurnText = "e7-k7xk6xk6".parse().expect("a turn");
    assert_eq!(twice.to_string(), "e7-k7xk6");
    for bad in [
        "",
        "d5",
        "d5-",
        "d5-e6",
        "d5-d5",
        "d5-f5x",
        "d5-f5-end-f6",
        "d5-f5xl5",
        "end-d5",
    ] {
        assert!(bad.parse::<TurnText>().is_err(), "{bad:?}");
    }
}

#[test]
fn policy_outputs_and_moves_stand_for_each_other() {
    for size in [7, 9, 11] {
        let shape = BoardShape::new(size).expect("a size");
        let mut seen = BTreeSet::new();
        for mv in all_moves(shape) {
            let index = mv.policy_index(shape);
            assert!(usize::from(index.0) < shape.policy_len(), "{mv}");
            assert!(seen.insert(index), "{mv}");
            assert_eq!(Move::from_policy_index(index, shape), Some(mv));
        }
        for index in 0..=u16::MAX {
            let index = PolicyIndex(index);
            let mv = Move::from_policy_index(index, shape);
            assert_eq!(mv.is_some(), seen.contains(&index), "{index:?}");
        }
    }
    assert_eq!(BoardShape::new(11).map(BoardShape::policy_len), Some(4841));
}

#[test]
fn rewinding_brings_everything_back() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(8);
    in_random_games(9, |game, _| {
        let mut tried = game.clone();
        let mark = tried.mark();
        for _ in 0..random.random_range(1..12) {
            let Some(mv) = random_move(&tried, &mut random) else {
                break;
            };
            tried.play_unchecked(mv);
        }
        tried.rewind(&mark);
        assert_eq!(tried.position(), game.position());
        assert_eq!(tried.moves(), game.moves());
        assert_eq!(tried.outcome(), game.outcome());
        assert_eq!(tried.occurrences(), game.occurrences());
        let mut moves = [Vec::new(), Vec::new()];
        tried.legal_moves(&mut moves[0]);
        game.legal_moves(&mut moves[1]);
        assert_eq!(moves[0], moves[1]);
    });
}

#[test]
fn a_refused_move_changes_nothing() {
    in_random_games(10, |game, _| {
        let mut tried = game.clone();
        let illegal = all_moves(game.rules().shape())
            .find(|mv| !game.rules().is_legal(game.position(), *mv))
            .expect("some move is illegal");
        assert!(tried.play(illegal).is_err());
        assert_eq!(tried.position(), game.position());
        assert_eq!(tried.moves(), game.moves());
    });
}
