//! The copy-paste protocol between a coding agent and an LLM.
