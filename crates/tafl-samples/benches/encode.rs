//! Nanoseconds to encode a position, and to make a sample of a batch.
#![expect(clippy::print_stdout, reason = "a bench reports on stdout")]

#[path = "../tests/playouts/mod.rs"]
mod playouts;

use ndarray::{Array3, Axis};
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;
use tafl_rules::Rules;
use tafl_samples::{Batch, PLANES, Plane, Sample, TargetConfig, encode, samples_of};

fn main() {
    let rules = Rules::preset("copenhagen").expect("a preset");
    assert_eq!(playouts::all_rules().len(), 7);
    let record = playouts::random_record(&rules, 1, 1_002);
    let samples = samples_of(&record, &rules).expect("a game");
    report("encode_f32", samples.len(), || {
        encode_all::<f32>(&samples, &rules)
    });
    report("encode_bf16", samples.len(), || {
        encode_all::<half::bf16>(&samples, &rules)
    });
    let targets = TargetConfig {
        value_lambda: 0.0,
        proven_results: false,
    };
    let rules = [Arc::clone(&rules)];
    let batch: Vec<&Sample> = samples.iter().take(256).collect();
    report("batch_sample", batch.len(), || {
        let batch = Batch::new(&batch, &rules, &targets, 1).expect("a batch");
        assert_eq!(black_box(batch).len(), 256);
    });
}

fn encode_all<T: Plane + PartialEq>(samples: &[Sample], rules: &Rules) {
    let size = usize::from(rules.shape().size());
    let mut planes = Array3::from_elem((size, size, PLANES), T::ZERO);
    for sample in samples {
        encode(&sample.facts, rules, black_box(planes.view_mut()));
    }
    let king = planes.index_axis(Axis(2), 4);
    assert_eq!(king.iter().filter(|&&plane| plane == T::ONE).count(), 1);
}

fn report(name: &str, count: usize, mut work: impl FnMut()) {
    work();
    let times = (0..15).map(|_| {
        let start = Instant::now();
        (0..20).for_each(|_| work());
        start.elapsed().as_nanos() as usize / (20 * count)
    });
    println!("{name}: {} ns", times.min().unwrap_or(0));
}
