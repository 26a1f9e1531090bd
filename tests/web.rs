//! The page of `tafl web` in Chromium, from a file and without a network: its rules against the native ones, its search
//! against the native one, and all that a reader does.

mod support;

#[path = "support/browser.rs"]
mod browser;
#[path = "web/page.rs"]
mod page;

#[path = "web/analyze.rs"]
mod analyze;
#[path = "web/broken.rs"]
mod broken;
#[path = "web/editor.rs"]
mod editor;
#[path = "web/levels.rs"]
mod levels;
#[path = "web/looks.rs"]
mod looks;
#[path = "web/play.rs"]
mod play;
#[path = "web/rules.rs"]
mod rules;
#[path = "web/search.rs"]
mod search;
