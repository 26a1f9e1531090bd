//! What the tests of runs and workers share.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use tafl_network::{Network, Origin};
use tafl_training::{Begin, Loaded, Run, Silent, load, train};

/// Returns a shipped config with changes such as `search.visits=4`.
pub(crate) fn config(name: &str, changes: &[&str]) -> Loaded {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../configs");
    let changes = changes
        .iter()
        .map(|change| change.parse().expect("a change"));
    load(&folder.join(name), &changes.collect::<Vec<_>>()).expect("a sound config")
}

/// Trains a new run to its end and returns its folder.
pub(crate) fn trained(loaded: Loaded, data: &Path, name: &str) -> PathBuf {
    trained_from(loaded, data, name, None)
}

/// The same for a run that begins with the weights of a network.
pub(crate) fn trained_from(
    loaded: Loaded,
    data: &Path,
    name: &str,
    from: Option<&(Network, Origin)>,
) -> PathBuf {
    let run = Run::open(loaded, data, Some(name), Begin::New, Arc::new(Silent));
    let run = run.expect("a new run");
    train(&run, from).expect("it trains");
    run.folder().to_owned()
}
