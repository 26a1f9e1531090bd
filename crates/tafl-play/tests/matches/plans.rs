//! Matches of chosen openings: games left out, adjudicated, or of a player with itself.

use crate::matches::common::{
    Job, baseline, brandubh, config, greedy, job, random, rollouts, runner, uniform,
};
use std::collections::BTreeSet;
use std::sync::Arc;
use tafl_play::{
    Adjudication, MatchConfig, MatchPlan, Player, RunnerConfig, Watch, openings, play_match,
    read_openings,
};
use tafl_rules::Rules;
use tafl_samples::{Baseline, EndingReason, GameRecord, PlayerId, samples_of};

#[test]
fn a_match_that_goes_on_later_gives_the_games_it_would_have_given() {
    let alphabeta = baseline(Baseline::alpha_beta(1));
    let job = job([&rollouts(6), &alphabeta], 4);
    let mut plan = MatchPlan::new(openings(&brandubh(), 5, 4, 9));
    let whole = job.records_of(&plan);
    assert_eq!(whole.len(), 10);
    plan.left_out = BTreeSet::from([0, 3, 4, 5]);
    assert_eq!(plan.missing(), [1, 2, 6, 7, 8, 9]);
    let mut played = job.records_of(&plan);
    assert_eq!(played.len(), 6);
    let finished = [0, 3, 4, 5].map(|index: usize| whole[index].clone());
    played.extend(finished);
    played.sort_by_key(|record| record.game_id);
    assert_eq!(played, whole);
}

#[test]
fn openings_that_cannot_be_played_are_named() {
    let job = job([&greedy(), &random()], 4);
    let mut plan = MatchPlan::new(vec![Vec::new(), vec!["d4-d5".parse().unwrap()]]);
    let error = play_match(&job.as_match(), &plan, &Watch::default()).unwrap_err();
    let error = error.to_string();
    assert!(error.starts_with("opening 2: "), "{error}");
    plan.left_out = BTreeSet::from([2, 3]);
    assert_eq!(job.records_of(&plan).len(), 2, "nobody asks for the other");
}

#[test]
fn the_files_of_openings_can_be_played_under_the_rulesets_of_their_family() {
    let families: [(&str, &[&str]); 3] = [
        (
            include_str!("../../../../data/openings/copenhagen.txt"),
            &["copenhagen", "copenhagen-tournament", "fetlar"],
        ),
        (
            include_str!("../../../../data/openings/berserk.txt"),
            &["berserk-2017", "berserk-2024"],
        ),
        (
            include_str!("../../../../data/openings/brandubh.txt"),
            &["brandubh"],
        ),
    ];
    for (text, rulesets) in families {
        for ruleset in rulesets {
            let rules = Rules::preset(ruleset).unwrap();
            assert_eq!(read_openings(text, &rules).unwrap().len(), 100, "{ruleset}");
        }
    }
}

#[test]
fn adjudicated_games_end_early_and_are_called_so() {
    let rollouts_60 = rollouts(60);
    let other = Arc::new(Player {
        id: "other".into(),
        ..Player::baseline(Baseline::rollouts(40))
    });
    let rules = brandubh();
    let first = Job {
        config: MatchConfig {
            openings: 8,
            ..config()
        },
        ..job([&rollouts_60, &other], 4)
    };
    let mut plan = MatchPlan::new(openings(&rules, 8, 4, 9));
    let whole = first.records_of(&plan);
    plan.adjudication = Some(Adjudication {
        value: 0.4,
        searches: 1,
    });
    let shorter = first.records_of(&plan);
    let plies =
        |records: &[GameRecord]| -> usize { records.iter().map(|record| record.plies.len()).sum() };
    assert!(plies(&shorter) < plies(&whole));
    let mut adjudicated = 0;
    for (early, late) in shorter.iter().zip(&whole) {
        if early.ending.reason == EndingReason::Adjudicated {
            adjudicated += 1;
            assert!(early.ending.winner.is_some());
            assert_eq!(early.plies[..], late.plies[..early.plies.len()]);
            samples_of(early, &rules).unwrap();
        } else {
            assert_eq!(early, late);
        }
    }
    assert!(adjudicated > 0);
    assert!(first.result_of(shorter).set_tally().undecided > 0);
    let alphabeta = baseline(Baseline::alpha_beta(1));
    let second = Job {
        players: [rollouts_60, alphabeta],
        ..first
    };
    let is_adjudicated = |record: &GameRecord| record.ending.reason == EndingReason::Adjudicated;
    assert!(!second.records_of(&plan).iter().any(is_adjudicated));
}

#[test]
fn an_adjudication_that_means_nothing_is_refused() {
    let job = job([&rollouts(4), &uniform(4)], 4);
    let plan = MatchPlan {
        adjudication: Some(Adjudication {
            value: 1.5,
            searches: 3,
        }),
        ..job.plan()
    };
    let error = play_match(&job.as_match(), &plan, &Watch::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "field `adjudication.value`: expected number above 0 to 1, found 1.5"
    );
}

#[test]
fn a_player_meets_itself_once_an_opening_and_its_searches_are_kept() {
    let uniform = uniform(6);
    let played = |left_out: &[u64], workers| {
        let job = Job {
            runner: RunnerConfig {
                workers,
                ..runner()
            },
            ..job([&uniform, &uniform], 5)
        };
        let plan = MatchPlan {
            left_out: left_out.iter().copied().collect(),
            is_mirror: true,
            ..MatchPlan::new(openings(&job.rules, 6, 4, 9))
        };
        play_match(&job.as_match(), &plan, &Watch::default()).unwrap()
    };
    let all = played(&[], 1);
    assert_eq!(all, played(&[], 3));
    let ids: Vec<u64> = all.iter().map(|record| record.game_id).collect();
    assert_eq!(ids, [0, 2, 4, 6, 8, 10]);
    let name = PlayerId::from("uniform");
    for record in &all {
        let samples = samples_of(record, &brandubh()).unwrap();
        assert_eq!(
            samples.len(),
            record.plies.len() - record.opening_plies as usize
        );
        let is_opening = |ply: usize| ply < record.opening_plies as usize;
        let kept = record.plies.iter().enumerate();
        assert!(
            kept.into_iter()
                .all(|(ply, it)| it.search.is_none() == is_opening(ply))
        );
        assert_eq!((&record.attackers, &record.defenders), (&name, &name));
    }
    // What is left out changes nothing of the others.
    let some = played(&[0, 6], 1);
    let others = all
        .iter()
        .filter(|record| ![0, 6].contains(&record.game_id));
    assert!(some.iter().eq(others));
}
