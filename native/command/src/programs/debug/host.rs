//! `flylead debug --dap ADDRESS main.py`

use std::time::Duration;

use flylead_core::debug::ModuleId;
use flylead_native::debug::host::{self, Hosted, Printed, Visit};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::mpsc::{Sender, channel},
    time::sleep,
};

use super::{Common, Exit, Failure, dap::listen, terminal::report};
use crate::terminal::{interrupts::Interrupts, print_raw, say};

/// Runs a program that editors attach to, until it ends. Its output is printed here as well.
pub(super) async fn run(address: &str, program: Hosted, common: &Common) -> Result<Exit, Failure> {
    let (listener, address) = listen(address).await?;
    let link = common.open().await?;
    let name = program.project.file(ModuleId::MAIN).path.clone();
    let way = match program.wait {
        true => "starts when an editor has attached",
        false => "runs; editors attach",
    };
    say(format_args!("flylead: {name} {way} at {address}"));
    let interrupts = Interrupts::new()?;
    let (sender, visits) = channel(1);
    let doorman = tokio::spawn(announce(listener, interrupts, sender));
    let print = |printed: Printed<'_>| match printed {
        // A reader that has closed its end of the pipe wants no output.
        Printed::Output(output) => drop(print_raw(output)),
        Printed::Note(note) => say(format_args!("flylead: {note}")),
    };
    let end = host::run(link, program, visits, print).await;
    doorman.abort();
    report(end.map_err(|why| Failure::new(Exit::Lost, why))?)
}

/// Passes on each editor that connects, and each Ctrl-C.
async fn announce(
    listener: TcpListener,
    mut interrupts: Interrupts,
    visits: Sender<Visit<TcpStream>>,
) {
    loop {
        let visit = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((editor, _)) => Visit::Editor(editor),
                // The system lacks descriptors for a while.
                Err(_) => {
                    sleep(RETRY).await;
                    continue;
                }
            },
            () = interrupts.next() => Visit::Interrupt,
        };
        if visits.send(visit).await.is_err() {
            return;
        }
    }
}

/// Time until another try to accept an editor.
const RETRY: Duration = Duration::from_millis(100);
