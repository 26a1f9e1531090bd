//! The two programs: `tafl`, linked without libtorch, and `tafl-torch` with it; or `tafl` alone, built without it.

use crate::{command_line, process};

/// Does what the arguments of the process say, and ends it: itself what needs no network, else as [`tafl_torch`] beside it.
///
/// Most of what needs no network takes less time than libtorch takes to load, so this program is linked without it. Built without
/// libtorch it does all that is left itself.
pub fn tafl() -> ! {
    main::<{ !cfg!(feature = "libtorch") }>()
}

/// Does what the arguments of the process say, and ends it.
#[cfg(feature = "libtorch")]
pub fn tafl_torch() -> ! {
    main::<true>()
}

fn main<const BY_ITSELF: bool>() -> ! {
    process::prepare();
    process::guard(|| {
        process::check_output()?;
        command_line::parse(std::env::args_os())?.run::<BY_ITSELF>()
    })
}
