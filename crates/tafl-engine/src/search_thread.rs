//! The search in a thread of its own, so that the one who asks can go on listening.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use tafl_rules::{Game, Move, Rules};
use tafl_search::{Evaluator, Mode, Search, SearchConfig, SearchReport, Step};

/// What plays: an evaluator, and how it is used.
pub struct Searcher {
    /// Judges positions.
    pub evaluator: Box<dyn Evaluator>,
    /// How the search goes; its visits are what a search gets that is given no limit.
    pub search: SearchConfig,
}

/// Makes the searcher for a ruleset, on the search's thread; an error is shown to the client that chose the ruleset.
pub type MakeSearcher = dyn Fn(&Arc<Rules>) -> Result<Searcher, String> + Send;

/// When a search ends: as soon as one of these says so. Without any, after the config's visits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Limits {
    /// Visits, at least 1.
    pub nodes: Option<u32>,
    /// Time since the search was requested.
    pub movetime: Option<Duration>,
    /// Plies of the best line.
    pub depth: Option<usize>,
    /// Nothing but a stop.
    pub infinite: bool,
}

/// Tells a search from outside that it is to end, or that the move was played on which it ponders.
#[derive(Debug, Default)]
pub(crate) struct StopSign {
    is_up: AtomicBool,
    hit_at: OnceLock<Instant>,
    lock: Mutex<()>,
    raised: Condvar,
}

impl StopSign {
    pub(crate) fn raise(&self) {
        let _guard = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        self.is_up.store(true, Ordering::Relaxed);
        self.raised.notify_all();
    }

    /// Lets the time and the visits of a search that ponders count from now on.
    pub(crate) fn ponder_hit(&self) {
        let _guard = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        self.hit_at.get_or_init(Instant::now);
        self.raised.notify_all();
    }

    fn is_up(&self) -> bool {
        self.is_up.load(Ordering::Relaxed)
    }

    /// Waits until it is up, or else until what is asked for is so.
    fn wait_or(&self, is_enough: impl Fn(&Self) -> bool) {
        let mut guard = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        while !self.is_up() && !is_enough(self) {
            let woken = self.raised.wait(guard);
            guard = woken.unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Progress of a search.
pub(crate) enum SearchEvent<'a> {
    /// How it stands.
    Progress(&'a SearchReport),
    /// It is over; nothing was found where the game is over.
    Done(Option<&'a SearchReport>),
    /// It failed.
    Failed(String),
}

/// A question.
pub(crate) struct Job {
    pub(crate) game: Game,
    pub(crate) limits: Limits,
    /// It has no limits until its sign says that the move was played on which it ponders.
    pub(crate) ponders: bool,
    /// The only moves to look at; all where there are none.
    pub(crate) only: Vec<Move>,
    /// Lines to report.
    pub(crate) lines: usize,
    /// Bytes beyond which the tree does not grow.
    pub(crate) memory: usize,
    pub(crate) stop: Arc<StopSign>,
    pub(crate) report: Box<dyn FnMut(SearchEvent<'_>) + Send>,
}

impl Job {
    /// Returns when its time began, if it did.
    fn limited_since(&self, began: Instant) -> Option<Instant> {
        match self.ponders {
            true => self.stop.hit_at.get().copied(),
            false => Some(began),
        }
    }

    /// Waits until it may be answered.
    fn wait_for_leave(&self) {
        if self.ponders {
            self.stop.wait_or(|sign| sign.hit_at.get().is_some());
        }
        if self.limits.infinite {
            self.stop.wait_or(|_| false);
        }
    }
}

enum Task {
    Load(Arc<Rules>, Sender<Result<(), String>>),
    Think(Box<Job>),
    Say(Box<dyn FnOnce() + Send>),
}

/// The thread that searches. It is told what to do, and does one thing after the other.
pub(crate) struct SearchThread {
    tasks: Option<Sender<Task>>,
    thread: Option<JoinHandle<()>>,
}

impl SearchThread {
    pub(crate) fn start(make_searcher: Box<MakeSearcher>, seed: u64) -> std::io::Result<Self> {
        let (tasks, received) = channel();
        let work = move || work(&received, &*make_searcher, seed);
        let thread = thread::Builder::new().name("search".to_owned());
        let thread = thread.spawn(work)?;
        Ok(Self {
            tasks: Some(tasks),
            thread: Some(thread),
        })
    }

    /// Makes the searcher for a ruleset; where that fails, the one there is stays.
    pub(crate) fn load(&self, rules: &Arc<Rules>) -> Result<(), String> {
        let (sender, answer) = channel();
        self.tell(Task::Load(Arc::clone(rules), sender));
        let lost = || Err("the search ended with an internal error".to_owned());
        answer.recv().unwrap_or_else(|_| lost())
    }

    /// Begins a search; what it finds is reported from its thread.
    pub(crate) fn think(&self, job: Job) {
        self.tell(Task::Think(Box::new(job)));
    }

    /// Says something after the searches that were begun.
    pub(crate) fn say(&self, words: impl FnOnce() + Send + 'static) {
        self.tell(Task::Say(Box::new(words)));
    }

    fn tell(&self, task: Task) {
        if let Some(tasks) = &self.tasks {
            // The thread ends only with its owner.
            let _ = tasks.send(task);
        }
    }
}

impl Drop for SearchThread {
    fn drop(&mut self) {
        self.tasks = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Does one task after the other until there will be no more.
fn work(tasks: &Receiver<Task>, make_searcher: &MakeSearcher, seed: u64) {
    let mut searcher = None;
    while let Ok(task) = tasks.recv() {
        match task {
            Task::Load(rules, answer) => {
                let made = guarded(|| make_searcher(&rules)).and_then(|made| made);
                let _ = answer.send(made.map(|made| searcher = Some(made)));
            }
            Task::Say(words) => words(),
            Task::Think(mut job) => {
                if let Err(reason) = guarded(|| think(&mut job, searcher.as_mut(), seed)) {
                    (job.report)(SearchEvent::Failed(reason));
                }
            }
        }
    }
}

fn think(job: &mut Job, searcher: Option<&mut Searcher>, seed: u64) {
    if job.game.outcome().is_some() {
        job.wait_for_leave();
        return (job.report)(SearchEvent::Done(None));
    }
    let Some(searcher) = searcher else {
        return (job.report)(SearchEvent::Failed("no network is loaded".to_owned()));
    };
    let mut search = Search::new(&searcher.search, job.game.clone(), Mode::Match, seed);
    search.look_only_at(std::mem::take(&mut job.only));
    run(&mut search, searcher, job);
}

/// Runs what others wrote; a panic becomes an error.
fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
        format!("internal error: {}", text.unwrap_or_default())
    })
}

/// Visits of a search's first part where its end is not known beforehand; each further part is as long as all before.
const FIRST_PART: u32 = 64;

/// The longest part, so that Sequential Halving begins anew now and then.
const LONGEST_PART: u32 = 4096;

/// Visits beyond which counters would overflow.
const MOST_VISITS: u32 = 1_000_000_000;

/// Visits with certain results after which a search looks whether it must end: some milliseconds.
const CERTAIN_VISITS: u32 = 10_000;

/// Longest time between reports of the lines.
const NEWS_EVERY: Duration = Duration::from_secs(1);

fn run(search: &mut Search, searcher: &mut Searcher, job: &mut Job) {
    let began = Instant::now();
    let mut clock = Clock {
        began,
        told: began,
        next_count: 1,
    };
    let budget = match job.limits.nodes {
        Some(nodes) => nodes.clamp(1, MOST_VISITS),
        None if job.limits == Limits::default() => searcher.search.visits,
        None => MOST_VISITS,
    };
    let most = if job.ponders { MOST_VISITS } else { budget };
    // A budget that is known is one search, as in a match; else it grows part by part.
    let is_known = job.limits.movetime.is_none() && job.limits.depth.is_none();
    let must_end = |search: &Search, job: &Job, clock: &Clock| must_end(search, job, clock, budget);
    let mut done = 0;
    'parts: while done < most {
        let part = if is_known && most < MOST_VISITS {
            most
        } else {
            done.clamp(FIRST_PART, LONGEST_PART).min(most - done)
        };
        search.set_visits(part);
        search.search_on();
        loop {
            match search.select_within(CERTAIN_VISITS) {
                Some(Step::Evaluate) => {
                    search.evaluate(searcher.evaluator.as_mut());
                }
                Some(Step::Finished) => break,
                None => {}
            }
            clock.tell(search, job);
            if must_end(search, job, &clock) {
                break 'parts;
            }
        }
        let visits = search.root_stats().visits;
        // Nothing is left to find out, or it is time, though no visit of the part needed an evaluation.
        if visits < done.saturating_add(part) || must_end(search, job, &clock) {
            break;
        }
        done = visits;
    }
    job.wait_for_leave();
    let search_report = SearchReport::of(search, job.lines, began.elapsed());
    (job.report)(SearchEvent::Progress(&search_report));
    (job.report)(SearchEvent::Done(Some(&search_report)));
}

fn must_end(search: &Search, job: &Job, clock: &Clock, budget: u32) -> bool {
    let is_full = || search.tree_size().bytes >= job.memory;
    if job.stop.is_up() || is_full() {
        return true;
    }
    let Some(since) = job.limited_since(clock.began) else {
        return false;
    };
    let is_late = |time| since.elapsed() >= time;
    let is_deep = |depth| search.line(depth).len() >= depth;
    let has_all = job.ponders && search.visits_done() >= budget;
    has_all || job.limits.movetime.is_some_and(is_late) || job.limits.depth.is_some_and(is_deep)
}

/// When lines are reported: after 1, 2, 4, 8 ... visits, and each second.
struct Clock {
    began: Instant,
    told: Instant,
    next_count: u32,
}

impl Clock {
    fn tell(&mut self, search: &Search, job: &mut Job) {
        let visits = search.visits_done();
        if visits < self.next_count && self.told.elapsed() < NEWS_EVERY {
            return;
        }
        self.told = Instant::now();
        self.next_count = self.next_count.max(visits.saturating_mul(2)).max(1);
        if visits > 0 {
            let search_report = SearchReport::of(search, job.lines, self.began.elapsed());
            (job.report)(SearchEvent::Progress(&search_report));
        }
    }
}
