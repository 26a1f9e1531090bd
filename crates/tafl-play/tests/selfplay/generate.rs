//! What self-play promises of its records.

use crate::selfplay::common::{
    Job, config, device, handicaps, job, opinion, random_opening, rules, runner, search,
};
use std::collections::BTreeSet;
use std::sync::Arc;
use tafl_play::{OpeningConfig, RunnerConfig, SelfplayConfig, UnevenGames, UnevenSide};
use tafl_rules::{Game, Move, PRESET_NAMES, Rules, Side, Switch};
use tafl_samples::{GameRecord, derive_seed, samples_of};
use tafl_search::{Evaluation, Evaluator, Leaf, MoverWdl};

/// Replays a record and returns the game; every ply must be legal and the ending the recorded one.
fn replay(record: &GameRecord) -> Game {
    let mut game = Game::new(rules(&[&record.ruleset])[0].clone());
    for ply in &record.plies {
        game.play(ply.mv).unwrap();
    }
    assert_eq!(game.outcome().is_none(), record.ending.is_capped());
    if let Some(outcome) = game.outcome() {
        assert_eq!(record.ending, outcome.into());
    }
    game
}

#[test]
fn the_same_seed_gives_the_same_records_and_another_gives_others() {
    let records = |run_seed| {
        let job = Job {
            search: search(6),
            run_seed,
            ..job(6)
        };
        job.records()
    };
    let first = records(1);
    assert_eq!(first, records(1));
    assert_ne!(first, records(2));
}

/// Nine games of two rulesets.
fn nine_games(workers: u32, parallel_games: u32, cache_positions: u32) -> Job {
    Job {
        runner: RunnerConfig {
            workers,
            parallel_games,
            cache_positions,
        },
        search: search(5),
        rules: rules(&["brandubh", "tablut"]),
        run_seed: 11,
        ..job(9)
    }
}

#[test]
fn records_depend_neither_on_workers_nor_on_games_at_a_time() {
    let records = |workers, parallel_games| nine_games(workers, parallel_games, 0).records();
    let one = records(1, 1);
    assert_eq!(one, records(2, 3));
    assert_eq!(one, records(3, 64));
    assert_eq!(one, records(16, 2));
}

#[test]
fn records_do_not_depend_on_whether_a_device_computes_beside() {
    for (workers, parallel_games) in [(1, 1), (1, 7), (2, 4)] {
        let plain = nine_games(workers, parallel_games, 50);
        let on_a_device = Job {
            make: device(),
            ..plain.clone()
        };
        assert_eq!(on_a_device.records(), plain.records());
    }
}

#[test]
fn the_cache_changes_no_record_and_saves_evaluations() {
    let played = |cache_positions| {
        let job = Job {
            config: SelfplayConfig {
                full_search_fraction: 0.5,
                ..config()
            },
            runner: RunnerConfig {
                cache_positions,
                ..runner()
            },
            search: search(8),
            rules: rules(&["brandubh", "copenhagen"]),
            run_seed: 11,
            ..job(9)
        };
        job.play()
    };
    let (without, saved_none) = played(0);
    assert_eq!(saved_none.cache_hits, 0);
    for places in [1, 100, 10_000] {
        let (with, progress) = played(places);
        assert_eq!(with, without);
        let leaves = progress.evaluations + progress.cache_hits;
        assert_eq!(leaves, saved_none.evaluations, "{places} places");
    }
    assert!(played(10_000).1.cache_hits > saved_none.evaluations / 20);
}

#[test]
fn records_are_numbered_seeded_and_go_round_the_rulesets() {
    let names = ["brandubh", "tablut", "copenhagen"];
    let job = Job {
        config: SelfplayConfig {
            max_plies: 12,
            ..config()
        },
        search: search(2),
        rules: rules(&names),
        ..job(7)
    };
    let records = job.records();
    for (index, record) in records.iter().enumerate() {
        assert_eq!(record.game_id, index as u64);
        assert_eq!(record.seed, derive_seed(5, &[3, index as u64]));
        assert_eq!(record.ruleset, names[index % 3]);
        assert_eq!(record.generation, 3);
        assert_eq!(record.attackers, "hash".into());
        assert_eq!(record.defenders, "hash".into());
    }
    assert_eq!(records.len(), 7);
}

#[test]
fn a_share_of_the_games_is_played_under_variants_of_their_own_ruleset() {
    let mut repertoire = rules(&["brandubh", "tablut"]);
    for (base, field) in [(0, "encirclement"), (0, "shieldwall"), (1, "encirclement")] {
        let mut variant = repertoire[base].ruleset().clone();
        variant.name = format!("{}_{field}", variant.name);
        let switch = match field {
            "encirclement" => &mut variant.encirclement,
            _ => &mut variant.shieldwall,
        };
        *switch = if switch.is_on() {
            Switch::Off
        } else {
            Switch::On
        };
        repertoire.add_variant(base, Rules::new(variant).unwrap());
    }
    assert_eq!((repertoire.listed().len(), repertoire.len()), (2, 5));
    let played = |uneven| {
        let job = Job {
            config: SelfplayConfig {
                max_plies: 6,
                uneven,
                ..config()
            },
            search: search(2),
            rules: repertoire.clone(),
            ..job(400)
        };
        let names = job.records().into_iter().map(|record| record.ruleset);
        names.collect::<Vec<_>>()
    };
    let fifth = played(Vec::new());
    for (index, name) in fifth.iter().enumerate() {
        assert!(
            name.starts_with(["brandubh", "tablut"][index % 2]),
            "{name}"
        );
    }
    let variants = fifth.iter().filter(|name| name.contains('_'));
    let variants: Vec<&String> = variants.collect();
    assert!((55..105).contains(&variants.len()), "{}", variants.len());
    assert_eq!(variants.iter().collect::<BTreeSet<_>>().len(), 3);
    let taught = played(vec![UnevenGames {
        alphabeta: vec![1],
        ..UnevenGames::of(UnevenSide::Both)
    }]);
    assert!(taught.iter().all(|name| !name.contains('_')));
}

#[test]
fn records_of_every_preset_replay_and_make_samples() {
    for name in PRESET_NAMES {
        let job = Job {
            config: SelfplayConfig {
                max_plies: 150,
                ..config()
            },
            rules: rules(&[name]),
            run_seed: 2,
            ..job(4)
        };
        for record in &job.records() {
            replay(record);
            let searched = record.plies.len() - record.opening_plies as usize;
            let samples = samples_of(record, &job.rules[0]).unwrap();
            assert_eq!(samples.len(), searched, "{name}");
        }
    }
}

#[test]
fn openings_vary_are_no_samples_and_all_other_plies_are() {
    let job = Job {
        search: search(2),
        run_seed: 4,
        ..job(20)
    };
    let records = job.records();
    let lengths: BTreeSet<u32> = records.iter().map(|record| record.opening_plies).collect();
    assert_eq!(lengths, BTreeSet::from([0, 1, 2, 3, 4]));
    for record in &records {
        let (opening, rest) = record.plies.split_at(record.opening_plies as usize);
        assert!(opening.iter().all(|ply| ply.search.is_none()));
        assert!(rest.iter().all(|ply| ply.search.is_some()));
    }
}

#[test]
fn games_without_end_are_capped_at_the_limit_and_counted_as_such() {
    let job = Job {
        config: SelfplayConfig {
            max_plies: 9,
            ..config()
        },
        search: search(2),
        rules: rules(&["copenhagen"]),
        run_seed: 1,
        ..job(6)
    };
    let (records, progress) = job.play();
    assert!(
        records
            .iter()
            .all(|record| record.ending.is_capped() && record.plies.len() == 9)
    );
    assert_eq!(progress.games_done, 6);
}

#[test]
fn progress_adds_up_to_the_records() {
    let job = Job {
        run_seed: 3,
        ..job(8)
    };
    let (records, progress) = job.play();
    let plies: usize = records.iter().map(|record| record.plies.len()).sum();
    let opening: u32 = records.iter().map(|record| record.opening_plies).sum();
    assert_eq!(progress.games_done, 8);
    assert_eq!(progress.plies, plies as u64);
    assert_eq!(progress.positions, plies as u64 - u64::from(opening));
    assert!(progress.evaluations > progress.positions && progress.batches > 0);
}

#[test]
fn cheap_plies_are_played_but_not_recorded_as_samples() {
    let job = Job {
        config: SelfplayConfig {
            full_search_fraction: 0.25,
            ..config()
        },
        search: search(8),
        run_seed: 6,
        ..job(12)
    };
    let records = job.records();
    let searched = |record: &GameRecord| record.plies[record.opening_plies as usize..].to_vec();
    let plies: Vec<_> = records.iter().flat_map(searched).collect();
    let full: Vec<_> = plies.iter().filter_map(|ply| ply.search.as_ref()).collect();
    let share = full.len() as f64 / plies.len() as f64;
    assert!(
        (0.15..0.35).contains(&share),
        "{} of {}",
        full.len(),
        plies.len()
    );
    assert!(full.iter().any(|search| search.visits == 8));
    records.iter().for_each(|record| drop(replay(record)));
}

#[test]
fn plies_of_a_chain_belong_to_one_side() {
    let job = Job {
        config: SelfplayConfig {
            max_plies: 200,
            opening: random_opening(40),
            ..config()
        },
        search: search(3),
        rules: rules(&["berserk-2024"]),
        run_seed: 9,
        ..job(12)
    };
    let records = job.records();
    let (mut links, mut ends) = (0, 0);
    for record in &records {
        let mut game = Game::new(rules(&["berserk-2024"])[0].clone());
        let mut before = None;
        for ply in &record.plies {
            let side = game.position().side();
            if game.position().chain().is_some() {
                assert_eq!(before, Some(side));
                links += 1;
                ends += usize::from(ply.mv == Move::END);
                if let Some(search) = &ply.search {
                    let offers_end = search.policy.iter().any(|(mv, _)| *mv == Move::END);
                    assert!(offers_end || search.proven || !search.policy.is_empty());
                }
            }
            before = Some(side);
            game.play(ply.mv).unwrap();
        }
    }
    assert!(
        links > ends && ends > 0,
        "{links} plies in chains, {ends} of them ends"
    );
}

#[test]
fn a_handicapped_side_plays_at_random_and_its_plies_are_samples_all_the_same() {
    let fair = Job {
        run_seed: 21,
        ..job(24)
    };
    let records_of_fair = fair.records();
    let won = |mut game: GameRecord| {
        game.ending.winner = Some(Side::Defender);
        game
    };
    let handicapped = Job {
        config: SelfplayConfig {
            uneven: vec![handicaps(1.0)],
            ..config()
        },
        earlier: records_of_fair.iter().cloned().map(won).collect(),
        ..fair
    };
    let (mut records, fair) = (handicapped.records(), records_of_fair);
    records.retain(|record| record.handicap.is_some());
    assert!(records.len() >= 18, "nine games of ten");
    // Brandubh has no chains, so the attackers move at even plies.
    let mean_probability = |records: &[GameRecord], side: usize| {
        let mut played = Vec::new();
        for record in records {
            let plies = record.plies.iter().enumerate();
            let own = plies.skip(record.opening_plies as usize);
            for (_, ply) in own.filter(|(index, _)| index % 2 == side) {
                let search = ply.search.as_ref().expect("every ply is searched");
                let probability = search.policy.iter().find(|(mv, _)| *mv == ply.mv);
                played.push(probability.map_or(0.0, |&(_, probability)| probability));
            }
        }
        assert!(played.len() > 200);
        played.iter().sum::<f32>() / played.len() as f32
    };
    let [attackers, defenders] = [0, 1].map(|side| mean_probability(&records, side));
    assert!(defenders < 0.6 * mean_probability(&fair, 1), "{defenders}");
    assert!(defenders < 0.6 * attackers, "{defenders}, {attackers}");
    for record in &records {
        let handicap = record.handicap.expect("all games have one");
        let rate = (handicap.rate * 255.0).round().max(1.0) as u8;
        assert_eq!(record.weakness(), [[0, 0], [rate, 0]]);
        let rules = &rules(&[&record.ruleset])[0];
        for sample in samples_of(record, rules).unwrap() {
            assert_eq!(sample.facts.weakness, record.weakness());
        }
    }
}

#[test]
fn openings_are_drawn_from_the_policy_where_nothing_is_decided_and_a_share_begins_at_the_start() {
    let opening = OpeningConfig {
        start_fraction: 0.5,
        random_plies: 0,
        policy_plies: 6,
    };
    let job = Job {
        config: SelfplayConfig {
            opening,
            ..config()
        },
        rules: rules(&["copenhagen"]),
        ..job(160)
    };
    let records = job.records();
    let at_start = records.iter().filter(|record| record.opening_plies == 0);
    // Half of them, one in seven of the others, and those that found no opening.
    assert!((60..140).contains(&at_start.count()));
    let mut likelier = 0;
    let mut plies = 0;
    for record in &records {
        assert!(record.opening_plies <= 6);
        let mut game = Game::new(job.rules[0].clone());
        for ply in &record.plies[..record.opening_plies as usize] {
            let moves = game.legal();
            let opinion = opinion(&Leaf::new(&game, &moves));
            let decided = (opinion.wdl.win - opinion.wdl.loss).abs();
            assert!(decided <= 0.7, "{decided}");
            let mean = opinion.logits.iter().sum::<f32>() / moves.len() as f32;
            let place = moves.iter().position(|&mv| mv == ply.mv).expect("legal");
            likelier += usize::from(opinion.logits[place] > mean);
            plies += 1;
            game.play(ply.mv).expect("legal");
        }
    }
    // Logits are even between 0 and 4, so seven eighths of the policy are on the likelier half.
    assert!(
        plies > 80 && likelier * 4 > plies * 3,
        "{likelier} of {plies}"
    );
}

#[test]
fn openings_that_are_decided_are_given_up_for_the_start_position() {
    let decided = Arc::new(|_| Ok(Box::new(Decided) as Box<dyn Evaluator>));
    let job = Job {
        config: SelfplayConfig {
            max_plies: 30,
            opening: OpeningConfig {
                start_fraction: 0.0,
                random_plies: 2,
                policy_plies: 2,
            },
            ..config()
        },
        make: decided,
        ..job(10)
    };
    assert!(job.records().iter().all(|record| record.opening_plies == 0));
}

/// Takes every position as won by the attackers.
struct Decided;

impl Evaluator for Decided {
    fn evaluate(&mut self, leaves: &[Leaf<'_>], evaluations: &mut Vec<Evaluation>) {
        evaluations.clear();
        evaluations.extend(leaves.iter().map(|leaf| {
            let (win, loss) = match leaf.game.position().side() {
                Side::Attacker => (0.9, 0.1),
                Side::Defender => (0.1, 0.9),
            };
            let wdl = MoverWdl {
                win,
                draw: 0.0,
                loss,
            };
            Evaluation {
                wdl,
                ..opinion(leaf)
            }
        }));
    }
}
