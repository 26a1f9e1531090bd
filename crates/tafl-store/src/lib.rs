#![doc = include_str!("../README.md")]

mod atomic;
mod checksum;
mod difference;
mod error;
mod file;
mod journal;
mod lock;
mod manifest;
mod run;
mod store;
mod sweep;

pub use atomic::{
    append_line, create_file, create_folder, is_temporary, leftover_of, remove_if_there,
    write_atomically, write_folder, write_json, write_new,
};
pub use checksum::{FileEntry, ShardCount, sha256_hex};
pub use error::StoreError;
pub use file::{MOST_TEXT_BYTES, entries, open_file, read_file, read_text, without_mark};
pub use journal::{AbandonedJournal, Journal};
pub use lock::{lock_file, lock_folder, lock_plainly};
pub use manifest::{MANIFEST_FORMAT, Manifest, Settings, StoreKind, Verified};
pub use run::{
    CARD, RunSettings, RunStage, WEIGHTS, checkpoint_folder, checkpoints, generation_folder,
    is_checkpoint, is_checkpoint_or_run, numbered,
};
pub use store::{Store, file_stem, one_within};
pub use sweep::SweepVariants;
