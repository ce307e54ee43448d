use flylead_core::{Input, Instant, Machine, Pump};
use std::{io::{ErrorKind::*, Read, Result, Write}, os::unix::net::UnixStream, time};

/// Runs a machine until it has ended, has nothing left to wait for, or `event` returns false.
fn drive<M: Machine>(
    socket: &mut UnixStream,
    pump: &mut Pump<M>,
    mut event: impl FnMut(&mut Pump<M>, M::Event) -> bool,
) -> Result<()> {
    let (clock, mut chunk) = (time::Instant::now(), [0; 4096]);
    loop {
        while let Some(next) = pump.poll_event() {
            if !event(pump, next) {
                return socket.write_all(&pump.take_transmit());
            }
        }
        let (wait, now) = (pump.poll(), Instant::after_start(clock.elapsed()));
        let until = if wait.turn { Some(now) } else { wait.until };
        let limit = until.map(|until| (until - now).max(time::Duration::from_millis(1)));
        if wait.write {
            match socket.write(pump.unsent()) {
                Ok(length) => pump.sent(length),
                Err(_) => pump.write_failed(now),
            }
        } else if wait.read {
            socket.set_read_timeout(limit)?;
            let read = socket.read(&mut chunk);
            let now = Instant::after_start(clock.elapsed());
            match read {
                Ok(0) => pump.handle_input(now, Input::Closed),
                Ok(length) => pump.handle_input(now, Input::Bytes(&chunk[..length])),
                Err(error) if matches!(error.kind(), WouldBlock | TimedOut) => {
                    pump.handle_input(now, Input::Timeout);
                }
                Err(_) => pump.read_failed(now),
            }
        } else if let Some(limit) = limit {
            std::thread::sleep(limit);
            pump.handle_input(now + limit, Input::Timeout);
        } else {
            return Ok(());
        }
    }
}
