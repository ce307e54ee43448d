//! Inspects a stopped program on a board without `:=`, which answers one request at a time.

use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};

use crate::{
    Instant,
    debug::{
        session::{DebugError, ModuleId, Reply, RequestId, Session, exchange::Expected},
        source::FunctionId,
        wire::quote,
    },
};

impl Session {
    pub(in crate::debug::session) fn old_locals(
        &mut self,
        now: Instant,
        frame: usize,
    ) -> Result<RequestId, DebugError> {
        let (module, id) = self.frame_at(frame)?;
        if id == FunctionId::BODY {
            return Ok(self.old_globals(now));
        }
        let names: Vec<_> = self
            .project
            .file(ModuleId(module))
            .module
            .function(id)
            .variables()
            .map(String::from)
            .collect();
        let request = self.next_request();
        if names.is_empty() {
            self.reply(request, Ok(Reply::Variables(Vec::new())));
        }
        let last = names.len();
        for (number, name) in (1..).zip(names) {
            self.ask(
                now,
                &format!("v {frame} {number}"),
                Expected::OneOf(request, name, number == last),
            );
        }
        Ok(request)
    }

    pub(in crate::debug::session) fn old_globals(&mut self, now: Instant) -> RequestId {
        let command = format!(
            "print(\"\\x1e{} 'v'\",[(k,'',repr(globals()[k]),0,-1)for k in sorted(globals())if k[0]!='_'])",
            self.launch.token
        );
        let request = self.next_request();
        self.ask(now, &command, Expected::Variables(request, None));
        request
    }

    pub(in crate::debug::session) fn old_value(
        &self,
        frame: usize,
        python: &str,
        names: &[String],
        numbers: &[usize],
    ) -> String {
        let at = format!("{}{}", self.name("T"), ".p".repeat(frame));
        let python = printable(python);
        let value = match names {
            [] => format!("({python})"),
            _ => {
                let values: Vec<_> = numbers
                    .iter()
                    .map(|number| format!("{at}.g({number})"))
                    .collect();
                format!(
                    "(lambda {}:({python}))({})",
                    names.join(","),
                    values.join(",")
                )
            }
        };
        format!(
            "print(\"\\x1e{} 'r'\",repr(repr({value})))",
            self.launch.token
        )
    }

    pub(in crate::debug::session) fn old_statement(
        &mut self,
        now: Instant,
        python: &str,
        has_variables: bool,
    ) -> Result<RequestId, DebugError> {
        if has_variables {
            return Err(DebugError::ReadOnly);
        }
        let command = format!(
            "exec({});print(\"\\x1e{} 'd'\")",
            quote(python),
            self.launch.token
        );
        let request = self.next_request();
        self.ask(now, &command, Expected::Done(request));
        Ok(request)
    }
}

/// Returns an expression in printable ASCII, which `input()` accepts. Other characters occur only in strings.
fn printable(python: &str) -> String {
    let escaped = |one: char| match one {
        ' '..='~' => one.to_string(),
        _ if one.is_ascii() => " ".to_string(),
        _ => quote(&one.to_string()).trim_matches('\'').to_string(),
    };
    python.chars().map(escaped).collect()
}
