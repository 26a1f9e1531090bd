//! Self-play of one generation.

use crate::progress::{Progress, thousands};
use crate::run::{Purpose, Run};
use crate::seat::Seat;
use crate::spool::{Common, Spool, remove_if_there};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tafl_dataset::{games_path, read_games};
use tafl_rules::{Rules, Side};
use tafl_samples::GameRecord;
use tafl_selfplay::{
    Contender, Course, Generation, HandicapPlan, MakeEvaluator, Throughput, Verdicts, Watch,
    generate_games,
};

const STAGE: &str = "self-play";

/// Under which names results against past players and sparring partners are recorded.
const PAST_VALUES: [&str; 3] = [
    "selfplay/past_games",
    "selfplay/past_win_rate",
    "selfplay/past_loss_rate",
];
const SPARRING_VALUES: [&str; 3] = [
    "selfplay/sparring_games",
    "selfplay/sparring_win_rate",
    "selfplay/sparring_loss_rate",
];

/// How many games ended in which way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Ended {
    pub(crate) attackers: u64,
    pub(crate) defenders: u64,
    pub(crate) draws: u64,
    pub(crate) capped: u64,
}

impl Ended {
    /// Counts games.
    pub(crate) fn of<'a>(games: impl IntoIterator<Item = &'a GameRecord>) -> Self {
        let mut ended = Self::default();
        for game in games {
            match game.ending.winner {
                Some(Side::Attacker) => ended.attackers += 1,
                Some(Side::Defender) => ended.defenders += 1,
                None if game.ending.is_capped() => ended.capped += 1,
                None => ended.draws += 1,
            }
        }
        ended
    }
}

impl std::fmt::Display for Ended {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            attackers,
            defenders,
            draws,
            capped,
        } = self;
        let all = (attackers + defenders + draws + capped).max(1) as f64;
        let percent = |games: u64| 100.0 * games as f64 / all;
        let (attackers, defenders) = (percent(*attackers), percent(*defenders));
        let (draws, capped) = (percent(*draws), percent(*capped));
        write!(
            f,
            "attackers {attackers:.0} %, defenders {defenders:.0} %, draws {draws:.0} %, capped {capped:.0} %"
        )
    }
}

/// The newest checkpoint plays against itself; the games and their samples become Parquet files.
pub(crate) fn self_play(run: &Run, generation: u32) -> anyhow::Result<()> {
    if run.has_samples(generation) {
        // A kill just after they were entered left it.
        return remove_if_there(&run.spool_path(generation));
    }
    let checkpoint = run.player_of(generation)?;
    let player = Seat::Checkpoint(checkpoint).to_string();
    let common = Common {
        rules: run.rules.clone(),
        generation,
    };
    let (spool, mut games) = Spool::open(&run.spool_path(generation), common)?;
    let done: BTreeSet<u64> = games.iter().map(|game| game.game_id).collect();
    let past = past_opponent(run, generation, checkpoint)?;
    let course = course(run, generation)?;
    let job = Generation {
        config: &run.config.selfplay,
        search: &run.config.search,
        course: &course,
        rules: &run.rules,
        run_seed: run.config.seed,
        generation,
        player: &player,
        past: past.as_ref(),
        done: &done,
    };
    let make_evaluator = run.evaluator_maker(checkpoint)?;
    let (stop, failure) = (AtomicBool::new(false), Mutex::new(None));
    let keep = |game: &GameRecord| {
        if let Err(error) = spool.add(game) {
            stop.store(true, Ordering::Relaxed);
            if let Ok(mut failure) = failure.lock() {
                failure.get_or_insert(error);
            }
        }
    };
    let (played, progress) = show_games(&job, &*make_evaluator, &keep, &stop)?;
    if let Some(error) = failure.into_inner().unwrap_or_default() {
        return Err(error);
    }
    games.extend(played);
    let written = run.write_games(generation, &games)?;
    let (samples, bytes) = (written.samples.len() as u64, written.samples_bytes);
    record(run, generation, &games, samples)?;
    // Now the generation's games count as played.
    run.enter(&[&written.games_path, &written.samples_path])?;
    spool.remove()?;
    let ended = Ended::of(&games);
    let size = bytes.checked_div(samples).unwrap_or(0);
    let (count, samples) = (thousands(games.len() as u64), thousands(samples));
    progress.finish(&format!(
        "{count} games, {samples} samples ({size} bytes each): {ended}{}",
        remarks(run, &games)
    ));
    Ok(())
}

/// Returns what a generation's games begin with, as those of the one before say.
fn course(run: &Run, generation: u32) -> anyhow::Result<Course> {
    let before = match generation.checked_sub(1) {
        Some(before) => read_games(&games_path(run.folder(), before))?,
        None => Vec::new(),
    };
    let config = &run.config.selfplay;
    Ok(Course::after(config, &run.rules, generation, before.iter()))
}

/// Returns the older checkpoint that plays a share of a generation's games, if there is one.
fn past_opponent(
    run: &Run,
    generation: u32,
    newest: u32,
) -> anyhow::Result<Option<Contender<'static>>> {
    if newest == 0 || run.config.selfplay.past_opponent_fraction == 0.0 {
        return Ok(None);
    }
    let draw = run.seed(Purpose::PastOpponent, &[generation.into()]);
    let past = run.player_of((draw % u64::from(newest)) as u32)?;
    run.self_player(past).map(Some)
}

/// Plays games with progress on stderr, which the caller finishes.
pub(crate) fn show_games(
    job: &Generation<'_>,
    make_evaluator: &MakeEvaluator<'_>,
    finished: &(dyn Fn(&GameRecord) + Sync),
    stop: &AtomicBool,
) -> anyhow::Result<(Vec<GameRecord>, Progress)> {
    let progress = Progress::start(STAGE, "games", job.config.games.into());
    let show = |now: Throughput| {
        let done = job.done.len() as u64 + now.games_done;
        progress.show(done, || rate(now, progress.elapsed()));
    };
    let watch = Watch {
        progress: &show,
        finished,
        stop,
    };
    let games = generate_games(job, make_evaluator, &watch)?;
    Ok((games, progress))
}

/// Returns the speed since the start, in words.
pub(crate) fn rate(now: Throughput, elapsed: Duration) -> String {
    let seconds = elapsed.as_secs_f64().max(1e-3);
    let plies = (now.plies as f64 / seconds) as u64;
    let evaluations = (now.evaluations as f64 / seconds) as u64;
    format!(
        "{} plies/s, {} evaluations/s",
        thousands(plies),
        thousands(evaluations)
    )
}

/// What is counted of self-played games.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tally {
    games: u64,
    samples: u64,
    plies: u64,
    ended: Ended,
    /// Games against a past player that the newest one won, drew (or did not finish) and lost.
    against_past: [u64; 3],
    /// The same of games against sparring partners.
    against_partners: [u64; 3],
}

impl Tally {
    /// Counts games, which gave so many samples.
    pub(crate) fn add(&mut self, games: &[GameRecord], samples: u64) {
        self.games += games.len() as u64;
        self.samples += samples;
        self.plies += games
            .iter()
            .map(|game| game.plies.len() as u64)
            .sum::<u64>();
        let ended = Ended::of(games);
        self.ended.attackers += ended.attackers;
        self.ended.defenders += ended.defenders;
        self.ended.draws += ended.draws;
        self.ended.capped += ended.capped;
        for game in games {
            let number = |name: &str| name.parse().map(Seat::number).ok();
            let [attackers, defenders] = [&game.attackers, &game.defenders].map(|it| number(it));
            let newest = match game.partner() {
                Some((partner, _)) => partner.opponent(),
                None if attackers == defenders => continue,
                None if attackers > defenders => Side::Attacker,
                None => Side::Defender,
            };
            let result = match game.ending.winner {
                None => 1,
                Some(winner) if winner == newest => 0,
                Some(_) => 2,
            };
            match game.partner() {
                Some(_) => self.against_partners[result] += 1,
                None => self.against_past[result] += 1,
            }
        }
    }

    /// Returns the counts by the names under which they are recorded.
    pub(crate) fn values(&self) -> Vec<(&'static str, f64)> {
        let count = self.games.max(1) as f64;
        let ended = &self.ended;
        let mut values = vec![
            ("selfplay/games", self.games as f64),
            ("selfplay/samples", self.samples as f64),
            ("selfplay/plies_per_game", self.plies as f64 / count),
            ("selfplay/attacker_win_rate", ended.attackers as f64 / count),
            ("selfplay/defender_win_rate", ended.defenders as f64 / count),
            ("selfplay/draw_rate", ended.draws as f64 / count),
            ("selfplay/capped_rate", ended.capped as f64 / count),
        ];
        for (results, names) in [
            (self.against_past, PAST_VALUES),
            (self.against_partners, SPARRING_VALUES),
        ] {
            let [won, drawn, lost] = results.map(|games| games as f64);
            let played = won + drawn + lost;
            if played > 0.0 {
                values.extend(names.into_iter().zip([played, won / played, lost / played]));
            }
        }
        values
    }
}

fn record(run: &Run, generation: u32, games: &[GameRecord], samples: u64) -> anyhow::Result<()> {
    let mut tally = Tally::default();
    tally.add(games, samples);
    let mut values = tally.values();
    let config = &run.config.selfplay;
    if config.decided_searches > 0 {
        let verdicts = Verdicts::of(games, &run.rules, config);
        values.extend([
            (
                "selfplay/decided_rate",
                verdicts.games as f64 / games.len().max(1) as f64,
            ),
            ("selfplay/verdicts_tested", verdicts.tested as f64),
            ("selfplay/verdicts_wrong", verdicts.wrong as f64),
        ]);
    }
    let handicaps = handicap_values(run, generation, games);
    let handicaps = handicaps
        .iter()
        .map(|(name, value)| (name.as_str(), *value));
    values.extend(handicaps);
    record_values(run, generation, "selfplay", values)
}

/// Returns who led without a handicap under each ruleset, and how the next games are handicapped.
fn handicap_values(run: &Run, generation: u32, games: &[GameRecord]) -> Vec<(String, f64)> {
    let next = generation + 1;
    let course = Course::after(&run.config.selfplay, &run.rules, next, games.iter());
    let values = |(rules, plan): (&Arc<Rules>, &HandicapPlan)| {
        let name = &rules.ruleset().name;
        let [least, greatest] = plan.rates;
        let rate = (least + greatest) / 2.0;
        [
            ("free_attacker_lead", plan.lead),
            ("next_handicap_fraction", plan.fraction),
            ("next_handicap_rate", rate),
        ]
        .map(|(what, value)| (format!("selfplay/{what}/{name}"), f64::from(value)))
    };
    run.rules
        .iter()
        .zip(course.handicaps())
        .flat_map(values)
        .collect()
}

/// Says what the progress line adds to how the games ended: games without a handicap, and how sound verdicts are.
fn remarks(run: &Run, games: &[GameRecord]) -> String {
    let mut remarks = String::new();
    let is_even = |game: &&GameRecord| game.uneven_side().is_none();
    if !games.iter().all(|game| is_even(&game)) {
        let free = Ended::of(games.iter().filter(is_even));
        remarks += &format!("; without a handicap: {free}");
    }
    let config = &run.config.selfplay;
    if config.decided_searches > 0 {
        let verdicts = Verdicts::of(games, &run.rules, config);
        remarks += &format!(
            "; {} called decided, {} of {} tested wrongly",
            thousands(verdicts.games),
            verdicts.wrong,
            verdicts.tested
        );
    }
    remarks
}

/// Records numbers of a stage of a generation, at the step of the checkpoint that played in it.
pub(crate) fn record_values(
    run: &Run,
    generation: u32,
    stage: &str,
    values: Vec<(&str, f64)>,
) -> anyhow::Result<()> {
    let step = run.steps_of_checkpoint(generation)?;
    run.record_values((generation, stage), step, &values)
}
