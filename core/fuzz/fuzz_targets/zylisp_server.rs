//! Checks that the server survives any input: a request on a line of its own is answered, unless the connection was
//! closed for a reason; and every pending request is answered once.
#![no_main]

use flylead_core::{
    Input, Instant, Machine, Pump,
    zylisp::{Decoder, Encoding, ServerEvent, ZylispServer},
};
use flylead_fuzz::{choices, pieces, small_server};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let (cuts, bytes) = choices(data, 4);
    let (config, factory, budget) = small_server();
    let now = Instant::START;
    let mut server = Pump::new(ZylispServer::new(now, config, factory));
    for piece in pieces(bytes, cuts) {
        server.handle_input(now, Input::Bytes(piece));
    }
    for id in ["a", "b", "c"] {
        let line = format!("\n{{\"op\":\"eval\",\"id\":\"{id}\",\"code\":\"(* 6 7)\"}}\n");
        server.handle_input(now, Input::Bytes(line.as_bytes()));
    }
    let mut ended = false;
    for _ in 0..200 {
        server.handle_input(now, Input::Timeout);
        server.command(|server| server.interrupt_all(now));
        while let Some(event) = server.poll_event() {
            match event {
                ServerEvent::Load(load) => server.command(|server| {
                    server.loaded(now, &load.session, Err("no files".into()));
                }),
                ServerEvent::InterruptElsewhere(elsewhere) => {
                    server.command(|server| server.interrupted(elsewhere.id, None));
                }
                _ => ended = true,
            }
        }
    }
    let mut last = None;
    Decoder::new(Encoding::Json, usize::MAX).push(&server.take_transmit(), |reply| {
        last = Some(reply.expect("a server's own words can be read").id);
    });
    assert!(
        ended || !server.machine().is_idle() || last.as_deref() == Some("c"),
        "{last:?}"
    );
    assert_eq!(ended, server.machine().is_over());
    drop(server);
    assert_eq!(budget.used(), 0);
});
