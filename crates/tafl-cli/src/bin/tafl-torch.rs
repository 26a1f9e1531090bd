//! `tafl` with libtorch: the whole program, by itself.

fn main() {
    tafl_cli::tafl_torch()
}
