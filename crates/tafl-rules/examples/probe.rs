use std::time::Instant;
use tafl_rules::*;
fn main() {
    for name in PRESET_NAMES {
        let rules = Rules::preset(name).unwrap();
        for bulk in [true, false] {
            let t = Instant::now();
            let n = perft(&rules, &rules.start(), 4, Perft { by_turns: false, bulk });
            let s = t.elapsed().as_secs_f64();
            println!("{name} bulk={bulk} {n} {:.1} M/s", n as f64 / s / 1e6);
        }
        let t = Instant::now();
        let r = rollouts(&rules, &RolloutConfig { seed: 1, games: 0..1000, max_plies: 1000 });
        let s = t.elapsed().as_secs_f64();
        println!("{name} {r:?} {:.2} M plies/s", r.plies as f64 / s / 1e6);
    }
}
