//! `tafl` with libtorch: the whole program, by itself.

fn main() -> std::process::ExitCode {
    tafl_cli::tafl_torch()
}
