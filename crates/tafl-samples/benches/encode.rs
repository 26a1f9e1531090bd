//! Nanoseconds to encode a position, and to make a sample of a batch.
#![expect(clippy::print_stdout, reason = "a bench reports on stdout")]

#[path = "../tests/playouts/mod.rs"]
mod playouts;

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;
use tafl_rules::Rules;
use tafl_samples::{Batch, CappedValue, PLANES, Plane, Sample, TargetConfig, encode, samples_of};

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
        capped_value: CappedValue::Draw,
        proven_results: false,
    };
    let rules = [Arc::clone(&rules)];
    let batch: Vec<&Sample> = samples.iter().take(256).collect();
    report("batch_sample", batch.len(), || {
        let batch = Batch::new(&batch, &rules, &targets, 1).expect("a batch");
        assert_eq!(black_box(batch).wdl.len(), 256);
    });
}

fn encode_all<T: Plane + PartialEq>(samples: &[Sample], rules: &Rules) {
    let mut planes = vec![T::ZERO; rules.shape().squares() * PLANES];
    for sample in samples {
        encode(&sample.facts, rules, black_box(&mut planes));
    }
    let king = planes
        .iter()
        .skip(4)
        .step_by(PLANES)
        .filter(|&&plane| plane == T::ONE);
    assert_eq!(king.count(), 1);
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
