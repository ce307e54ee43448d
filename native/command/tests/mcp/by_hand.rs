//! A client written by hand, for what clients do not let one do.

use std::{
    collections::HashMap,
    io::{BufRead as _, BufReader, Write as _},
    path::Path,
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use flylead_tests::jsonschema::{self, Validator};
use serde_json::{Value, json};

use crate::FLYLEAD;

/// A child that ends with its test.
pub(crate) struct Process(pub(crate) Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A server on stdin and stdout, and the lines that it says.
pub(crate) struct ByHand {
    pub(crate) process: Process,
    stdin: Option<ChildStdin>,
    lines: mpsc::Receiver<String>,
    /// Answer of the person, and the questions asked.
    answer: Option<&'static str>,
    pub(crate) asked: Vec<String>,
    /// True for a person who ticks every box of a question.
    pub(crate) ticks: bool,
    /// Introduction of the server.
    pub(crate) introduction: Value,
    next: u64,
    answers: HashMap<u64, Value>,
    /// The schema that each tool's answers keep to, by the tool's name with underscores.
    schemas: HashMap<String, Validator>,
    /// Tools that were called, by the call's id, and have not answered yet.
    called: HashMap<u64, String>,
}

impl ByHand {
    /// A server that may open this port.
    pub(crate) fn start(port: &Path, artifacts: &Path) -> Self {
        Self::start_with(port, artifacts, &[])
    }

    pub(crate) fn start_with(port: &Path, artifacts: &Path, more: &[&str]) -> Self {
        let mut command = Command::new(FLYLEAD);
        command.args(["mcp", "--allow-port"]).arg(port);
        command.arg("--artifacts").arg(artifacts).args(more);
        // A port's number is given to the next test's device, which has nothing to do with this one's questions.
        command.env("XDG_STATE_HOME", artifacts.join(".state"));
        Self::run(&mut command, None)
    }

    /// Starts the server; a person who is asked says this, and without an answer nobody can be asked.
    pub(crate) fn run(command: &mut Command, answer: Option<&'static str>) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("flylead starts");
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().expect("a pipe was asked for");
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        let mut client = Self {
            process: Process(child),
            stdin,
            lines,
            answer,
            asked: Vec::new(),
            ticks: false,
            introduction: Value::Null,
            next: 1,
            answers: HashMap::new(),
            schemas: HashMap::new(),
            called: HashMap::new(),
        };
        let capabilities = answer.map_or_else(|| json!({}), |_| json!({ "elicitation": {} }));
        client.introduction = client.request(
            "initialize",
            &json!({ "protocolVersion": "2025-06-18", "capabilities": capabilities, "clientInfo": { "name": "hand", "version": "1" } }),
        );
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        let schema = |tool: &Value| {
            let schema = &tool["outputSchema"];
            let validator = jsonschema::validator_for(schema).expect("a schema");
            (underscored(&tool["name"]), validator)
        };
        client.schemas = client.tools().iter().map(schema).collect();
        client
    }

    /// The tools, as the server lists them.
    pub(crate) fn tools(&mut self) -> Vec<Value> {
        let listed = self.request("tools/list", &json!({}));
        listed["result"]["tools"]
            .as_array()
            .expect("a list")
            .clone()
    }

    pub(crate) fn send(&mut self, message: &Value) {
        let stdin = self.stdin.as_mut().expect("it is not hung up");
        writeln!(stdin, "{message}").expect("it reads");
    }

    /// Hangs up, as a client that ends.
    pub(crate) fn hang_up(&mut self) {
        self.stdin = None;
    }

    /// Sends a request without waiting for its answer.
    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> u64 {
        let id = self.next;
        self.next += 1;
        if method == "tools/call" {
            self.called.insert(id, underscored(&params["name"]));
        }
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    pub(crate) fn ask_tool(&mut self, tool: &str, arguments: &Value) -> u64 {
        self.ask(
            "tools/call",
            &json!({ "name": tool, "arguments": arguments }),
        )
    }

    /// Holds a tool's answer against the schema that the server lists for it, as clients do.
    fn check(&self, tool: &str, answer: &Value) {
        let Some(schema) = self.schemas.get(tool) else {
            return;
        };
        let structured = &answer["result"]["structuredContent"];
        let faults: Vec<_> = schema.iter_errors(structured).collect();
        assert!(faults.is_empty(), "{tool} answers {structured}: {faults:?}");
        let is_fault = structured["ok"] == false && structured["error"].is_object();
        let is_error = answer["result"]["isError"] == true;
        assert!(is_fault || !is_error, "{tool}: {answer}");
    }

    /// The next message of the server, but for questions to the person, which are answered.
    pub(crate) fn message(&mut self) -> Value {
        loop {
            let line = self.lines.recv_timeout(PATIENCE).expect("it answers");
            let message: Value = serde_json::from_str(&line).expect("JSON");
            if message["method"] != "elicitation/create" {
                return message;
            }
            let question = message["params"]["message"].as_str().expect("a text");
            self.asked.push(question.to_owned());
            let action = self.answer.expect("nobody can be asked");
            let boxes = &message["params"]["requestedSchema"]["properties"];
            let boxes = boxes.as_object().filter(|_| self.ticks);
            let ticked = boxes
                .into_iter()
                .flatten()
                .map(|(name, _)| (name.clone(), json!(true)));
            let content: serde_json::Map<_, _> = ticked.collect();
            self.send(&json!({ "jsonrpc": "2.0", "id": message["id"], "result": { "action": action, "content": content } }));
        }
    }

    /// Waits for the answer to a request. Answers to others are kept, and notifications passed over.
    pub(crate) fn answer(&mut self, id: u64) -> Value {
        loop {
            if let Some(answer) = self.answers.remove(&id) {
                if let Some(tool) = self.called.remove(&id) {
                    self.check(&tool, &answer);
                }
                return answer;
            }
            let message = self.message();
            if let Some(id) = message["id"].as_u64() {
                self.answers.insert(id, message);
            }
        }
    }

    pub(crate) fn request(&mut self, method: &str, params: &Value) -> Value {
        let id = self.ask(method, params);
        self.answer(id)
    }

    /// Returns a tool's answer, as data.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let id = self.ask_tool(tool, arguments);
        self.answer(id)["result"]["structuredContent"].clone()
    }

    /// Calls a tool until its answer is the wanted one.
    pub(crate) fn call_until(
        &mut self,
        tool: &str,
        arguments: &Value,
        is: impl Fn(&Value) -> bool,
    ) -> Value {
        let limit = Instant::now() + PATIENCE;
        loop {
            let answer = self.call(tool, arguments);
            if is(&answer) {
                return answer;
            }
            assert!(Instant::now() < limit, "a minute is over: {answer}");
            thread::sleep(Duration::from_millis(10));
        }
    }
}

/// A tool's name in the form in which names are compared.
pub(crate) fn underscored(name: &Value) -> String {
    name.as_str().expect("a name").replace('.', "_")
}

/// Waits until something is so; fails after a minute with what was expected.
pub(crate) fn wait_until(what: &str, is: impl Fn() -> bool) {
    let limit = Instant::now() + PATIENCE;
    while !is() {
        assert!(Instant::now() < limit, "{what}: a minute is over");
        thread::sleep(Duration::from_millis(20));
    }
}

pub(crate) const PATIENCE: Duration = Duration::from_secs(60);
