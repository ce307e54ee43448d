//! Files on real boards: MicroPython 1.28 (unix port) by both means of transfer, and 1.9.2 (micro:bit).
#![cfg(unix)]

mod common;
mod ends;
mod everything;
mod faults;
mod lines;
mod microbit;
mod noise;
mod restarts;
mod room;
mod trees;
