//! Boards that are simulated, each behind an RFC 2217 server of its own on loopback.

use std::{
    future,
    io::{self, ErrorKind},
    sync::mpsc,
    thread,
    time::Duration,
};

use flylead_core::{
    Input, Instant, Machine as _, Output,
    rfc2217::{Server, ServerEvent},
};
use flylead_tests::{
    bench::fail,
    device::{Device, Program, Step, Traits},
};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    time,
};

/// They live as long as this process.
pub(crate) struct Boards(Vec<String>);

impl Boards {
    /// Starts `count` boards, which know one program and its output.
    pub(crate) fn start(count: usize, source: &str, prints: &[u8]) -> Self {
        allow_files(count as u64 + 500);
        let program = Program::new(source.as_bytes(), vec![Step::Print(prints.to_vec())]);
        let (tell, told) = mpsc::channel();
        thread::spawn(move || serve(count, &program, &tell));
        let addresses = told
            .recv()
            .unwrap_or_else(|_| Err(ErrorKind::BrokenPipe.into()));
        Self(addresses.unwrap_or_else(|error| fail(&format!("the simulated boards: {error}"))))
    }

    pub(crate) fn addresses(&self) -> &[String] {
        &self.0
    }
}

/// Each board has a socket, and most systems allow a process a thousand.
fn allow_files(count: u64) {
    let allowed = getrlimit(Resource::Nofile);
    if allowed.current.is_some_and(|current| current < count) {
        let raised = Rlimit {
            current: Some(allowed.maximum.map_or(count, |most| most.min(count))),
            ..allowed
        };
        if let Err(error) = setrlimit(Resource::Nofile, raised) {
            fail(&format!("{count} open files are not allowed: {error}"));
        }
    }
}

fn serve(count: usize, program: &Program, tell: &mpsc::Sender<io::Result<Vec<String>>>) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let result = runtime.map(|runtime| {
        runtime.block_on(async {
            let addresses = listen(count, program).await;
            let is_there = addresses.is_ok();
            if tell.send(addresses).is_ok() && is_there {
                future::pending::<()>().await;
            }
        });
    });
    if let Err(error) = result {
        let _ = tell.send(Err(error));
    }
}

async fn listen(count: usize, program: &Program) -> io::Result<Vec<String>> {
    let mut addresses = Vec::with_capacity(count);
    for _ in 0..count {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        addresses.push(format!("rfc2217://{}", listener.local_addr()?));
        let program = program.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                // A client that goes is the end of its connection.
                let _ = attend(stream, &program).await;
            }
        });
    }
    Ok(addresses)
}

/// A board from the moment that its port is opened until it is closed.
async fn attend(mut stream: TcpStream, program: &Program) -> io::Result<()> {
    let clock = time::Instant::now();
    let now = || Instant::after_start(clock.elapsed());
    stream.set_nodelay(true)?;
    let mut server = Server::new();
    let mut device = Device::new(now(), Traits::default(), vec![program.clone()]);
    let mut chunk = vec![0; 4096];
    loop {
        let mut sent = Vec::new();
        loop {
            let said = device.take_output();
            if !said.is_empty() {
                server.write(&said);
            }
            match server.poll_output() {
                Output::Transmit(bytes) => sent.extend(bytes),
                Output::Event(ServerEvent::Data(bytes)) => device.receive(now(), &bytes),
                Output::Event(ServerEvent::Asked(message)) => server.tell(&message),
                Output::Event(_) => return Ok(()),
                Output::Idle(_) => break,
            }
        }
        stream.write_all(&sent).await?;
        let wake = device.wake_at().map(|at| at.saturating_since(now()));
        tokio::select! {
            read = stream.read(&mut chunk) => match read? {
                0 => return Ok(()),
                length => server.handle_input(now(), Input::Bytes(&chunk[..length])),
            },
            () = sleep(wake) => device.wake(now()),
        }
    }
}

async fn sleep(duration: Option<Duration>) {
    match duration {
        Some(duration) => time::sleep(duration).await,
        None => future::pending().await,
    }
}
