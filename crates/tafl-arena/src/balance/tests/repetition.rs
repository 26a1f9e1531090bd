//! Whether a study that is repeated is borne out, where the truth is known.

use super::*;
use rand::SeedableRng;

/// A study of three rulesets under which attackers win these shares of games of chance.
fn played(seed: u64, wins: [f64; 3], count: u64) -> Study {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let cells = wins.map(|win| games(&mut rng, [win, 0.1], count));
    Study {
        seed,
        ..study(3, vec![player(Some(64))], cells.to_vec())
    }
}

/// Repeats a study with games of its own.
fn repeat(known: &Study, own: Study) -> Summary {
    let repeats = Some(summarize(known, &SAMPLING));
    summarize(&Study { repeats, ..own }, &SAMPLING)
}

#[test]
fn a_study_is_borne_out_by_games_of_the_same_kind_and_contradicted_by_others() {
    let wins = [0.3, 0.45, 0.6];
    // Of 40 repetitions two may look otherwise by chance.
    let is_contradicted = |seed: u64| {
        let summary = repeat(&played(seed, wins, 1_000), played(100 + seed, wins, 100));
        summary.verdict[0].contains("contradict")
    };
    let contradicted = (0..40).filter(|&seed| is_contradicted(seed)).count();
    assert!(contradicted <= 5, "{contradicted} of 40");

    let others = [0.3, 0.45, 0.3];
    let differ = |seed: u64| {
        let summary = repeat(&played(seed, wins, 1_000), played(100 + seed, others, 100));
        let scores = &summary.repetition.as_ref().expect("compared").scores;
        let is_covered = covers(&scores[2].difference, -0.3);
        [scores[0].clear, scores[2].clear, is_covered].map(usize::from)
    };
    let differ: Vec<[usize; 3]> = (0..20).map(differ).collect();
    let [same, other, covered] = [0, 1, 2].map(|of| differ.iter().map(|it| it[of]).sum::<usize>());
    assert!(same <= 2 && other >= 19 && covered >= 17, "{differ:?}");

    let summary = repeat(&played(2, wins, 1_000), played(102, others, 100));
    let first = "These games contradict the study \"s\" of 3000 games. The attackers' score differs clearly: r2 (p, 64 visits): ";
    assert!(summary.verdict[0].starts_with(first), "{summary:?}");
    assert!(
        summary.verdict[1].starts_with("These games alone: "),
        "{summary:?}"
    );
}

#[test]
fn the_verdict_of_a_study_that_is_borne_out_is_told_before_that_of_the_games_alone() {
    let wins = [0.3, 0.45, 0.6];
    let known = played(1, wins, 1_000);
    let summary = repeat(&known, played(2, wins, 100));
    let verdict = &summary.verdict;
    let first = "These games bear out the study \"s\" of 3000 games: no score of the attackers differs clearly (here minus there: r0 ";
    assert!(verdict[0].starts_with(first), "{verdict:?}");
    assert!(verdict[0].ends_with("since short openings recur."));
    let known = summarize(&known, &SAMPLING).verdict;
    let told = format!("So its verdict stands: {}", known[..3].join(" "));
    assert_eq!(verdict[1], told);
    assert!(
        verdict[2].starts_with("These games alone: r1 "),
        "{verdict:?}"
    );
}

#[test]
fn a_verdict_of_games_that_are_not_compared_is_not_told_again() {
    let mut known = played(1, [0.5; 3], 400);
    known.players.push(player(Some(256)));
    let cells = known.cells.iter().flat_map(|it| [it.clone(), it.clone()]);
    known.cells = cells.collect();
    let verdict = repeat(&known, played(2, [0.5; 3], 100)).verdict;
    assert!(verdict[0].contains("bear out the study"), "{verdict:?}");
    assert!(verdict[1].starts_with("These games alone: "), "{verdict:?}");
}

#[test]
fn only_the_same_players_and_rulesets_are_compared() {
    let known = played(1, [0.5; 3], 100);
    let with = |change: &dyn Fn(&mut Study)| {
        let mut own = played(2, [0.5; 3], 100);
        change(&mut own);
        let cards: Vec<StudyRuleset> = own.rulesets.iter().map(|(it, _)| it.clone()).collect();
        let can = can_repeat(&summarize(&known, &SAMPLING), &cards, &own.players);
        let repetition = repeat(&known, own).repetition;
        assert_eq!(can, repetition.is_some());
        repetition.map_or(0, |it| it.scores.len())
    };
    assert_eq!(with(&|_| ()), 3);
    assert_eq!(with(&|own| own.cells[0].games.clear()), 2);
    let other_rules = |own: &mut Study| own.rulesets[1].0.fingerprint = "other".to_owned();
    assert_eq!(with(&other_rules), 2);
    let other_weights = |own: &mut Study| own.players[0].weights_sha256 = Some("0".to_owned());
    assert_eq!(with(&other_weights), 0);
    let other_name = |own: &mut Study| own.players[0].name = "q@64".to_owned();
    assert_eq!(with(&other_name), 0);
}
