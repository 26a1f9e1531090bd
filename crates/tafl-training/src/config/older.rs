//! Run configs of earlier versions.

use toml::{Table, Value};

const CONSTANT: &str = "it is a constant now; remove it";
const UNEVEN: &str = "use an entry of `selfplay.uneven`";

/// Fields that no longer are, and what to do about each.
pub(super) const REMOVED: &[(&str, &str)] = &[
    ("loop.synchronous", "use `loop.games`"),
    ("replay.surprise_share", "remove it"),
    ("replay.value_surprise_share", "remove it"),
    ("search.gumbel", "use `search.considered_moves`"),
    ("search.lookahead_plies", CONSTANT),
    ("search.puct.dirichlet_alpha", CONSTANT),
    ("search.puct.dirichlet_fraction", CONSTANT),
    ("search.puct.fpu_reduction", CONSTANT),
    ("search.puct.temperature", CONSTANT),
    ("search.puct.temperature_plies", CONSTANT),
    ("search.solver_positions", CONSTANT),
    ("selfplay.first_visits", "remove it"),
    ("selfplay.fixed_handicap_generations", "remove it"),
    ("selfplay.growing_generations", "remove it"),
    ("selfplay.handicap_fraction", UNEVEN),
    ("selfplay.handicap_rates", UNEVEN),
    ("selfplay.opening", CONSTANT),
    ("selfplay.rule_change_fraction", CONSTANT),
    ("selfplay.sparring_depths", UNEVEN),
    ("selfplay.sparring_fraction", UNEVEN),
    ("selfplay.sparring_least_fraction", UNEVEN),
    ("selfplay.sparring_rates", UNEVEN),
    ("selfplay.taught_generations", UNEVEN),
    ("storage", "use `keep`"),
    ("targets.capped_value", CONSTANT),
    ("trainer.clip_norm", CONSTANT),
    ("trainer.moves_left_weight", CONSTANT),
    ("trainer.shards", CONSTANT),
    ("trainer.threads", CONSTANT),
    ("trainer.weight_decay", CONSTANT),
];

/// Puts what a run or a network of version 0.1 kept into the fields of today.
pub(super) fn translate(kept: &mut Table) {
    let moved = |kept: &mut Table, section: &str, inner: &str, field: &str| {
        let section = kept.get_mut(section)?.as_table_mut()?;
        let value = section.get(inner)?.get(field)?.clone();
        section.entry(field).or_insert(value);
        Some(())
    };
    let _ = moved(kept, "loop", "synchronous", "games");
    let _ = moved(kept, "search", "gumbel", "considered_moves");
    if let Some(storage) = kept.get("storage") {
        let keeps_samples = storage.get("keep_samples") != Some(&Value::Boolean(false));
        let every = storage.get("checkpoint_every").and_then(Value::as_integer);
        // Every tenth checkpoint stays of a run that keeps what it needs: nothing goes that was to stay.
        let is_all = keeps_samples || every.is_none_or(|every| every < 10);
        let keep = if is_all { "all" } else { "needed" };
        kept.entry("keep").or_insert(Value::from(keep));
    }
    if let Some(Value::Table(selfplay)) = kept.get_mut("selfplay")
        && !selfplay.contains_key("uneven")
    {
        let uneven = uneven(selfplay);
        selfplay.insert("uneven".to_owned(), uneven.into());
    }
}

/// Returns the entries that teachers, partners and handicaps of version 0.1 were; what it lacks has its default of then.
fn uneven(selfplay: &Table) -> Vec<Table> {
    let number = |name: &str| selfplay.get(name).and_then(Value::as_float);
    let list = |name: &str| selfplay.get(name).cloned();
    let depths = list("sparring_depths").unwrap_or_else(|| Value::from(vec![1, 2, 3]));
    let entry = |side: &str, share: f64, fields: [(&str, Option<Value>); 2]| {
        let mut entry = Table::new();
        entry.insert("side".to_owned(), side.into());
        entry.insert("share".to_owned(), share.into());
        let given = fields.into_iter();
        entry.extend(given.filter_map(|(name, value)| Some((name.to_owned(), value?))));
        (share > 0.0).then_some(entry)
    };
    let generations = list("taught_generations").filter(|it| it.as_integer() > Some(0));
    let share = if generations.is_some() { 1.0 } else { 0.0 };
    let alphabeta = || ("alphabeta", Some(depths.clone()));
    let partners = || [alphabeta(), ("random_plies", list("sparring_rates"))];
    let handicaps = [("random_plies", list("handicap_rates")), ("", None)];
    [
        entry("both", share, [alphabeta(), ("generations", generations)]),
        entry(
            "stronger",
            number("sparring_fraction").unwrap_or(0.0),
            partners(),
        ),
        entry(
            "either",
            number("sparring_least_fraction").unwrap_or(0.0),
            partners(),
        ),
        entry(
            "stronger",
            number("handicap_fraction").unwrap_or(0.6),
            handicaps,
        ),
    ]
    .into_iter()
    .flatten()
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_version_0_1_kept_becomes_the_same_games() {
        let translated = |text: &str| {
            let mut kept: Table = text.parse().expect("TOML");
            translate(&mut kept);
            let sections = ["loop", "search", "storage"].map(|it| kept.remove(it));
            (kept, sections)
        };
        let (kept, [training_loop, search, _]) = translated(
            "[loop.synchronous]\ngames = 7\n[search.gumbel]\nconsidered_moves = 4\n[storage]\nkeep_samples = false\ncheckpoint_every = 20\n\
             [selfplay]\ntaught_generations = 5\nsparring_fraction = 0.6\nsparring_least_fraction = 0.2\n\
             sparring_depths = [2]\nsparring_rates = [0.1]\nhandicap_fraction = 0.5\nhandicap_rates = [0.1, 0.9]\n",
        );
        assert_eq!(training_loop.expect("it")["games"].as_integer(), Some(7));
        assert_eq!(
            search.expect("it")["considered_moves"].as_integer(),
            Some(4)
        );
        assert_eq!(kept["keep"].as_str(), Some("needed"));
        let expected = "uneven = [
            { side = 'both', share = 1.0, alphabeta = [2], generations = 5 },
            { side = 'stronger', share = 0.6, alphabeta = [2], random_plies = [0.1] },
            { side = 'either', share = 0.2, alphabeta = [2], random_plies = [0.1] },
            { side = 'stronger', share = 0.5, random_plies = [0.1, 0.9] },
        ]";
        let expected: Table = expected.parse().expect("TOML");
        assert_eq!(kept["selfplay"]["uneven"], expected["uneven"]);
        let (kept, _) = translated("[selfplay]\nmax_plies = 9\n");
        let default: Table = "uneven = [{ side = 'stronger', share = 0.6 }]"
            .parse()
            .expect("TOML");
        assert_eq!(kept["selfplay"]["uneven"], default["uneven"]);
    }
}
