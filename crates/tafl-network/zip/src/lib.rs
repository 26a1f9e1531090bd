//! Archives of files that are stored as they are: what tch and torch-sys name of the crate `zip` 0.6, from a later one.
//!
//! tch asks for all features of that crate, for archives that nobody here reads or downloads: five compressions and three
//! ciphers, compiled twice, a tenth of the build.

pub use archives::{CompressionMethod, DateTime, ZipArchive, ZipWriter, result};

/// Writing.
pub mod write {
    pub use archives::write::SimpleFileOptions as FileOptions;
}
