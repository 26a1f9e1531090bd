//! Folders in which tests play, and processes that play there.

use crate::support::{run, tafl};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Output, Stdio};
use std::time::{Duration, Instant};
use tafl_dataset::game_files;
use tafl_samples::{PlayerId, derive_seed};

/// A folder in which everything of a test lies.
pub(crate) struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        Self { folder }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn text(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        run(self.folder.path(), arguments)
    }

    pub(crate) fn start(&self, arguments: &[&str]) -> Started {
        let child = tafl(self.folder.path(), arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        Started(Some(child.expect("it starts")))
    }
}

/// A process that ends with the test at the latest.
pub(crate) struct Started(Option<Child>);

impl Started {
    pub(crate) fn child(&mut self) -> &mut Child {
        self.0.as_mut().expect("it runs")
    }

    pub(crate) fn kill(&mut self) {
        self.child().kill().expect("a child can be killed");
        self.child().wait().expect("it ends");
    }

    pub(crate) fn signal(&mut self, name: &str) {
        let id = self.child().id().to_string();
        let status = std::process::Command::new("kill")
            .args([name, &id])
            .status();
        assert!(status.expect("kill runs").success());
    }

    /// Waits until a line of what it says beside its results contains `words`. What was said until then is read.
    pub(crate) fn until_said(&mut self, words: &str) {
        let says = self.child().stderr.as_mut().expect("it is piped");
        let (mut said, mut byte) = (Vec::new(), [0]);
        loop {
            let read = says.read(&mut byte).expect("it can be read");
            said.extend_from_slice(&byte[..read]);
            let text = String::from_utf8_lossy(&said);
            assert!(read > 0, "it never said {words:?}: {text}");
            if byte == *b"\n" && text.contains(words) {
                return;
            }
        }
    }

    pub(crate) fn end(mut self) -> Output {
        let child = self.0.take().expect("it runs");
        child.wait_with_output().expect("it ends")
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        if let Some(child) = &mut self.0 {
            let _ = child.kill();
        }
    }
}

/// Waits until something is so.
pub(crate) fn until(what: &str, is_so: impl Fn() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < Duration::from_secs(60), "never: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// All games in the shards of a folder by number, each with its seed and generation, after checking that every file
/// can be read, that no game comes twice, and that the generation's
/// checkpoint plays, unless the game is taught.
pub(crate) fn games_in(folder: &Path) -> BTreeMap<u64, (u64, u32)> {
    let mut all = BTreeMap::new();
    for path in game_files(folder).expect("a folder") {
        let games = tafl_dataset::read_searched_games(&path).expect("readable");
        for game in &games {
            let seed = derive_seed(1, &[game.generation.into(), game.game_id]);
            assert_eq!(game.seed, seed);
            let newest = [
                PlayerId::Checkpoint(game.generation),
                PlayerId::Other("untrained".to_owned()),
            ];
            let players = [&game.attackers, &game.defenders];
            let is_taught = game.teachers().is_some();
            assert!(
                is_taught || players.iter().any(|&player| newest.contains(player)),
                "{players:?}"
            );
            let before = all.insert(game.game_id, (game.seed, game.generation));
            assert_eq!(before, None, "game {} is there twice", game.game_id);
        }
    }
    all
}

/// The number of files of shards in progress.
pub(crate) fn left_in_progress(folder: &Path) -> usize {
    let entries = std::fs::read_dir(folder.join("in-progress")).expect("a folder");
    entries.count()
}

/// The numbers of the games that are whole in files of shards in progress.
pub(crate) fn spooled(folder: &Path) -> BTreeSet<u64> {
    let Ok(entries) = std::fs::read_dir(folder.join("in-progress")) else {
        return BTreeSet::new();
    };
    let texts = entries.map(|entry| std::fs::read(entry.expect("an entry").path()).expect("there"));
    let number = |line: &[u8]| {
        let line: serde_json::Value = serde_json::from_slice(line.strip_suffix(b"\n")?).ok()?;
        line["game_id"].as_u64()
    };
    let of_text = |text: Vec<u8>| -> Vec<u64> {
        let lines = text.split_inclusive(|&byte| byte == b'\n');
        lines.filter_map(number).collect()
    };
    texts.flat_map(of_text).collect()
}

/// Asserts that none of the games is lost that were finished before; returns those that are finished now.
pub(crate) fn none_lost(finished: &BTreeSet<u64>, folder: &Path, kill: usize) -> BTreeSet<u64> {
    // What one process left in progress may still be there if the next was killed before it took it over.
    let mut now = spooled(folder);
    now.extend(games_in(folder).keys());
    let lost: Vec<&u64> = finished.difference(&now).collect();
    assert_eq!(lost, Vec::<&u64>::new(), "after kill {kill}");
    now
}
