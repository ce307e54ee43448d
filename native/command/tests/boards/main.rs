//! Real boards behind the library, the examples, the agent, labs and the servers of other projects.
#![cfg(unix)]

mod agent;
mod examples;
mod install;
mod labgrid;
mod library;
mod rfc2217;
mod zylisp;
