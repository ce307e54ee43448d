//! Confirmation by the person before something on a board is run or erased.
//!
//! In revision 2026-07-28 of the protocol, the server asks with its answer, `input_required`, after which the client
//! repeats the call with the person's response (Multi Round-Trip Requests, SEP-2322); earlier revisions ask with a
//! request, `elicitation/create` (2025-06-18, Elicitation). A client that supports neither asks the user in its own way
//! before a call.

use std::{
    collections::{BTreeSet, VecDeque},
    sync::{Mutex, PoisonError},
    time::Duration,
};

use flylead_native::random_hex;
use rmcp::{
    RoleServer,
    model::{
        ClientResult, ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction,
        ElicitationSchema, InputRequest, InputRequiredResult, InputResponses, ProtocolVersion,
        ServerRequest,
    },
    service::{PeerRequestOptions, RequestContext},
};
use sha2::{Digest as _, Sha256};

use crate::mcp::answer::Fault;

/// One call of a tool, and its client.
pub(crate) struct Call<'a> {
    pub(crate) context: &'a RequestContext<RoleServer>,
    /// Answers of the person, when the call is repeated.
    pub(crate) responses: Option<InputResponses>,
    /// Question that the responses answer.
    pub(crate) state: Option<String>,
    /// Tool and arguments of the call; an answer to one question is valid for no other.
    pub(crate) subject: String,
    /// Open questions; `None` if confirmation is disabled.
    pub(crate) questions: Option<&'a Questions>,
    /// Actions that this client may take without asking the person again.
    pub(crate) consents: &'a Consents,
}

/// Reason why a call has no answer yet.
pub(crate) enum Stop {
    /// The call failed.
    Fault(Fault),
    /// The person has to be asked.
    Ask(Box<InputRequiredResult>),
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl Call<'_> {
    /// Returns once the person agrees, has agreed for the session, or cannot be asked. The person may agree to all
    /// actions of the scope at once, such as `programs that are run at COM7`.
    pub(crate) async fn confirm(&self, question: &str, scope: Option<String>) -> Result<(), Stop> {
        let Some(questions) = self.questions.filter(|_| self.can_ask()) else {
            return Ok(());
        };
        let newest = ProtocolVersion::V_2026_07_28;
        let version = self.context.protocol_version();
        // Revisions are dates, so they sort as text.
        let asks_by_answer = version.is_some_and(|version| version.as_str() >= newest.as_str());
        let consent = scope.filter(|_| self.consents.last(asks_by_answer));
        if consent.as_ref().is_some_and(|it| self.consents.include(it)) {
            return Ok(());
        }
        let question = format!("{question} Do you agree?");
        let form = form(question, consent.as_deref());
        let answer = match asks_by_answer {
            true => self.confirm_by_answer(questions, form)?,
            false => self.confirm_by_request(form).await?,
        };
        check_agreed(&answer.action)?;
        let is_lasting = answer.content.is_some_and(|fields| fields[LASTING] == true);
        if let Some(consent) = consent.filter(|_| is_lasting) {
            self.consents.add(consent);
        }
        Ok(())
    }

    fn can_ask(&self) -> bool {
        let capabilities = self.context.client_capabilities();
        let forms = capabilities.and_then(|capabilities| capabilities.elicitation);
        // A capability without either mode means forms (revision 2025-11-25, Elicitation, Capabilities).
        forms.is_some_and(|modes| modes.form.is_some() || modes.url.is_none())
    }

    fn confirm_by_answer(
        &self,
        questions: &Questions,
        form: ElicitRequestParams,
    ) -> Result<ElicitResult, Stop> {
        let answer = self.responses.as_ref().and_then(|answers| answers.get(KEY));
        let answer = answer.and_then(|answer| serde_json::from_value(answer.clone()).ok());
        let state = self.state.as_deref().unwrap_or_default();
        if let Some(answer) = answer
            && questions.take(state, &self.subject)
        {
            return Ok(answer);
        }
        let request = InputRequest::Elicitation(ElicitRequest::new(form));
        let state = questions.add(&self.subject);
        let ask = InputRequiredResult::new(Some([(KEY.to_owned(), request)].into()), Some(state));
        Err(Stop::Ask(Box::new(ask)))
    }

    async fn confirm_by_request(&self, form: ElicitRequestParams) -> Result<ElicitResult, Fault> {
        let request = ServerRequest::ElicitRequest(ElicitRequest::new(form));
        let options = PeerRequestOptions::with_timeout(ANSWER_TIMEOUT);
        let asked = async {
            let asked = self.context.peer.send_request_with_option(request, options);
            asked.await?.await_response().await
        };
        let answer = tokio::select! {
            answer = asked => answer,
            () = self.context.ct.cancelled() => return Err(cancelled()),
        };
        match answer {
            Ok(ClientResult::ElicitResult(answer)) => Ok(answer),
            Ok(_) => Err(unanswered("the client answered with something else")),
            Err(error) => Err(unanswered(error)),
        }
    }
}

fn check_agreed(action: &ElicitationAction) -> Result<(), Fault> {
    match action {
        ElicitationAction::Accept => Ok(()),
        // Declined, cancelled, or an action of a later revision.
        _ => {
            let message = "the person was asked and declined; nothing was done";
            Err(Fault::new("declined", message, false))
        }
    }
}

fn unanswered(why: impl std::fmt::Display) -> Fault {
    let message = format!("the person was asked and did not answer, so nothing was done: {why}");
    Fault::new("declined", message, false)
}

/// Returns the fault of a call that was cancelled.
pub(crate) fn cancelled() -> Fault {
    Fault::new("cancelled", "the call was cancelled", false)
}

/// Builds a question that the person answers by accepting it, with a checkbox if the consent may last.
fn form(message: String, consent: Option<&str>) -> ElicitRequestParams {
    let schema = ElicitationSchema::builder();
    let schema = match consent {
        Some(consent) => schema.optional_bool_with(LASTING, |field| {
            field
                .title("Do not ask again")
                .description(format!("Allow {consent} until this session ends."))
                .with_default(false)
        }),
        None => schema,
    };
    ElicitRequestParams::FormElicitationParams {
        meta: None,
        message,
        requested_schema: schema.build_unchecked(),
    }
}

/// Actions that one client may take without asking the person again, such as `programs that are run at COM7`.
#[derive(Debug, Default)]
pub(crate) struct Consents {
    given: Mutex<BTreeSet<String>>,
    is_http: bool,
}

impl Consents {
    /// Returns the consents of a client that speaks HTTP. The newest revision has no sessions there: each request gets
    /// a server of its own.
    pub(crate) fn of_http() -> Self {
        Self {
            is_http: true,
            ..Self::default()
        }
    }

    /// Returns true if consents last from one call to the next.
    const fn last(&self, asks_by_answer: bool) -> bool {
        !(self.is_http && asks_by_answer)
    }

    fn include(&self, consent: &str) -> bool {
        let given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
        given.contains(consent)
    }

    fn add(&self, consent: String) {
        let mut given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
        given.insert(consent);
    }
}

/// Questions asked with an answer. Each is valid for one call.
#[derive(Debug, Default)]
pub(crate) struct Questions(Mutex<VecDeque<(String, [u8; 32])>>);

impl Questions {
    fn add(&self, subject: &str) -> String {
        let state = random_hex::<16>();
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        open.push_back((state.clone(), Sha256::digest(subject).into()));
        let excess = open.len().saturating_sub(LONGEST_OPEN);
        open.drain(..excess);
        state
    }

    fn take(&self, state: &str, subject: &str) -> bool {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let subject: [u8; 32] = Sha256::digest(subject).into();
        let is = |(known, about): &(String, [u8; 32])| known == state && *about == subject;
        let found = open.iter().position(is);
        found.and_then(|index| open.remove(index)).is_some()
    }
}

/// Name of the question and of its answer.
const KEY: &str = "confirm";
/// Name of the checkbox for a lasting consent.
const LASTING: &str = "do_not_ask_again";
/// Limit of open questions; older ones are asked again.
const LONGEST_OPEN: usize = 64;
/// Time that a person has to answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(300);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_counts_once_and_for_its_own_question() {
        let questions = Questions::default();
        let state = questions.add("board.remove a.py");
        assert!(!questions.take(&state, "board.remove b.py"));
        assert!(!questions.take("", "board.remove a.py"));
        assert!(questions.take(&state, "board.remove a.py"));
        assert!(!questions.take(&state, "board.remove a.py"));
    }
}
