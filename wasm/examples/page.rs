//! A page in Rust: a button that connects a board, runs a program on it, and shows what it prints while it does.
//!
//! The board is behind the WebSocket that follows the `#` of the page's address (a WebREPL, or `flylead serve --board`);
//! without one, the person chooses a USB port. Build it with
//!
//! ```sh
//! cargo build -p flylead-wasm --example page --target wasm32-unknown-unknown
//! wasm-bindgen --target web --out-dir page target/wasm32-unknown-unknown/debug/examples/page.wasm
//! ```
//!
//! and serve a page that has `<script type="module">import init from "./page.js"; init();</script>`.

use flylead_wasm::{
    Board, Error, Streams,
    link::{serial, websocket},
    text,
    types::Outcome,
};
use futures::StreamExt;
use gloo_events::EventListener;
use js_sys::futures::spawn_local;
use web_sys::{Document, Element, window};

fn main() {
    let document = window().and_then(|window| window.document());
    let document = document.expect("this runs in a page");
    let button = add(&document, "button", "Connect and run");
    let output = add(&document, "pre", "");
    let clicked = EventListener::new(&button, "click", move |_| {
        let output = output.clone();
        spawn_local(async move {
            if let Err(error) = connect_and_run(&output).await {
                show(&output, &error.to_string());
            }
        });
    });
    // The page has its button for as long as it lives.
    clicked.forget();
}

async fn connect_and_run(output: &Element) -> Result<(), Error> {
    match address() {
        Some(address) => {
            let link = websocket::connect((&*address).into(), None).await?;
            run((&link).into(), output).await?;
            link.close().await
        }
        None => {
            let link = serial::open(None).await?;
            run((&link).into(), output).await?;
            link.close().await
        }
    }
}

async fn run(link: Streams, output: &Element) -> Result<(), Error> {
    let board = Board::attach(link, None)?;
    let mut program = board.run(PROGRAM.into(), None)?;
    let texts = text::decode(program.events());
    texts.for_each(async |text| show(output, &text)).await;
    show(output, ending(&program.await?));
    board.leave().await
}

fn ending(outcome: &Outcome) -> &str {
    match outcome {
        Outcome::Completed => "It reached its end.",
        Outcome::Raised { traceback }
        | Outcome::TimedOut {
            traceback: Some(traceback),
        } => &traceback.text,
        Outcome::TimedOut { traceback: None } => "It took too long.",
        Outcome::Exited => "It left by SystemExit.",
        Outcome::Restarted => "The board restarted.",
    }
}

fn address() -> Option<String> {
    let hash = window()?.location().hash().ok()?;
    hash.strip_prefix('#').map(String::from)
}

fn add(document: &Document, name: &str, text: &str) -> Element {
    let element = document.create_element(name).expect("HTML has it");
    element.set_text_content(Some(text));
    let body = document.body().expect("the page is loaded");
    body.append_child(&element).expect("a body takes elements");
    element
}

fn show(output: &Element, text: &str) {
    let before = output.text_content().unwrap_or_default();
    output.set_text_content(Some(&(before + text)));
}

const PROGRAM: &str = "
import sys
for n in range(3):
    print(n * n, 'on', sys.implementation.name)
";
