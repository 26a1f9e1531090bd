//! The replay window keeps the latest positions and draws the same for the same seed.

mod runs;

use tafl_dataset::{
    ReplayWindow, RunInfo, RunManifest, WindowConfig, WindowError, as_stored, positions_in,
    read_games, sample_files, write_shard,
};
use tafl_samples::Sample;

const FIXED: WindowConfig = WindowConfig {
    minimum: 300,
    scale: 0.0,
    exponent: 0.75,
    maximum: 300,
};

fn manifest() -> RunManifest {
    RunManifest::new(RunInfo {
        run: "test".into(),
        version: String::new(),
        git_commit: Some("0".repeat(40)),
        seed: 1,
        config_sha256: String::new(),
        rulesets: [].into(),
        libtorch: String::new(),
        device: "cpu".into(),
        precision: "bf16".into(),
    })
}

#[test]
fn sizes_follow_the_law() {
    let config = WindowConfig {
        minimum: 250_000,
        scale: 0.4,
        exponent: 0.75,
        maximum: 20_000_000,
    };
    assert_eq!(config.size(0), 0);
    assert_eq!(config.size(250_000), 250_000);
    // 250,000 * (1 + 0.4 * (4^0.75 - 1) / 0.75) = 250,000 * 1.975161
    assert_eq!(config.size(1_000_000), 493_790);
    assert_eq!(
        WindowConfig {
            maximum: 400_000,
            ..config
        }
        .size(1_000_000),
        400_000
    );
    assert_eq!(
        WindowConfig {
            scale: 0.0,
            ..config
        }
        .size(1_000_000),
        250_000
    );
    assert_eq!(
        WindowConfig {
            scale: 1.0,
            exponent: 1.0,
            ..config
        }
        .size(1_000_000),
        1_000_000
    );
}

#[test]
fn numbers_out_of_range_are_refused_by_name() {
    assert_eq!(FIXED.check(), Ok(()));
    let check = |config: WindowConfig| config.check().unwrap_err();
    assert_eq!(
        check(WindowConfig {
            minimum: 0,
            ..FIXED
        }),
        WindowError::Minimum
    );
    assert_eq!(
        check(WindowConfig {
            scale: 1.5,
            ..FIXED
        }),
        WindowError::Scale(1.5)
    );
    assert!(matches!(
        check(WindowConfig {
            exponent: f64::NAN,
            ..FIXED
        }),
        WindowError::Exponent(_)
    ));
    assert_eq!(
        check(WindowConfig {
            maximum: 299,
            ..FIXED
        })
        .to_string(),
        "field `maximum`: 299 is less than `minimum`, 300"
    );
}

#[test]
fn loading_equals_pushing() {
    let folder = tempfile::tempdir().unwrap();
    let mut manifest = manifest();
    let growing = WindowConfig {
        minimum: 150,
        scale: 0.5,
        exponent: 0.6,
        maximum: 10_000,
    };
    for config in [FIXED, growing] {
        let mut window = ReplayWindow::new(config);
        let mut all: Vec<Sample> = Vec::new();
        for generation in 0..5 {
            let written = runs::generation(folder.path(), generation, 3);
            assert_eq!(
                positions_in(&written.samples_path).unwrap(),
                written.samples.len() as u64
            );
            manifest
                .enter(folder.path(), &written.samples_path)
                .unwrap();
            all.extend(written.samples.clone());
            window.push(written.samples);
            let loaded =
                ReplayWindow::load(config, folder.path(), &manifest, generation + 1).unwrap();
            assert_eq!(
                (loaded.len(), loaded.total()),
                (window.len(), window.total())
            );
            assert_eq!(window.len() as u64, config.size(all.len() as u64));
            let drawn = window.draw(window.len(), 5);
            assert_eq!(drawn, loaded.draw(window.len(), 5));
            let mut sorted = drawn;
            sorted.sort();
            let held: Vec<Sample> = sorted.iter().map(|&index| window.sample(index)).collect();
            let kept: Vec<Sample> = sorted.iter().map(|&index| loaded.sample(index)).collect();
            assert_eq!(held, all[all.len() - held.len()..]);
            assert_eq!(held, kept);
        }
        assert!(window.len() < all.len());
    }
}

#[test]
fn shards_of_two_workers_make_one_window() {
    let folder = tempfile::tempdir().unwrap();
    let mut all: Vec<Sample> = Vec::new();
    for (generation, name) in [(3, "a-0"), (3, "b-0"), (4, "a-1")] {
        let (records, rules) = runs::brandubh_games(generation, 2);
        let provenance = runs::provenance(generation);
        let written = write_shard(folder.path(), name, &records, &rules, &provenance).unwrap();
        assert_eq!(read_games(&written.games_path).unwrap().len(), 2);
        all.extend(written.samples);
    }
    let half = folder.path().join("samples/000003/c-0.tmp.parquet");
    std::fs::write(half, b"half a fi").unwrap();
    let files = sample_files(folder.path()).unwrap();
    let names: Vec<_> = files
        .iter()
        .map(|path| path.strip_prefix(folder.path()).unwrap().to_str().unwrap())
        .collect();
    assert_eq!(
        names,
        ["000003/a-0", "000003/b-0", "000004/a-1"].map(|name| format!("samples/{name}.parquet"))
    );
    let window = ReplayWindow::of_files(FIXED, &files).unwrap();
    assert_eq!(window.total(), all.len() as u64);
    let mut indices = window.draw(window.len(), 1);
    indices.sort();
    let held: Vec<Sample> = indices.iter().map(|&index| window.sample(index)).collect();
    assert_eq!(held, all[all.len() - held.len()..]);
    assert_eq!(sample_files(&folder.path().join("none")).unwrap().len(), 0);
}

#[test]
fn a_damaged_generation_is_not_loaded() {
    let folder = tempfile::tempdir().unwrap();
    let mut manifest = manifest();
    let written = runs::generation(folder.path(), 0, 1);
    manifest
        .enter(folder.path(), &written.samples_path)
        .unwrap();
    let mut bytes = std::fs::read(&written.samples_path).unwrap();
    bytes[100] ^= 1;
    std::fs::write(&written.samples_path, bytes).unwrap();
    assert!(ReplayWindow::load(FIXED, folder.path(), &manifest, 1).is_err());
}

#[test]
fn a_draw_passes_through_all_before_it_repeats() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = ReplayWindow::new(FIXED);
    assert!(window.is_empty() && window.draw(3, 1).is_empty());
    window.push(
        runs::generation(folder.path(), 0, 2)
            .samples
            .into_iter()
            .map(as_stored)
            .collect(),
    );
    let len = window.len();
    let drawn = window.draw(2 * len + 3, 11);
    assert_eq!(drawn.len(), 2 * len + 3);
    for pass in drawn.chunks(len) {
        let mut pass = pass.to_vec();
        pass.sort();
        assert!(pass.windows(2).all(|pair| pair[0] < pair[1]));
    }
    assert_eq!(drawn, window.draw(2 * len + 3, 11));
    assert_ne!(drawn, window.draw(2 * len + 3, 12));
}
