#!/usr/bin/env bash
# hnefatafl-copenhagen 6.4.1: its module `glicko` moves a rating by up to half more than Glicko does.
#
# Good guess: the crate that runs a Hnefatafl server rates by Glicko, as its module says; one game gives what Glickman's
#   paper and other crates give, and the deviation of the opponent counts.
# What happens: Glicko multiplies the surprise by q / (1/RD^2 + 1/d^2). The crate closes the parenthesis too early and
#   computes q / (1/RD^2) + 1/d^2, so the term that should damp the step makes it longer. And where the paper takes
#   the opponent's deviation, the crate takes the player's own: update_rating has no argument for the other one.
#   Two newcomers are 472 points apart after one game instead of 324.
# Who cares: whoever compares an engine's rating of that server with one computed here, or reuses the module.
# Seen on 2026-11-29 with hnefatafl-copenhagen 6.4.1 and skillratings 0.29.2, Rust 1.95 (1500 each, the winner's new
#   rating and deviation):
#   RD 350 against 350: paper 1662.2 ± 290.2  skillratings 1662.2 ± 290.2  hnefatafl-copenhagen 1735.9 ± 298.8
#   RD 200 against 200: paper 1578.6 ± 179.9  skillratings 1578.6 ± 179.9  hnefatafl-copenhagen 1597.2 ± 180.8
#   RD 50 against 50: paper 1507.0 ± 49.5  skillratings 1507.0 ± 49.5  hnefatafl-copenhagen 1507.1 ± 49.5
#   RD 350 against 30: paper 1675.0 ± 247.1  skillratings 1675.0 ± 247.1  hnefatafl-copenhagen 1735.9 ± 298.8
# Compiles two crates without their servers and windows: some three minutes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir src
cat > Cargo.toml <<'TOML'
[package]
name = "glicko-compared"
version = "0.0.0"
edition = "2024"

[dependencies]
hnefatafl-copenhagen = { version = "=6.4.1", default-features = false }
skillratings = "=0.29.2"
TOML
cat > src/main.rs <<'RUST'
use hnefatafl_copenhagen::glicko::{Outcome, Rating};
use skillratings::{Outcomes, glicko::{GlickoConfig, GlickoRating, glicko}};
use std::f64::consts::PI;

/// One game as in Glickman's paper: rating and deviation of the player who won.
fn paper(rating: f64, rd: f64, other: f64, other_rd: f64) -> (f64, f64) {
    let q = 10f64.ln() / 400.0;
    let g = 1.0 / (1.0 + 3.0 * (q * other_rd / PI).powi(2)).sqrt();
    let e = 1.0 / (1.0 + 10f64.powf(-g * (rating - other) / 400.0));
    let precision = 1.0 / (rd * rd) + (q * g).powi(2) * e * (1.0 - e);
    (rating + q / precision * g * (1.0 - e), precision.sqrt().recip())
}

fn main() {
    // Deviations of the winner and the loser, and the winner's new rating in the crate.
    for (rd, other_rd, recorded) in [(350.0, 350.0, 1735.9), (200.0, 200.0, 1597.2), (50.0, 50.0, 1507.1), (350.0, 30.0, 1735.9)] {
        let expected = paper(1500.0, rd, 1500.0, other_rd);
        let player = GlickoRating { rating: 1500.0, deviation: rd };
        let opponent = GlickoRating { rating: 1500.0, deviation: other_rd };
        let (peer, _) = glicko(&player, &opponent, &Outcomes::WIN, &GlickoConfig { c: 0.0 });
        let mut found = Rating { rating: 1500.0, rd };
        found.update_rating(1500.0, &Outcome::Win);
        println!(
            "RD {rd} against {other_rd}: paper {:.1} ± {:.1}  skillratings {:.1} ± {:.1}  hnefatafl-copenhagen {:.1} ± {:.1}",
            expected.0, expected.1, peer.rating, peer.deviation, found.rating, found.rd
        );
        assert!((peer.rating - expected.0).abs() < 0.05, "skillratings no longer agrees with the paper");
        assert!((found.rating - recorded).abs() < 0.05, "the crate's rating changed");
        assert!(found.rating > expected.0 + 0.05, "the crate no longer overshoots");
    }
    println!("as recorded");
}
RUST
cargo run --quiet --release
