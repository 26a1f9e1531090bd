//! What is counted of archives of games between people.

use crate::archive::{ArchiveError, ArchivedGame, read_archive};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::BufRead;
use tafl_arena::{
    PeopleBand, PeopleCounts, PeopleFit, PeopleGame, PeopleScale, count_by_rating, count_people,
    fit_people, rounded,
};

/// Variants of fewer games that count are left out.
const LEAST_GAMES: u64 = 100;

/// Fits to games drawn anew, for intervals.
const RESAMPLES: u32 = 200;

/// What the games of a variant say.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PeopleVariant {
    /// The variant's number in the archive.
    #[serde(rename = "type")]
    pub number: u32,
    /// Its name there.
    pub name: String,
    /// Games, results and lengths.
    #[serde(flatten)]
    pub counts: PeopleCounts,
    /// Results by strength, from weak to strong: by rating, then by the fit.
    pub bands: Vec<PeopleBand>,
    /// How the attackers' advantage changes with strength; nothing where there are too few games.
    pub fit: Option<PeopleFit>,
}

/// Counts the games of an archive: JSON objects, one a line, with `type`, `name`, `winner` (attackers, defenders, draw), `end`
/// (played, resigned, timeout), `attackers` and `defenders` (people as numbers), `attackers_rating` and `defenders_rating`
/// (may be null), and `moves`, separated by blanks. Further fields are passed over, and so are games of a person against
/// himself. Variants with most games come first.
///
/// # Errors
/// If a line is no such game, or no variant has 100 games that count.
pub fn count_archive(archive: impl BufRead, seed: u64) -> Result<Vec<PeopleVariant>, ArchiveError> {
    let mut variants: BTreeMap<u32, (String, Vec<PeopleGame>)> = BTreeMap::new();
    read_archive(archive, |line, own| {
        let game = game_of(&own).map_err(|field| ArchiveError::Line {
            line,
            reason: format!("missing field `{field}`"),
        })?;
        if game.people[0] != game.people[1] {
            let (name, games) = variants.entry(own.number).or_default();
            games.push(game);
            *name = own.name.unwrap_or_default();
        }
        Ok(())
    })?;
    let mut counted: Vec<PeopleVariant> = Vec::new();
    for (number, (name, games)) in variants {
        let counts = count_people(&games);
        if counts.counted < LEAST_GAMES {
            continue;
        }
        let fit = fit_people(&games, RESAMPLES, seed);
        let mut bands = count_by_rating(&games);
        bands.extend(fit.iter().flat_map(|it| it.bands.clone()));
        counted.push(PeopleVariant {
            number,
            name,
            counts,
            bands,
            fit,
        });
    }
    if counted.is_empty() {
        return Err(ArchiveError::TooFew(LEAST_GAMES));
    }
    counted.sort_by_key(|it| std::cmp::Reverse(it.counts.games));
    Ok(counted)
}

/// Returns what is counted of a game, or the field that is missing.
fn game_of(own: &ArchivedGame) -> Result<PeopleGame, &'static str> {
    let words = own.moves.split_whitespace();
    let is_move = |word: &&str| word.bytes().any(|byte| byte.is_ascii_digit());
    Ok(PeopleGame {
        people: [
            own.attackers.ok_or("attackers")?,
            own.defenders.ok_or("defenders")?,
        ],
        ratings: own
            .attackers_rating
            .zip(own.defenders_rating)
            .map(|(one, other)| [one, other]),
        winner: own.winner,
        end: own.end,
        plies: u32::try_from(words.filter(is_move).count()).unwrap_or(u32::MAX),
    })
}

/// A variant in `variants.csv`: shares are 0 to 1, Elo points whole numbers.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct VariantRow {
    #[serde(rename = "type")]
    pub(crate) number: u32,
    pub(crate) name: String,
    games: u64,
    timeouts: u64,
    timeout_score: Option<f64>,
    short: u64,
    pub(crate) counted: u64,
    pub(crate) attacker_wins: u64,
    pub(crate) draws: u64,
    pub(crate) defender_wins: u64,
    resigned: u64,
    pairs: u64,
    pub(crate) score: f64,
    pub(crate) score_low: f64,
    pub(crate) score_high: f64,
    attacker_plies: Option<u32>,
    defender_plies: Option<u32>,
    people: Option<u64>,
    advantage_elo: Option<i64>,
    advantage_low: Option<i64>,
    advantage_high: Option<i64>,
    growth_elo: Option<i64>,
    growth_low: Option<i64>,
    growth_high: Option<i64>,
    spread_elo: Option<i64>,
}

/// A band in `strength.csv`.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct StrengthRow {
    #[serde(rename = "type")]
    pub(crate) number: u32,
    name: String,
    pub(crate) scale: PeopleScale,
    pub(crate) strength: i64,
    pub(crate) games: u64,
    pub(crate) pairs: u64,
    pub(crate) score: f64,
    pub(crate) score_low: f64,
    pub(crate) score_high: f64,
}

/// The first line of `strength.csv`, which a table without rows needs too.
const STRENGTH_HEAD: &str = "type,name,scale,strength,games,pairs,score,score_low,score_high\n";

fn share(share: f64) -> f64 {
    rounded(share, 4)
}

impl VariantRow {
    fn of(own: &PeopleVariant) -> Self {
        let counts = &own.counts;
        let elo = |of: fn(&PeopleFit) -> f64| own.fit.as_ref().map(|fit| of(fit).round() as i64);
        Self {
            number: own.number,
            name: own.name.clone(),
            games: counts.games,
            timeouts: counts.timeouts,
            timeout_score: counts.timeout_score.map(share),
            short: counts.short,
            counted: counts.counted,
            attacker_wins: counts.attacker_wins,
            draws: counts.draws,
            defender_wins: counts.defender_wins,
            resigned: counts.resigned,
            pairs: counts.pairs,
            score: share(counts.score.value),
            score_low: share(counts.score.low),
            score_high: share(counts.score.high),
            attacker_plies: counts.attacker_plies,
            defender_plies: counts.defender_plies,
            people: own.fit.as_ref().map(|fit| fit.people),
            advantage_elo: elo(|fit| fit.advantage.value),
            advantage_low: elo(|fit| fit.advantage.low),
            advantage_high: elo(|fit| fit.advantage.high),
            growth_elo: elo(|fit| fit.growth.value),
            growth_low: elo(|fit| fit.growth.low),
            growth_high: elo(|fit| fit.growth.high),
            spread_elo: elo(|fit| fit.spread),
        }
    }
}

impl StrengthRow {
    fn of(own: &PeopleVariant, band: &PeopleBand) -> Self {
        Self {
            number: own.number,
            name: own.name.clone(),
            scale: band.scale,
            strength: band.strength.round() as i64,
            games: band.games,
            pairs: band.pairs,
            score: share(band.score.value),
            score_low: share(band.score.low),
            score_high: share(band.score.high),
        }
    }
}

/// Returns tables of what was counted, as CSV: a row for each variant, and one for each band of strength.
///
/// # Errors
/// None but of memory.
pub fn people_tables(variants: &[PeopleVariant]) -> anyhow::Result<[(&'static str, Vec<u8>); 2]> {
    let bands = variants
        .iter()
        .flat_map(|own| own.bands.iter().map(|band| StrengthRow::of(own, band)));
    let mut strength = table(bands)?;
    if strength.is_empty() {
        strength.extend_from_slice(STRENGTH_HEAD.as_bytes());
    }
    Ok([
        ("variants.csv", table(variants.iter().map(VariantRow::of))?),
        ("strength.csv", strength),
    ])
}

fn table(rows: impl Iterator<Item = impl Serialize>) -> anyhow::Result<Vec<u8>> {
    let mut table = csv::Writer::from_writer(Vec::new());
    for row in rows {
        table.serialize(row)?;
    }
    Ok(table.into_inner()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(attackers: u32, end: &str) -> String {
        format!(
            r#"{{"type":16,"name":"Copenhagen","winner":"draw","end":"{end}","attackers":{attackers},"defenders":9,"attackers_rating":null,"defenders_rating":1500,"moves":"a1-a2 a2-a3 a3-a4 a4-a5 a5-a6 a6-a7 a7-a8 a8-a9 b1-b2 b2-b3 resigned","more":1}}"#
        ) + "\n"
    }

    #[test]
    fn an_archive_is_counted_by_variant_and_written_as_tables() {
        let mut text: String = (10..110).map(|it| line(it, "played")).collect();
        text += &(line(200, "timeout") + &line(9, "played"));
        text += "\n";
        let found = count_archive(text.as_bytes(), 1).unwrap();
        assert_eq!(found.len(), 1);
        let counts = &found[0].counts;
        assert_eq!(
            (counts.games, counts.timeouts, counts.counted),
            (101, 1, 100)
        );
        assert_eq!(
            (counts.draws, counts.pairs),
            (100, 100),
            "ten plies, resigned is no ply"
        );
        let [(_, variants), (_, bands)] = people_tables(&found).unwrap();
        let variants = String::from_utf8(variants).unwrap();
        let row = "16,Copenhagen,101,1,0.5,0,100,0,100,0,0,100,0.5,0.47,0.53,,,,,,,,,,";
        assert_eq!(variants.lines().nth(1), Some(row));
        assert_eq!(
            bands,
            STRENGTH_HEAD.as_bytes(),
            "nobody is rated, and the games are too few for a fit"
        );
        let committed = include_str!("../../../data/balance/people/strength.csv");
        assert!(committed.starts_with(STRENGTH_HEAD));
    }

    #[test]
    fn faults_name_the_line_and_what_is_wrong() {
        let of = |text: &str| count_archive(text.as_bytes(), 1).unwrap_err().to_string();
        assert_eq!(of(""), "no variant has 100 games that count");
        let nobody = line(1, "played").replace(r#""attackers":1"#, r#""attackers":null"#);
        assert_eq!(of(&nobody), "line 1: missing field `attackers`");
        let fault = of(&(line(1, "played") + &line(2, "adjourned")));
        let expected = "line 2: field `end`: \"adjourned\" is not played, resigned or timeout";
        assert_eq!(fault, expected);
        let fault = of(r#"{"type":1,"name":"x"}"#);
        assert_eq!(fault, "line 1: missing field `moves`");
        assert_eq!(
            count_archive(&b"\xfd7zXZ\0\0"[..], 1)
                .unwrap_err()
                .to_string(),
            "the file is compressed"
        );
        assert!(of(&"x".repeat(2 << 20)).contains("longer than"));
    }
}
