//! The page to play and analyze: one HTML file with the engine, networks and a book in it.

use crate::{Book, Fields, NetCard};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;

const FRAME: &str = include_str!("../page/frame.html");
const WORKER: &str = include_str!("../page/worker.js");
const STYLE: &str = include_str!("../page/play.css");
/// The JSON schema of ruleset files, of which the editor makes its controls.
const SCHEMA: &str = include_str!("../../../configs/rulesets/ruleset.schema.json");
const SCRIPTS: [&str; 13] = [
    include_str!("../page/words.js"),
    include_str!("../page/engine.js"),
    include_str!("../page/tree.js"),
    include_str!("../page/table.js"),
    include_str!("../page/clock.js"),
    include_str!("../page/games.js"),
    include_str!("../page/play.js"),
    include_str!("../page/learn.js"),
    include_str!("../page/review.js"),
    include_str!("../page/analyze.js"),
    include_str!("../page/editor.js"),
    include_str!("../page/link.js"),
    include_str!("../page/app.js"),
];

/// What a page is made of.
#[derive(Debug, Clone, Copy)]
pub struct PlayPage<'a> {
    /// How it looks but for what only this page has: the style of `tafl report`'s pages.
    pub style: &'a str,
    /// Scripts for text, charts and boards: those of `tafl report`'s pages.
    pub scripts: &'a [&'a str],
    /// The engine, built for WebAssembly.
    pub engine: &'a [u8],
    /// Networks, in safetensors, with what is known of them.
    pub nets: &'a [(NetCard, Vec<u8>)],
    /// Rulesets that neither are presets nor were learned by a network.
    pub rulesets: &'a [Fields],
    /// The ruleset with which it opens, if not that of its first network.
    pub first: Option<&'a str>,
    /// Games of others.
    pub book: &'a Book,
}

impl PlayPage<'_> {
    /// Returns the page. It needs nothing beside itself: no network, no other file.
    ///
    /// # Panics
    /// Never: the data is made of numbers, texts and lists, which JSON can hold.
    pub fn html(&self) -> String {
        #[derive(Serialize)]
        struct Data<'a> {
            engine: String,
            nets: Vec<(&'a NetCard, String)>,
            rulesets: &'a [Fields],
            first: Option<&'a str>,
            book: &'a Book,
        }
        let nets = self.nets.iter();
        let data = Data {
            engine: STANDARD.encode(self.engine),
            nets: nets
                .map(|(card, bytes)| (card, STANDARD.encode(bytes)))
                .collect(),
            rulesets: self.rulesets,
            first: self.first,
            book: self.book,
        };
        let data = serde_json::to_string(&data).expect("numbers, texts and lists");
        // From the last place to the first, so that nothing within a part is taken for a place.
        [
            // Within a script element only `<` could end it or begin a comment.
            ("{{data}}", data.replace('<', "\\u003c")),
            ("{{script}}", [self.scripts, &SCRIPTS].concat().join("\n")),
            ("{{schema}}", SCHEMA.to_owned()),
            ("{{worker}}", WORKER.to_owned()),
            ("{{style}}", self.style.to_owned() + STYLE),
        ]
        .iter()
        .fold(FRAME.to_owned(), |html, (place, part)| {
            html.replacen(place, part, 1)
        })
    }
}
