//! The two programs: `tafl`, linked without libtorch, and `tafl-torch` with it; or `tafl` alone, built without it.

use crate::{command_line, process};
use std::process::ExitCode;

/// Does what the arguments of the process say: itself what needs no network, else as [`tafl_torch`] beside it.
///
/// Most of what needs no network takes less time than libtorch takes to load, so this program is linked without it. Built without
/// libtorch it does all that is left itself.
pub fn tafl() -> ExitCode {
    main::<{ !cfg!(feature = "libtorch") }>()
}

/// Does what the arguments of the process say.
#[cfg(feature = "libtorch")]
pub fn tafl_torch() -> ExitCode {
    main::<true>()
}

fn main<const BY_ITSELF: bool>() -> ExitCode {
    process::prepare();
    process::guard(|| {
        process::check_output()?;
        command_line::parse(std::env::args_os())?.run::<BY_ITSELF>()
    })
}
