//! Evaluates an expression on a Zylisp server:
//!
//! ```sh
//! flylead zylisp serve --listen 127.0.0.1:5555 &
//! cargo run --example zylisp -- 127.0.0.1:5555 '(+ 1 2)'
//! ```

use std::{env, error::Error};

use flylead_core::zylisp::ReplyOutcome;
use flylead_native::zylisp::Client;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<_> = env::args().skip(1).collect();
    let [address, source] = words.as_slice() else {
        return Err("zylisp ADDRESS EXPRESSION".into());
    };
    let client = Client::connect(&address.parse()?).await?;
    let reply = client.eval(source.as_str()).await?;
    print!("{}", reply.output);
    match reply.outcome {
        ReplyOutcome::Value { value, text } => {
            println!("{}", text.unwrap_or_else(|| value.to_string()));
            Ok(())
        }
        other => Err(format!("no value: {other:?}").into()),
    }
}
