//! What the verdict says of studies whose truth is known.

use super::*;
use rand::SeedableRng;

/// Games of which the attackers win a share, in hundredths.
fn won(share: u64, count: u64) -> Vec<StudyGame> {
    let games = (0..count).map(|opening| {
        let wins = opening % 100 < share;
        game(opening, ending(if wins { 0.0 } else { 1.0 }, [0.5, 0.0]))
    });
    games.collect()
}

fn verdict_of(study: &Study) -> String {
    summarize(study, &SAMPLING).verdict.join("\n")
}

#[test]
fn the_fairest_comes_first_with_its_score_and_how_sure_it_is() {
    let cells = vec![won(30, 1_000), won(49, 1_000), won(70, 1_000)];
    let text = verdict_of(&study(3, vec![player(Some(64))], cells));
    let first = "r1 is the fairest of the 3 rulesets (more than 99 % sure): between equal players (p, 64 visits) \
                 attackers score 49 % (46 to 52).";
    assert!(text.starts_with(first), "{text}");
    let ahead = "The defenders are ahead in r0; the attackers are ahead in r2; neither side is clearly ahead in r1.";
    assert!(text.contains(ahead), "{text}");
}

#[test]
fn what_the_games_do_not_settle_is_not_decided() {
    let cells = vec![won(48, 100), won(47, 100), won(5, 100)];
    let text = verdict_of(&study(3, vec![player(Some(64))], cells));
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
    let text = verdict_of(&study(2, vec![player(Some(64))], cells));
    let first =
        "r1 came out nearest to even of the 2 rulesets, but there are warnings about its games: ";
    assert!(text.starts_with(first), "{text}");
}

#[test]
fn a_network_that_learned_all_rulesets_speaks_before_a_stronger_one_that_did_not() {
    let players = vec![player(Some(16)), player(Some(64))];
    let cells = vec![won(50, 400), won(10, 400), won(30, 400), won(45, 400)];
    let mut learned = study(2, players, cells);
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
fn stronger_play_is_told_where_it_changes_the_score() {
    let players = vec![player(Some(16)), player(Some(64))];
    let cells = vec![
        won(30, 1_000),
        won(50, 1_000),
        won(40, 1_000),
        won(40, 1_000),
    ];
    let text = verdict_of(&study(2, players, cells));
    let told = text
        .lines()
        .find(|it| it.contains("with each doubling of visits"))
        .expect("told");
    assert!(told.contains(": r0 +") && !told.contains("r1"), "{text}");
}

#[test]
fn a_trend_is_said_to_lead_towards_even_or_away_from_it() {
    let players = vec![player(Some(16)), player(Some(64))];
    let cells = vec![
        won(30, 1_000),
        won(40, 1_000),
        won(40, 1_000),
        won(20, 1_000),
        won(80, 1_000),
        won(60, 1_000),
    ];
    let text = verdict_of(&study(3, players, cells));
    assert!(
        text.contains("Towards even: r0, r2; away from it: r1."),
        "{text}"
    );
}

#[test]
fn scores_that_rise_and_fall_are_told_as_they_are() {
    let players = vec![player(Some(1)), player(Some(16)), player(Some(64))];
    let cells = vec![won(26, 400), won(47, 400), won(36, 400)];
    let mut study = study(1, players, cells);
    study.rulesets.push(study.rulesets[0].clone());
    study.rulesets[1].0.name = "r1".to_owned();
    study
        .cells
        .extend([30, 34, 36].map(|share| cell(won(share, 400))));
    let text = verdict_of(&study);
    let told = "More visits change the attackers' score, but not along a line: r0 26, 47, 36 % with 1, 16, 64.";
    assert!(
        text.contains(told) && !text.contains("owards even"),
        "{text}"
    );
}

#[test]
fn a_trend_through_even_leads_to_it() {
    let players = vec![player(Some(1)), player(Some(64))];
    let mut study = study(1, players, vec![won(20, 400), won(51, 400)]);
    study.rulesets.push(study.rulesets[0].clone());
    study.rulesets[1].0.name = "r1".to_owned();
    study.cells.extend([cell(won(40, 400)), cell(won(40, 400))]);
    let text = verdict_of(&study);
    assert!(text.contains("Towards even: r0."), "{text}");
}

#[test]
fn a_weak_player_with_narrow_intervals_does_not_speak() {
    let players = vec![player(Some(1)), player(Some(64))];
    let cells = vec![won(2, 370), won(40, 370), won(1, 370), won(45, 370)];
    let text = verdict_of(&study(2, players, cells));
    assert!(text.contains("(p, 64 visits)"), "{text}");
}

#[test]
fn the_strongest_does_not_speak_with_a_few_games_where_another_has_five_times_as_many() {
    let players = vec![player(Some(16)), player(Some(64)), player(Some(256))];
    let of = |share, counts: [u64; 3]| counts.map(|count| won(share, count));
    let [few, more, fewest] = of(30, [190, 200, 40]);
    let [few_too, more_too, fewest_too] = of(45, [200, 190, 40]);
    let cells = vec![few, more, fewest, few_too, more_too, fewest_too];
    let text = verdict_of(&study(2, players, cells));
    assert!(text.contains("(p, 64 visits)"), "{text}");
}

#[test]
fn the_visits_that_sides_need_are_set_beside_each_other() {
    let mut study = study(1, vec![player(Some(64))], vec![won(50, 400)]);
    study.rulesets.push(study.rulesets[0].clone());
    study.rulesets[1].0.name = "r1".to_owned();
    study.cells.push(cell(won(20, 400)));
    let mut probe = |ruleset: &str, side, needed| {
        study.probes.push(Probes {
            ruleset: ruleset.to_owned(),
            player: "p@64".to_owned(),
            side,
            deepest: 256,
            needed,
        });
    };
    probe("r0", Side::Attacker, vec![16; 50]);
    probe("r0", Side::Defender, vec![4; 50]);
    let text = verdict_of(&study);
    // Between searches of 4 and 16 visits lies the rounding of one: 2 bits / sqrt(12) each, of means of 50.
    let told = "move of a search with 256, compared with defenders: r0 4.0 times (3.4 to 4.7). Harder for the attackers: r0.";
    assert!(text.contains(told), "{text}");
}

#[test]
fn changes_that_are_clear_are_named_and_the_fairest_of_them() {
    let mut study = study(
        3,
        vec![player(Some(64))],
        vec![won(30, 400), won(50, 400), won(31, 400)],
    );
    study.kind = StudyKind::Variants;
    for (place, to) in [(1, "true"), (2, "false")] {
        study.rulesets[place].0.change = Some(FieldChange {
            field: "fort".to_owned(),
            from: "unset".to_owned(),
            to: to.to_owned(),
        });
    }
    let text = verdict_of(&study);
    assert!(
        text.starts_with("Under r0, between equal players (p, 64 visits) attackers score 30 % ("),
        "{text}"
    );
    assert!(
        text.contains(
            "Clear effects on the attackers' score, of 2 changes: fort true instead of unset +"
        ),
        "{text}"
    );
    assert!(
        text.contains("Nearest to even comes fort true instead of unset: attackers score 50 % ("),
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
        let cells = (0..=changes).map(|_| games(&mut rng, [0.3, 0.0], 200));
        let mut study = study(changes + 1, vec![player(Some(64))], cells.collect());
        study.kind = StudyKind::Variants;
        for (place, (ruleset, _)) in study.rulesets.iter_mut().enumerate().skip(1) {
            ruleset.change = Some(FieldChange {
                field: "fort".to_owned(),
                from: "unset".to_owned(),
                to: place.to_string(),
            });
        }
        let summary = summarize(&study, &SAMPLING);
        looked += u32::from(summary.effects.iter().any(|it| it.more_balanced > 0.95));
        let text = summary.verdict.join("\n");
        called += u32::from(!text.contains("No change makes the ruleset fairer for certain."));
    }
    assert!(
        looked >= 3 && called <= 1,
        "{looked} looked, {called} called"
    );
}

#[test]
fn stored_studies_say_what_their_numbers_say() {
    for text in [
        include_str!("../../../../../tests/fixtures/balance/rulesets.json"),
        include_str!("../../../../../tests/fixtures/balance/variants.json"),
        include_str!("../../../../../data/balance/published/summary.json"),
        include_str!("../../../../../data/balance/published-start/summary.json"),
    ] {
        let summary: Summary = serde_json::from_str(text).expect("a summary");
        let found = crate::balance::verdict::verdict(&summary);
        let (player, verdict) = found.expect("a verdict");
        assert_eq!(verdict, summary.verdict);
        assert_eq!(Some(player), summary.verdict_player);
    }
}
