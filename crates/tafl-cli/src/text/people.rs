//! What games of people say, as tables.

use super::table::{self, signed};
use tafl_arena::{Estimate, PeopleBand, PeopleScale, rounded};
use tafl_studies::PeopleVariant;

/// Returns the tables of an archive's variants.
pub(crate) fn people_table(variants: &[PeopleVariant]) -> String {
    let percent = |share: f64| format!("{:.1}", rounded(100.0 * share, 1));
    let range = |share: &Estimate| share.text("", percent);
    let elo = |elo: &Estimate| elo.text("", signed);
    let plies = |plies: Option<u32>| plies.map_or_else(String::new, |it| it.to_string());
    let row = |own: &PeopleVariant| {
        let counts = &own.counts;
        vec![
            own.number.to_string(),
            own.name.clone(),
            counts.counted.to_string(),
            range(&counts.score),
            percent(counts.draws as f64 / counts.counted as f64),
            percent(counts.resigned as f64 / counts.counted as f64),
            plies(counts.attacker_plies),
            plies(counts.defender_plies),
            counts.timeouts.to_string(),
            counts.short.to_string(),
        ]
    };
    let head = "type | variant | >games | >score % | >drawn % | >resigned % | >plies if won | >if lost | >on time | >short";
    let title = "Results of the attackers: mean score, shares of games, median plies; games ended by time or short are not in them\n\n";
    let mut text = title.to_owned() + &table::of(head, variants.iter().map(row));
    let fitted = variants
        .iter()
        .filter_map(|own| own.fit.as_ref().map(|fit| (own, fit)));
    let row = |(own, fit): (&PeopleVariant, &tafl_arena::PeopleFit)| {
        vec![
            own.name.clone(),
            fit.people.to_string(),
            format!("{:.0}", fit.spread),
            elo(&fit.advantage),
            elo(&fit.growth),
        ]
    };
    let head = "variant | >people | >spread | >attackers' Elo | >more for 400 Elo";
    text += "\nAdvantage of the attackers by strengths fitted to the games\n\n";
    text += &table::of(head, fitted.map(row));
    let row = |(own, band): (&PeopleVariant, &PeopleBand)| {
        let strength = match band.scale {
            PeopleScale::Rating => format!("rated {:.0}", band.strength),
            PeopleScale::Fitted => format!("{} Elo", signed(band.strength)),
        };
        vec![
            own.name.clone(),
            strength,
            band.games.to_string(),
            range(&band.score),
        ]
    };
    let bands = variants
        .iter()
        .flat_map(|own| own.bands.iter().map(move |band| (own, band)));
    text += "\nThe attackers' score by strength, in percent\n\n";
    text += &table::of("variant | strength | >games | >score %", bands.map(row));
    text
}
