//! The messages of an ONNX file that are needed (onnx.proto, IR version 8), as far as their fields are.

/// ONNX's number for 32-bit floats.
pub(super) const FLOAT: i32 = 1;
/// ONNX's number for 32-bit integers.
pub(super) const INT32: i32 = 6;
/// ONNX's number for 64-bit integers.
pub(super) const INT64: i32 = 7;
/// ONNX's number for 16-bit floats.
pub(super) const FLOAT16: i32 = 10;

/// What an attribute holds: one integer, or a list of them.
pub(super) const INT: i32 = 2;
/// See [`INT`].
pub(super) const INTS: i32 = 7;

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Model {
    #[prost(int64, tag = "1")]
    pub(super) ir_version: i64,
    #[prost(string, tag = "2")]
    pub(super) producer_name: String,
    #[prost(string, tag = "3")]
    pub(super) producer_version: String,
    #[prost(string, tag = "6")]
    pub(super) doc_string: String,
    #[prost(message, optional, tag = "7")]
    pub(super) graph: Option<Graph>,
    #[prost(message, repeated, tag = "8")]
    pub(super) opset_import: Vec<OperatorSet>,
    #[prost(message, repeated, tag = "14")]
    pub(super) metadata_props: Vec<Property>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct OperatorSet {
    #[prost(string, tag = "1")]
    pub(super) domain: String,
    #[prost(int64, tag = "2")]
    pub(super) version: i64,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Property {
    #[prost(string, tag = "1")]
    pub(super) key: String,
    #[prost(string, tag = "2")]
    pub(super) value: String,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Graph {
    #[prost(message, repeated, tag = "1")]
    pub(super) nodes: Vec<Node>,
    #[prost(string, tag = "2")]
    pub(super) name: String,
    #[prost(message, repeated, tag = "5")]
    pub(super) initializers: Vec<Initializer>,
    #[prost(message, repeated, tag = "11")]
    pub(super) inputs: Vec<ValueInfo>,
    #[prost(message, repeated, tag = "12")]
    pub(super) outputs: Vec<ValueInfo>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Node {
    #[prost(string, repeated, tag = "1")]
    pub(super) inputs: Vec<String>,
    #[prost(string, repeated, tag = "2")]
    pub(super) outputs: Vec<String>,
    #[prost(string, tag = "3")]
    pub(super) name: String,
    #[prost(string, tag = "4")]
    pub(super) op_type: String,
    #[prost(message, repeated, tag = "5")]
    pub(super) attributes: Vec<Attribute>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Attribute {
    #[prost(string, tag = "1")]
    pub(super) name: String,
    // Optional, so that a 0 is written: readers refuse an attribute without a value.
    #[prost(int64, optional, tag = "3")]
    pub(super) int: Option<i64>,
    #[prost(int64, repeated, packed = "false", tag = "8")]
    pub(super) ints: Vec<i64>,
    #[prost(int32, tag = "20")]
    pub(super) kind: i32,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Initializer {
    #[prost(int64, repeated, packed = "false", tag = "1")]
    pub(super) dims: Vec<i64>,
    #[prost(int32, tag = "2")]
    pub(super) data_type: i32,
    #[prost(string, tag = "8")]
    pub(super) name: String,
    /// Little-endian numbers.
    #[prost(bytes = "vec", tag = "9")]
    pub(super) raw_data: Vec<u8>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct ValueInfo {
    #[prost(string, tag = "1")]
    pub(super) name: String,
    #[prost(message, optional, tag = "2")]
    pub(super) value_type: Option<ValueType>,
    #[prost(string, tag = "3")]
    pub(super) doc_string: String,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct ValueType {
    #[prost(message, optional, tag = "1")]
    pub(super) tensor: Option<TensorType>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct TensorType {
    #[prost(int32, tag = "1")]
    pub(super) element: i32,
    #[prost(message, optional, tag = "2")]
    pub(super) shape: Option<Shape>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Shape {
    #[prost(message, repeated, tag = "1")]
    pub(super) dims: Vec<Dimension>,
}

/// A length, or the name of one that is known when the file is used.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Dimension {
    #[prost(int64, optional, tag = "1")]
    pub(super) length: Option<i64>,
    #[prost(string, optional, tag = "2")]
    pub(super) name: Option<String>,
}
