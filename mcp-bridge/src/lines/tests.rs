#![allow(clippy::unwrap_used)]
use tokio::io::{AsyncReadExt, DuplexStream, duplex, split};

use super::*;

const PING: &[u8] = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";

/// More than all that these tests write.
const PIPE_BYTES: usize = 4096;

/// More than the longest line of them.
const LONG_PIPE_BYTES: usize = 65_536;

const LINE_MAX_BYTES: usize = 64;

type Served = Lines<tokio::io::ReadHalf<DuplexStream>, tokio::io::WriteHalf<DuplexStream>>;

fn connected(pipe_bytes: usize) -> (Served, DuplexStream) {
    let (ours, theirs) = duplex(pipe_bytes);
    let (input, output) = split(ours);
    (Lines::new(input, output, LINE_MAX_BYTES), theirs)
}

/// Returns what is said to these lines, all of which are followed by a ping that is understood.
async fn said_to(lines: &[u8]) -> Vec<Value> {
    let (mut served, mut client) = connected(PIPE_BYTES);
    client.write_all(&[lines, PING].concat()).await.unwrap();
    assert!(matches!(
        served.receive().await,
        Some(ClientJsonRpcMessage::Request(_))
    ));
    served.close().await.unwrap();
    drop(served);
    let mut said = String::new();
    client.read_to_string(&mut said).await.unwrap();
    said.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[tokio::test]
async fn what_is_not_json_is_refused_without_an_id() {
    for line in [
        &b"not json"[..],
        b"{\"jsonrpc\":\"2.0\",",
        b"\0\x01",
        b"\xFF\xFE",
        b"{}{}",
    ] {
        let said = said_to(&[line, b"\n"].concat()).await;
        let [refusal] = said.as_slice() else {
            unreachable!("{said:?}")
        };
        assert_eq!(
            (refusal.get("id"), &refusal["error"]["code"]),
            (Some(&Value::Null), &json!(-32_700))
        );
    }
}

#[tokio::test]
async fn json_that_is_no_message_is_refused() {
    for (line, id) in [
        ("[1,2,3]", Value::Null),
        ("{\"id\":7,\"method\":\"ping\"}", json!(7)),
        ("{\"id\":7,\"result\":3}", Value::Null),
        ("\"text\"", Value::Null),
    ] {
        let said = said_to(format!("{line}\n").as_bytes()).await;
        let [refusal] = said.as_slice() else {
            unreachable!("{line}: {said:?}")
        };
        assert_eq!(
            (refusal.get("id"), &refusal["error"]["code"]),
            (Some(&id), &json!(-32_600)),
            "{line}"
        );
    }
}

#[tokio::test]
async fn blank_lines_and_unknown_notifications_are_ignored() {
    assert_eq!(
        said_to(b"\n\r\n{\"method\":\"didOpen\"}\n\xEF\xBB\xBF\n").await,
        Vec::<Value>::new()
    );
}

#[tokio::test]
async fn a_line_that_is_too_long_is_refused_once() {
    let said = said_to(&[&[b'x'; 5 * LINE_MAX_BYTES][..], b"\n"].concat()).await;
    let [refusal] = said.as_slice() else {
        unreachable!("{said:?}")
    };
    assert_eq!(
        refusal["error"]["message"],
        "Invalid request: a line has at most 64 bytes; split the call"
    );
}

#[tokio::test]
async fn a_request_that_is_too_long_is_refused_by_its_id() {
    let filler = "x".repeat(5 * LINE_MAX_BYTES);
    let huge = "y".repeat(3 * ID_LOOKED_FOR_BYTES);
    for (line, id) in [
        (
            format!(
                r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{{"a":"{huge}"}}}}"#
            ),
            json!(7),
        ),
        (
            format!(
                r#"{{"jsonrpc": "2.0", "params": {{"id": 3}}, "id" : "a\"b", "b": "{filler}"}}"#
            ),
            json!("a\"b"),
        ),
        (
            format!(
                r#"{{"method":"tools/call","params":{{"id":1,"a":"{huge}"}},"jsonrpc":"2.0","id":8}}"#
            ),
            json!(8),
        ),
        (
            format!(
                r#"{{"method":"tools/call","params":{{"a":"{huge}"}},"id":"z","jsonrpc":"2.0"}}"#
            ),
            json!("z"),
        ),
        (
            format!(r#"{{"method":"tools/call","params":{{"a":"{huge}","id":9}}}}"#),
            Value::Null,
        ),
        (
            format!(r#"{{"method":"note","params":{{"a":"{huge} \"id\":9}}"}}}}"#),
            Value::Null,
        ),
    ] {
        let (mut served, mut client) = connected(LONG_PIPE_BYTES);
        client
            .write_all(&[line.as_bytes(), b"\n", PING].concat())
            .await
            .unwrap();
        assert!(matches!(
            served.receive().await,
            Some(ClientJsonRpcMessage::Request(_))
        ));
        drop(served);
        let mut said = String::new();
        client.read_to_string(&mut said).await.unwrap();
        let said: Value = serde_json::from_str(&said).unwrap();
        assert_eq!(
            (&said["id"], &said["error"]["code"]),
            (&id, &json!(-32_600)),
            "{}",
            line.get(..60).unwrap()
        );
    }
}

#[tokio::test]
async fn a_cancelled_read_or_write_loses_nothing() {
    // So narrow that a refusal takes many writes.
    let (mut served, client) = connected(8);
    let (mut input, mut says) = split(client);
    let saying = tokio::spawn(async move { says.write_all(&[b"garbage\n", PING].concat()).await });
    let hearing = tokio::spawn(async move {
        let mut heard = String::new();
        input.read_to_string(&mut heard).await.map(|_| heard)
    });
    let message = loop {
        tokio::select! {
            biased;
            message = served.receive() => break message,
            // Cancels the other after each of its steps.
            () = tokio::task::yield_now() => {}
        }
    };
    assert!(matches!(message, Some(ClientJsonRpcMessage::Request(_))));
    drop(served);
    saying.await.unwrap().unwrap();
    let heard = hearing.await.unwrap().unwrap();
    assert_eq!(
        serde_json::from_str::<Value>(&heard).unwrap()["error"]["code"],
        -32_700,
        "{heard}"
    );
}
