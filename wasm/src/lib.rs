//! Flylead for JavaScript.
