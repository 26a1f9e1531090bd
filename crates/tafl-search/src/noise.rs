//! The randomness of self-play at the root.

use rand_distr::{Distribution, Gamma, Gumbel};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Fills `noise` with `len` draws from the standard Gumbel distribution.
pub(crate) fn gumbel(len: usize, rng: &mut Xoshiro256PlusPlus, noise: &mut Vec<f32>) {
    let gumbel = Gumbel::new(0.0_f32, 1.0).expect("location 0 and scale 1 are valid");
    noise.clear();
    noise.extend((0..len).map(|_| gumbel.sample(rng)));
}

/// Mixes `fraction` of a symmetric Dirichlet draw into `priors`; its concentrations sum to `total`.
///
/// P(s,a) = (1 - e) p(a) + e noise(a), Silver et al. 2018.
pub(crate) fn mix_dirichlet(
    priors: &mut [f32],
    total: f32,
    fraction: f32,
    rng: &mut Xoshiro256PlusPlus,
) {
    let alpha = f64::from(total) / priors.len().max(1) as f64;
    let Ok(gamma) = Gamma::new(alpha, 1.0_f64) else {
        return;
    };
    let draws: Vec<f64> = priors.iter().map(|_| gamma.sample(rng)).collect();
    let sum: f64 = draws.iter().sum();
    if sum <= 0.0 {
        return;
    }
    for (prior, draw) in priors.iter_mut().zip(draws) {
        *prior = (1.0 - fraction) * *prior + fraction * (draw / sum) as f32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    #[test]
    fn mixed_priors_still_sum_to_one() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let mut priors = [0.7, 0.2, 0.1, 0.0];
        mix_dirichlet(&mut priors, 10.0, 0.25, &mut rng);
        assert!((priors.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        assert!(priors[0] >= 0.75 * 0.7 && priors[3] > 0.0);
    }

    #[test]
    fn gumbel_noise_has_the_mean_and_spread_of_its_distribution() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
        let mut noise = Vec::new();
        gumbel(100_000, &mut rng, &mut noise);
        let mean = noise.iter().sum::<f32>() / noise.len() as f32;
        let spread = noise.iter().map(|g| (g - mean).powi(2)).sum::<f32>() / noise.len() as f32;
        assert!((mean - 0.5772).abs() < 0.02, "Euler's constant, {mean}");
        assert!(
            (spread - 1.6449).abs() < 0.05,
            "pi squared over six, {spread}"
        );
    }
}
