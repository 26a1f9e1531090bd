//! What programs in Rust are given and give back.

use std::error::Error;
use std::path::PathBuf;

pub struct Given {
    pub folder: PathBuf,
    pub planes: Vec<f32>,
    /// Positions, planes, ranks, files.
    pub shape: [usize; 4],
}

pub fn given() -> Result<Given, Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).ok_or("FOLDER")?);
    let bytes = std::fs::read(folder.join("planes.f32"))?;
    let planes: Vec<f32> = bytes.chunks_exact(4).map(|it| f32::from_le_bytes([it[0], it[1], it[2], it[3]])).collect();
    // Planes have a name in either network, so that boards of 7x7 and 11x11 differ by the file's length alone.
    let size = if planes.len() % 121 == 0 { 11 } else { 7 };
    let shape = [256, planes.len() / (256 * size * size), size, size];
    Ok(Given { folder, planes, shape })
}

impl Given {
    /// Writes the outputs for all positions, each output's numbers position by position.
    pub fn give(&self, outputs: [Vec<f32>; 3]) -> Result<(), Box<dyn Error>> {
        let mut bytes = Vec::new();
        for position in 0..256 {
            for output in &outputs {
                let width = output.len() / 256;
                let row = &output[position * width..(position + 1) * width];
                bytes.extend(row.iter().flat_map(|number| number.to_le_bytes()));
            }
        }
        Ok(std::fs::write(self.folder.join("found.f32"), bytes)?)
    }
}
