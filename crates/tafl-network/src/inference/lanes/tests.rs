//! Lanes on simulated devices; no time passes but that of a clock which is counted.

use super::*;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

impl Rows for usize {
    fn rows(&self) -> usize {
        *self
    }
}

/// A device that takes `launch` for each batch and one for every `rows` of it, one batch after the other, and workers who
/// take `search[w]` to prepare each of two groups of leaves.
struct Simulation<'a> {
    launch: u64,
    rows: u64,
    group: usize,
    search: &'a [u64],
}

/// What came of a simulation.
struct Simulated {
    /// Evaluations of each worker.
    evaluations: Vec<u64>,
    /// Rows of each batch.
    batches: Vec<usize>,
}

enum Event {
    /// A worker has prepared a group.
    Asks(usize),
    /// A batch with the leaves of these workers is done.
    Answers(Vec<usize>),
}

impl Simulation<'_> {
    /// Runs until `end`, with batches of all that waits, or of one request each.
    fn run(&self, end: u64, is_shared: bool) -> Simulated {
        let workers = self.search.len();
        let mut evaluations = vec![0; workers];
        let mut batches = Vec::new();
        let (mut waiting, mut under_way, mut free_at) = (VecDeque::new(), 0, 0);
        // Groups that a worker could search, and whether it does.
        let mut ready = vec![2; workers];
        let mut is_busy = vec![false; workers];
        let mut events = Vec::new();
        let mut times = BinaryHeap::new();
        let mut now = 0;
        while now < end {
            for worker in 0..workers {
                if ready[worker] > 0 && !is_busy[worker] {
                    (ready[worker], is_busy[worker]) = (ready[worker] - 1, true);
                    times.push(Reverse((now + self.search[worker], events.len())));
                    events.push(Some(Event::Asks(worker)));
                }
            }
            while !waiting.is_empty() && (!is_shared || under_way < LANES) {
                let taken = if is_shared {
                    batch(&mut waiting, |_| self.group)
                } else {
                    waiting.pop_front().into_iter().collect()
                };
                let rows = taken.len() * self.group;
                free_at = now.max(free_at) + self.launch + rows as u64 / self.rows;
                under_way += 1;
                batches.push(rows);
                times.push(Reverse((free_at, events.len())));
                events.push(Some(Event::Answers(taken)));
            }
            let Some(Reverse((time, event))) = times.pop() else {
                break;
            };
            now = time;
            match events[event].take().expect("an event happens once") {
                Event::Asks(worker) => {
                    is_busy[worker] = false;
                    waiting.push_back(worker);
                }
                Event::Answers(taken) => {
                    under_way -= 1;
                    for worker in taken {
                        ready[worker] += 1;
                        evaluations[worker] += self.group as u64;
                    }
                }
            }
        }
        Simulated {
            evaluations,
            batches,
        }
    }
}

#[test]
fn batches_fill_while_the_device_is_busy() {
    let mut simulation = Simulation {
        launch: 400,
        rows: 4,
        group: 64,
        search: &[600; 14],
    };
    let end = 1_000_000;
    let (shared, apart) = (simulation.run(end, true), simulation.run(end, false));
    let sum = |it: &Simulated| it.evaluations.iter().sum::<u64>();
    assert!(
        sum(&shared) > 4 * sum(&apart),
        "{} {}",
        sum(&shared),
        sum(&apart)
    );
    let mean = shared.batches.iter().sum::<usize>() / shared.batches.len();
    assert!(mean > 4 * simulation.group, "{mean} rows");
    // With more workers than a batch has room for, it is full and no fuller.
    simulation.search = &[600; 80];
    let full = simulation.run(end, true).batches;
    assert_eq!(full.iter().max(), Some(&MOST_ROWS));
    assert!(full.iter().filter(|rows| **rows == MOST_ROWS).count() * 10 > full.len() * 9);
}

#[test]
fn no_worker_waits_for_another() {
    let run = |search: &[u64]| {
        let simulation = Simulation {
            launch: 100,
            rows: 4,
            group: 64,
            search,
        };
        simulation.run(1_000_000, true).evaluations
    };
    // One worker whose partner thinks for long, for example.
    let (even, uneven) = (
        run(&[600; 8]),
        run(&[600, 600, 600, 30_000, 600, 600, 600, 600]),
    );
    for worker in [0, 1, 2, 4, 5, 6, 7] {
        let (even, uneven) = (even[worker], uneven[worker]);
        assert!(
            uneven * 100 >= even * 99,
            "worker {worker}: {uneven} of {even}"
        );
        // It searches all the time.
        assert!(
            uneven * 600 * 100 >= 64 * 1_000_000 * 98,
            "worker {worker}: {uneven}"
        );
    }
    assert!(
        uneven[3] * 30_000 * 10 >= 64 * 1_000_000 * 9,
        "{}",
        uneven[3]
    );
}

#[test]
fn what_waits_becomes_one_batch_and_nothing_waits_for_it_to_fill() {
    let (begun, begins) = channel();
    let (permit, permits) = channel::<()>();
    let permits = Arc::new(Mutex::new(permits));
    let lanes = Lanes::start(move || {
        let (begun, permits) = (begun.clone(), permits.clone());
        Ok(move |requests: &[usize]| {
            begun.send(requests.to_vec()).unwrap();
            permits.lock().unwrap().recv().unwrap();
            Ok(requests.iter().map(|rows| rows * 10).collect())
        })
    });
    let lanes = lanes.unwrap();
    let first = [1, 2].map(|rows| {
        let asked = lanes.ask(rows);
        assert_eq!(begins.recv().unwrap(), [rows], "the device is idle");
        asked
    });
    let others: Vec<_> = [3, 4, 5, 6].map(|rows| lanes.ask(rows)).into();
    permit.send(()).unwrap();
    assert_eq!(begins.recv().unwrap(), [3, 4, 5, 6]);
    permit.send(()).unwrap();
    permit.send(()).unwrap();
    let asked = first.iter().chain(&others);
    let answers: Vec<_> = asked.map(|asked| answer(asked).unwrap()).collect();
    assert_eq!(answers, [10, 20, 30, 40, 50, 60]);
}

#[test]
fn a_device_that_fails_tells_all_who_wait() {
    let failed = || NetworkError::Torch("out of memory".to_owned());
    let refused = Lanes::<usize, usize>::start(move || {
        Err::<fn(&[usize]) -> Result<Vec<usize>, NetworkError>, _>(failed())
    });
    assert_eq!(refused.err(), Some(failed()));
    let lanes = Lanes::<usize, usize>::start(move || {
        Ok(move |requests: &[usize]| {
            assert_ne!(requests[0], 7, "the device falls off the bus");
            Err(failed())
        })
    });
    let lanes = lanes.unwrap();
    assert_eq!(answer(&lanes.ask(1)), Err(failed()));
    let fell = answer(&lanes.ask(7)).unwrap_err().to_string();
    assert!(fell.contains("has ended"), "{fell}");
    assert!(answer(&lanes.ask(1)).is_err());
}
