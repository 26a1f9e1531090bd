//! Laws that hold in every position of every ruleset.

use crate::planes::encoded;
use crate::playouts::{all_rules, random_record};
use half::bf16;
use ndarray::{Array2, Array3, Axis, s};
use std::collections::BTreeSet;
use std::sync::Arc;
use tafl_rules::{Bitboard, Game, Piece, PolicyIndex, Rules, Square, Symmetry};
use tafl_samples::{
    Batch, Facts, MARKED_PLANES, PLANE_DOCS, PLANES, Sample, TargetConfig, encode, encode_packed,
    plane_names, plane_sets, samples_of,
};

const TARGETS: TargetConfig = TargetConfig {
    value_lambda: 0.25,
    proven_results: false,
};

/// Runs `check` in every 7th position of two random games of each ruleset.
fn for_positions(mut check: impl FnMut(&Facts, &Arc<Rules>, &Game)) {
    for rules in all_rules() {
        for seed in 0..2 {
            let record = random_record(&rules, seed, 300);
            let mut game = Game::new(Arc::clone(&rules));
            for (i, ply) in record.plies.iter().enumerate() {
                if i % 7 == 0 || game.position().chain().is_some() {
                    check(&Facts::of(&game), &rules, &game);
                }
                game.play(ply.mv).unwrap();
            }
        }
    }
}

#[test]
fn sets_of_squares_say_what_planes_do() {
    for_positions(|facts, rules, _| {
        let (marked, constant) = plane_sets(facts, rules);
        let planes = encoded(facts, rules);
        for ((rank, file, plane), found) in planes.indexed_iter() {
            let square = Square::new(file as u8, rank as u8);
            let expected = match marked.get(plane) {
                Some(squares) => f32::from(u8::from(squares.contains(square))),
                None => constant[plane],
            };
            assert_eq!(*found, expected, "{square} {}", PLANE_DOCS[plane].name);
        }
    });
}

#[test]
fn encoding_commutes_with_every_symmetry() {
    let mut chains = 0;
    for_positions(|facts, rules, _| {
        chains += u32::from(facts.chain.is_some());
        let shape = rules.shape();
        let plain = encoded(facts, rules);
        for symmetry in Symmetry::ALL {
            let turned = encoded(&facts.under(symmetry, shape), rules);
            for from in 0..shape.squares() {
                let to = symmetry.square(shape.square(from), shape);
                let of = |planes: &Array3<f32>, square| {
                    let index = shape.index(square);
                    let size = usize::from(shape.size());
                    planes.slice(s![index / size, index % size, ..]).to_vec()
                };
                assert_eq!(of(&plain, shape.square(from)), of(&turned, to));
            }
        }
    });
    assert!(chains > 0, "the games pass through chains");
}

#[test]
fn packed_planes_unpack_to_the_planes() {
    for_positions(|facts, rules, _| {
        let facts = &Facts {
            weakness: [[51, 0], [0, 2]],
            ..*facts
        };
        let size = usize::from(rules.shape().size());
        let mut marks = Array2::from_elem((size, size), u16::MAX);
        let row = encode_packed(facts, rules, marks.view_mut());
        let unpacked = marks.iter().flat_map(|marks| {
            (0..PLANES).map(move |plane| {
                let marked = plane < MARKED_PLANES && marks >> plane & 1 != 0;
                row[plane] + if marked { 1.0 } else { 0.0 }
            })
        });
        assert!(unpacked.eq(encoded(facts, rules)));
        assert!(
            marks
                .iter()
                .all(|&marks| u32::from(marks) >> MARKED_PLANES == 0)
        );
    });
}

#[test]
fn both_precisions_agree() {
    for_positions(|facts, rules, _| {
        let plain = encoded(facts, rules);
        let mut short = Array3::from_elem(plain.dim(), bf16::NAN);
        encode(facts, rules, short.view_mut());
        assert!(
            plain
                .iter()
                .zip(&short)
                .all(|(&long, &short)| bf16::from_f32(long) == short)
        );
        assert!(plain.iter().all(|number| (0.0..=1.0).contains(number)));
    });
}

#[test]
fn facts_lead_back_to_the_position() {
    for_positions(|facts, rules, game| {
        assert_eq!(facts.position(rules).as_ref(), Ok(game.position()));
    });
}

#[test]
fn batch_moves_are_the_legal_moves_of_the_turned_position() {
    for rules in all_rules() {
        let samples = samples_of(&random_record(&rules, 5, 120), &rules).unwrap();
        let samples: Vec<&Sample> = samples.iter().step_by(5).collect();
        let shape = rules.shape();
        for symmetry in Symmetry::ALL {
            let symmetries = vec![symmetry; samples.len()];
            let batch =
                Batch::under(&samples, &[Arc::clone(&rules)], &TARGETS, &symmetries).unwrap();
            let size = usize::from(shape.size());
            assert_eq!(batch.planes.dim(), (samples.len(), size, size, PLANES));
            for (i, sample) in samples.iter().enumerate() {
                let turned = sample
                    .facts
                    .under(symmetry, shape)
                    .position(&rules)
                    .unwrap();
                let mut moves = Vec::new();
                rules.legal_moves(&turned, &mut moves);
                let mut indices: Vec<u16> =
                    moves.iter().map(|mv| mv.policy_index(shape).0).collect();
                indices.sort_unstable();
                assert_eq!(batch.legal.of(i).to_vec(), indices);
                check_policy(&batch, i, sample, symmetry, &rules);
            }
        }
    }
}

fn check_policy(batch: &Batch, i: usize, sample: &Sample, symmetry: Symmetry, rules: &Rules) {
    let shape = rules.shape();
    let (indices, probabilities) = batch.policy.of(i);
    assert_eq!(indices.len(), sample.search.policy.len());
    for (&index, &(mv, probability)) in indices.iter().zip(&sample.search.policy) {
        let turned = tafl_rules::Move::from_policy_index(PolicyIndex(index), shape).unwrap();
        assert_eq!(symmetry.inverse().mv(turned, shape), mv);
        let at = indices.iter().position(|&other| other == index).unwrap();
        assert!((probabilities[at] - probability).abs() < 1e-6);
    }
    assert!((probabilities.sum() - 1.0).abs() < 1e-5);
}

#[test]
fn a_batch_depends_on_its_seed_alone() {
    let rules = Rules::preset("brandubh").unwrap();
    let samples = samples_of(&random_record(&rules, 1, 60), &rules).unwrap();
    let samples: Vec<&Sample> = samples.iter().collect();
    let batch = |seed| Batch::new(&samples, &[Arc::clone(&rules)], &TARGETS, seed).unwrap();
    assert_eq!(batch(1), batch(1));
    assert_ne!(batch(1).planes, batch(2).planes);
    assert_eq!(batch(1).wdl, batch(2).wdl);
}

#[test]
fn plane_names_differ_and_match_their_docs() {
    for (i, name) in plane_names().iter().enumerate() {
        assert_eq!(*name, PLANE_DOCS[i].name);
        assert!(!plane_names()[..i].contains(name) && !PLANE_DOCS[i].meaning.is_empty());
    }
}

/// Returns the squares, as file and rank, that are reached in at most so many moves, walked one by one up to a piece.
fn walked(from: Bitboard, moves: usize, free: &dyn Fn((i32, i32)) -> bool) -> BTreeSet<(i32, i32)> {
    let place = |square: Square| (i32::from(square.file()), i32::from(square.rank()));
    let mut front: BTreeSet<_> = from.squares().map(place).collect();
    let mut reached = BTreeSet::new();
    for _ in 0..moves {
        let mut next = BTreeSet::new();
        for (file, rank) in front {
            for (over, up) in [(0, 1), (1, 0), (0, -1), (-1, 0)] {
                let steps = (1..).map(|n| (file + n * over, rank + n * up));
                next.extend(steps.take_while(|&square| free(square)));
            }
        }
        reached.extend(&next);
        front = next;
    }
    reached
}

#[test]
fn the_lines_of_pieces_are_what_they_could_walk() {
    for_positions(|facts, rules, game| {
        let shape = rules.shape();
        let size = i32::from(shape.size());
        let occupied = facts.pieces.into_iter().reduce(|all, kind| all | kind);
        let occupied = occupied.unwrap_or_default();
        let index = |(file, rank): (i32, i32)| (rank * size + file) as usize;
        let free = |(file, rank): (i32, i32)| {
            let on_board = (0..size).contains(&file) && (0..size).contains(&rank);
            on_board && !occupied.contains(shape.square(index((file, rank))))
        };
        let planes = encoded(facts, rules);
        let king = game.position().pieces_of_kind(Piece::King);
        let goals = rules.goals() - occupied;
        let walks = [("king_one", king, 1), ("king_two", king, 2)];
        let homeward = [("home_one", goals, 1), ("home_two", goals, 2)];
        let of = |kinds: [Piece; 2]| {
            let [men, ranked] = kinds.map(|kind| game.position().pieces_of_kind(kind));
            men | ranked
        };
        let reach = [
            (
                "attackers_reach",
                of([Piece::Attacker, Piece::Commander]),
                1,
            ),
            ("defenders_reach", of([Piece::Defender, Piece::Knight]), 1),
        ];
        for (name, from, moves) in walks.into_iter().chain(homeward).chain(reach) {
            let plane = plane_names().iter().position(|&plane| plane == name);
            let plane = plane.unwrap();
            let expected = walked(from, moves, &free);
            let planes = planes.index_axis(Axis(2), plane);
            let squares = planes.iter().enumerate();
            let marked = squares.filter(|&(_, &number)| number == 1.0);
            let found: Vec<usize> = marked.map(|(square, _)| square).collect();
            let mut expected: Vec<usize> = expected.into_iter().map(index).collect();
            expected.sort_unstable();
            assert_eq!(found, expected, "{name}");
        }
    });
}
