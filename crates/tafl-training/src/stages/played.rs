//! What is counted of self-played games and their samples.

use std::collections::{BTreeMap, BTreeSet};
use tafl_arena::Tally;
use tafl_play::Repertoire;
use tafl_rules::Side;
use tafl_samples::{EndingReason, GameRecord, Sample};

/// Probability of a policy target's likeliest move above which it counts as sharp: what is stored, with five bits, as all of it.
const SHARP: f32 = 63.0 / 64.0;

/// Parts of a game, by plies.
const PARTS: [&str; 3] = ["first_third", "second_third", "last_third"];

/// What is counted of self-played games.
#[derive(Debug, Clone, Default)]
pub(crate) struct PlayedGames {
    rules: Repertoire,
    samples: u64,
    plies: u64,
    ended: Tally,
    even: EvenGames,
    /// Games against sparring partners that the network won, drew (or did not finish) and lost.
    against_partners: [u64; 3],
    policies: Policies,
    /// By kind of game, part of the game and side to move.
    results: BTreeMap<(&'static str, usize, Side), Results>,
    /// Checkpoints that searched in a game, summed over the games.
    checkpoints: u64,
}

/// Games between equals.
#[derive(Debug, Clone, Default)]
struct EvenGames {
    games: u64,
    plies: u64,
    /// By the reason's name and the winner.
    endings: BTreeMap<(&'static str, Option<Side>), u64>,
}

/// Returns what weakens a side in the game that a sample is from.
const fn kind_of(sample: &Sample) -> &'static str {
    match sample.facts.weakness {
        [[0, 0], [0, 0]] => "even",
        [[_, 0], [_, 0]] => "handicap",
        _ => "sparring",
    }
}

/// Predicted and real results of some positions, win minus loss of the attackers.
#[derive(Debug, Clone, Copy, Default)]
struct Results {
    samples: u64,
    /// Those whose result is known.
    known: u64,
    predicted: f64,
    result: f64,
}

/// Sums over policy targets.
#[derive(Debug, Clone, Copy, Default)]
struct Policies {
    samples: u64,
    entropy: f64,
    sharp: u64,
    divergence: f64,
    other_than_played: u64,
}

impl PlayedGames {
    /// Returns that nothing was played yet under these rules.
    pub(crate) fn under(rules: &Repertoire) -> Self {
        Self {
            rules: rules.clone(),
            ..Self::default()
        }
    }

    /// Counts games and their samples.
    pub(crate) fn add(&mut self, games: &[GameRecord], samples: &[Sample]) {
        self.ended = self.ended + Tally::of(games);
        for game in games {
            self.plies += game.plies.len() as u64;
            if self.rules.is_even(game) {
                self.even.add(game);
            }
            let Some((partner, _)) = game.partner() else {
                continue;
            };
            let result = match game.ending.winner {
                None => 1,
                Some(winner) if winner == partner => 2,
                Some(_) => 0,
            };
            self.against_partners[result] += 1;
        }
        for sample in samples {
            self.add_sample(sample);
        }
        // None of a teacher's plies.
        let searched = samples
            .iter()
            .filter_map(|sample| Some((sample.game_id, sample.search.checkpoint?)));
        self.checkpoints += searched.collect::<BTreeSet<_>>().len() as u64;
    }

    fn add_sample(&mut self, sample: &Sample) {
        self.samples += 1;
        // A ply of alpha-beta, or one that was proven without a search, tells nothing of the network.
        if sample.search.visits == 0 {
            return;
        }
        self.policies.add(sample);
        let plies = sample.ply + sample.moves_left;
        let part = (sample.ply as usize * PARTS.len()) / plies as usize;
        let place = (kind_of(sample), part, sample.facts.side);
        self.results.entry(place).or_default().add(sample);
    }

    /// Returns what was counted until now, and begins anew.
    pub(crate) fn take(&mut self) -> Self {
        let taken = std::mem::take(self);
        self.rules.clone_from(&taken.rules);
        taken
    }

    /// Returns the counts by the names under which they are recorded.
    pub(crate) fn values(&self) -> Vec<(String, f64)> {
        let ended = &self.ended;
        let counts = [
            ("selfplay/games", ended.games() as f64),
            ("selfplay/samples", self.samples as f64),
        ];
        let named = |(name, value): (&str, f64)| (name.to_owned(), value);
        let mut values: Vec<(String, f64)> = counts.map(named).into();
        // Of no games there are no rates.
        if ended.games() > 0 {
            values.extend(self.rates().into_iter().map(named));
        }
        if self.policies.samples > 0 {
            values.extend(self.policies.values().map(named));
        }
        values.extend(self.even.values());
        values.extend(self.result_values());
        values
    }

    /// Returns what is by game.
    fn rates(&self) -> Vec<(&'static str, f64)> {
        let ended = &self.ended;
        let count = ended.games() as f64;
        let mut values = vec![
            ("selfplay/plies_per_game", self.plies as f64 / count),
            ("selfplay/attacker_win_rate", ended.wins as f64 / count),
            ("selfplay/defender_win_rate", ended.losses as f64 / count),
            ("selfplay/draw_rate", ended.draws as f64 / count),
            ("selfplay/capped_rate", ended.capped as f64 / count),
            (
                "selfplay/checkpoints_per_game",
                self.checkpoints as f64 / count,
            ),
        ];
        let [won, drawn, lost] = self.against_partners.map(|games| games as f64);
        let played = won + drawn + lost;
        if played > 0.0 {
            values.extend([
                ("selfplay/sparring_games", played),
                ("selfplay/sparring_win_rate", won / played),
                ("selfplay/sparring_loss_rate", lost / played),
            ]);
        }
        values
    }

    /// Returns the share of each kind among the samples that the network searched, what came of it, and how far off the
    /// network was.
    fn result_values(&self) -> Vec<(String, f64)> {
        let mut by_kind: BTreeMap<(&str, Side), Results> = BTreeMap::new();
        let mut values = Vec::new();
        for (&(kind, part, side), results) in &self.results {
            by_kind.entry((kind, side)).or_default().add_all(*results);
            if let Some(bias) = results.bias() {
                let place = format!("{kind}/{}/{}", PARTS[part], side.name());
                values.push((format!("selfplay/value_bias/{place}"), bias));
            }
        }
        for ((kind, side), results) in by_kind {
            let place = format!("{kind}/{}", side.name());
            let share = results.samples as f64 / self.policies.samples.max(1) as f64;
            values.push((format!("selfplay/sample_share/{place}"), share));
            if results.known > 0 {
                let result = results.result / results.known as f64;
                values.push((format!("selfplay/sample_result/{place}"), result));
            }
        }
        values
    }
}

impl EvenGames {
    fn add(&mut self, game: &GameRecord) {
        self.games += 1;
        self.plies += game.plies.len() as u64;
        let ending = (game.ending.reason.name(), game.ending.winner);
        *self.endings.entry(ending).or_default() += 1;
    }

    fn values(&self) -> Vec<(String, f64)> {
        if self.games == 0 {
            return Vec::new();
        }
        let games = self.games as f64;
        let mut values = vec![
            ("selfplay/even_games".to_owned(), games),
            (
                "selfplay/even_plies_per_game".to_owned(),
                self.plies as f64 / games,
            ),
        ];
        let endings = self.endings.iter();
        values.extend(endings.map(|((reason, winner), &count)| {
            let winner = winner.map_or("nobody", Side::name);
            let name = format!("selfplay/even_ending/{reason}/{winner}");
            (name, count as f64 / games)
        }));
        values
    }
}

impl Results {
    fn add(&mut self, sample: &Sample) {
        self.samples += 1;
        if sample.ending.reason == EndingReason::Capped {
            return;
        }
        let of_attackers = |[win, _, loss]: [f32; 3]| match sample.facts.side {
            Side::Attacker => f64::from(win - loss),
            Side::Defender => f64::from(loss - win),
        };
        self.known += 1;
        self.predicted += of_attackers(sample.search.network_wdl);
        self.result += of_attackers(sample.ending.wdl_for(sample.facts.side));
    }

    fn add_all(&mut self, other: Self) {
        self.samples += other.samples;
        self.known += other.known;
        self.predicted += other.predicted;
        self.result += other.result;
    }

    /// Returns by how much the network expected more for the attackers than came, in mean.
    fn bias(self) -> Option<f64> {
        (self.known > 0).then(|| (self.predicted - self.result) / self.known as f64)
    }
}

impl Policies {
    fn add(&mut self, sample: &Sample) {
        self.samples += 1;
        let policy = sample.search.policy.iter();
        let terms = policy
            .clone()
            .map(|&(_, p)| -f64::from(p) * f64::from(p).ln());
        self.entropy += terms.sum::<f64>();
        let played = policy.clone().find(|(mv, _)| *mv == sample.played);
        let played = played.map_or(0.0, |&(_, p)| p);
        let best = policy.map(|&(_, p)| p).fold(0.0, f32::max);
        self.sharp += u64::from(best > SHARP);
        // Stored with five bits, several moves may be the likeliest.
        self.other_than_played += u64::from(played < best);
        self.divergence += f64::from(sample.search.prior_divergence);
    }

    fn values(self) -> [(&'static str, f64); 4] {
        let count = self.samples as f64;
        [
            ("selfplay/policy_entropy", self.entropy / count),
            ("selfplay/policy_sharp_rate", self.sharp as f64 / count),
            ("selfplay/policy_divergence", self.divergence / count),
            (
                "selfplay/policy_other_than_played",
                self.other_than_played as f64 / count,
            ),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observer::SelfPlaySummary;
    use std::sync::Arc;
    use tafl_rules::{Game, Rules, Setup, Switch};
    use tafl_samples::{Ending, GameKind, Handicap, PlayerId, PlyRecord, SearchRecord, samples_of};

    /// Makes a game of Brandubh with four plies, each searched: the first by checkpoint 1, the others by 2.
    fn game(rules: &Arc<Rules>, winner: Option<Side>, handicap: Option<Handicap>) -> GameRecord {
        let mut game = Game::new(Arc::clone(rules));
        let mut plies = Vec::new();
        for ply in 0..4 {
            let mut moves = Vec::new();
            game.legal_moves(&mut moves);
            // The likelier of two moves is played at even plies.
            let policy = vec![(moves[0], 0.75), (moves[1], 0.25)];
            let mv = moves[ply % 2];
            plies.push(PlyRecord {
                mv,
                search: Some(SearchRecord {
                    policy,
                    wdl: [0.5, 0.0, 0.5],
                    network_wdl: [0.6, 0.0, 0.4],
                    visits: 8,
                    prior_divergence: 0.25,
                    checkpoint: Some(if ply == 0 { 1 } else { 2 }),
                    ..SearchRecord::default()
                }),
            });
            game.play(mv).expect("legal");
        }
        let ending = match winner {
            Some(winner) => Ending::adjudicated(winner),
            None => Ending::CAPPED,
        };
        GameRecord {
            game_id: 0,
            seed: 0,
            ruleset: rules.ruleset().name.clone(),
            ruleset_fingerprint: rules.ruleset().fingerprint(),
            start: Setup::of(&rules.start(), rules.shape()),
            generation: 0,
            kind: match handicap {
                Some(_) => GameKind::Handicap,
                None => GameKind::Even,
            },
            attackers: PlayerId::Checkpoint(1),
            defenders: PlayerId::Checkpoint(1),
            opening_plies: 0,
            handicap,
            plies,
            ending,
        }
    }

    #[test]
    fn games_and_samples_are_counted_by_side_kind_and_part() {
        let rules = Rules::preset("brandubh").expect("a preset");
        let handicap = Handicap {
            side: Side::Defender,
            rate: 0.5,
        };
        let games = [
            game(&rules, Some(Side::Attacker), None),
            game(&rules, None, None),
            game(&rules, Some(Side::Defender), Some(handicap)),
        ];
        let mut repertoire = Repertoire::from(vec![rules.clone()]);
        let mut variant = rules.ruleset().clone();
        variant.name = "variant".to_owned();
        variant.shieldwall = Switch::On; // Brandubh has none.
        let variant = Rules::new(variant).expect("it can be played");
        repertoire.add_variant(0, variant.clone());
        let mut played = PlayedGames::under(&repertoire);
        for game in &games {
            let samples = samples_of(game, &rules).expect("a game");
            played.add(std::slice::from_ref(game), &samples);
        }
        // A game of a variant counts, but says nothing of the ruleset.
        let of_variant = game(&variant, Some(Side::Defender), None);
        played.add(std::slice::from_ref(&of_variant), &[]);
        let mut all = games.to_vec();
        all.push(of_variant);
        let summary = SelfPlaySummary::of(&all, &repertoire, 12, 0);
        assert_eq!(summary.even, Some(Tally::of(&games[..2])));
        let values: BTreeMap<String, f64> = played.values().into_iter().collect();
        let near = |name: &str, expected: f64| {
            let value = values[name];
            assert!(
                (value - expected).abs() < 1e-6,
                "{name}: {value}, not {expected}"
            );
        };
        near("selfplay/games", 4.0);
        near("selfplay/even_games", 2.0);
        near("selfplay/samples", 12.0);
        // Two each, but for the variant's game, which came without samples.
        near("selfplay/checkpoints_per_game", 1.5);
        near(
            "selfplay/policy_entropy",
            -0.75 * 0.75_f64.ln() - 0.25 * 0.25_f64.ln(),
        );
        near("selfplay/policy_sharp_rate", 0.0);
        near("selfplay/policy_divergence", 0.25);
        near("selfplay/policy_other_than_played", 0.5);
        near("selfplay/even_ending/adjudicated/attackers", 0.5);
        near("selfplay/even_ending/capped/nobody", 0.5);
        near("selfplay/sample_share/even/attackers", 4.0 / 12.0);
        near("selfplay/sample_share/handicap/defenders", 2.0 / 12.0);
        // Nothing is known of the game that was cut.
        near("selfplay/sample_result/even/defenders", 1.0);
        near("selfplay/sample_result/handicap/attackers", -1.0);
        // Whoever is to move expects 0.2; the attackers won the even game and lost the other.
        near("selfplay/value_bias/even/first_third/attackers", 0.2 - 1.0);
        near("selfplay/value_bias/even/first_third/defenders", -0.2 - 1.0);
        near(
            "selfplay/value_bias/handicap/last_third/defenders",
            -0.2 + 1.0,
        );
        let _ = played.take();
        // A win rate of 0 would be that of a side that lost.
        let expected = ["selfplay/games", "selfplay/samples"].map(|name| (name.to_owned(), 0.0));
        assert_eq!(played.values(), expected);
    }

    #[test]
    fn a_move_as_likely_as_the_likeliest_is_no_other_one() {
        let rules = Rules::preset("brandubh").expect("a preset");
        let record = game(&rules, Some(Side::Attacker), None);
        let mut policies = Policies::default();
        for mut sample in samples_of(&record, &rules).expect("a game") {
            let shares = sample.search.policy.iter_mut();
            shares.for_each(|(_, share)| *share = 0.5);
            policies.add(&sample);
        }
        assert_eq!((policies.samples, policies.other_than_played), (4, 0));
    }

    #[test]
    fn what_was_not_searched_is_in_no_mean() {
        let rules = Rules::preset("brandubh").expect("a preset");
        let mut record = game(&rules, Some(Side::Attacker), None);
        let proven = record.plies[0].search.as_mut().expect("searched");
        (proven.visits, proven.prior_divergence) = (0, 0.0);
        let samples = samples_of(&record, &rules).expect("a game");
        let mut played = PlayedGames::under(&Repertoire::from(vec![rules.clone()]));
        played.add(std::slice::from_ref(&record), &samples);
        let values: BTreeMap<String, f64> = played.values().into_iter().collect();
        assert_eq!(values["selfplay/samples"], 4.0);
        assert_eq!(values["selfplay/policy_divergence"], 0.25);
        let shares = values
            .iter()
            .filter(|(name, _)| name.starts_with("selfplay/sample_share/"));
        let sum: f64 = shares.map(|(_, share)| share).sum();
        assert!((sum - 1.0).abs() < 1e-9, "{sum}");
        let mut taught = record;
        for ply in &mut taught.plies {
            ply.search = Some(SearchRecord::taught(ply.mv, [1.0, 0.0, 0.0]));
        }
        let samples = samples_of(&taught, &rules).expect("a game");
        let mut played = PlayedGames::under(&Repertoire::from(vec![rules]));
        played.add(&[taught], &samples);
        let values: BTreeMap<String, f64> = played.values().into_iter().collect();
        assert_eq!(values["selfplay/checkpoints_per_game"], 0.0);
    }
}
