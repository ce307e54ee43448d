//! Recording of a run by a single call: START, a pause, STOP.

use std::time::Duration;

use flylead_core::export::{Command, RunId};
use tokio::time::{self, Instant};

use super::{expression, wait, write};
use crate::mcp::{
    answer::Fault,
    arguments::{Data, PortArguments, WriteArguments},
    gate::confirm::{Call, Stop, cancelled},
    ports::Ports,
};

/// Records a run for some seconds, unless the port is already recording one. STOP is sent even if the call is
/// cancelled, the device reports an error, or START fails halfway.
pub(crate) async fn record(
    ports: &Ports,
    call: &Call<'_>,
    arguments: &PortArguments,
    run_id: RunId,
    seconds: u32,
) -> Result<(), Stop> {
    if seconds > LONGEST_RECORD_S {
        return Err(Fault::argument(format!(
            "record_s is at most {LONGEST_RECORD_S}; for longer ones send START run_id={run_id} and STOP with serial.write"
        ))
        .into());
    }
    let port = ports.port(&arguments.port)?;
    port.check_not_recording()?;
    let error = expression(DEVICE_ERROR, true)?;
    let from = port.end_of_unread();
    let start = Command::Start(run_id.clone());
    let begun = send(ports, call, arguments, &start).await;
    let end = Instant::now() + Duration::from_secs(seconds.into());
    let failed = match begun {
        Ok(()) => wait(&port, call, end, || port.find(&error, from)).await,
        Err(_) => None,
    };
    let stopped = stop(ports, call, arguments).await;
    begun?;
    if let Err(Stop::Fault(fault)) = stopped {
        let message = format!(
            "the device may still be recording {run_id}, as STOP could not be sent: {}; send STOP with serial.write",
            fault.message
        );
        return Err(Fault::new("not_stopped", message, false).into());
    }
    match failed {
        Some(lines) => {
            let message = format!("the device did not record: {}", lines.join("\n"));
            Err(Fault::quoting("device", message, false).into())
        }
        None if call.context.ct.is_cancelled() => Err(cancelled().into()),
        None => Ok(()),
    }
}

/// Sends STOP. If another client has begun an export meanwhile, waits for its end first.
async fn stop(ports: &Ports, call: &Call<'_>, arguments: &PortArguments) -> Result<(), Stop> {
    let give_up = Instant::now() + STOP_TIMEOUT;
    loop {
        let stopped = send(ports, call, arguments, &Command::Stop).await;
        match stopped {
            Err(Stop::Fault(fault)) if fault.code == "busy" && Instant::now() < give_up => {
                time::sleep(TRY_AGAIN).await;
            }
            stopped => return stopped,
        }
    }
}

async fn send(
    ports: &Ports,
    call: &Call<'_>,
    arguments: &PortArguments,
    command: &Command,
) -> Result<(), Stop> {
    let command = WriteArguments {
        port: arguments.clone(),
        data: Some(Data(command.to_string().into_bytes())),
        dtr: None,
        rts: None,
        append_newline: true,
    };
    write(ports, call, command).await.map(drop)
}

/// Limit of the time for which one call records, in seconds: the log has to arrive within the same minute.
pub(crate) const LONGEST_RECORD_S: u32 = 40;
/// Time limit for sending STOP.
const STOP_TIMEOUT: Duration = Duration::from_secs(20);
const TRY_AGAIN: Duration = Duration::from_millis(200);
/// A device's refusal, as a whole line (Serial Control and Export Protocol, Responses).
const DEVICE_ERROR: &str = "^ERROR\\b[^\\r\\n]*\\r?\\n";
