//! Values and variables at a stop.

use flylead_core::{
    Instant,
    debug::{Container, DebugError, Reply, RequestId, Session, Variable},
};

use super::{
    super::{Failure, show},
    Terminal,
};
use crate::terminal::{print, print_line};

impl Terminal {
    async fn ask(
        &mut self,
        ask: impl FnOnce(&mut Session, Instant) -> Result<RequestId, DebugError> + Send + 'static,
    ) -> Result<Result<Reply, DebugError>, Failure> {
        let id = match self.session(ask).await? {
            Ok(id) => id,
            Err(error) => return Ok(Err(error)),
        };
        loop {
            if let Some(reply) = self.replies.remove(&id) {
                return Ok(reply);
            }
            if self.end.is_some() {
                return Ok(Err(DebugError::Over));
            }
            let event = self.driver.next_event().await;
            Box::pin(self.take(event)).await?;
        }
    }

    async fn evaluate(&mut self, python: &str) -> Result<Result<Reply, DebugError>, Failure> {
        let (frame, python) = (self.frame, python.to_owned());
        self.ask(move |session, now| session.evaluate(now, frame, &python))
            .await
    }

    pub(super) async fn print_value(
        &mut self,
        expression: &str,
        name: Option<&str>,
    ) -> Result<(), Failure> {
        let label = name.map(|name| format!("{name} = ")).unwrap_or_default();
        match self.evaluate(expression).await? {
            Ok(Reply::Value(value)) => print_line(format_args!("{label}{}", value.text))?,
            Ok(_) => {}
            Err(error) => print_line(format_args!("*** {label}{error}"))?,
        }
        Ok(())
    }

    /// Prints a value with all of its items, separated by `between`.
    pub(super) async fn print_whole(
        &mut self,
        expression: &str,
        between: &str,
    ) -> Result<(), Failure> {
        let value = match self.evaluate(expression).await? {
            Ok(Reply::Value(value)) => value,
            Ok(_) => return Ok(()),
            Err(error) => return Ok(print_line(format_args!("*** {error}"))?),
        };
        let length = value.length.unwrap_or_default();
        let is_long = length > SHOWN || between.contains('\n') && length > 1;
        let Some(of) = value.handle.filter(|_| is_long) else {
            let rest = show::rest(&value);
            return Ok(print_line(format_args!("{}{rest}", value.text))?);
        };
        let mut items = Vec::new();
        while (items.len() as u32) < length.min(MOST_ITEMS) {
            let start = items.len() as u32;
            let page = Container::Items {
                of,
                start,
                count: PAGE,
            };
            let variables = self.variables(page).await?;
            if variables.is_empty() {
                break;
            }
            items.extend(variables);
        }
        print_line(show::items(&value, &items, between))?;
        Ok(())
    }

    pub(super) async fn print_kind(&mut self, expression: &str) -> Result<(), Failure> {
        match self.evaluate(expression).await? {
            Ok(Reply::Value(value)) => print_line(show::kind(&value))?,
            Ok(_) => {}
            Err(error) => print_line(format_args!("*** {error}"))?,
        }
        Ok(())
    }

    pub(super) async fn run_python(&mut self, python: &str) -> Result<(), Failure> {
        match self.evaluate(python).await? {
            Ok(Reply::Value(value)) if value.text != "None" => print_line(value.text)?,
            Ok(_) => {}
            Err(DebugError::Raised(text))
                if is_word(python) && !self.is_interactive && text.starts_with("NameError") =>
            {
                print_line(format_args!(
                    "*** {python} is neither a command nor a variable; help lists the commands"
                ))?;
            }
            Err(error) => print_line(format_args!("*** {error}"))?,
        }
        Ok(())
    }

    async fn variables(&mut self, container: Container) -> Result<Vec<Variable>, Failure> {
        let reply = self
            .ask(move |session, now| session.variables(now, container))
            .await?;
        match reply {
            Ok(Reply::Variables(variables)) => return Ok(variables),
            Ok(_) => {}
            Err(error) => print_line(format_args!("*** {error}"))?,
        }
        Ok(Vec::new())
    }

    pub(super) async fn show_variables(&mut self, container: Container) -> Result<(), Failure> {
        let variables = self.variables(container).await?;
        print(show::variables(&variables))?;
        Ok(())
    }

    pub(super) async fn show_arguments(&mut self) -> Result<(), Failure> {
        let Some(frame) = self.current().cloned() else {
            return Ok(());
        };
        let names = self.project(move |project| {
            let module = &project.file(frame.module).module;
            let function = module.function_at(frame.line).map(|id| module.function(id));
            function
                .map(|one| one.parameters().map(str::to_owned).collect::<Vec<_>>())
                .unwrap_or_default()
        });
        let names = names.await?;
        let mut variables = self.variables(Container::Locals(self.frame)).await?;
        variables.retain(|one| names.contains(&one.name));
        print(show::variables(&variables))?;
        Ok(())
    }
}

fn is_word(text: &str) -> bool {
    text.chars().all(|one| one.is_alphanumeric() || one == '_')
}

/// Number of items that the board includes in a value by itself.
const SHOWN: u32 = 20;
/// Number of items to request at once.
const PAGE: u32 = 100;
/// Limit of printed items.
const MOST_ITEMS: u32 = 10_000;
