//! The Zylisp REPL: the language against its measured original, and the server against everything that ended that one.

mod clients;
mod documents;
mod in_process;
mod nrepl;
mod properties;
mod server;
mod transcripts;
