//! `tafl`: runs what needs no network, and hands the rest to `tafl-torch` beside it.

fn main() {
    tafl_cli::tafl()
}
