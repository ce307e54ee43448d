//! What a person types, on its way to the board.

use std::future::ready;

use flylead_core::raw_repl::CommandError;
use wasm_bindgen::JsValue;

use crate::{conversation::Conversation, error, streams};

/// The writable side of a board's terminal. What is typed where nothing reads it is lost, as on any keyboard: a
/// stream that failed for it would be dead for good.
pub(crate) fn keyboard(conversation: Conversation) -> JsValue {
    streams::writable(move |bytes| ready(type_in(&conversation, &bytes)))
}

fn type_in(conversation: &Conversation, bytes: &[u8]) -> Result<(), JsValue> {
    conversation.desk.check()?;
    let typed = conversation.driver.command(|board, _| board.send(bytes));
    match typed {
        Ok(()) | Err(CommandError::NotRunning | CommandError::Busy) => Ok(()),
        Err(error) => Err(error::refused(error)),
    }
}
