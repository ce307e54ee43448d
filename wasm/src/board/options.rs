//! Options for attaching a board and running programs, and their results.

use std::time::Duration;

use flylead_core::board::{Answer, Config};
use serde::{Deserialize, Serialize};
use tsify::Tsify;

use super::answers::Answered;
use crate::{binding::arguments, binding::error::Error, binding::values, types::Outcome};

/// Time limits and size limits of a board. Omitted ones have their defaults.
#[derive(Debug, Clone, Default, Deserialize, Tsify)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct AttachOptions {
    /// Time limit for entering raw mode, over all attempts, in milliseconds. Default 10 000.
    #[serde(deserialize_with = "arguments::millis")]
    #[tsify(type = "number")]
    pub enter_timeout: Option<Duration>,
    /// Time limit of an answer that does not depend on a program, in milliseconds. Default 10 000.
    #[serde(deserialize_with = "arguments::millis")]
    #[tsify(type = "number")]
    pub reply_timeout: Option<Duration>,
    /// `false` never tries raw-paste mode. Default `true`.
    #[tsify(type = "boolean")]
    pub raw_paste: Option<bool>,
    /// Limit of a program's unread output, and of the output that `exec` collects, in bytes. Default 16 MiB.
    #[tsify(type = "number")]
    pub output_limit: Option<usize>,
}

/// Options for running a program.
#[derive(Debug, Clone, Default, Deserialize, Tsify)]
#[serde(default, deny_unknown_fields)]
pub struct ExecOptions {
    /// Time in milliseconds after which the program is interrupted. Default: none.
    #[serde(deserialize_with = "arguments::millis")]
    #[tsify(type = "number")]
    pub timeout: Option<Duration>,
}

/// Output of a program that ran to its end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Tsify)]
pub struct ExecResult {
    /// Output as text; bytes that are not UTF-8 are replaced by U+FFFD.
    pub stdout: String,
    /// Output as the board sent it.
    #[serde(serialize_with = "values::byte_array")]
    #[tsify(type = "Uint8Array<ArrayBuffer>")]
    pub bytes: Vec<u8>,
    /// True if the program raised `SystemExit`: the board has reset itself since, and all variables are lost.
    pub exited: bool,
}

impl AttachOptions {
    pub(super) fn config(&self, is_text_only: bool) -> Config {
        let mut config = Config::default();
        let repl = &mut config.repl;
        repl.enter_timeout = self.enter_timeout.unwrap_or(repl.enter_timeout);
        repl.reply_timeout = self.reply_timeout.unwrap_or(repl.reply_timeout);
        repl.raw_paste = self.raw_paste.unwrap_or(repl.raw_paste);
        config.text_link = is_text_only;
        config
    }

    pub(super) fn output_limit(&self) -> usize {
        self.output_limit.unwrap_or(OUTPUT_LIMIT)
    }
}

impl ExecResult {
    /// Creates the result for this output, collected up to one byte more than the limit.
    pub(super) fn new(answer: Answer, mut bytes: Vec<u8>, limit: usize) -> Result<Self, Error> {
        let is_too_long = bytes.len() > limit;
        bytes.truncate(limit);
        let stdout = String::from_utf8_lossy(&bytes).into_owned();
        if is_too_long {
            return Err(Error::too_long(limit, stdout));
        }
        let exited = match Outcome::read(answer) {
            Outcome::Raised { traceback } => return Err(Error::raised(traceback, stdout)),
            Outcome::TimedOut { traceback } => return Err(Error::timed_out(traceback, stdout)),
            Outcome::Restarted => return Err(Error::restarted(stdout)),
            Outcome::Exited => true,
            Outcome::Completed => false,
        };
        Ok(Self {
            stdout,
            bytes,
            exited,
        })
    }
}

/// Limit of a program's output, in bytes.
const OUTPUT_LIMIT: usize = 16 * 1024 * 1024;
