#![doc = include_str!("../README.md")]

mod decode;
mod error;
mod fields;
mod folder_name;
mod path;
mod read;
mod ruleset;
mod schema;
mod show;
mod spelling;
mod validate;
mod words;

#[cfg(test)]
mod tests;

pub use decode::check;
pub use error::{ConfigError, Fault, Faults};
pub use fields::{Field, fields, find};
pub use folder_name::FolderName;
pub use path::value;
pub use read::{Change, Document, no_longer, read, read_text};
pub use ruleset::{RulesetFile, load_ruleset, read_ruleset, ruleset_table};
pub use schema::schema;
pub use show::{
    Difference, defaults, difference, difference_of_tables, display, flat, mistakes, show, table,
};
pub use spelling::{nearest, similar, spelled};
pub use words::{Meant, meant};

/// Bytes of a file that people write, such as a config, at most: 1 MiB.
pub const MOST_CONFIG_BYTES: u64 = 1 << 20;

/// What a config file describes, or a section of one.
///
/// Ranges are at the fields as `#[schemars(range(..))]`, defaults in `impl Default`; see the README of the crate.
pub trait Config: serde::de::DeserializeOwned + schemars::JsonSchema {
    /// Fields of earlier versions, and what to do about each, such as "use `loop.games`": the message about one says so.
    const REMOVED: &'static [(&'static str, &'static str)] = &[];

    /// What the names mean that other programs have for the same things; see [`meant`].
    const WORDS: &'static str = "";

    /// What is said of an unknown field that is like none that there is.
    const NONE_SUCH: &'static str = "";

    /// Names of the files in which the program itself keeps such a config. There removed fields are passed over, so that what
    /// earlier versions kept can be read.
    const KEPT_AS: &'static [&'static str] = &[];

    /// The field that has the file's name where the file gives it no value, if there is one.
    const CALLED_AS_FILE: Option<&'static str> = None;

    /// Adds to the table of a file what it says elsewhere, such as by naming what it is based on; called again without the
    /// fields that are wrong.
    fn complete(_table: &mut toml::Table, _file: &std::path::Path) {}

    /// Puts what an earlier version kept into the fields of today, before removed fields are passed over.
    fn translate(_kept: &mut toml::Table) {}

    /// Returns what is wrong between fields that are each in their range, such as a minimum above its maximum.
    ///
    /// A config asks its sections: `self.search.relations()`, each [within](ConfigError::within) the section's name.
    fn relations(&self) -> Vec<ConfigError> {
        Vec::new()
    }
}
