//! Whatever a client sends, the server goes on: a request on a line of its own is answered, unless the connection was
//! given up for a reason.
#![no_main]

use core::task::Waker;

use flylead_core::{
    Input, Instant,
    zylisp::{
        Decoder, Encoding, ServerConfig, Session, SessionEvent, SessionLimits, Zylisp,
        lang::{Interpreter, Limits},
    },
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let mut limits = Limits::default();
    limits.memory = 1 << 20;
    let mut config = ServerConfig::default();
    config.message_limit = 4_096;
    let language = Zylisp::new(Interpreter::new(limits));
    let now = Instant::START;
    let mut session = Session::new(now, config, SessionLimits::default(), language);
    session.handle_input(now, Input::Bytes(data));
    for id in ["a", "b", "c"] {
        let line = format!("\n{{\"op\":\"eval\",\"id\":\"{id}\",\"code\":\"(* 6 7)\"}}\n");
        session.handle_input(now, Input::Bytes(line.as_bytes()));
    }
    let mut ended = false;
    for _ in 0..200 {
        session.run(now, 5_000, Waker::noop());
        session.interrupt(now, None);
        while let Some(event) = session.poll_event() {
            match event {
                SessionEvent::Load { .. } => session.loaded(now, Err("no files".into())),
                SessionEvent::InterruptElsewhere { id, .. } => session.interrupted(now, id, false),
                _ => ended = true,
            }
        }
    }
    let mut last = None;
    Decoder::new(Encoding::Json, usize::MAX).push(&session.take_transmit(), |reply| {
        last = Some(reply.expect("a server's own words can be read").id);
    });
    assert!(
        ended || !session.is_idle() || last.as_deref() == Some("c"),
        "{last:?}"
    );
});
