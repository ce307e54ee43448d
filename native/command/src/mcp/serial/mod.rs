//! The tools for devices that record.

pub(crate) mod record;

use std::{sync::Arc, time::Duration};

use flylead_core::export::RunId;
use flylead_native::export::Verify;
use regex::bytes::{Regex, RegexBuilder};
use tokio::{
    sync::watch,
    time::{self, Instant},
};

use super::{
    answer::{Fault, Status, Waited, Written},
    arguments::{ExportArguments, PortArguments, ReadArguments, WaitArguments, WriteArguments},
    gate::{
        self, Deed,
        confirm::{Call, Stop, cancelled},
    },
    names::NEXT,
    port::{
        Port,
        turn::Held,
        worker::{Worker, is_over},
    },
    ports::Ports,
    progress::Progress,
};
use record::record;

pub(super) async fn write(
    ports: &Ports,
    call: &Call<'_>,
    arguments: WriteArguments,
) -> Result<Written, Stop> {
    let lines = (arguments.dtr, arguments.rts);
    let data = match arguments.data {
        Some(data) => with_line_end(data.0, arguments.append_newline),
        None if lines == (None, None) => {
            return Err(Fault::argument(
                "data is missing; only a call with dtr or rts may omit it",
            )
            .into());
        }
        None => Vec::new(),
    };
    check_length(&data)?;
    let foreign = (!data.is_ascii()).then(|| "the data is not ASCII".to_owned());
    let length = u32::try_from(data.len()).unwrap_or(u32::MAX);
    let (dtr, rts) = lines;
    let deed = match lines {
        (None, None) => Deed::Send(&data),
        _ => Deed::SetLines {
            dtr,
            rts,
            then: &data,
        },
    };
    let passed = gate::pass(ports, call, &arguments.port.port, &deed).await?;
    let (port, held) = ports.worker(&arguments.port).await?;
    let worker = worker(&held)?;
    worker.set_lines(lines, &passed).await?;
    if !data.is_empty() {
        worker.write(data, &passed).await?;
    }
    let warnings: Vec<_> = foreign.into_iter().chain(port.take_notice()).collect();
    Ok(Written {
        ok: true,
        bytes_written: Some(length),
        hint: Some(NEXT.to_owned()),
        warning: (!warnings.is_empty()).then(|| warnings.join("; ")),
        error: None,
    })
}

fn with_line_end(mut data: Vec<u8>, append: bool) -> Vec<u8> {
    if append && !data.ends_with(b"\n") {
        data.push(b'\n');
    }
    data
}

fn check_length(data: &[u8]) -> Result<(), Fault> {
    match data.len() > LONGEST_WRITE {
        true => Err(Fault::argument(format!(
            "more than {LONGEST_WRITE} bytes; send them in parts"
        ))),
        false => Ok(()),
    }
}

fn worker(held: &Held) -> Result<&Worker, Fault> {
    held.as_ref().ok_or_else(lost)
}

pub(super) async fn wait_for(
    ports: &Ports,
    call: &Call<'_>,
    arguments: WaitArguments,
) -> Result<Waited, Stop> {
    let wanted = expression(&arguments.text, arguments.regex)?;
    let limit = arguments.timeout_s.unwrap_or(10).min(LONGEST_WAIT_S);
    let command = arguments
        .send
        .map(|command| format!("{}\n", command.trim_end_matches('\n')).into_bytes());
    let send = match command {
        Some(data) => {
            check_length(&data)?;
            let deed = Deed::Send(&data);
            let passed = gate::pass(ports, call, &arguments.port.port, &deed).await?;
            Some((data, passed))
        }
        None => None,
    };
    let (port, held) = ports.worker(&arguments.port).await?;
    let mut from = 0;
    if let Some((data, passed)) = send {
        from = port.end_of_unread();
        worker(&held)?.write(data, &passed).await?;
    }
    drop(held);
    let end = Instant::now() + Duration::from_secs(limit.into());
    match wait(&port, call, end, || port.find(&wanted, from)).await {
        Some(lines) => Ok(Waited {
            ok: true,
            found: true,
            untrusted: (!lines.is_empty()).then_some(true),
            lines,
            error: None,
        }),
        None if call.context.ct.is_cancelled() => Err(cancelled().into()),
        None => {
            let lines = port.unread_lines();
            Ok(Waited {
                ok: true,
                found: false,
                untrusted: (!lines.is_empty()).then_some(true),
                lines,
                error: None,
            })
        }
    }
}

/// Builds the expression to wait for, from a literal text or from an expression that the assistant wrote.
pub(super) fn expression(text: &str, is_regex: bool) -> Result<Regex, Fault> {
    if text.is_empty() {
        return Err(Fault::argument("text is empty; name what to wait for"));
    }
    let expression = match is_regex {
        true => text.to_owned(),
        false => regex::escape(text),
    };
    let built = RegexBuilder::new(&expression)
        .multi_line(true)
        .size_limit(LONGEST_EXPRESSION)
        .build();
    let built = built.map_err(|error| {
        Fault::argument(format!("text is not a valid regular expression: {error}"))
    })?;
    match built.is_match(b"") {
        true => Err(Fault::argument(
            "text also matches the empty string, so there is nothing to wait for; write a+ instead of a*",
        )),
        false => Ok(built),
    }
}

/// Waits until output arrives, the given moment is reached, or the call ends.
pub(super) async fn wait<T>(
    port: &Port,
    call: &Call<'_>,
    end: Instant,
    mut look: impl FnMut() -> Option<T>,
) -> Option<T> {
    let mut news = port.news();
    loop {
        if let Some(found) = look() {
            return Some(found);
        }
        tokio::select! {
            _ = news.changed() => {}
            () = time::sleep_until(end) => return look(),
            () = call.context.ct.cancelled() => return look(),
        }
    }
}

pub(super) async fn request_export(
    ports: &Ports,
    call: &Call<'_>,
    arguments: ExportArguments,
) -> Result<Status, Stop> {
    let run_id = RunId::new(&arguments.run_id).map_err(Fault::argument)?;
    if let Some(seconds) = arguments.record_s {
        record(ports, call, &arguments.port, run_id.clone(), seconds).await?;
    }
    let (port, held) = ports.worker(&arguments.port).await?;
    let verify = match arguments.verify_twice {
        true => Verify::Twice,
        false => Verify::Once,
    };
    let asked = worker(&held)?
        .export(run_id, verify, arguments.accept)
        .await?;
    drop(held);
    match &asked.export_id {
        Some(id) if arguments.collect || arguments.record_s.is_some() => {
            Ok(collect(&port, call, id).await?)
        }
        _ => Ok(asked),
    }
}

/// Follows an export to its end. A client that gives up the call cancels the export as well.
async fn collect(port: &Arc<Port>, call: &Call<'_>, id: &str) -> Result<Status, Fault> {
    let mut progress = Progress::new(call.context);
    let mut news = port.news();
    let mut is_cancelled = false;
    loop {
        let status = port.export(id).ok_or_else(lost)?;
        if is_over(&status) {
            return Ok(status);
        }
        let received = status.bytes_received.unwrap_or_default();
        progress.received(received, status.bytes_total).await;
        tokio::select! {
            _ = news.changed() => {}
            () = call.context.ct.cancelled(), if !is_cancelled => {
                is_cancelled = true;
                port.cancel();
            }
        }
    }
}

pub(super) async fn read_next(
    ports: &Ports,
    call: &Call<'_>,
    arguments: ReadArguments,
) -> Result<Status, Fault> {
    let wait_ms = arguments.wait_ms.unwrap_or(1000).min(LONGEST_WAIT_MS);
    let end = Instant::now() + Duration::from_millis(wait_ms.into());
    let (port, id) = match (arguments.export_id, arguments.port) {
        (Some(id), _) => (ports.with_export(&id)?, Some(id)),
        (None, Some(port)) => (ports.port(&port)?, None),
        (None, None) => return Err(Fault::argument("give an export_id or a port")),
    };
    let state = || match &id {
        Some(id) => port.export(id).unwrap_or_default(),
        None => port.status(),
    };
    let before = state();
    if id.is_none() && before.state == "closed" {
        return Ok(closed(&port, before));
    }
    let mut progress = Progress::new(call.context);
    let mut news = port.news();
    loop {
        let (status, (lines, lost)) = (state(), port.take_lines());
        let is_export_over = id.is_some() && is_over(&status);
        let is_news = !lines.is_empty() || is_export_over || status.state != before.state;
        if is_news || Instant::now() >= end || call.context.ct.is_cancelled() {
            port.touch();
            return Ok(with_lines(status, lines, lost));
        }
        progress
            .received(
                status.bytes_received.unwrap_or_default(),
                status.bytes_total,
            )
            .await;
        pause(&mut news, end, call).await;
    }
}

async fn pause(news: &mut watch::Receiver<()>, end: Instant, call: &Call<'_>) {
    tokio::select! {
        _ = news.changed() => {}
        () = time::sleep_until(end) => {}
        () = call.context.ct.cancelled() => {}
    }
}

/// Adapts the state to a closed port, which receives nothing; data received before is still
/// available.
fn closed(port: &Port, mut status: Status) -> Status {
    let why = port.take_notice();
    let why = why.unwrap_or_else(|| "the port is not open".to_owned());
    status.warnings = vec![format!(
        "{why}; serial.write, serial.wait_for and serial.request_export open it"
    )];
    let (lines, lost) = port.take_lines();
    with_lines(status, lines, lost)
}

pub(super) fn status(ports: &Ports, arguments: &PortArguments) -> Result<Status, Fault> {
    Ok(ports.port(&arguments.port)?.status())
}

pub(super) async fn cancel(ports: &Ports, arguments: PortArguments) -> Result<Status, Fault> {
    let port = ports.port(&arguments.port)?;
    let mut news = port.news();
    if port.take_background() {
        let (port, held) = ports.worker(&arguments).await?;
        worker(&held)?.interrupt().await?;
        return Ok(port.status());
    }
    port.cancel();
    let is_over = async {
        while port.check_free().is_err() {
            if news.changed().await.is_err() {
                break;
            }
        }
    };
    if time::timeout(CANCEL_TIMEOUT, is_over).await.is_err() {
        let message = "the operation on this port has not ended yet; check it with serial.status";
        return Err(Fault::busy(message));
    }
    Ok(port.status())
}

fn with_lines(mut status: Status, lines: Vec<String>, lost: u64) -> Status {
    status.untrusted = (!lines.is_empty()).then_some(true);
    status.lines = lines;
    status.bytes_unread = (lost > 0).then_some(lost);
    if status.export_id.is_some() && !is_over(&status) {
        status.hint = Some(NEXT.to_owned());
    }
    status
}

fn lost() -> Fault {
    Fault::new(
        "port_closed",
        "the port is not open; serial.write and serial.request_export open it",
        true,
    )
}

/// Limit of a compiled regular expression, in bytes.
const LONGEST_EXPRESSION: usize = 1024 * 1024;
/// Limit of the data that one call sends, in bytes.
const LONGEST_WRITE: usize = 4096;
const LONGEST_WAIT_MS: u32 = 20_000;
/// Limit of a wait, in seconds: clients with the TypeScript SDK give a call one minute.
const LONGEST_WAIT_S: u32 = 50;
/// Time that a cancelled call has to end: a program is given a few seconds.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(10);
