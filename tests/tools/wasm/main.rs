//! wasm-bindgen's two programs in one: `bind …` writes the JavaScript of a wasm module,
//! `runner …` runs a test module in a browser. The arguments are wasm-bindgen's own.

use std::env::args_os;
use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> ExitCode {
    let (tool, arguments) = split(args_os());
    let outcome = match tool.to_str() {
        Some("bind") => wasm_bindgen_cli::wasm_bindgen::run_cli_with_args(arguments),
        Some("runner") => wasm_bindgen_cli::wasm_bindgen_test_runner::run_cli_with_args(arguments),
        _ => return refuse(),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => report(&format!("{error:?}")),
    }
}

/// The tool's name, and the command line that the tool itself expects: its own name first.
fn split(mut arguments: impl Iterator<Item = OsString>) -> (OsString, Vec<OsString>) {
    let program = arguments.next().unwrap_or_default();
    let tool = arguments.next().unwrap_or_default();
    (tool, std::iter::once(program).chain(arguments).collect())
}

fn refuse() -> ExitCode {
    report("usage: flylead-wasm-tools bind|runner ARGUMENTS")
}

fn report(text: &str) -> ExitCode {
    eprintln!("{text}");
    ExitCode::FAILURE
}
