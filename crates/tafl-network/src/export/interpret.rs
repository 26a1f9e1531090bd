//! Reads an ONNX file and executes its graph, node by node: slow and plain, to check what was written.

use super::message::{FLOAT, FLOAT16, Graph, INT64, Initializer, Model, Node};
use super::operators;
use half::f16;
use prost::Message;
use std::collections::BTreeMap;

/// A tensor, its last dimension closest in memory.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Array {
    pub(super) shape: Vec<usize>,
    pub(super) data: Data,
}

/// A tensor's numbers.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Data {
    F32(Vec<f32>),
    F16(Vec<f16>),
    I64(Vec<i64>),
    Bool(Vec<bool>),
}

impl Array {
    pub(super) fn f32(shape: Vec<usize>, data: Vec<f32>) -> Self {
        Self {
            shape,
            data: Data::F32(data),
        }
    }

    pub(super) fn floats(&self) -> Result<&[f32], String> {
        match &self.data {
            Data::F32(values) => Ok(values),
            _ => Err("an input is not of 32-bit floats".to_owned()),
        }
    }

    pub(super) fn integers(&self) -> Result<&[i64], String> {
        match &self.data {
            Data::I64(values) => Ok(values),
            _ => Err("an input is not of integers".to_owned()),
        }
    }
}

/// A file that was read.
pub(super) struct Program {
    graph: Graph,
    constants: BTreeMap<String, Array>,
}

impl Program {
    /// Reads a file.
    ///
    /// # Errors
    /// Says what is wrong with it.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, String> {
        let model = Model::decode(bytes).map_err(|error| error.to_string())?;
        let is_known = matches!(&model.opset_import[..], [set]
            if set.domain.is_empty() && set.version == super::graph::OPSET);
        if !is_known {
            return Err("not of the operators' version that was written".to_owned());
        }
        let mut graph = model.graph.ok_or("no graph")?;
        let mut constants = BTreeMap::new();
        for initializer in std::mem::take(&mut graph.initializers) {
            let name = initializer.name.clone();
            let array = constant(initializer).map_err(|reason| format!("{name}: {reason}"))?;
            constants.insert(name, array);
        }
        Ok(Self { graph, constants })
    }

    /// Computes the outputs, by name, of the one input.
    ///
    /// # Errors
    /// If the input has another shape than the graph says, or a node cannot be computed.
    pub(super) fn run(&self, input: Array) -> Result<BTreeMap<String, Array>, String> {
        let [info] = &self.graph.inputs[..] else {
            return Err("not one input".to_owned());
        };
        check_shape(info, &input)?;
        let mut values = BTreeMap::from([(info.name.clone(), input)]);
        for node in &self.graph.nodes {
            let result = self
                .compute(node, &values)
                .map_err(|reason| format!("node {} ({}): {reason}", node.name, node.op_type))?;
            let name = node.outputs.first().cloned().unwrap_or_default();
            values.insert(name, result);
        }
        let mut outputs = BTreeMap::new();
        for info in &self.graph.outputs {
            let name = &info.name;
            let value = values.remove(name).ok_or(format!("no output {name}"))?;
            check_shape(info, &value)?;
            outputs.insert(name.clone(), value);
        }
        Ok(outputs)
    }

    fn compute(&self, node: &Node, values: &BTreeMap<String, Array>) -> Result<Array, String> {
        let find = |name: &String| {
            let value = values.get(name).or_else(|| self.constants.get(name));
            value.ok_or(format!("no value {name}"))
        };
        let inputs: Vec<&Array> = node.inputs.iter().map(find).collect::<Result<_, _>>()?;
        operators::compute(node, &inputs)
    }
}

/// Compares a tensor's shape with the declared one; a dimension with a name may have any length.
fn check_shape(info: &super::message::ValueInfo, found: &Array) -> Result<(), String> {
    let tensor = info.value_type.as_ref().and_then(|t| t.tensor.as_ref());
    let shape = tensor.and_then(|tensor| tensor.shape.as_ref());
    let dims = &shape.ok_or(format!("{}: no shape", info.name))?.dims;
    let fits = dims.len() == found.shape.len()
        && dims.iter().zip(&found.shape).all(|(dim, &length)| {
            dim.length
                .map_or(dim.name.is_some(), |fixed| fixed == length as i64)
        });
    if fits && tensor.is_some_and(|tensor| tensor.element == FLOAT) {
        found.floats()?;
        return Ok(());
    }
    Err(format!(
        "{}: {:?} is not the declared shape",
        info.name, found.shape
    ))
}

fn constant(initializer: Initializer) -> Result<Array, String> {
    let shape: Vec<usize> = initializer.dims.iter().map(|&dim| dim as usize).collect();
    let bytes = &initializer.raw_data[..];
    let (len, width) = match initializer.data_type {
        FLOAT => (bytes.len() / 4, 4),
        FLOAT16 => (bytes.len() / 2, 2),
        INT64 => (bytes.len() / 8, 8),
        other => return Err(format!("element type {other} is not known")),
    };
    if len != shape.iter().product::<usize>() || bytes.len() != len * width {
        return Err(format!("{} bytes for {shape:?}", bytes.len()));
    }
    let data = match initializer.data_type {
        FLOAT => {
            let words = bytes.as_chunks().0.iter();
            Data::F32(words.map(|&word| f32::from_le_bytes(word)).collect())
        }
        FLOAT16 => {
            let words = bytes.as_chunks().0.iter();
            Data::F16(words.map(|&word| f16::from_le_bytes(word)).collect())
        }
        _ => {
            let words = bytes.as_chunks().0.iter();
            Data::I64(words.map(|&word| i64::from_le_bytes(word)).collect())
        }
    };
    Ok(Array { shape, data })
}
