//! Requests of an editor.

use alloc::{
    string::{String, ToString},
    vec::Vec,
};

use serde_json::{Value, json};

use super::{Adapter, LaunchRequest, Want};
use crate::{Instant, debug::Reach};

/// A request of the editor.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Request {
    pub(super) seq: i64,
    pub(super) command: String,
    pub(super) arguments: Value,
}

impl Request {
    /// Reads a request from a message, if it is one.
    pub(super) fn new(message: &Value) -> Option<Self> {
        (message["type"] == "request").then_some(())?;
        Some(Self {
            seq: message["seq"].as_i64()?,
            command: message["command"].as_str()?.to_string(),
            arguments: message["arguments"].clone(),
        })
    }

    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.arguments[name].as_str()
    }

    pub(super) fn texts(&self, name: &str) -> Vec<String> {
        let list = self.arguments[name].as_array();
        let texts = list.into_iter().flatten().filter_map(Value::as_str);
        texts.map(ToString::to_string).collect()
    }

    pub(super) fn number(&self, name: &str) -> Option<u32> {
        self.arguments[name]
            .as_u64()
            .and_then(|number| u32::try_from(number).ok())
    }

    pub(super) fn flag(&self, name: &str) -> Option<bool> {
        self.arguments[name].as_bool()
    }
}

impl Adapter {
    pub(super) fn request(&mut self, now: Instant, request: Request) {
        match request.command.as_str() {
            "initialize" => self.initialize(&request),
            "launch" => self.start_launch(request),
            "attach" => self.attach(&request),
            "disconnect" => self.disconnect(now, request),
            _ if self.session.is_none() => self.refuse(&request, "no program has been launched"),
            _ if self.is_alone() => self.refuse(&request, "send `attach` first"),
            "source" => self.source_text(&request),
            "setBreakpoints" => self.set_breakpoints(now, &request),
            "setFunctionBreakpoints" => self.set_function_breakpoints(now, &request),
            "setExceptionBreakpoints" => self.set_exception_breakpoints(now, &request),
            "breakpointLocations" => self.breakpoint_locations(&request),
            "configurationDone" => self.configuration_done(&request),
            "threads" => self.threads(&request),
            "stackTrace" => self.stack_trace(&request),
            "scopes" => self.scopes(&request),
            "variables" => self.variables(now, request),
            "setVariable" => self.set_variable(now, request),
            "setExpression" => self.set_expression(now, request),
            "evaluate" => self.evaluate(now, request),
            "exceptionInfo" => self.exception_info(&request),
            "completions" => self.completions(&request),
            "loadedSources" => self.loaded_sources(&request),
            "modules" => self.modules(&request),
            "continue" | "next" | "stepIn" | "stepOut" => self.resume(now, &request),
            "stepInTargets" => self.step_in_targets(&request),
            "cancel" => self.cancel(&request),
            "restart" => self.restart(now, request),
            "pause" => self.pause(now, &request),
            "terminate" => self.terminate(now, &request),
            _ => self.refuse(&request, "this debugger does not support this request"),
        }
    }

    fn initialize(&mut self, request: &Request) {
        self.lines_from_zero = request.flag("linesStartAt1") == Some(false);
        self.columns_from_zero = request.flag("columnsStartAt1") == Some(false);
        let filters = json!([
            {
                "filter": "raised", "label": "Raised exceptions", "default": false,
                "description": "Stop where any exception is raised.",
                "supportsCondition": true, "conditionDescription": CONDITION,
            },
            {
                "filter": "uncaught", "label": "Uncaught exceptions", "default": false,
                "description": "Stop where an uncaught exception is raised.",
                "supportsCondition": true, "conditionDescription": CONDITION,
            },
        ]);
        self.answer(
            request,
            json!({
                "supportsConfigurationDoneRequest": true,
                "supportsFunctionBreakpoints": true,
                "supportsConditionalBreakpoints": true,
                "supportsHitConditionalBreakpoints": true,
                "supportsLogPoints": true,
                "supportsEvaluateForHovers": true,
                "supportsSetVariable": true,
                "supportsSetExpression": true,
                "supportsExceptionInfoRequest": true,
                "supportsTerminateRequest": true,
                "supportTerminateDebuggee": self.is_hosted(),
                "supportsBreakpointLocationsRequest": true,
                "supportsCompletionsRequest": true,
                "supportsLoadedSourcesRequest": true,
                "supportsModulesRequest": true,
                "supportsStepInTargetsRequest": true,
                "supportsSteppingGranularity": true,
                "supportsCancelRequest": true,
                "supportsRestartRequest": true,
                "supportsDelayedStackTraceLoading": true,
                "supportsExceptionFilterOptions": true,
                "exceptionBreakpointFilters": filters,
            }),
        );
    }

    fn start_launch(&mut self, request: Request) {
        if self.is_hosted() {
            return self.refuse(
                &request,
                "a program is already running for editors to attach to; use the request `attach`",
            );
        }
        if self.session.is_some() || self.launch.is_some() {
            return self.refuse(&request, "a program has already been launched");
        }
        let boot = request.flag("boot").unwrap_or_default();
        let program = request.text("program").filter(|_| !boot);
        if program.is_none() && !boot {
            return self.refuse(&request, "`program`, the file to debug, is missing");
        }
        let program = program.unwrap_or_default().to_string();
        let launch = LaunchRequest {
            program,
            boot,
            port: request.text("port").map(ToString::to_string),
            modules: request.texts("modules"),
            stop_on_entry: request.flag("stopOnEntry").unwrap_or_default(),
            reach: match request.flag("callers") {
                Some(false) => Reach::Only,
                _ => Reach::All,
            },
            reset: boot || request.flag("reset").unwrap_or_default(),
            parts: request.flag("parts").unwrap_or_default(),
            args: request.texts("args"),
        };
        self.want(Want::Open(launch.clone()));
        self.launch = Some((request, launch));
    }

    /// Drops a request that awaits the board, whose answer is then ignored.
    fn cancel(&mut self, request: &Request) {
        let seq = request.arguments["requestId"].as_i64();
        let dropped = self.take_questions(seq);
        if let Some(dropped) = dropped {
            self.refuse(&dropped, "cancelled");
        }
        self.answer(request, json!({}));
    }

    fn disconnect(&mut self, now: Instant, request: Request) {
        let ends_program = request.flag("terminateDebuggee") == Some(true);
        if !ends_program && self.detach(now) {
            self.answer(&request, json!({}));
            return self.end();
        }
        match &mut self.session {
            Some(session) if !session.is_over() => {
                session.terminate(now);
                self.closing = Some(request);
            }
            _ => {
                self.answer(&request, json!({}));
                self.end();
            }
        }
    }
}

/// Meaning of an exception's condition, for the person who types it.
const CONDITION: &str =
    "Python in the frame of the exception, which is __exception__: __exception__.errno == 5";
