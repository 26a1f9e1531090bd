use super::*;
use Side::{Attacker, Defender};
use tafl_rules::{EndReason, Setup};
use tafl_samples::{Ending, EndingReason, PlayerId};

/// Games of one side with alpha-beta at these depths, without any with random plies alone, in a share of the games.
fn entry(side: UnevenSide, share: f32, alphabeta: &[u32], random_plies: &[f32]) -> UnevenGames {
    UnevenGames {
        share,
        alphabeta: alphabeta.to_vec(),
        random_plies: random_plies.to_vec(),
        ..UnevenGames::of(side)
    }
}

fn rules(name: &str) -> Arc<Rules> {
    Rules::preset(name).expect("a preset")
}

/// Makes a game of a ruleset that ended at once.
fn game(ruleset: &str, winner: Option<Side>, handicap: Option<(Side, f32)>) -> GameRecord {
    let rules = rules(ruleset);
    GameRecord {
        game_id: 0,
        seed: 0,
        ruleset: ruleset.to_owned(),
        ruleset_fingerprint: rules.ruleset().fingerprint(),
        start: Setup::of(&rules.start(), rules.shape()),
        generation: 0,
        kind: handicap.map_or(GameKind::Even, |_| GameKind::Handicap),
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

/// Makes games of Brandubh.
fn games(count: usize, winner: Side, handicap: Option<(Side, f32)>) -> Vec<GameRecord> {
    vec![game("brandubh", Some(winner), handicap); count]
}

/// Makes a game of Brandubh against a partner.
fn sparred(partner: Side, depth: u32, rate: f32, winner: Option<Side>) -> GameRecord {
    let mut game = game("brandubh", winner, (rate > 0.0).then_some((partner, rate)));
    let player = PlayerId::Baseline(Baseline::alpha_beta(depth));
    match partner {
        Attacker => game.attackers = player,
        Defender => game.defenders = player,
    }
    game.kind = GameKind::Partner;
    game
}

fn plan(entry: &UnevenGames, games: &[GameRecord]) -> Plan {
    Plan::after(entry, &games.iter().collect::<Vec<_>>())
}

/// Returns in which share of games of Brandubh an entry handicaps, the side, and the bounds of the rate.
fn handicap(entry: &UnevenGames, games: &[GameRecord]) -> (f32, Option<Side>, [f32; 2]) {
    match plan(entry, games) {
        Plan {
            share,
            players: Players::Handicapped(side, rates),
        } => (share, side, rates),
        other => panic!("{other:?}"),
    }
}

fn balanced(games: &[GameRecord]) -> (f32, Option<Side>, [f32; 2]) {
    let entry = entry(UnevenSide::Stronger, 0.5, &[], &[0.1, 0.9]);
    handicap(&entry, games)
}

fn curriculum(uneven: &[UnevenGames], generation: u32, games: &[GameRecord]) -> Curriculum {
    let config = SelfplayConfig {
        uneven: uneven.to_vec(),
        ..SelfplayConfig::default()
    };
    Curriculum::after(&config, &[rules("brandubh")], generation, games)
}

/// Checks the shares of games that get each place.
fn check_shares<const N: usize>(
    curriculum: &Curriculum,
    place: impl Fn(Option<Uneven>) -> Option<usize>,
    expected: [f32; N],
) {
    let mut shares = [0.0_f32; N];
    for place in (0..4_000).filter_map(|seed| place(curriculum.draw(0, seed))) {
        shares[place] += 1.0 / 4_000.0;
    }
    let mut pairs = shares.into_iter().zip(expected);
    let close = pairs.all(|(is, wanted)| (is - wanted).abs() < 0.03);
    assert!(close, "{shares:?} for {expected:?}");
}

fn assert_near(found: [f32; 2], expected: [f32; 2]) {
    let mut pairs = found.into_iter().zip(expected);
    let near = pairs.all(|(is, wanted)| (is - wanted).abs() < 1e-6);
    assert!(near, "{found:?} for {expected:?}");
}

#[test]
fn either_side_is_handicapped_before_the_first_games_and_nobody_while_they_are_even() {
    assert_eq!(balanced(&[]), (0.5, None, [0.1, 0.9]));
    let even = [games(60, Attacker, None), games(50, Defender, None)];
    assert_eq!(balanced(&even.concat()).0, 0.0);
}

#[test]
fn the_side_that_wins_is_handicapped_first_as_much_as_may_be() {
    for winner in Side::ALL {
        let (share, side, rates) = balanced(&games(40, winner, None));
        assert_eq!((share, side), (0.5, Some(winner)));
        assert_near(rates, [0.7, 0.9]);
    }
    let some = [games(70, Attacker, None), games(30, Defender, None)];
    let (share, ..) = balanced(&some.concat());
    assert!(0.05 < share && share < 0.25, "{share}");
}

#[test]
fn the_rate_falls_while_handicapped_games_are_lost_and_rises_while_they_are_won() {
    let after = |winner, rate| {
        let handicapped = games(40, winner, Some((Defender, rate)));
        balanced(&[games(40, Defender, None), handicapped].concat()).2
    };
    let lost = after(Attacker, 0.6);
    assert!(lost[1] < 0.45 && lost[0] > 0.2, "{lost:?}");
    let won = after(Defender, 0.6);
    assert!(won[0] > 0.65 && won[1] <= 0.9, "{won:?}");
    assert_near(after(Attacker, 0.1), [0.1, 0.3]);
}

/// The rate that is followed is the mean of what the games before drew, so at a bound it must not move by itself.
#[test]
fn a_rate_at_its_bound_stays_there_while_the_other_side_wins_half() {
    for bound in [0.2, 0.8] {
        let half = |winner| games(20, winner, Some((Defender, bound)));
        let games = [games(40, Defender, None), half(Attacker), half(Defender)];
        let [least, greatest] = balanced(&games.concat()).2;
        assert!(((least + greatest) / 2.0 - bound).abs() < 1e-6);
    }
}

/// Narrow bounds leave no room for the spread, and rounding must not turn it around.
#[test]
fn rates_stay_within_any_bounds() {
    let handicapped = games(10, Attacker, Some((Defender, 0.5)));
    let games = [games(40, Defender, None), handicapped].concat();
    for (least, greatest) in (0..=100).flat_map(|low| (low..=100).map(move |high| (low, high))) {
        let bounds = [least, greatest].map(|percent| percent as f32 / 100.0);
        let entry = entry(UnevenSide::Stronger, 0.5, &[], &bounds);
        let (_, _, [low, high]) = handicap(&entry, &games);
        let is_within = bounds[0] <= low && low <= high && high <= bounds[1];
        assert!(is_within, "{bounds:?}: {low} to {high}");
    }
}

#[test]
fn some_games_are_even_whatever_the_config_says() {
    let entry = entry(UnevenSide::Stronger, 1.0, &[], &[]);
    assert_eq!(handicap(&entry, &games(40, Defender, None)).0, 0.9);
}

#[test]
fn draws_of_handicapped_games_are_no_wins_of_the_other_side() {
    let drawn = vec![game("brandubh", None, Some((Defender, 0.5))); 40];
    let rates = balanced(&[games(40, Defender, None), drawn].concat()).2;
    assert!(rates[0] > 0.6, "{rates:?}");
}

#[test]
fn each_ruleset_is_handicapped_by_its_own_games() {
    let rules = ["brandubh", "copenhagen"].map(rules);
    let others = vec![game("copenhagen", Some(Defender), None); 40];
    let games = [games(40, Attacker, None), others].concat();
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

#[test]
fn partners_are_scored_one_by_one_and_drawn_the_more_the_evener_they_are() {
    let entry = entry(UnevenSide::Stronger, 1.0, &[1, 3], &[0.0, 0.4]);
    assert_eq!(plan(&entry, &[]).share, 0.0);
    let lead_of_a_fifth = games(1, Defender, None);
    assert_eq!(plan(&entry, &lead_of_a_fifth).share, 0.0);
    let some = plan(&entry, &games(3, Defender, None)).share;
    let asked = (3.0 / 7.0 - 0.2) / 0.4;
    assert!((some - 0.9 * asked).abs() < 1e-6, "{some}");
    let mut games = games(30, Defender, None);
    games.extend(vec![sparred(Defender, 1, 0.0, Some(Attacker)); 8]);
    games.extend(vec![sparred(Defender, 3, 0.0, Some(Defender)); 8]);
    games.push(sparred(Defender, 3, 0.4, None));
    games.push(sparred(Attacker, 3, 0.4, Some(Defender)));
    games.push(sparred(Attacker, 7, 0.0, Some(Defender)));
    let plan = plan(&entry, &games);
    // Games of partners are not even, so some are left that say who is stronger.
    assert_eq!(plan.share, 0.9);
    let Players::Partners(Some(Defender), partners) = plan.players else {
        panic!("the defenders won the even games: {plan:?}");
    };
    let scores = partners.map(|of_side| of_side.0.into_iter().map(|(_, score)| score));
    let [attackers, defenders] = scores.map(Vec::from_iter);
    assert_eq!(attackers, [0.5, 0.5, 0.5, 2.0 / 3.0]);
    assert_eq!(defenders, [0.9, 0.5, 0.1, 0.5]);
    let place = |uneven| match uneven {
        Some(Uneven::Partner(partner)) => {
            assert_eq!(partner.side, Defender);
            let is_deep = partner.player == Baseline::alpha_beta(3);
            Some(2 * usize::from(is_deep) + usize::from(partner.rate > 0.0))
        }
        None => None,
        other => panic!("{other:?}"),
    };
    // 0.09, 0.25, 0.09 and 0.25, as shares of those with a partner.
    let expected = [0.119, 0.331, 0.119, 0.331];
    check_shares(&curriculum(&[entry], 2, &games), place, expected);
}

#[test]
fn a_least_share_of_games_has_a_partner_on_either_side() {
    let entries = [
        entry(UnevenSide::Stronger, 0.5, &[1, 2, 3], &[]),
        entry(UnevenSide::Either, 0.3, &[1, 2, 3], &[]),
    ];
    let check = |won_by_defenders, expected| {
        let games = games(won_by_defenders, Defender, None);
        let side = |uneven| match uneven {
            Some(Uneven::Partner(partner)) => Some(partner.side.index()),
            _ => None,
        };
        check_shares(&curriculum(&entries, 2, &games), side, expected);
    };
    check(0, [0.15, 0.15]);
    // A lead of 3/7 asks for a little more than half of 0.5, and either side gets what is left to 0.3.
    let asked = 0.5 * (3.0 / 7.0 - 0.2) / 0.4;
    let left = (0.3 - asked) / 2.0;
    check(3, [left, asked + left]);
    check(30, [0.0, 0.5]);
}

#[test]
fn entries_of_a_kind_have_shares_of_the_same_games() {
    let [handicap, alphabeta]: [&[u32]; 2] = [&[], &[2]];
    for (side, depths) in [
        (UnevenSide::Either, handicap),
        (UnevenSide::Either, alphabeta),
        (UnevenSide::Both, alphabeta),
    ] {
        let of = |share, rate| entry(side, share, depths, &[rate]);
        let place = |uneven: Option<Uneven>| {
            let rates = Side::ALL.map(|side| uneven.and_then(|it| it.random_rate(side)));
            let rate = rates.into_iter().flatten().next()?;
            Some(usize::from(rate > 0.5))
        };
        let entries = [of(0.3, 0.2), of(0.5, 0.8)];
        check_shares(&curriculum(&entries, 0, &[]), place, [0.3, 0.2]);
        assert!(!entries[0].leaves_nothing_to(&entries[1]));
        assert!(entries[1].leaves_nothing_to(&entries[0]));
    }
}

#[test]
fn the_first_entry_that_wants_a_game_has_it() {
    let entries = [
        entry(UnevenSide::Both, 0.25, &[1], &[]),
        entry(UnevenSide::Either, 0.5, &[2], &[0.0]),
        entry(UnevenSide::Stronger, 0.5, &[], &[0.2, 0.4]),
    ];
    let place = |uneven| match uneven? {
        Uneven::Taught(..) => Some(0),
        Uneven::Partner(partner) => Some(1 + partner.side.index()),
        Uneven::Handicap(_) => Some(3),
    };
    // A quarter is taught, whatever the side of the partners behind.
    let expected = [0.25, 0.1875, 0.1875, 0.1875];
    check_shares(&curriculum(&entries, 0, &[]), place, expected);
}

#[test]
fn teachers_are_drawn_the_more_the_evener_they_are_and_only_at_first() {
    let entry = UnevenGames {
        generations: 2,
        ..entry(UnevenSide::Both, 1.0, &[1, 3], &[])
    };
    let taught = |count, depths: [u32; 2], winner| {
        let mut game = game("brandubh", Some(winner), None);
        [game.attackers, game.defenders] =
            depths.map(|depth| PlayerId::Baseline(Baseline::alpha_beta(depth)));
        game.kind = GameKind::Taught;
        vec![game; count]
    };
    let games = [
        taught(8, [1, 3], Defender),
        taught(8, [3, 1], Attacker),
        taught(2, [3, 3], Defender),
    ];
    let games = games.concat();
    let played = Played::of(&games.iter().collect::<Vec<_>>());
    assert!(played.is_nothing(), "not the network's");
    let after = |generation| curriculum(std::slice::from_ref(&entry), generation, &games);
    check_shares(&after(2), |uneven| uneven.map(|_| 0), [0.0]);
    let place = |uneven| match uneven {
        Some(Uneven::Taught(pair, _)) => {
            let [attackers, defenders] = pair.map(|it| usize::from(it == Baseline::alpha_beta(3)));
            Some(2 * attackers + defenders)
        }
        other => panic!("{other:?}"),
    };
    // Scores of 1/2, 1/10, 9/10 and 1/4: 0.25, 0.09, 0.09 and 0.1875, as shares.
    check_shares(&after(1), place, [0.405, 0.146, 0.146, 0.303]);
}
