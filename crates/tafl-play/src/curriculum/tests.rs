use super::*;
use crate::sparring::SparringScore;
use Side::{Attacker, Defender};
use tafl_rules::{EndReason, Setup};
use tafl_samples::{Baseline, Ending, EndingReason, GameKind, PlayerId};

/// Handicaps in a share of the games, with rates between these.
fn handicaps(share: f32, rates: [f32; 2]) -> UnevenGames {
    UnevenGames {
        share,
        random_plies: rates.to_vec(),
        ..UnevenGames::of(UnevenSide::Stronger)
    }
}

/// Partners in a share of the games.
fn partners(side: UnevenSide, share: f32, alphabeta: &[u32], random_plies: &[f32]) -> UnevenGames {
    UnevenGames {
        share,
        alphabeta: alphabeta.to_vec(),
        random_plies: random_plies.to_vec(),
        ..UnevenGames::of(side)
    }
}

fn brandubh() -> Arc<Rules> {
    Rules::preset("brandubh").expect("a preset")
}

/// Makes a game of a ruleset that ended at once.
fn game(ruleset: &str, winner: Option<Side>, handicap: Option<(Side, f32)>) -> GameRecord {
    let rules = Rules::preset(ruleset).expect("a preset");
    GameRecord {
        game_id: 0,
        seed: 0,
        ruleset: ruleset.to_owned(),
        ruleset_fingerprint: rules.ruleset().fingerprint(),
        start: Setup::of(&rules.start(), rules.shape()),
        generation: 0,
        kind: match handicap {
            Some(_) => GameKind::Handicap,
            None => GameKind::Even,
        },
        attackers: PlayerId::Checkpoint(1),
        defenders: PlayerId::Checkpoint(1),
        opening_plies: 2,
        handicap: handicap.map(|(side, rate)| Handicap { side, rate }),
        plies: Vec::new(),
        ending: Ending {
            winner,
            reason: EndingReason::Rule(EndReason::KingEscaped),
        },
    }
}

fn plans(uneven: &[UnevenGames], generation: u32, games: &[GameRecord]) -> Curriculum {
    let config = SelfplayConfig {
        uneven: uneven.to_vec(),
        ..SelfplayConfig::default()
    };
    Curriculum::after(&config, &[brandubh()], generation, games)
}

/// Returns how games of Brandubh are handicapped.
fn plan_by(entry: &UnevenGames, games: &[GameRecord]) -> HandicapPlan {
    HandicapPlan::after(entry, &Played::of(games.iter()))
}

fn balanced(games: &[GameRecord]) -> HandicapPlan {
    plan_by(&handicaps(0.5, [0.1, 0.9]), games)
}

/// Returns the partner of a game, if it has one.
fn partner(curriculum: &Curriculum, seed: u64) -> Option<Partner> {
    match curriculum.draw(0, seed) {
        Some(Uneven::Partner(partner)) => Some(partner),
        _ => None,
    }
}

fn games(count: usize, winner: Side, handicap: Option<(Side, f32)>) -> Vec<GameRecord> {
    vec![game("brandubh", Some(winner), handicap); count]
}

#[test]
fn either_side_is_handicapped_before_the_first_games_and_nobody_while_they_are_even() {
    let first = balanced(&[]);
    assert_eq!((first.share, first.side), (0.5, None));
    assert_eq!(first.rates, [0.1, 0.9]);
    let even = [games(60, Attacker, None), games(50, Defender, None)];
    assert_eq!(balanced(&even.concat()).share, 0.0);
}

#[test]
fn the_side_that_wins_is_handicapped_first_as_much_as_may_be() {
    for side in Side::ALL {
        let plan = balanced(&games(40, side, None));
        assert_eq!(plan.side, Some(side));
        assert_eq!(plan.share, 0.5);
        assert!(
            (plan.rates[0] - 0.7).abs() < 1e-6 && (plan.rates[1] - 0.9).abs() < 1e-6,
            "{plan:?}"
        );
    }
    let some = [games(70, Attacker, None), games(30, Defender, None)];
    let plan = balanced(&some.concat());
    assert!(0.05 < plan.share && plan.share < 0.25, "{plan:?}");
}

#[test]
fn the_rate_falls_while_handicapped_games_are_lost_and_rises_while_they_are_won() {
    let free = games(40, Defender, None);
    let after = |winner, rate| {
        let handicapped = games(40, winner, Some((Defender, rate)));
        balanced(&[free.clone(), handicapped].concat()).rates
    };
    let lost = after(Attacker, 0.6);
    assert!(lost[1] < 0.45 && lost[0] > 0.2, "{lost:?}");
    let won = after(Defender, 0.6);
    assert!(won[0] > 0.65 && won[1] <= 0.9, "{won:?}");
    let least = after(Attacker, 0.1);
    assert!((least[0] - 0.1).abs() < 1e-6 && (least[1] - 0.3).abs() < 1e-6);
}

/// The rate that is followed is the mean of what the games before drew, so at a bound it must not move by itself.
#[test]
fn a_rate_at_its_bound_stays_there_while_the_other_side_wins_half() {
    let free = games(40, Defender, None);
    for bound in [0.2, 0.8] {
        let half = Some((Defender, bound));
        let handicapped = [games(20, Attacker, half), games(20, Defender, half)];
        let rates = balanced(&[free.clone(), handicapped.concat()].concat()).rates;
        assert!(
            ((rates[0] + rates[1]) / 2.0 - bound).abs() < 1e-6,
            "{rates:?}"
        );
    }
}

/// Narrow bounds leave no room for the spread, and rounding must not turn it around.
#[test]
fn rates_stay_within_any_bounds() {
    let handicap = |rate| games(10, Attacker, Some((Defender, rate)));
    let games = [games(40, Defender, None), handicap(0.5)].concat();
    for (least, greatest) in (0..=100).flat_map(|low| (low..=100).map(move |high| (low, high))) {
        let bounds = [least, greatest].map(|percent| percent as f32 / 100.0);
        let plan = plan_by(&handicaps(0.5, bounds), &games);
        let [low, high] = plan.rates;
        assert!(
            bounds[0] <= low && low <= high && high <= bounds[1],
            "{bounds:?}: {plan:?}"
        );
    }
}

#[test]
fn some_games_are_free_whatever_the_config_says() {
    let games = games(40, Defender, None);
    assert_eq!(plan_by(&handicaps(1.0, [0.0, 1.0]), &games).share, 0.9);
}

#[test]
fn draws_of_handicapped_games_are_no_wins_of_the_other_side() {
    let mut drawn = games(40, Defender, None);
    drawn.extend(vec![game("brandubh", None, Some((Defender, 0.5))); 40]);
    assert!(balanced(&drawn).rates[0] > 0.6, "{:?}", balanced(&drawn));
}

#[test]
fn each_ruleset_is_handicapped_by_its_own_games() {
    let rules = [brandubh(), Rules::preset("copenhagen").expect("a preset")];
    let mut games = games(40, Attacker, None);
    games.extend(vec![game("copenhagen", Some(Defender), None); 40]);
    let curriculum = Curriculum::after(&SelfplayConfig::default(), &rules, 2, &games);
    for (ruleset, expected) in [Attacker, Defender].into_iter().enumerate() {
        let drawn = (0..50).filter_map(|seed| curriculum.draw(ruleset, seed));
        let sides = drawn.map(|it| match it {
            Uneven::Handicap(handicap) => handicap.side,
            other => panic!("{other:?}"),
        });
        assert!(sides.clone().count() > 20 && sides.into_iter().all(|it| it == expected));
    }
}

/// Makes a game of Brandubh against a partner.
fn sparred(partner: Side, depth: u32, rate: f32, winner: Option<Side>) -> GameRecord {
    let mut game = game("brandubh", winner, (rate > 0.0).then_some((partner, rate)));
    let players = [&mut game.attackers, &mut game.defenders];
    *players.into_iter().nth(partner.index()).expect("a side") =
        PlayerId::Baseline(Baseline::alpha_beta(depth));
    game.kind = GameKind::Partner;
    game
}

#[test]
fn partners_are_scored_one_by_one_and_drawn_the_more_the_evener_they_are() {
    let entry = partners(UnevenSide::Stronger, 1.0, &[1, 3], &[0.0, 0.4]);
    let sparring =
        |games: &[GameRecord]| match Plan::after(&entry, &Played::of(games.iter()), games.iter()) {
            Plan::Sparring(plan) => plan,
            other => panic!("{other:?}"),
        };
    let even = |count| vec![game("brandubh", Some(Defender), None); count];
    assert_eq!(sparring(&[]).share, 0.0);
    assert_eq!(sparring(&even(1)).share, 0.0, "a lead of a fifth");
    let some = sparring(&even(3)).share;
    assert!((some - (3.0 / 7.0 - 0.2) / 0.4).abs() < 1e-6, "{some}");
    let mut games = even(30);
    games.extend(vec![sparred(Defender, 1, 0.0, Some(Attacker)); 8]);
    games.extend(vec![sparred(Defender, 3, 0.0, Some(Defender)); 8]);
    games.push(sparred(Defender, 3, 0.4, None));
    games.push(sparred(Attacker, 3, 0.4, Some(Defender)));
    games.push(sparred(Attacker, 7, 0.0, Some(Defender)));
    let plan = sparring(&games);
    let found = (plan.share, plan.side);
    assert_eq!(found, (1.0, Some(Defender)), "they won the free games");
    let scores: Vec<_> = plan
        .partners
        .iter()
        .map(|it| (it.depth, it.rate, it.scores))
        .collect();
    let third = 2.0 / 3.0;
    let expected = [
        (1, 0.0, [0.5, 0.9]),
        (1, 0.4, [0.5, 0.5]),
        (3, 0.0, [0.5, 0.1]),
        (3, 0.4, [third, 0.5]),
    ];
    assert_eq!(scores, expected);
    let lead = Played::of(games.iter()).even.lead();
    assert_eq!(lead, -30.0 / 34.0, "games of partners are not free");
    let mut drawn = [0.0_f32; 4];
    let curriculum = plans(&[entry], 2, &games);
    for seed in 0..4_000 {
        let partner = partner(&curriculum, seed).expect("all games have one");
        let is_it = |it: &&SparringScore| (it.depth, it.rate) == (partner.depth, partner.rate);
        let place = plan
            .partners
            .iter()
            .position(|it| is_it(&it))
            .expect("one of them");
        assert_eq!(partner.side, Defender);
        drawn[place] += 1.0 / 4_000.0;
    }
    // 0.09, 0.25, 0.09 and 0.25, as shares.
    for (drawn, expected) in drawn.into_iter().zip([0.132, 0.368, 0.132, 0.368]) {
        assert!((drawn - expected).abs() < 0.03, "{drawn} for {expected}");
    }
}

#[test]
fn a_least_share_of_games_has_a_partner_on_either_side() {
    let entries = [
        partners(UnevenSide::Stronger, 0.5, &[1, 2, 3], &[]),
        partners(UnevenSide::Either, 0.3, &[1, 2, 3], &[]),
    ];
    let shares = |games: &[GameRecord]| {
        let curriculum = plans(&entries, 2, games);
        let partners = (0..4_000).filter_map(|seed| partner(&curriculum, seed));
        let mut shares = [0.0_f32; 2];
        partners.for_each(|partner| shares[partner.side.index()] += 1.0 / 4_000.0);
        shares
    };
    let close = |shares: [f32; 2], expected: [f32; 2]| {
        let pairs = shares.into_iter().zip(expected);
        assert!(
            pairs
                .into_iter()
                .all(|(is, wanted)| (is - wanted).abs() < 0.03),
            "{shares:?} for {expected:?}"
        );
    };
    close(shares(&[]), [0.15, 0.15]);
    // A lead of 3/7 asks for a little more than half of 0.5, and either side gets what is left to 0.3.
    let asked = 0.5 * (3.0 / 7.0 - 0.2) / 0.4;
    let left = (0.3 - asked) / 2.0;
    let won = vec![game("brandubh", Some(Defender), None); 3];
    close(shares(&won), [left, asked + left]);
    close(
        shares(&vec![game("brandubh", Some(Defender), None); 30]),
        [0.0, 0.5],
    );
}

#[test]
fn the_first_entry_that_wants_a_game_has_it() {
    let taught = UnevenGames {
        share: 0.25,
        alphabeta: vec![1],
        ..UnevenGames::of(UnevenSide::Both)
    };
    let either = partners(UnevenSide::Either, 0.5, &[2], &[0.0]);
    let curriculum = plans(&[taught, either, handicaps(0.5, [0.2, 0.4])], 0, &[]);
    let mut shares = [0.0_f32; 4];
    for seed in 0..4_000 {
        let place = match curriculum.draw(0, seed) {
            Some(Uneven::Taught(_)) => 0,
            Some(Uneven::Partner(_)) => 1,
            Some(Uneven::Handicap(_)) => 2,
            None => 3,
        };
        shares[place] += 1.0 / 4_000.0;
    }
    for (share, expected) in shares.into_iter().zip([0.25, 0.375, 0.1875, 0.1875]) {
        assert!((share - expected).abs() < 0.03, "{share} for {expected}");
    }
}

#[test]
fn teachers_are_drawn_the_more_the_evener_they_are_and_only_at_first() {
    let entry = UnevenGames {
        alphabeta: vec![1, 3],
        generations: 2,
        ..UnevenGames::of(UnevenSide::Both)
    };
    let taught = |depths: [u32; 2], winner| {
        let mut game = game("brandubh", Some(winner), None);
        [game.attackers, game.defenders] =
            depths.map(|depth| PlayerId::Baseline(Baseline::alpha_beta(depth)));
        game.kind = GameKind::Taught;
        game
    };
    let mut games = vec![taught([1, 3], Defender); 8];
    games.extend(vec![taught([3, 1], Attacker); 8]);
    games.extend(vec![taught([3, 3], Defender); 2]);
    assert!(Played::of(games.iter()).is_nothing(), "not the network's");
    let after = |generation| plans(std::slice::from_ref(&entry), generation, &games);
    assert!((0..200).all(|seed| after(2).draw(0, seed).is_none()));
    let curriculum = after(1);
    let mut drawn = [[0.0_f32; 2]; 2];
    for seed in 0..4_000 {
        let Some(Uneven::Taught(teachers)) = curriculum.draw(0, seed) else {
            panic!("all games have them");
        };
        let place = teachers
            .players
            .map(|it| usize::from(it == Baseline::alpha_beta(3)));
        drawn[place[0]][place[1]] += 1.0 / 4_000.0;
    }
    // Scores of 1/2, 1/10, 9/10 and 1/4: 0.25, 0.09, 0.09 and 0.1875, as shares.
    let expected = [[0.405, 0.146], [0.146, 0.303]];
    for (drawn, expected) in drawn.as_flattened().iter().zip(expected.as_flattened()) {
        assert!((drawn - expected).abs() < 0.03, "{drawn} for {expected}");
    }
}
