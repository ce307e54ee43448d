//! Shell commands of the agent: how they end, their sandbox, attempts to get out of it, and the tools of an LLM in it.
#![cfg(target_os = "linux")]

mod attempts;
mod ends;
mod sandbox;
mod tools;
mod world;
