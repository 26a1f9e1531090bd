//! Symmetric positive definite systems of equations.

use ndarray::Array2;

/// The lower triangle L of a matrix that is L times its transpose.
pub(crate) struct Cholesky(Array2<f64>);

impl Cholesky {
    /// Returns the factor of a positive definite matrix; `None` for any other.
    pub(crate) fn of(matrix: &Array2<f64>) -> Option<Self> {
        let mut lower = Array2::zeros(matrix.dim());
        for row in 0..matrix.nrows() {
            for column in 0..=row {
                let terms = (0..column).map(|k| lower[[row, k]] * lower[[column, k]]);
                let rest: f64 = matrix[[row, column]] - terms.sum::<f64>();
                if row != column {
                    lower[[row, column]] = rest / lower[[column, column]];
                } else if rest > 0.0 {
                    lower[[row, row]] = rest.sqrt();
                } else {
                    return None;
                }
            }
        }
        Some(Self(lower))
    }

    /// Returns x with matrix * x = `right`.
    pub(crate) fn solve(&self, right: &[f64]) -> Vec<f64> {
        let (lower, len) = (&self.0, right.len());
        let mut x = right.to_vec();
        for row in 0..len {
            let known: f64 = (0..row).map(|k| lower[[row, k]] * x[k]).sum();
            x[row] = (x[row] - known) / lower[[row, row]];
        }
        for row in (0..len).rev() {
            let known: f64 = (row + 1..len).map(|k| lower[[k, row]] * x[k]).sum();
            x[row] = (x[row] - known) / lower[[row, row]];
        }
        x
    }

    /// Returns the inverse of the matrix.
    pub(crate) fn inverse(&self) -> Array2<f64> {
        let unit = Array2::eye(self.0.nrows());
        let columns = unit
            .rows()
            .into_iter()
            .flat_map(|row| self.solve(&row.to_vec()));
        let columns = Array2::from_shape_vec(unit.dim(), columns.collect());
        columns.expect("as many columns as rows").reversed_axes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn the_inverse_solves_and_others_are_refused() {
        let factor = Cholesky::of(&array![[4.0, 2.0], [2.0, 3.0]]).unwrap();
        let x = factor.solve(&[8.0, 7.0]);
        assert!((x[0] - 1.25).abs() < 1e-12 && (x[1] - 1.5).abs() < 1e-12);
        assert!((factor.inverse()[[0, 1]] + 0.25).abs() < 1e-12);
        assert!(Cholesky::of(&array![[4.0, 2.0], [2.0, 0.5]]).is_none());
    }
}
