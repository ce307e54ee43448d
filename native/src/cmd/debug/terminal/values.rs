//! Values and variables at a stop.

use flylead_core::{
    Instant,
    debug::{Container, DebugError, Reply, RequestId, Session, Variable},
};

use super::{
    super::{Failure, show},
    Terminal,
};
use crate::cmd::terminal::{print, print_line};

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
