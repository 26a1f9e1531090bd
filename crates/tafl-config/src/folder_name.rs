//! Names that become names of folders.

use crate::schema;
use crate::validate::fits;
use schemars::JsonSchema;

/// The name of a run, a study or a worker, which becomes the name of a folder: what a field holds that has
/// `#[schemars(with = "FolderName")]`.
#[derive(Debug, JsonSchema)]
pub struct FolderName(
    /// The name.
    #[schemars(
        length(min = 1, max = 100),
        extend("pattern" = "^[A-Za-z0-9_-][A-Za-z0-9._-]*$", "x-form" = FolderName::FORM)
    )]
    pub String,
);

impl FolderName {
    /// The characters of such a name, in words.
    pub const FORM: &str = "letters, digits, `.`, `-` and `_`, 100 characters at most";

    /// Returns whether a text may be the name of a folder.
    pub fn is(text: &str) -> bool {
        fits(&text.into(), &schema::<Self>())
    }
}
