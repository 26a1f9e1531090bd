//! What the verdict says of studies whose truth is known.

use super::*;
use crate::Tally;
use rand::SeedableRng;

/// Games of which the attackers win a share, in hundredths.
fn won(share: u64, count: u64) -> Vec<StudyGame> {
    let games = (0..count).map(|opening| {
        let wins = opening % 100 < share;
        game(opening, ending(if wins { 0.0 } else { 1.0 }, [0.5, 0.0]))
    });
    games.collect()
}

fn verdict_of(study: &Played) -> String {
    study.summary().verdict.join("\n")
}

#[test]
fn the_fairest_comes_first_with_its_score_and_how_sure_it_is() {
    let cells = vec![won(30, 1_000), won(49, 1_000), won(70, 1_000)];
    let text = verdict_of(&played(3, vec![player(Some(64))], cells));
    let first = "r1 is the fairest of the 3 rulesets for this player from these openings (more than 99 % sure): \
                 between equal players (p, 64 visits) attackers score 49 % (46 to 52), which is even.";
    assert!(text.starts_with(first), "{text}");
    let ahead = "The defenders are ahead in r0; the attackers are ahead in r2; neither side is clearly ahead in r1.";
    assert!(text.contains(ahead), "{text}");
}

#[test]
fn rulesets_that_differ_in_name_alone_are_told_first() {
    let cells = vec![won(30, 200), won(49, 200), won(50, 200)];
    let mut study = played(3, vec![player(Some(64))], cells);
    assert!(!verdict_of(&study).contains("has the rules of"));
    study.study.rulesets[2].fingerprint = study.study.rulesets[1].fingerprint.clone();
    let text = verdict_of(&study);
    let same = "r2 has the rules of r1: between these any difference is chance.\n";
    assert!(text.starts_with(same), "{text}");
}

#[test]
fn a_few_games_leave_open_whether_a_ruleset_is_even() {
    let games = (0..4).map(|opening| game(opening, ending(opening as f64 % 2.0, [0.5, 0.0])));
    let cells = vec![games.collect()];
    let text = verdict_of(&played(1, vec![player(Some(64))], cells));
    assert!(text.contains("which leaves open whether even"), "{text}");
}

#[test]
fn the_score_of_few_games_stands_beside_what_was_played() {
    let under = |count| {
        let drawn_or_lost = |opening: u64| {
            let number = if opening < 2 { 0.0 } else { 1.0 };
            game(opening, ending(number, [0.0, 1.0]))
        };
        let games = (0..count).map(drawn_or_lost).collect();
        verdict_of(&played(1, vec![player(Some(64))], vec![games]))
    };
    let few = under(10);
    // (1 + 3/4) / (10 + 3/2) is 15 %, of 10 % that were played.
    assert!(few.contains("attackers score 15 % ("), "{few}");
    assert!(few.contains(") from W/D/L 0/2/8, which "), "{few}");
    assert!(!few.contains("% draws"), "{few}");
    assert_eq!(few.matches("lean towards 50 %").count(), 1, "{few}");
    let many = under(40);
    assert!(many.contains(") with 5 % draws, which"), "{many}");
    assert!(!many.contains("W/D/L") && !many.contains("lean"), "{many}");
    let cut = (0..4).map(|opening| game(opening, Ending::CAPPED));
    let text = verdict_of(&played(1, vec![player(Some(64))], vec![cut.collect()]));
    let told = ") from W/D/L 0/0/0 and 4 cut, which tells nothing";
    assert!(text.contains(told), "{text}");
}

#[test]
fn a_ruleset_that_may_be_even_is_told_before_one_that_is_farther() {
    let cells = vec![won(50, 400), won(4, 10), won(90, 400)];
    let text = verdict_of(&played(3, vec![player(Some(64))], cells));
    let order = "Then, from the fairest on: open whether even r1 41 % (";
    assert!(text.contains(order), "{text}");
    assert!(text.contains("; lopsided r2 90 % ("), "{text}");
}

#[test]
fn a_few_games_are_to_be_taken_with_care() {
    let of = |count| vec![won(0, count), won(0, count)];
    let study = |count| played(2, vec![player(Some(64))], of(count));
    let text = verdict_of(&study(4));
    assert!(text.contains("No strength has enough games: "), "{text}");
    let care = "Take this with care: only 4 games of each ruleset, and scores of few games lean towards 50 %; \
                there are warnings about every ruleset.";
    assert!(text.contains(care), "{text}");
    let warnings = study(4).summary().warnings;
    assert_eq!(
        warnings[0].text,
        "p, 64 visits under r0: only 4 games, which tell little"
    );
    assert_eq!(study(30).summary().warnings, []);
    let cells = vec![won(3, 7), won(60, 400), won(1, 5)];
    let text = verdict_of(&played(3, vec![player(Some(64))], cells));
    let care = "Take this with care: only 5 to 7 games of r0, r2, and scores";
    assert!(text.contains(care), "{text}");
}

#[test]
fn of_rulesets_that_are_equally_far_from_even_none_is_nearest() {
    let study = played(2, vec![player(Some(64))], vec![won(0, 4), won(0, 4)]);
    // So many that chance does not make one of them likelier.
    let sampling = Sampling {
        draws: 20_000,
        ..SAMPLING
    };
    let summary = summarize(study.study, &study.cells, Vec::new(), &sampling);
    let text = summary.verdict.join("\n");
    let first = "Neither of the 2 rulesets is fair, and which is nearest to even is open (r";
    assert!(text.starts_with(first), "{text}");
    assert!(text.contains("The other one: lopsided r"), "{text}");
    assert!(!text.contains("from the fairest on"), "{text}");
    let same = variants(won(7, 400), vec![won(7, 400), won(7, 400)]);
    let text = verdict_of(&same);
    let open =
        "Which comes nearest to even is open, by the attackers' score: the ruleset as it is 7 % (";
    assert!(text.contains(open), "{text}");
    assert!(text.contains("; fort 1 instead of unset 7 % ("), "{text}");
    assert!(!text.contains("more."), "{text}");
    let many = variants(won(7, 400), vec![won(7, 400); 4]);
    let text = verdict_of(&many);
    assert!(text.ends_with("; 2 more."), "{text}");
}

#[test]
fn what_the_games_do_not_settle_is_not_decided() {
    let cells = vec![won(48, 100), won(47, 100), won(5, 100)];
    let text = verdict_of(&played(3, vec![player(Some(64))], cells));
    assert!(
        text.starts_with(
            "r0 may be the fairest of the 3 rulesets, but the games do not settle it (r0 "
        ),
        "{text}"
    );
    let candidates = text.split_once(')').expect("candidates").0;
    assert!(
        candidates.contains("r1 ") && !candidates.contains("r2"),
        "{text}"
    );
}

#[test]
fn a_ruleset_that_looks_even_since_its_games_are_drawn_is_not_called_the_fairest() {
    let drawn = (0..400).map(|opening| game(opening, ending(0.0, [0.0, 1.0])));
    let cells = vec![won(20, 400), drawn.collect()];
    let study = played(2, vec![player(Some(64))], cells.clone());
    assert!(verdict_of(&study).contains(" with 100 % draws, which is even"));
    let text = verdict_of(&played(2, vec![player(Some(64))], cells));
    let first =
        "r1 came out nearest to even of the 2 rulesets, but there are warnings about its games: ";
    assert!(text.starts_with(first), "{text}");
}

#[test]
fn a_network_that_learned_all_rulesets_comes_before_a_stronger_one_that_did_not() {
    let players = vec![player(Some(16)), player(Some(64))];
    let cells = vec![won(50, 400), won(10, 400), won(30, 400), won(45, 400)];
    let mut learned = played(2, players, cells);
    for cell in [0, 2] {
        learned.cells[cell].trained = Some(true);
    }
    let text = verdict_of(&learned);
    assert!(
        text.starts_with("r0 is the fairest") && text.contains("(p, 16 visits)"),
        "{text}"
    );
    learned.cells[0].games.clear();
    let text = verdict_of(&learned);
    assert!(
        text.starts_with("r1 is the fairest") && text.contains("(p, 64 visits)"),
        "{text}"
    );
}

#[test]
fn a_verdict_does_not_go_by_a_weak_player_with_narrow_intervals() {
    let players = vec![player(Some(1)), player(Some(64))];
    let cells = vec![won(2, 370), won(40, 370), won(1, 370), won(45, 370)];
    let text = verdict_of(&played(2, players, cells));
    assert!(text.contains("(p, 64 visits)"), "{text}");
}

#[test]
fn a_verdict_does_not_go_by_a_few_games_where_another_player_has_five_times_as_many() {
    let players = vec![player(Some(16)), player(Some(64)), player(Some(256))];
    let of = |share, counts: [u64; 3]| counts.map(|count| won(share, count));
    let [few, more, fewest] = of(30, [190, 200, 40]);
    let [few_too, more_too, fewest_too] = of(45, [200, 190, 40]);
    let cells = vec![few, more, fewest, few_too, more_too, fewest_too];
    let text = verdict_of(&played(2, players, cells));
    assert!(text.contains("(p, 64 visits)"), "{text}");
}

#[test]
fn where_no_ruleset_is_fair_that_comes_first() {
    let cells = vec![won(20, 400), won(90, 400), won(95, 400)];
    let text = verdict_of(&played(3, vec![player(Some(64))], cells));
    assert!(
        text.starts_with("None of the 3 rulesets is fair. Nearest to even is r0"),
        "{text}"
    );
    assert!(
        text.contains("Then, from the fairest on: lopsided r"),
        "{text}"
    );
    let cells = vec![won(58, 400), won(70, 400)];
    let text = verdict_of(&played(2, vec![player(Some(64))], cells));
    assert!(
        text.contains("attackers score 58 % (53 to 62), which is slightly uneven"),
        "{text}"
    );
    assert!(
        text.contains("from the fairest on: clearly uneven r1 70 %"),
        "{text}"
    );
}

#[test]
fn a_few_games_do_not_say_that_nothing_is_fair() {
    let text = verdict_of(&played(
        2,
        vec![player(Some(64))],
        vec![won(3, 8), won(2, 8)],
    ));
    assert!(!text.contains("is fair."), "{text}");
    assert!(text.contains("the games do not settle it"), "{text}");
    assert!(text.contains("which leaves open whether even"), "{text}");
    assert!(text.contains("Neither side is clearly ahead"), "{text}");
}

/// A player of another kind, with the Elo points above the reference opponent that are measured of it.
fn of_kind(family: &str, unit: StrengthUnit, strength: u32) -> StudyPlayer {
    StudyPlayer {
        name: format!("{family}:{strength}"),
        title: format!("{family}, {strength}"),
        family: family.to_owned(),
        unit,
        strength: Some(strength),
        ..player(None)
    }
}

fn measured(elo: f64) -> Option<MeasuredStrength> {
    Some(MeasuredStrength {
        reference: "rollouts:100".to_owned(),
        results: Tally::default(),
        elo: Estimate::exact(elo),
        wanted_elo: 0.0,
        enough: true,
    })
}

#[test]
fn the_strongest_by_matches_speaks_and_kinds_that_disagree_are_named() {
    let players = vec![
        of_kind("alphabeta", StrengthUnit::Turns, 2),
        of_kind("alphabeta", StrengthUnit::Turns, 3),
        of_kind("rollouts", StrengthUnit::Visits, 100),
    ];
    let under = |shares: [u64; 3]| shares.map(|share| won(share, 400));
    let mut study = played(
        2,
        players,
        [under([61, 60, 20]), under([30, 31, 51])].concat(),
    );
    // Not measured, or measured the other way, it is still not a question of visits and turns.
    let text = verdict_of(&study);
    assert!(text.contains("(alphabeta, 3)"), "{text}");
    for (cell, elo) in [(0, 300.0), (1, 417.0), (3, 300.0), (4, 417.0)] {
        study.cells[cell].strength = measured(elo);
    }
    let text = verdict_of(&study);
    assert!(
        text.starts_with("r0 is the fairest") && text.contains("(alphabeta, 3)"),
        "{text}"
    );
    let other = "Other kinds of players disagree: to rollouts, 100 (417 Elo weaker), r1 is nearest to even, with 51 % (";
    assert!(text.contains(other), "{text}");
    for cell in [0, 1, 3, 4] {
        let unsure = study.cells[cell].strength.as_mut().expect("measured");
        (unsure.elo.low, unsure.elo.high) = (-100.0, 900.0);
    }
    let text = verdict_of(&study);
    assert!(
        text.contains("to rollouts, 100 (who is stronger is open), r1"),
        "{text}"
    );
    for (cell, elo) in [(0, -300.0), (1, -200.0), (3, -300.0), (4, -200.0)] {
        study.cells[cell].strength = measured(elo);
    }
    let text = verdict_of(&study);
    assert!(
        text.contains("between equal players (rollouts, 100)"),
        "{text}"
    );
    assert!(
        text.contains("to alphabeta, 3 (200 Elo weaker), r0"),
        "{text}"
    );
}

#[test]
fn strength_and_openings_are_part_of_how_sure_a_verdict_is() {
    let players = || vec![player(Some(16)), player(Some(64))];
    let cells = vec![won(76, 400), won(50, 400), won(80, 400), won(90, 400)];
    let mut study = played(2, players(), cells);
    study.study.opening_plies = 6;
    let text = verdict_of(&study);
    let first = "r0 came out nearest to even of the 2 rulesets, but that depends on the strength of the player: ";
    assert!(text.starts_with(first), "{text}");
    let before = "with p, 16 visits attackers score 76 % (72 to 80) in r0 instead of 50 % (";
    assert!(text.contains(before), "{text}");
    assert!(
        text.contains("The games began with 6 random plies"),
        "{text}"
    );
    study.study.opening_policy = Some("p".to_owned());
    assert!(!verdict_of(&study).contains("random plies"));
    let cells = vec![won(52, 400), won(50, 400), won(80, 400), won(82, 400)];
    let text = verdict_of(&played(2, players(), cells));
    assert!(text.starts_with("r0 is the fairest"), "{text}");
    let text = verdict_of(&played(1, vec![player(Some(64))], vec![won(50, 400)]));
    assert!(
        text.contains("Only one strength has enough games"),
        "{text}"
    );
}

#[test]
fn changes_that_are_clear_are_named_and_the_fairest_of_them() {
    let study = variants(won(30, 400), vec![won(50, 400), won(31, 400)]);
    let text = verdict_of(&study);
    assert!(
        text.starts_with("Under r0, between equal players (p, 64 visits) attackers score 30 % ("),
        "{text}"
    );
    assert!(
        text.contains(
            "Clear effects on the attackers' score, of 2 changes: fort 1 instead of unset +"
        ),
        "{text}"
    );
    assert!(
        text.contains("Nearest to even comes fort 1 instead of unset: attackers score 50 % ("),
        "{text}"
    );
}

#[test]
fn of_many_changes_without_effect_one_is_seldom_called_fairer() {
    let changes = 20;
    // Studies in which a change looked fairer by itself, and in which one was called so.
    let (mut looked, mut called) = (0, 0);
    for seed in 0..20 {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut played = || games(&mut rng, [0.3, 0.0], 200);
        let base = played();
        let others = (0..changes).map(|_| played()).collect();
        let summary = variants(base, others).summary();
        looked += u32::from(summary.effects.iter().any(|it| it.more_balanced > 0.95));
        let none = "No change makes the ruleset fairer for certain. ";
        let last = summary.verdict.last().expect("a verdict");
        called += u32::from(!last.starts_with(none));
    }
    assert!(
        looked >= 3 && called <= 1,
        "{looked} looked, {called} called"
    );
}

#[test]
fn rulesets_whose_games_were_mostly_cut_are_not_judged() {
    let cut = |count: u64, share: u64| -> Vec<StudyGame> {
        let games = won(49, count).into_iter();
        games
            .map(|game| match game.opening % 100 < share {
                true => StudyGame {
                    ending: Ending::CAPPED,
                    ..game
                },
                false => game,
            })
            .collect()
    };
    let cells = vec![won(20, 400), cut(400, 7), cut(400, 100)];
    let text = verdict_of(&played(3, vec![player(Some(64))], cells));
    let first =
        "r1 came out nearest to even of the 2 rulesets, but there are warnings about its games";
    assert!(text.starts_with(first), "{text}");
    assert!(
        text.contains("with 7 % cut at the ply limit, which is even"),
        "{text}"
    );
    let last = "Under r2, between equal players (p, 64 visits) attackers score 50 % (50 to 50) with 100 % cut at the ply limit, which \
                tells nothing.";
    assert!(text.contains(last), "{text}");
    let all = played(2, vec![player(Some(64))], vec![cut(400, 60), cut(400, 90)]);
    let text = verdict_of(&all);
    assert!(!text.contains("even"), "{text}");
}

#[test]
fn games_that_were_mostly_cut_say_nothing_of_changes_strength_and_other_players() {
    let cut = || -> Vec<StudyGame> { (0..400).map(|it| game(it, Ending::CAPPED)).collect() };
    let summary = variants(won(20, 400), vec![cut(), won(30, 400)]).summary();
    let marks = |it: &Effect| [it.clear, it.clearly_more_balanced];
    let marks: Vec<[bool; 2]> = summary.effects.iter().map(marks).collect();
    assert_eq!(marks, [[false, false], [true, true]]);
    let text = summary.verdict.join("\n");
    for part in [
        "Clear effects on the attackers' score, of 1 change: fort 2 instead of unset +",
        "What 1 of 2 changes does is open, as most games were cut.",
        "Nearest to even comes fort 2 instead of unset: attackers score 30 % (",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let text = verdict_of(&variants(cut(), vec![cut()]));
    assert!(text.contains("What 1 of 1 change does is open"), "{text}");
    assert!(
        !text.contains("Nearest") && !text.contains("clearly"),
        "{text}"
    );
    let strengths = vec![player(Some(16)), player(Some(64))];
    let text = verdict_of(&played(1, strengths, vec![cut(), won(20, 400)]));
    assert!(!text.contains("Scores move"), "{text}");
    let kinds = vec![
        of_kind("alphabeta", StrengthUnit::Turns, 2),
        of_kind("rollouts", StrengthUnit::Visits, 100),
    ];
    let cells = vec![won(20, 400), cut(), won(40, 400), cut()];
    let text = verdict_of(&played(2, kinds, cells));
    assert!(text.contains("(alphabeta, 2)"), "{text}");
    assert!(!text.contains("disagree"), "{text}");
}

#[test]
fn all_sets_of_peoples_games_are_told() {
    let mut study = played(2, vec![player(Some(64))], vec![won(30, 400), won(49, 400)]);
    let people = |ruleset: usize, score: f64| PeopleResults {
        name: "a site".to_owned(),
        ruleset: Some(format!("r{ruleset}")),
        games: 100,
        attackers_percent: 100.0 * score,
        defenders_percent: 100.0 - 100.0 * score,
        draws_percent: 0.0,
        source: "counted".to_owned(),
        score: Estimate {
            value: score,
            low: score - 0.1,
            high: score + 0.1,
        },
        bands: Vec::new(),
    };
    study.study.people = vec![people(0, 0.3), people(1, 0.5), people(0, 0.4)];
    let told =
        "Among people attackers score: r0 30 % (20 to 40) and 40 % (30 to 50); r1 50 % (40 to 60).";
    let text = verdict_of(&study);
    assert!(text.contains(told), "{text}");
}

#[test]
fn stored_studies_say_what_their_numbers_say() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for name in [
        "tests/fixtures/balance/rulesets.json",
        "tests/fixtures/balance/variants.json",
        "data/balance/published/summary.json",
        "data/balance/published-brandubh/summary.json",
        "data/balance/published-start/summary.json",
        "data/balance/published-tablut/summary.json",
        "data/balance/published-tenth/summary.json",
    ] {
        let text = std::fs::read_to_string(root.join(name)).expect("readable");
        let stored = Summary::of_json(&text).expect("a summary");
        let cells = stored.study.rulesets.len() * stored.study.players.len();
        assert_eq!(stored.cells.len(), cells, "{name}");
        let own = Summary {
            summary_version: SUMMARY_VERSION,
            ..stored
        };
        let own = serde_json::to_string_pretty(&own.with_sentences()).expect("JSON") + "\n";
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(root.join(name), &own).expect("written");
        } else {
            assert!(own == text, "{name}: UPDATE=1 writes it again");
        }
    }
}
