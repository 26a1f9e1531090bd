//! Executes an ONNX file in tract: `tafl-tract-check FILE PLANES OUT BATCH CHANNELS SIZE`.
//!
//! PLANES holds f32 numbers, `[BATCH, CHANNELS, SIZE, SIZE]`; the outputs are written to OUT one after another.

use tract_onnx::prelude::*;

fn main() -> TractResult<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, planes, out, sizes @ ..] = &arguments[..] else {
        return Err(TractError::msg("FILE PLANES OUT BATCH CHANNELS SIZE"));
    };
    let sizes: Vec<usize> = sizes
        .iter()
        .map(|size| size.parse())
        .collect::<Result<_, _>>()?;
    let &[batch, channels, size] = &sizes[..] else {
        return Err(TractError::msg("BATCH CHANNELS SIZE are three numbers"));
    };
    let shape = [batch, channels, size, size];
    let bytes = std::fs::read(planes)?;
    let (words, _) = bytes.as_chunks::<4>();
    let planes = words.iter().map(|&word| f32::from_le_bytes(word)).collect();
    let planes = tract_ndarray::Array4::from_shape_vec(shape, planes)?;
    let model = tract_onnx::onnx()
        .model_for_path(file)?
        .with_input_fact(0, f32::fact(shape).into())?
        .into_optimized()?
        .into_runnable()?;
    let mut written: Vec<u8> = Vec::new();
    for output in model.run(tvec!(planes.into_tvalue()))? {
        let numbers = output.to_array_view::<f32>()?;
        written.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
    }
    std::fs::write(out, written)?;
    Ok(())
}
