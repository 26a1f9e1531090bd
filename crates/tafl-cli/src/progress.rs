//! Progress on stderr: a bar on a terminal, a line every few seconds elsewhere.

use indicatif::{HumanCount, ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

/// Time between two lines where there is no terminal.
const LINE_INTERVAL: Duration = Duration::from_secs(5);

/// Time between two looks of a bar.
const BAR_INTERVAL: Duration = Duration::from_millis(200);

/// Width of the column that names the stage.
const NAME_WIDTH: usize = 10;

/// The progress of one stage, such as the self-play of one generation.
pub(crate) struct Progress {
    name: &'static str,
    unit: &'static str,
    /// `None` if the total is unknown.
    total: Option<u64>,
    started: Instant,
    bar: Option<ProgressBar>,
    last: Mutex<Instant>,
    /// What was done when it was told first, and the time then: a stage may go on from an earlier process.
    first: OnceLock<(u64, Duration)>,
}

impl Progress {
    /// Starts to show a stage that consists of so many units, or goes on until it is stopped.
    ///
    /// With `lines_only` no bar is drawn on a terminal either.
    pub(crate) fn new(
        name: &'static str,
        unit: &'static str,
        total: Option<u64>,
        lines_only: bool,
    ) -> Self {
        let started = Instant::now();
        let draws_bars = std::io::stderr().is_terminal() && !lines_only;
        let bar = draws_bars.then(|| bar(name, unit, total));
        Self {
            name,
            unit,
            total,
            started,
            bar,
            last: Mutex::new(started),
            first: OnceLock::new(),
        }
    }

    /// Shows that `done` units are finished, with `note` beside them, such as a rate.
    pub(crate) fn show(&self, done: u64, note: impl FnOnce() -> String) {
        let interval = match self.bar {
            Some(_) => BAR_INTERVAL,
            None => LINE_INTERVAL,
        };
        let left = self.left(done);
        // Whoever finds the lock taken leaves the news to the other worker.
        let Ok(mut last) = self.last.try_lock() else {
            return;
        };
        if last.elapsed() < interval {
            return;
        }
        *last = Instant::now();
        drop(last);
        let left = left.map_or_else(String::new, |left| format!("about {} left", seconds(left)));
        let parts = [note(), left];
        let parts = parts.iter().filter(|part| !part.is_empty());
        let news: String = parts.map(|part| format!(", {part}")).collect();
        if let Some(bar) = &self.bar {
            bar.set_message(news);
            bar.set_position(done);
            return;
        }
        let (name, unit) = (self.name, self.unit);
        let of = self
            .total
            .map_or_else(String::new, |total| format!("/{total}"));
        eprintln!("  {name:NAME_WIDTH$} {done}{of} {unit}{news}");
    }

    /// Prints a line that stays, above the bar if there is one.
    pub(crate) fn say(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| eprintln!("{line}")),
            None => eprintln!("{line}"),
        }
    }

    /// Ends the progress without a word.
    pub(crate) fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    /// Replaces the progress by one line that sums the stage up.
    pub(crate) fn finish(self, summary: &str) {
        self.clear();
        let (name, took) = (self.name, seconds(self.started.elapsed()));
        eprintln!("  {name:NAME_WIDTH$} {summary}, {took}");
    }

    /// Returns the time that the rest takes, by that of what was done since the first time.
    fn left(&self, done: u64) -> Option<Duration> {
        let (before, began) = *self.first.get_or_init(|| (done, self.elapsed()));
        let [done, total] = [done, self.total?].map(|it| it.saturating_sub(before));
        remaining(self.elapsed().saturating_sub(began), done, total)
    }

    /// Returns the time since the stage began.
    pub(crate) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }
}

fn bar(name: &'static str, unit: &'static str, total: Option<u64>) -> ProgressBar {
    let (bar, count) = match total {
        Some(total) => (ProgressBar::new(total), "{bar:24} {pos}/{len}"),
        None => (ProgressBar::no_length(), "{spinner} {pos}"),
    };
    let template = format!("  {name:NAME_WIDTH$} {count} {unit}{{msg}}");
    let style = ProgressStyle::with_template(&template).expect("the template is well-formed");
    let bar = bar.with_style(style.progress_chars("=> "));
    bar.enable_steady_tick(Duration::from_millis(500));
    bar
}

/// Returns the time a stage will go on for if it goes on as before.
///
/// Unknown before a twentieth is done: games that are played side by side end late, and then together.
fn remaining(elapsed: Duration, done: u64, total: u64) -> Option<Duration> {
    let is_known = done > 0 && done < total && done * 20 >= total;
    is_known.then(|| elapsed.mul_f64((total - done) as f64 / done as f64))
}

/// Returns a duration as people say it: `8.4 s`, `42 s`, `3 min 5 s`, `2 h 10 min`.
pub(crate) fn seconds(duration: Duration) -> String {
    let whole = duration.as_secs_f64().round() as u64;
    match whole {
        0..10 => format!("{:.1} s", duration.as_secs_f64()),
        10..60 => format!("{whole} s"),
        60..3600 => format!("{} min {} s", whole / 60, whole % 60),
        _ => format!("{} h {} min", whole / 3600, whole % 3600 / 60),
    }
}

/// Returns a number with thousands separated: `12,345`.
pub(crate) fn thousands(number: u64) -> String {
    HumanCount(number).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_and_numbers_read_as_people_write_them() {
        let texts = [8.44, 42.0, 185.0, 7800.0].map(|s| seconds(Duration::from_secs_f64(s)));
        assert_eq!(texts, ["8.4 s", "42 s", "3 min 5 s", "2 h 10 min"]);
        assert_eq!(
            [0, 999, 1000, 1_234_567].map(thousands),
            ["0", "999", "1,000", "1,234,567"]
        );
    }

    #[test]
    fn what_an_earlier_process_did_says_nothing_of_the_speed() {
        let progress = Progress::new("match", "games", Some(100), true);
        assert_eq!(progress.left(90), None);
        std::thread::sleep(Duration::from_millis(20));
        // One of the ten that were left took so long.
        let left = progress.left(91).expect("a tenth is done");
        assert!(left >= Duration::from_millis(9 * 20), "{left:?}");
    }

    #[test]
    fn half_done_takes_as_long_again() {
        let elapsed = Duration::from_secs(30);
        assert_eq!(remaining(elapsed, 50, 100), Some(elapsed));
        assert_eq!(
            [0, 4, 100].map(|done| remaining(elapsed, done, 100)),
            [None; 3]
        );
    }
}
