//! Games between two players, and players that change while games are played.

use crate::common::{config, contender, lineup, play, rules, search};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use tafl_rules::{Game, Rules, Side};
use tafl_samples::GameRecord;
use tafl_search::{Evaluation, Evaluator, Leaf, OverlappingEvaluator};
use tafl_selfplay::{
    AlphaBeta, Contender, Course, Generation, HandicapSide, MakeEvaluator, SelfplayConfig, Session,
    Stream, Watch, generate_games, stream_games,
};

/// Plays games of which a share has the past player `old` on one side.
fn against_past(
    config: &SelfplayConfig,
    past: &Contender<'_>,
    make: &MakeEvaluator<'_>,
) -> Vec<GameRecord> {
    let (search, rules) = (search(4), rules(&["brandubh"]));
    let generation = Generation {
        course: &Course::default(),
        config,
        search: &search,
        rules: &rules,
        run_seed: 5,
        generation: 3,
        player: "new",
        past: Some(past),
        done: &BTreeSet::new(),
    };
    let watch = Watch {
        progress: &|_| {},
        finished: &|_| {},
        stop: &AtomicBool::new(false),
    };
    generate_games(&generation, make, &watch).unwrap()
}

fn half_past() -> SelfplayConfig {
    SelfplayConfig {
        past_opponent_fraction: 0.5,
        handicap_side: HandicapSide::Either,
        cache_positions: 100,
        ..config(40)
    }
}

fn hash() -> Result<Box<dyn Evaluator>, tafl_selfplay::MakeError> {
    (contender("").make_evaluator)()
}

/// The side that the past player has in a game, if it plays.
fn past_side(record: &GameRecord) -> Option<Side> {
    match (&*record.attackers, &*record.defenders) {
        ("new", "new") => None,
        ("old", "new") => Some(Side::Attacker),
        ("new", "old") => Some(Side::Defender),
        names => panic!("{names:?}"),
    }
}

#[test]
fn a_share_of_games_has_the_past_player_on_either_side_and_only_the_newest_is_learned_from() {
    let records = against_past(&half_past(), &contender("old"), &hash);
    let mut games = BTreeMap::new();
    for record in &records {
        let past = past_side(record);
        *games.entry(past.map(Side::index)).or_insert(0) += 1;
        let mut game = Game::new(rules(&["brandubh"])[0].clone());
        for (number, ply) in record.plies.iter().enumerate() {
            let is_opening = number < record.opening_plies as usize;
            let is_past = Some(game.position().side()) == past;
            assert_eq!(ply.search.is_none(), is_opening || is_past, "ply {number}");
            game.play(ply.mv).unwrap();
        }
    }
    assert_eq!(games.len(), 3, "{games:?}");
    assert!(games.values().all(|&games| games >= 5), "{games:?}");
}

#[test]
fn sparring_partners_play_one_side_as_alpha_beta_does_and_are_not_learned_from() {
    let config = SelfplayConfig {
        sparring_fraction: 0.6,
        sparring_side: HandicapSide::Either,
        sparring_depths: vec![1, 2],
        sparring_rates: vec![0.0, 0.5],
        handicap_fraction: 0.5,
        workers: 2,
        ..config(40)
    };
    let (records, _) = play(&config, &search(4), &["brandubh", "tablut"], 8);
    let mut kinds = BTreeSet::new();
    for record in &records {
        let Some((side, depth)) = record.partner() else {
            kinds.insert((None, record.handicap.is_some()));
            continue;
        };
        let (network, partner) = match side {
            Side::Attacker => (&record.defenders, &record.attackers),
            Side::Defender => (&record.attackers, &record.defenders),
        };
        assert_eq!(
            (&**network, &**partner),
            ("hash", &*AlphaBeta::name_of(depth))
        );
        assert_eq!(record.uneven_side(), Some(side));
        kinds.insert((Some((side.index(), depth)), record.handicap.is_some()));
        let rules = Rules::preset(&record.ruleset).unwrap();
        let (mut game, mut own) = (Game::new(Arc::clone(&rules)), AlphaBeta::new(depth, &rules));
        for (number, ply) in record.plies.iter().enumerate() {
            let is_opening = number < record.opening_plies as usize;
            let is_partner = game.position().side() == side;
            assert_eq!(
                ply.search.is_none(),
                is_opening || is_partner,
                "ply {number}"
            );
            if is_partner && !is_opening && record.handicap.is_none() {
                assert_eq!(ply.mv, own.choose(&mut game).mv, "ply {number}");
            }
            game.play(ply.mv).unwrap();
        }
    }
    // Either side at two depths with and without random plies; even and handicapped games without a partner.
    assert_eq!(kinds.len(), 10, "{kinds:?}");
    let (again, _) = play(
        &SelfplayConfig {
            workers: 1,
            ..config
        },
        &search(4),
        &["brandubh", "tablut"],
        8,
    );
    assert_eq!(records, again);
}

#[test]
fn games_without_the_past_player_stay_as_they_are() {
    let (alone, _) = play(&config(40), &search(4), &["brandubh"], 5);
    let mut same = 0;
    for (record, alone) in against_past(&half_past(), &contender("old"), &hash)
        .into_iter()
        .zip(alone)
    {
        if past_side(&record).is_none() {
            assert_eq!(record.plies, alone.plies);
            same += 1;
        }
    }
    assert!((10..30).contains(&same), "{same}");
    let none = SelfplayConfig {
        past_opponent_fraction: 0.0,
        ..half_past()
    };
    let never = Contender {
        name: "old".into(),
        make_evaluator: Arc::new(|| Err("it is not needed".into())),
    };
    assert_eq!(against_past(&none, &never, &hash).len(), 40);
}

/// Notes which positions it was asked about, by the side to move at the root being its own.
struct Asked {
    inner: Box<dyn Evaluator>,
    leaves: &'static AtomicUsize,
    batches: &'static AtomicUsize,
    begun: VecDeque<Vec<Evaluation>>,
    on_a_device: bool,
}

impl Evaluator for Asked {
    fn evaluate(&mut self, leaves: &[Leaf<'_>], evaluations: &mut Vec<Evaluation>) {
        self.leaves.fetch_add(leaves.len(), Ordering::Relaxed);
        self.batches.fetch_add(1, Ordering::Relaxed);
        assert!(!leaves.is_empty(), "an empty batch");
        self.inner.evaluate(leaves, evaluations);
    }

    fn overlapping(&mut self) -> Option<&mut dyn OverlappingEvaluator> {
        self.on_a_device
            .then_some(self as &mut dyn OverlappingEvaluator)
    }
}

impl OverlappingEvaluator for Asked {
    fn begin(&mut self, leaves: &[Leaf<'_>]) {
        let mut evaluations = Vec::new();
        self.evaluate(leaves, &mut evaluations);
        self.begun.push_back(evaluations);
    }

    fn finish(&mut self, evaluations: &mut Vec<Evaluation>) {
        *evaluations = self.begun.pop_front().expect("a batch was begun");
    }
}

type Counts = [&'static AtomicUsize; 2];

fn asked(
    [leaves, batches]: Counts,
    on_a_device: bool,
) -> impl Fn() -> Result<Box<dyn Evaluator>, tafl_selfplay::MakeError> + Send + Sync + Clone + 'static
{
    move || {
        Ok(Box::new(Asked {
            inner: hash()?,
            leaves,
            batches,
            begun: VecDeque::new(),
            on_a_device,
        }))
    }
}

fn counts() -> Counts {
    [Box::leak(Box::default()), Box::leak(Box::default())]
}

#[test]
fn each_player_is_asked_in_batches_of_its_own_whatever_the_workers_and_the_device() {
    let mut played = Vec::new();
    for (workers, parallel_games, on_a_device) in
        [(1, 16, false), (3, 5, false), (1, 16, true), (2, 4, true)]
    {
        let config = SelfplayConfig {
            workers,
            parallel_games,
            cache_positions: 0,
            ..half_past()
        };
        let (newest, old) = (counts(), counts());
        let past = Contender {
            name: "old".into(),
            make_evaluator: Arc::new(asked(old, on_a_device)),
        };
        let records = against_past(&config, &past, &asked(newest, on_a_device));
        let leaves = [newest, old].map(|[leaves, _]| leaves.load(Ordering::Relaxed));
        played.push((records, leaves));
        if parallel_games == 16 && !on_a_device {
            let [leaves, batches] = old.map(|count| count.load(Ordering::Relaxed));
            assert!(leaves > batches * 2, "{leaves} leaves in {batches} batches");
        }
    }
    assert!(played.iter().all(|other| *other == played[0]));
    let [newest, old] = played[0].1;
    // Half of the games have it on one side: a quarter of all plies.
    let share = old as f64 / (newest + old) as f64;
    assert!((0.15..0.35).contains(&share), "{share}");
}

#[test]
fn a_new_lineup_plays_the_games_begun_after_it_came_and_the_others_end_as_they_began() {
    let rules = rules(&["brandubh"]);
    let all = config(60);
    let config = SelfplayConfig {
        workers: 2,
        ..all.clone()
    };
    let session = Session {
        rules: &rules,
        run_seed: 5,
        numbers: 0..60,
    };
    let first = lineup(0, &config, "first", None);
    let oldest = Arc::downgrade(&first);
    let newest = Mutex::new(first);
    let (records, last) = (Mutex::new(Vec::new()), AtomicBool::new(false));
    let finished = |record: GameRecord, number: u64| {
        let name = ["first", "second", "third"][number as usize];
        assert_eq!((&*record.attackers, &*record.defenders), (name, name));
        let mut records = records.lock().unwrap();
        records.push((record, number));
        match records.len() {
            20 => *newest.lock().unwrap() = lineup(1, &config, "second", None),
            40 => *newest.lock().unwrap() = lineup(2, &config, "third", None),
            // By then nobody plays by the first any more, and nobody keeps it.
            60 => assert_eq!(oldest.strong_count(), 0),
            _ => {}
        }
    };
    let stream = Stream {
        progress: &|_| {},
        finished: &finished,
        rest: &AtomicBool::new(false),
        last: &last,
        stop: &AtomicBool::new(false),
    };
    stream_games(&session, &|| newest.lock().unwrap().clone(), &stream).unwrap();
    let mut records = records.into_inner().unwrap();
    let mut games = [0; 3];
    records
        .iter()
        .for_each(|&(_, number)| games[number as usize] += 1);
    // Eight games at a time are in progress when a lineup comes, and as many may begin meanwhile.
    assert!((20..=36).contains(&games[0]), "{games:?}");
    assert!(games[1] >= 4 && games[2] >= 4, "{games:?}");
    assert_eq!(Arc::strong_count(&newest.into_inner().unwrap()), 1);
    records.sort_by_key(|(record, _)| record.game_id);
    let (alone, _) = play(&all, &search(4), &["brandubh"], 5);
    for ((record, _), alone) in records.iter().zip(alone) {
        assert_eq!(record.plies, alone.plies);
    }
}

/// Batches of many lineups would be small, so a new one waits while three have games in progress.
#[test]
fn at_most_three_lineups_have_games_in_progress() {
    let rules = rules(&["brandubh"]);
    let config = SelfplayConfig {
        parallel_games: 8,
        ..config(80)
    };
    let session = Session {
        rules: &rules,
        run_seed: 5,
        numbers: 0..80,
    };
    let first = lineup(0, &config, "any", None);
    let all = Mutex::new(vec![Arc::downgrade(&first)]);
    let (newest, played) = (Mutex::new(first), Mutex::new(BTreeSet::new()));
    let finished = |_: GameRecord, number: u64| {
        played.lock().unwrap().insert(number);
        let mut all = all.lock().unwrap();
        let next = lineup(all.len() as u64, &config, "any", None);
        all.push(Arc::downgrade(&next));
        *newest.lock().unwrap() = next;
        let alive = all.iter().filter(|it| it.strong_count() > 0).count();
        // The newest one need not play yet, and that of the game which has just ended is still known here.
        assert!(alive <= 5, "{alive}");
    };
    let stream = Stream {
        progress: &|_| {},
        finished: &finished,
        rest: &AtomicBool::new(false),
        last: &AtomicBool::new(false),
        stop: &AtomicBool::new(false),
    };
    stream_games(&session, &|| newest.lock().unwrap().clone(), &stream).unwrap();
    let played = played.into_inner().unwrap();
    assert!((6..60).contains(&played.len()), "{played:?}");
}

#[test]
fn workers_that_rest_play_nothing_and_go_on_where_they_were() {
    let rules = rules(&["brandubh"]);
    let session = Session {
        rules: &rules,
        run_seed: 5,
        numbers: 0..12,
    };
    let lineup = lineup(0, &config(1), "hash", None);
    let (rest, resting) = (AtomicBool::new(true), AtomicUsize::new(0));
    let records = Mutex::new(Vec::new());
    let stream = Stream {
        progress: &|_| {
            resting.fetch_add(1, Ordering::Relaxed);
        },
        finished: &|record, _| records.lock().unwrap().push(record),
        rest: &rest,
        last: &AtomicBool::new(false),
        stop: &AtomicBool::new(false),
    };
    std::thread::scope(|scope| {
        let playing = scope.spawn(|| stream_games(&session, &|| lineup.clone(), &stream));
        // One round is played before the rest, so the count of rounds stands still from then on.
        while resting.load(Ordering::Relaxed) < 2 {
            std::thread::yield_now();
        }
        let rounds = resting.load(Ordering::Relaxed);
        std::thread::sleep(std::time::Duration::from_millis(100));
        assert_eq!(resting.load(Ordering::Relaxed), rounds);
        rest.store(false, Ordering::Relaxed);
        playing.join().unwrap().unwrap();
    });
    let mut records = records.into_inner().unwrap();
    records.sort_by_key(|record| record.game_id);
    assert_eq!(records, play(&config(12), &search(4), &["brandubh"], 5).0);
}
