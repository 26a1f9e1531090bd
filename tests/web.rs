//! The page of `tafl web` in Chromium, from a file and without a network: its rules against the native ones, its search
//! against the native one, and all that a reader does.

mod page;

mod analyze;
mod broken;
mod editor;
mod games;
mod learn;
mod levels;
mod looks;
mod play;
mod rules;
mod search;
