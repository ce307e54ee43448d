//! Serial ports of other computers, over RFC 2217.

use std::{
    collections::VecDeque,
    io,
    pin::Pin,
    task::{Context, Poll, Waker, ready},
};

use flylead_core::{
    Input, Instant, Pump,
    rfc2217::{Client, ClientEvent, LostReason, Message},
};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
    sync::mpsc,
    time,
};

use super::{buffers, controls::LinkControls, socket};
use crate::link::{address::Address, error::OpenError, stream::Link};

/// Serial port behind a socket, as a byte stream.
struct Port {
    stream: TcpStream,
    pump: Pump<Client>,
    /// Escaped bytes that the socket has not taken yet.
    unsent: VecDeque<u8>,
    /// Bytes from the device that were not read yet.
    unread: VecDeque<u8>,
    /// Waker of a task that waits to write until the server accepts bytes again.
    held_back: Option<Waker>,
    /// Settings requested by the holder of the controls.
    settings: mpsc::Receiver<Message>,
    has_ended: bool,
}

/// Connects, sets the port, and leaves DTR and RTS as they are.
pub(in crate::link) async fn open(host: &str, baud: Option<u32>) -> Result<Link, OpenError> {
    let address = || Address::Rfc2217 {
        host: host.to_owned(),
        baud,
    };
    let asked = baud.unwrap_or(Address::DEFAULT_BAUD);
    let stream = socket::tcp(host).await?;
    let (controls, settings) = mpsc::channel(SETTINGS_WAITING);
    let controls = LinkControls::new(move |setting| {
        controls
            .try_send(setting.clone())
            .map_err(|_| io::ErrorKind::BrokenPipe.into())
    });
    let mut port = Port {
        stream,
        pump: Pump::new(Client::new(Instant::START, asked)),
        unsent: VecDeque::new(),
        unread: VecDeque::new(),
        held_back: None,
        settings,
        has_ended: false,
    };
    match port.opened().await {
        Ok(set) if set == asked => Ok(Link::new(port).with_controls(controls)),
        Ok(baud) => Err(OpenError::OtherBaud {
            address: address(),
            baud,
        }),
        Err((reason, said)) => Err(OpenError::NoPort {
            address: address(),
            reason,
            said: String::from_utf8_lossy(&said).into_owned(),
        }),
    }
}

impl Port {
    /// Waits until the port is ours, and returns its speed.
    async fn opened(&mut self) -> Result<u32, (LostReason, Vec<u8>)> {
        let started = time::Instant::now();
        loop {
            while let Some(event) = self.pump.poll_event() {
                match event {
                    ClientEvent::Opened { baud } => return Ok(baud),
                    ClientEvent::Lost { reason, said } => return Err((reason, said)),
                    ClientEvent::Data(bytes) => self.unread.extend(bytes),
                    ClientEvent::Told(_) => {}
                }
            }
            let Some(deadline) = self.pump.deadline() else {
                return Err((LostReason::Closed, Vec::new()));
            };
            let read = std::future::poll_fn(|context| self.poll_receive(context));
            let read = time::timeout_at(started + deadline.since_start(), read).await;
            let input = match read {
                Ok(Ok(())) => continue,
                Ok(Err(_)) => Input::Closed,
                Err(_) => Input::Timeout,
            };
            self.pump
                .handle_input(Instant::after_start(started.elapsed()), input);
        }
    }

    /// Passes received bytes to the machine.
    fn poll_receive(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.take_settings(context);
        // A peer that takes no more data may still send some; its end shows up in reading.
        let _ = self.poll_send(context);
        let mut chunk = [0; CHUNK];
        let mut buffer = ReadBuf::new(&mut chunk);
        ready!(Pin::new(&mut self.stream).poll_read(context, &mut buffer))?;
        let input = match buffer.filled() {
            [] => Input::Closed,
            bytes => Input::Bytes(bytes),
        };
        // Only opening has a deadline, which has its own clock.
        self.pump.handle_input(Instant::START, input);
        if !self.pump.machine().is_suspended()
            && let Some(writer) = self.held_back.take()
        {
            writer.wake();
        }
        // Answers are sent at once.
        let _ = self.poll_send(context);
        Poll::Ready(Ok(()))
    }

    /// Passes on requested settings, without waiting for the server's answers.
    fn take_settings(&mut self, context: &mut Context<'_>) {
        while let Poll::Ready(Some(setting)) = self.settings.poll_recv(context) {
            // A port that is no longer open ends by itself.
            let _ = self.pump.command(|client| client.set(&setting));
        }
    }

    fn poll_send(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.unsent.extend(self.pump.take_transmit());
        buffers::poll_send(&mut self.stream, &mut self.unsent, context)
    }

    fn take_events(&mut self) {
        while let Some(event) = self.pump.poll_event() {
            match event {
                ClientEvent::Data(bytes) => self.unread.extend(bytes),
                ClientEvent::Lost { .. } => self.has_ended = true,
                ClientEvent::Opened { .. } | ClientEvent::Told(_) => {}
            }
        }
    }
}

impl AsyncRead for Port {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        while self.unread.is_empty() && !self.has_ended {
            ready!(self.poll_receive(context))?;
            self.take_events();
        }
        buffers::read(&mut self.unread, buffer);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Port {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        ready!(self.poll_send(context))?;
        if self.has_ended {
            return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()));
        }
        let piece = &bytes[..bytes.len().min(CHUNK)];
        if self.pump.command(|client| client.write(piece)).is_err() {
            // Reading goes on meanwhile, and wakes the writer when the server resumes.
            self.held_back = Some(context.waker().clone());
            return Poll::Pending;
        }
        let _ = self.poll_send(context)?;
        Poll::Ready(Ok(piece.len()))
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_send(context))?;
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_send(context))?;
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

/// Limit of settings that the socket has not taken yet.
const SETTINGS_WAITING: usize = 16;
/// Size limit of one read from the socket, and of one write of the application.
const CHUNK: usize = 16 * 1024;
