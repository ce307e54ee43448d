//! What one does with a board, over its raw REPL: files, transfers, resets.
