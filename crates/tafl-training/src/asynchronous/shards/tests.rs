//! Which shards a run counts, puts aside and leaves out.

use super::super::validation::{checkpoint, playouts::random_record};
use super::*;
use crate::observer::Observer;
use crate::run::Begin;
use std::sync::{Arc, Mutex, OnceLock};
use tafl_dataset::{Provenance, WrittenGeneration, write_shard};
use tafl_samples::GameRecord;

/// What was said of shards that were put aside.
#[derive(Default)]
struct Heard(Mutex<Vec<String>>);

impl Observer for Heard {
    fn noticed(&self, notice: &Notice<'_>) {
        if let Notice::Skipped { reason, .. } = notice {
            self.0.lock().expect("no panic").push(format!("{reason:#}"));
        }
    }
}

/// How many shards were read, and how many were said to be put aside then.
#[derive(Default)]
struct Reading {
    run: OnceLock<PathBuf>,
    seen: Mutex<Vec<(u64, usize)>>,
}

impl Observer for Reading {
    fn progressed(&self, stage: Stage, done: u64, _: Progress) {
        assert_eq!(stage, Stage::Reading);
        let run = self.run.get().expect("it is there");
        let aside = worker::put_aside(run).expect("readable").len();
        self.seen.lock().expect("no panic").push((done, aside));
    }
}

fn copy(from: &Path, to: &Path, bytes: usize) {
    std::fs::create_dir_all(to.parent().expect("a folder")).expect("made");
    let whole = std::fs::read(from).expect("readable");
    std::fs::write(to, &whole[..bytes.min(whole.len())]).expect("written");
}

/// Copies bytes of a shard, whose games have numbers from `first` on, to where a worker would write it.
fn arrive(run: &Run, [worker, name]: [&str; 2], first: u64, bytes: usize) {
    let target = format!("workers/{worker}/games/000000/{name}.parquet");
    copy(
        &shard(run, 0, first).path,
        &run.folder().join(target),
        bytes,
    );
}

fn config() -> crate::Loaded {
    let smoke = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../configs/smoke.toml");
    let changes = [
        "rulesets=['brandubh']",
        "loop.asynchronous.shard_games=9",
        "loop.generations=200",
        "precision='f32'",
    ];
    let changes = changes.map(|it| it.parse().expect("a change"));
    crate::load(&smoke, &changes).expect("a config")
}

/// Writes a shard of five games, the first of this number, outside the run.
fn shard(run: &Run, generation: u32, first: u64) -> WrittenGeneration {
    let games = (first..first + 5).map(|id| random_record(&run.rules[0], id, 60));
    let games: Vec<GameRecord> = games.collect();
    let provenance = Provenance {
        run: "smoke".to_owned(),
        generation,
        checkpoint: generation.to_string(),
        config_sha256: String::new(),
        weights_sha256: None,
    };
    let folder = run.folder().join("../../else");
    write_shard(&folder, "a", &games, &run.rules, &provenance).expect("written")
}

#[test]
fn a_shard_that_arrives_in_parts_counts_once_it_is_whole_and_a_copy_of_it_never() {
    let data = tempfile::tempdir().expect("a folder");
    let heard = Arc::new(Heard::default());
    let said = || std::mem::take(&mut *heard.0.lock().expect("no panic"));
    let observer: Arc<dyn Observer> = Arc::<Heard>::clone(&heard);
    let run = Run::open(config(), data.path(), None, Begin::New, observer).expect("a run");
    checkpoint(run.folder(), 3, "smoke");
    let shard = shard(&run, 3, 1);
    let worker = run.folder().join("workers/slow");
    let target = worker.join("games/000003/a.parquet");
    let mut shards = Shards::open(&run, 0).expect("no shards");
    let mut look = |bytes: usize| {
        copy(&shard.path, &target, bytes);
        shards.look().expect("a look");
        assert_eq!((shards.count.samples, shards.aside()), (0, 1));
        let said = said();
        // It is as it was, so nothing more is to be said.
        shards.look().expect("a look");
        assert_eq!(heard.0.lock().expect("no panic").len(), 0);
        said
    };
    let half = look(1000);
    assert!(half[0].contains("slow/games/000003/a.parquet"), "{half:?}");
    assert_eq!(look(1100), Vec::<String>::new(), "the same");
    copy(&shard.path, &target, usize::MAX);
    shards.look().expect("a look");
    let counts = (shards.count.samples, shards.count.games, shards.aside());
    assert_eq!(counts, (shard.samples.len() as u64, 5, 0));
    // The same under another name, now and after a restart.
    let copied = run.folder().join("workers/copy/games/000003/b.parquet");
    copy(&shard.path, &copied, usize::MAX);
    shards.look().expect("a look");
    assert!(said()[0].contains("was learned from before"));
    shards.enter().expect("entered");
    let again = Shards::open(&run, 0).expect("the same");
    assert_eq!(
        (again.count.samples, again.count.games, again.aside()),
        (counts.0, 5, 1)
    );
    assert!(said()[0].contains("was learned from before"));

    // A purged worker's samples leave the window, and stay counted.
    drop(again);
    let mut shards = Shards::open(&run, 0).expect("the same");
    assert!(!shards.window.is_empty());
    assert!(shards.to_learn() > 0);
    assert!(worker::purge(run.folder(), "nobody").is_err());
    worker::purge(run.folder(), "slow").expect("purged");
    // Someone who edits the list may leave blanks, and say why.
    let list = run.folder().join("purged-workers.txt");
    std::fs::write(&list, "# Out of tune:\n\n  slow # by far\r\n").expect("written");
    let purged = worker::purged(run.folder()).expect("readable");
    assert!(purged.iter().eq(["slow"]), "{purged:?}");
    shards.look().expect("a look");
    assert!(shards.window.is_empty());
    assert_eq!(shards.count.samples, counts.0);
    assert_eq!(
        shards.to_learn(),
        0,
        "a trainer waits for all that it needs"
    );
    let again = Shards::open(&run, 0).expect("the same");
    assert!(again.window.is_empty());
    assert_eq!(again.count.samples, counts.0);
}

#[test]
fn games_of_the_newest_checkpoint_count_where_those_before_it_were_removed() {
    let data = tempfile::tempdir().expect("a folder");
    let observer = Arc::new(Heard::default());
    let run = Run::open(config(), data.path(), None, Begin::New, observer).expect("a run");
    let mut shards = Shards::open(&run, 0).expect("no shards");
    let target = run.folder().join("workers/fast/games/000003/a.parquet");
    copy(&shard(&run, 3, 1).path, &target, usize::MAX);
    shards.look().expect("a look");
    assert_eq!((shards.count.games, shards.aside()), (0, 1));
    // Checkpoints 1 and 2 came and went between two looks.
    checkpoint(run.folder(), 3, "smoke");
    shards.look().expect("a look");
    assert_eq!((shards.count.games, shards.aside()), (5, 0));
}

#[test]
fn what_no_checkpoint_learned_from_a_purged_worker_does_not_count() {
    let data = tempfile::tempdir().expect("a folder");
    let observer = Arc::new(Heard::default());
    let run = Run::open(config(), data.path(), None, Begin::New, observer).expect("a run");
    checkpoint(run.folder(), 1, "smoke");
    let mut shards = Shards::open(&run, 0).expect("no shards");
    arrive(&run, ["bad", "a"], 1, usize::MAX);
    shards.look().expect("a look");
    assert_eq!((shards.count.games, shards.aside()), (5, 0));
    worker::purge(run.folder(), "bad").expect("purged");
    arrive(&run, ["good", "a"], 10, usize::MAX);
    shards.look().expect("a look");
    let counts = (shards.count, shards.aside());
    assert_eq!((counts.0.games, counts.1), (5, 1));
    shards.enter().expect("entered");
    let again = Shards::open(&run, 0).expect("the same");
    assert_eq!((again.count, again.aside()), counts);
}

#[test]
fn what_is_new_is_read_one_by_one() {
    let data = tempfile::tempdir().expect("a folder");
    let heard = Arc::new(Reading::default());
    let observer: Arc<dyn Observer> = Arc::<Reading>::clone(&heard);
    let run = Run::open(config(), data.path(), None, Begin::New, observer).expect("a run");
    heard.run.set(run.folder().to_owned()).expect("once");
    checkpoint(run.folder(), 1, "smoke");
    let seen = || std::mem::take(&mut *heard.seen.lock().expect("no panic"));
    arrive(&run, ["w", "a"], 1, 1000);
    arrive(&run, ["w", "b"], 10, usize::MAX);
    let mut shards = Shards::open(&run, 0).expect("shards");
    assert_eq!(seen(), [(1, 0), (2, 0)]);
    shards.look().expect("a look");
    assert_eq!(seen(), []);
    // A process that goes on says nothing of what one before it put aside, until it has looked itself.
    let aside = || worker::put_aside(run.folder()).expect("readable").len();
    assert_eq!(aside(), 1);
    Shards::open(&run, 0).expect("the same");
    assert_eq!((seen(), aside()), (vec![(1, 0), (2, 0)], 1));
}

#[test]
fn the_shards_of_a_purged_worker_are_told_of_at_once() {
    let data = tempfile::tempdir().expect("a folder");
    let heard = Arc::new(Heard::default());
    let observer: Arc<dyn Observer> = Arc::<Heard>::clone(&heard);
    let run = Run::open(config(), data.path(), None, Begin::New, observer).expect("a run");
    for (name, first) in [("a", 1), ("b", 10)] {
        arrive(&run, ["bad", name], first, usize::MAX);
    }
    worker::purge(run.folder(), "bad").expect("purged");
    let mut shards = Shards::open(&run, 0).expect("shards");
    assert_eq!((shards.count.games, shards.aside()), (0, 2));
    shards.look().expect("a look");
    let said = heard.0.lock().expect("no panic");
    assert_eq!(*said, ["shards of bad, which was purged: 2"]);
}

#[test]
fn the_window_is_in_the_order_of_the_runs_own_generations() {
    let data = tempfile::tempdir().expect("a folder");
    let heard = Arc::new(Heard::default());
    let said = || std::mem::take(&mut *heard.0.lock().expect("no panic"));
    let observer: Arc<dyn Observer> = Arc::<Heard>::clone(&heard);
    let run = Run::open(config(), data.path(), None, Begin::New, observer).expect("a run");
    checkpoint(run.folder(), 1, "smoke");
    let arrives = |generation: u32, first: u64| {
        let name = format!("w-0123456789abcdef-{first:06}");
        let target = format!("workers/w/games/{generation:06}/{name}.parquet");
        let target = run.folder().join(target);
        copy(&shard(&run, generation, first).path, &target, usize::MAX);
        target
    };
    // A network of another run has learned for longer, and is none of this one's for that.
    let foreign = arrives(140, 1);
    let [newer, older] = [arrives(1, 10), arrives(0, 20)];
    let mut shards = Shards::open(&run, 0).expect("shards");
    assert_eq!(shards.counted, [older.clone(), newer.clone()]);
    let expected = "-000001.parquet: played by checkpoint 140, which this run does not have";
    let complaints = said();
    assert_eq!(complaints.len(), 1);
    assert!(complaints[0].contains(expected), "{complaints:?}");
    // Other processes are told, too, as long as it is so.
    let others = || worker::put_aside(run.folder()).expect("readable");
    assert_eq!(others()[&foreign], complaints[0]);
    let of_worker = || worker::workers(run.folder()).expect("workers")["w"].put_aside;
    assert_eq!(of_worker(), 1);

    // One that comes late stands where it will stand after a restart, and for who removes old samples.
    let late = arrives(0, 30);
    let next = arrives(2, 40);
    shards.look().expect("a look");
    assert_eq!(shards.counted, [&older, &late, &newer].map(PathBuf::clone));
    assert_eq!(said().len(), 1);
    checkpoint(run.folder(), 2, "smoke");
    shards.look().expect("a look");
    assert_eq!(shards.counted.last(), Some(&next));
    assert!(!shards.known.contains(&foreign));
    shards.enter().expect("entered");
    assert_eq!(EnteredGames::of(run.store()).there, shards.counted);
    std::fs::remove_file(&foreign).expect("removed");
    assert_eq!((others().len(), of_worker()), (0, 0));
}

#[test]
fn a_shard_in_the_folder_of_another_generation_is_told_its_own() {
    let data = tempfile::tempdir().expect("a folder");
    let heard = Arc::new(Heard::default());
    let observer: Arc<dyn Observer> = Arc::<Heard>::clone(&heard);
    let run = Run::open(config(), data.path(), None, Begin::New, observer).expect("a run");
    checkpoint(run.folder(), 1, "smoke");
    let shard = shard(&run, 0, 1);
    // One of a checkpoint that is there, and one of none.
    for folder in ["000001", "000009"] {
        let target = format!("games/{folder}/a.parquet");
        copy(&shard.path, &run.folder().join(target), usize::MAX);
    }
    let high = run.folder().join("workers/w/000000/a.parquet");
    copy(&shard.path, &high, usize::MAX);
    let mut shards = Shards::open(&run, 0).expect("shards");
    shards.look().expect("a look");
    assert_eq!((shards.count.games, shards.aside()), (0, 2));
    let mut said = heard.0.lock().expect("no panic");
    let first = said.remove(0);
    assert!(first.ends_with("workers/w/games/000000"), "{first}");
    let expected = ": its games are of generation 0: it belongs in games/000000";
    assert!(
        said.len() == 2 && said.iter().all(|it| it.ends_with(expected)),
        "{said:?}"
    );
}

#[test]
fn what_a_checkpoint_learned_from_before_a_kill_is_not_played_again() {
    let data = tempfile::tempdir().expect("a folder");
    let observer = Arc::new(Heard::default());
    let run = Run::open(config(), data.path(), None, Begin::New, observer).expect("a run");
    checkpoint(run.folder(), 1, "smoke");
    for (name, first) in [("a", 1), ("b", 10)] {
        arrive(&run, ["w", name], first, usize::MAX);
    }
    let counted = |learned: u64| {
        let shards = Shards::open(&run, learned).expect("shards");
        let values: BTreeMap<String, f64> = shards.played.values().into_iter().collect();
        (shards.count.games, values["selfplay/games"])
    };
    assert_eq!([0, 5, 10].map(counted), [(10, 10.0), (10, 5.0), (10, 0.0)]);
}

#[test]
fn generations_come_by_number_before_names() {
    let of = |path: &str| by_generation(Path::new(path));
    let in_order = [
        "z/games/3/b",
        "games/000010/a",
        "w/games/9999999/a",
        "w/games/x/a",
    ];
    let sorted = in_order.map(of).is_sorted();
    assert!(sorted);
}
