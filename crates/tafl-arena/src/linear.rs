//! Small symmetric systems of equations.

/// A symmetric matrix, stored whole.
#[derive(Debug, Clone)]
pub(crate) struct SymmetricMatrix {
    len: usize,
    numbers: Vec<f64>,
}

impl SymmetricMatrix {
    pub(crate) fn zero(len: usize) -> Self {
        Self {
            len,
            numbers: vec![0.0; len * len],
        }
    }

    pub(crate) fn at(&self, row: usize, column: usize) -> f64 {
        self.numbers[row * self.len + column]
    }

    pub(crate) fn add(&mut self, row: usize, column: usize, number: f64) {
        self.numbers[row * self.len + column] += number;
    }
}

/// The lower triangle L of a matrix that is L times its transpose.
pub(crate) struct Cholesky(SymmetricMatrix);

/// Returns the factor of a positive definite matrix; `None` for any other.
pub(crate) fn cholesky(matrix: &SymmetricMatrix) -> Option<Cholesky> {
    let mut lower = SymmetricMatrix::zero(matrix.len);
    for row in 0..matrix.len {
        for column in 0..=row {
            let sum: f64 = (0..column)
                .map(|k| lower.at(row, k) * lower.at(column, k))
                .sum();
            let rest = matrix.at(row, column) - sum;
            if row != column {
                lower.add(row, column, rest / lower.at(column, column));
            } else if rest > 0.0 {
                lower.add(row, row, rest.sqrt());
            } else {
                return None;
            }
        }
    }
    Some(Cholesky(lower))
}

impl Cholesky {
    /// Returns x with matrix * x = `right`.
    pub(crate) fn solve(&self, right: &[f64]) -> Vec<f64> {
        let lower = &self.0;
        let mut x = right.to_vec();
        for row in 0..lower.len {
            let known: f64 = (0..row).map(|k| lower.at(row, k) * x[k]).sum();
            x[row] = (x[row] - known) / lower.at(row, row);
        }
        for row in (0..lower.len).rev() {
            let known: f64 = (row + 1..lower.len).map(|k| lower.at(k, row) * x[k]).sum();
            x[row] = (x[row] - known) / lower.at(row, row);
        }
        x
    }

    /// Returns the inverse of the matrix.
    pub(crate) fn inverse(&self) -> SymmetricMatrix {
        let len = self.0.len;
        let mut inverse = SymmetricMatrix::zero(len);
        for column in 0..len {
            let unit: Vec<f64> = (0..len)
                .map(|row| f64::from(u8::from(row == column)))
                .collect();
            for (row, number) in self.solve(&unit).into_iter().enumerate() {
                inverse.add(row, column, number);
            }
        }
        inverse
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_inverse_solves_and_others_are_refused() {
        let mut matrix = SymmetricMatrix::zero(2);
        for (row, column, number) in [(0, 0, 4.0), (0, 1, 2.0), (1, 0, 2.0), (1, 1, 3.0)] {
            matrix.add(row, column, number);
        }
        let factor = cholesky(&matrix).unwrap();
        let x = factor.solve(&[8.0, 7.0]);
        assert!((x[0] - 1.25).abs() < 1e-12 && (x[1] - 1.5).abs() < 1e-12);
        assert!((factor.inverse().at(0, 1) + 0.25).abs() < 1e-12);
        matrix.add(1, 1, -2.5);
        assert!(cholesky(&matrix).is_none());
    }
}
