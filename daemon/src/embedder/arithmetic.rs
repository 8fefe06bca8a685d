//! Rewrites a graph so that weights which it stores as integers are multiplied as integers.
//!
//! An exporter that shrinks a file stores each matrix as `int8` with a scale for each column, and
//! has the graph turn it into floats before the multiplication:
//! `MatMul(x, Mul(Cast(q), scale))`. Dynamic quantisation leaves it as it is:
//! `Mul(Cast(MatMulInteger(DynamicQuantizeLinear(x), q)), x_scale * scale)`, which ONNX Runtime
//! fuses into one step. It takes a third of the time where the processor multiplies bytes by
//! itself; without that, the sums of some processors overflow, and the graph is left as it is.

use std::collections::{HashMap, HashSet};

use prost::Message;

/// The types of the ONNX format that matter here.
const FLOAT: i64 = 1;
const INT8: i32 = 3;
const INT_ATTRIBUTE: i32 = 2;

/// A model. Fields that are not looked at keep the bytes that were read.
///
/// Source: `onnx.proto` of the ONNX project.
#[derive(Clone, PartialEq, Message)]
struct Model {
    #[prost(int64, tag = "1")]
    ir_version: i64,
    #[prost(message, optional, tag = "7")]
    graph: Option<Graph>,
    #[prost(bytes = "vec", repeated, tag = "8")]
    opset_import: Vec<Vec<u8>>,
    #[prost(bytes = "vec", repeated, tag = "25")]
    functions: Vec<Vec<u8>>,
}

#[derive(Clone, PartialEq, Message)]
struct Graph {
    #[prost(bytes = "vec", repeated, tag = "1")]
    node: Vec<Vec<u8>>,
    #[prost(string, tag = "2")]
    name: String,
    #[prost(bytes = "vec", repeated, tag = "5")]
    initializer: Vec<Vec<u8>>,
    #[prost(bytes = "vec", repeated, tag = "11")]
    input: Vec<Vec<u8>>,
    #[prost(bytes = "vec", repeated, tag = "12")]
    output: Vec<Vec<u8>>,
    #[prost(bytes = "vec", repeated, tag = "13")]
    value_info: Vec<Vec<u8>>,
    #[prost(bytes = "vec", repeated, tag = "15")]
    sparse_initializer: Vec<Vec<u8>>,
}

/// A step of the graph.
#[derive(Clone, PartialEq, Message)]
struct Node {
    #[prost(string, repeated, tag = "1")]
    input: Vec<String>,
    #[prost(string, repeated, tag = "2")]
    output: Vec<String>,
    #[prost(string, tag = "4")]
    op_type: String,
    #[prost(message, repeated, tag = "5")]
    attribute: Vec<Attribute>,
}

#[derive(Clone, PartialEq, Message)]
struct Attribute {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(int64, tag = "3")]
    i: i64,
    #[prost(int32, tag = "20")]
    kind: i32,
}

/// A tensor, without its numbers.
#[derive(Clone, PartialEq, Message)]
struct Header {
    #[prost(int64, repeated, tag = "1")]
    dims: Vec<i64>,
    #[prost(int32, tag = "2")]
    data_type: i32,
    #[prost(string, tag = "8")]
    name: String,
}

/// A matrix that is stored as integers, and the scale of each of its columns.
struct Weights<'a> {
    integers: &'a str,
    scale: &'a str,
}

impl Node {
    fn new(op_type: &str, input: &[&str], output: &[&str]) -> Self {
        let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        Self {
            input: owned(input),
            output: owned(output),
            op_type: op_type.to_owned(),
            attribute: Vec::new(),
        }
    }

    fn float(input: &str, output: &str) -> Self {
        let mut node = Self::new("Cast", &[input], &[output]);
        node.attribute.push(Attribute {
            name: "to".to_owned(),
            i: FLOAT,
            kind: INT_ATTRIBUTE,
        });
        node
    }

    fn is_float(&self) -> bool {
        let attribute = self.attribute.first();
        self.op_type == "Cast" && attribute.is_some_and(|to| to.i == FLOAT)
    }
}

/// Returns whether this processor adds up products of bytes without overflow.
pub(super) fn is_exact_here() -> bool {
    #[cfg(target_arch = "x86_64")]
    let is_exact = std::arch::is_x86_feature_detected!("avx512vnni")
        || std::arch::is_x86_feature_detected!("avxvnni");
    #[cfg(target_arch = "aarch64")]
    let is_exact = std::arch::is_aarch64_feature_detected!("dotprod");
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let is_exact = false;
    is_exact
}

/// Rewrites the bytes of an ONNX file.
///
/// # Errors
/// In words, where it is no ONNX file, or stores no matrix as integers.
pub(super) fn in_integers(file: &[u8]) -> Result<Vec<u8>, String> {
    let mut model = Model::decode(file).map_err(|error| error.to_string())?;
    let graph = model.graph.as_mut().ok_or("it has no graph")?;
    let decoded: Result<Vec<Node>, _> = graph
        .node
        .iter()
        .map(|node| Node::decode(node.as_slice()))
        .collect();
    let nodes = decoded.map_err(|error| error.to_string())?;
    let matrices = matrices(graph)?;
    let made_by: HashMap<&str, &Node> = nodes
        .iter()
        .flat_map(|node| {
            node.output
                .iter()
                .map(move |output| (output.as_str(), node))
        })
        .collect();
    let mut quantised = HashSet::new();
    let mut rewritten = Vec::with_capacity(nodes.len());
    for (node, bytes) in nodes.iter().zip(&graph.node) {
        match product(node, &made_by, &matrices) {
            Some((input, weights, output)) => {
                let is_new = quantised.insert(input);
                let steps = multiplied(input, &weights, output, is_new);
                rewritten.extend(steps.iter().map(Node::encode_to_vec));
            }
            None => rewritten.push(bytes.clone()),
        }
    }
    if quantised.is_empty() {
        return Err("it stores no weights as integers".to_owned());
    }
    graph.node = rewritten;
    Ok(model.encode_to_vec())
}

/// The names of the matrices that are stored as integers.
fn matrices(graph: &Graph) -> Result<HashSet<String>, String> {
    let mut found = HashSet::new();
    for tensor in &graph.initializer {
        let header = Header::decode(tensor.as_slice()).map_err(|error| error.to_string())?;
        if header.data_type == INT8 && header.dims.len() == 2 {
            found.insert(header.name);
        }
    }
    Ok(found)
}

/// The input, the weights and the output of a node that multiplies by stored integers.
fn product<'a>(
    node: &'a Node,
    made_by: &HashMap<&str, &'a Node>,
    matrices: &HashSet<String>,
) -> Option<(&'a str, Weights<'a>, &'a str)> {
    let ("MatMul", [input, floats], [output]) =
        (node.op_type.as_str(), &node.input[..], &node.output[..])
    else {
        return None;
    };
    let scaled = made_by.get(floats.as_str())?;
    let ("Mul", [floats, scale]) = (scaled.op_type.as_str(), &scaled.input[..]) else {
        return None;
    };
    let cast = made_by
        .get(floats.as_str())
        .filter(|node| node.is_float())?;
    let integers = cast.input.first().filter(|name| matrices.contains(*name))?;
    Some((input, Weights { integers, scale }, output))
}

/// The steps that take a product's place. An input that was quantised for another one is not
/// quantised anew.
fn multiplied(input: &str, weights: &Weights<'_>, output: &str, is_new: bool) -> Vec<Node> {
    let of = |name: &str, what: &str| format!("{name}/helix-{what}");
    let [values, scale, zero] = ["values", "scale", "zero"].map(|what| of(input, what));
    let [sums, floats, scales] = ["sums", "floats", "scales"].map(|what| of(output, what));
    let quantise = Node::new("DynamicQuantizeLinear", &[input], &[&values, &scale, &zero]);
    let multiply = [
        Node::new(
            "MatMulInteger",
            &[&values, weights.integers, &zero],
            &[&sums],
        ),
        Node::float(&sums, &floats),
        Node::new("Mul", &[&scale, weights.scale], &[&scales]),
        Node::new("Mul", &[&floats, &scales], &[output]),
    ];
    is_new
        .then_some(quantise)
        .into_iter()
        .chain(multiply)
        .collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn tensor(name: &str, data_type: i32, dims: [i64; 2]) -> Vec<u8> {
        let header = Header {
            dims: dims.to_vec(),
            data_type,
            name: name.to_owned(),
        };
        header.encode_to_vec()
    }

    /// Two products of one input and one of another, as exporters write them, and one of floats.
    fn file() -> Vec<u8> {
        let stored = |name: &str, input: &str| {
            let of = |what: &str| format!("{name}_{what}");
            vec![
                Node::float(&of("q"), &of("f")),
                Node::new("Mul", &[&of("f"), "scale"], &[&of("w")]),
                Node::new("MatMul", &[input, &of("w")], &[&of("y")]),
            ]
        };
        let plain = vec![Node::new("MatMul", &["x", "floats"], &["plain_y"])];
        let nodes = [
            stored("a", "x"),
            stored("b", "x"),
            stored("c", "a_y"),
            plain,
        ];
        let graph = Graph {
            node: nodes.concat().iter().map(Node::encode_to_vec).collect(),
            initializer: vec![
                tensor("a_q", INT8, [4, 4]),
                tensor("b_q", INT8, [4, 8]),
                tensor("c_q", INT8, [8, 4]),
                tensor("floats", 1, [4, 4]),
            ],
            ..Graph::default()
        };
        let model = Model {
            ir_version: 8,
            graph: Some(graph),
            ..Model::default()
        };
        model.encode_to_vec()
    }

    #[test]
    fn stored_integers_are_multiplied_as_integers() {
        let rewritten = Model::decode(in_integers(&file()).unwrap().as_slice()).unwrap();
        let nodes = rewritten.graph.unwrap().node;
        let nodes: Vec<Node> = nodes
            .iter()
            .map(|node| Node::decode(node.as_slice()).unwrap())
            .collect();
        let those = |op_type: &str| -> Vec<&Node> {
            let those = nodes.iter().filter(|node| node.op_type == op_type);
            those.collect()
        };
        assert_eq!(those("DynamicQuantizeLinear").len(), 2, "two inputs");
        assert_eq!(those("MatMulInteger").len(), 3);
        let outputs = |nodes: Vec<&Node>| -> Vec<String> {
            let outputs = nodes.iter().flat_map(|node| node.output.clone());
            outputs.collect()
        };
        assert_eq!(outputs(those("MatMul")), ["plain_y"]);
        let all = outputs(nodes.iter().collect());
        assert!(all.contains(&"a_y".to_owned()) && all.contains(&"b_y".to_owned()));
        let distinct: HashSet<&String> = all.iter().collect();
        assert_eq!(distinct.len(), all.len(), "each value is made once");
    }

    #[test]
    fn what_stores_no_integers_is_refused() {
        assert!(in_integers(&[]).unwrap_err().contains("no graph"));
        let refused = in_integers(&Model::default().encode_to_vec()).unwrap_err();
        assert!(refused.contains("no graph"), "{refused}");
        let empty = Model {
            graph: Some(Graph::default()),
            ..Model::default()
        };
        let refused = in_integers(&empty.encode_to_vec()).unwrap_err();
        assert!(refused.contains("no weights"), "{refused}");
        assert!(in_integers(b"no model").is_err());
    }
}
