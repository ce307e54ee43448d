//! Making the board ready, sending the program, and cleaning up.

use alloc::{
    collections::BTreeSet,
    format,
    string::{String, ToString},
    vec::Vec,
};

use super::{
    Action, End, Event, Features, Launch, ModuleId, Note, Phase, Session,
    breakpoints::{Placed, function_of, hits_expression, log_expression, tuple},
};
use crate::{
    Instant,
    debug::{
        rewrite::{Dialect, Piece, Plan},
        runtime::Runtime,
        source::FunctionId,
        wire::quote,
    },
    raw_repl::{self, Outcome, Traceback},
};

impl Session {
    /// Begins. What the board is to do comes from [`poll_action`](Self::poll_action).
    pub fn start(&mut self) {
        if self.phase == Phase::New {
            self.phase = Phase::Probing;
            self.exec(Runtime::probe(&self.launch.token));
        }
    }

    /// Takes in what the raw REPL says.
    pub fn handle_event(&mut self, now: Instant, event: &raw_repl::Event) {
        match event {
            raw_repl::Event::Stdout(bytes) => self.receive(now, bytes),
            raw_repl::Event::Finished(outcome) => self.finished(now, outcome),
            raw_repl::Event::Lost { reason } => self.end(End::Lost(reason.clone())),
            raw_repl::Event::Terminal(_)
            | raw_repl::Event::Entered
            | raw_repl::Event::Loaded
            | raw_repl::Event::Frame(_)
            | raw_repl::Event::SoftReset
            | raw_repl::Event::Left => {}
        }
    }

    /// A program that could not be sent, and why.
    pub fn refused(&mut self, why: impl ToString) {
        self.end(End::NotReady {
            text: why.to_string(),
        });
    }

    pub(super) fn exec(&mut self, program: String) {
        self.output.push_back(Action::Exec(program.into_bytes()));
    }

    fn finished(&mut self, now: Instant, outcome: &Outcome) {
        let rest = self.wire.finish();
        self.output(now, rest);
        self.forget_echo();
        self.forget_stop();
        match (self.phase, outcome) {
            (Phase::Over | Phase::New, _) => {}
            (_, Outcome::BoardReset) => self.end(End::BoardReset),
            (_, Outcome::Exited) => self.end(End::Exited),
            (Phase::Cleaning, _) => self.cleaned(),
            (Phase::Probing, Outcome::Completed) => self.prepare(),
            (Phase::Preparing, Outcome::Completed) => self.next_preparation(),
            (Phase::Probing | Phase::Preparing, Outcome::Raised(traceback)) => {
                self.not_ready(traceback);
            }
            (Phase::Running, _) if self.final_exception.take().is_some() => self.clean_at_last(),
            (Phase::Running, Outcome::Completed) => self.next_piece(),
            (Phase::Running, Outcome::Raised(traceback)) => self.raised(traceback),
            _ => self.clean(End::Terminated),
        }
    }

    fn not_ready(&mut self, traceback: &Traceback) {
        let text = traceback.text.clone();
        self.clean(End::NotReady { text });
    }

    /// Sends the hooks' own code, and the breakpoints.
    fn prepare(&mut self) {
        let Some(features) = self.features else {
            return self.end(End::NotReady {
                text: "the board's Python is not MicroPython's".to_string(),
            });
        };
        self.phase = Phase::Preparing;
        self.wanted_at_start(&features);
        self.preparations = match features.dialect {
            Dialect::Walrus => self.preparations(&features).into(),
            Dialect::Old => self.old_preparations(&features).into(),
        };
        self.next_preparation();
    }

    fn wanted_at_start(&mut self, features: &Features) {
        let can_import = features.mounts && features.dialect == Dialect::Walrus;
        for file in self.project.files().iter().skip(1).filter(|_| !can_import) {
            let note = Note::NoImports {
                path: file.path.clone(),
            };
            self.output.push_back(Action::Tell(Event::Note(note)));
        }
        for list in self.breakpoints.placed.values_mut() {
            list.iter_mut().for_each(|one| one.is_set = true);
        }
        self.to_hook = self.reckon();
    }

    fn next_preparation(&mut self) {
        match self.preparations.pop_front() {
            Some(program) => self.exec(program),
            None => {
                self.phase = Phase::Running;
                self.tell(Event::Started);
                match self.entry() {
                    Some(program) => self.exec(program),
                    None => self.next_piece(),
                }
            }
        }
    }

    /// What stops before anything of the program is sent, at its first statement.
    fn entry(&self) -> Option<String> {
        let line = self.project.file(ModuleId::MAIN).module.first_line()?;
        let [frame, note] = [self.name("f"), self.name("l")];
        self.launch.stop_on_entry.then(|| match self.dialect() {
            Dialect::Walrus => {
                let [dictionary, stop] = [self.name("D"), self.name("s")];
                format!("{note}={line}\n{dictionary}['{stop}']({frame},'s')\n")
            }
            Dialect::Old => {
                let [flags, step, hook] = ["b", "M", "d"].map(|letter| self.name(letter));
                format!("{frame}.l={line}\n{flags}[{line}]|=1\n{step}=1\n{hook}({frame})\n")
            }
        })
    }

    fn preparations(&mut self, features: &Features) -> Vec<String> {
        let dictionary = self.name("D");
        let has_modules = features.mounts && self.project.files().len() > 1;
        let mut texts = Vec::from([self.runtime().text()]);
        // Modules join later.
        let join = self.runtime().join();
        if has_modules {
            texts.push(join.clone());
            let files = self
                .project
                .files()
                .iter()
                .skip(1)
                .map(|file| file.name.as_str());
            texts.push(self.runtime().imports(files));
        }
        if self.breakpoints.all().any(|(_, one)| one.is_special()) {
            self.helpers.insert(BREAKPOINT);
            texts.push(self.runtime().breakpoint());
        }
        texts.push(self.flags_at_start());
        let runs = texts
            .iter()
            .map(|text| format!("exec({},{dictionary})\n", quote(text)));
        let mut programs: Vec<_> = runs.collect();
        programs[0].insert_str(0, &format!("{dictionary}={{}}\n"));
        let name = self.name("i");
        let join = match has_modules {
            true => format!("{dictionary}['{name}'](0,globals())\n"),
            false => format!(
                "exec({},{dictionary})\n{dictionary}.pop('{name}')(0,globals())\n",
                quote(&join)
            ),
        };
        programs.push(join);
        programs
    }

    /// Tells the board of modules with hooks, of breakpoints and of what else to stop at.
    fn flags_at_start(&self) -> String {
        let modules: BTreeSet<_> = self.to_hook.iter().map(|at| at.0).chain([0]).collect();
        let mut text = String::new();
        for module in modules {
            let lines = self.project.file(ModuleId(module)).module.line_count();
            let new = self.runtime().flags(lines);
            text += &format!("{}[{module}]={new}\n", self.name("m"));
            text += &self.flags(ModuleId(module));
        }
        if self.launch.exceptions.raised || self.launch.exceptions.uncaught {
            text += &format!("{}=1\n", self.name("X"));
        }
        text
    }

    /// The flags of a module's breakpoints, and what the special ones are.
    pub(super) fn flags(&self, module: ModuleId) -> String {
        let placed = self
            .breakpoints
            .placed
            .get(&module)
            .map(Vec::as_slice)
            .unwrap_or_default();
        placed.iter().map(|one| self.flag(module, one)).collect()
    }

    fn flag(&self, module: ModuleId, placed: &Placed) -> String {
        let Placed { id, line, wish, .. } = placed;
        let flags = format!("{}[{}][{line}]", self.name("m"), module.0);
        if !placed.is_special() {
            return format!("{flags}|=2\n");
        }
        let text = &self.project.file(module).module;
        let none = || ("0".to_string(), "()".to_string());
        let function = |expression: &str| {
            let (text, numbers) = function_of(text, *line, expression);
            (quote(&text), tuple(numbers))
        };
        let (condition, reads) = wish.condition.as_deref().map_or_else(none, function);
        let log = wish.log.as_deref().and_then(log_expression);
        let (log, log_reads) = log.as_deref().map_or_else(none, function);
        let hits = wish.hits.as_deref().and_then(hits_expression);
        let hits = hits.map_or_else(
            || "0".to_string(),
            |hits| quote(&format!("lambda n:{hits}")),
        );
        format!(
            "{flags}|=4\n{}[({},{line})]={}({},{},{condition},{reads},{hits},{log},{log_reads})\n",
            self.name("B"),
            module.0,
            self.name("Q"),
            module.0,
            id.0
        )
    }

    fn old_preparations(&mut self, features: &Features) -> Vec<String> {
        let main = self.project.file(ModuleId::MAIN);
        let functions = main.module.functions();
        let has_generators = functions
            .iter()
            .any(|one| one.kind == crate::debug::Kind::Generator);
        let lines = main.module.line_count();
        let text = self
            .runtime()
            .old_text(lines, features.enters_by_const, has_generators);
        let mut flags = format!("{}={}(0,lambda i:0)\n", self.name("f"), self.name("w"));
        let Launch { exceptions, .. } = &self.launch;
        if exceptions.raised || exceptions.uncaught {
            flags += &format!("{}={}[0]=1\n", self.name("X"), self.name("b"));
        }
        let placed = self.breakpoints.placed.get(&ModuleId::MAIN);
        let placed = || placed.into_iter().flatten();
        flags.extend(placed().map(|one| self.old_flag(one)));
        self.told = placed().map(|one| one.line).collect();
        Vec::from([text, flags])
    }

    /// A board without `:=` has no room for more than a condition.
    pub(super) fn old_flag(&self, placed: &Placed) -> String {
        let Placed { line, wish, .. } = placed;
        let flags = format!("{}[{line}]", self.name("b"));
        let hits = wish.hits.as_deref().and_then(hits_expression);
        if wish.condition.is_none() && hits.is_none() {
            return format!("{flags}|=2\n");
        }
        let module = &self.project.file(ModuleId::MAIN).module;
        let condition = wish.condition.as_deref().unwrap_or("1");
        let (function, numbers) = function_of(module, *line, condition);
        let values: Vec<_> = numbers
            .iter()
            .map(|number| format!("f.g({number})"))
            .collect();
        let function = function.strip_suffix("\n)").unwrap_or(&function);
        let condition = format!("({function}))({})", values.join(","));
        let hits = hits.map(|hits| format!("and[n.append(n.pop()+1),[n for n in n if {hits}]][1]"));
        format!(
            "{flags}|=4\n{}[{line}]=lambda f,n=[0]:{condition}{}\n",
            self.name("B"),
            hits.unwrap_or_default()
        )
    }

    /// The next part of the program, with hooks as they are wanted now.
    fn next_piece(&mut self) {
        if self.asked.terminate {
            return self.clean(End::Terminated);
        }
        self.to_hook = self.reckon();
        let mut pieces = self.pieces().into_iter();
        let Some(mut piece) = pieces.next() else {
            return self.clean(End::Completed);
        };
        if pieces.next().is_some() && self.project.reads() {
            piece.text += &self.gate();
        }
        let last = piece.map.last().copied().unwrap_or_default();
        let module = &self.project.file(ModuleId::MAIN).module;
        let sent = self.next_line..=last;
        let is_sent =
            |at: &&(usize, FunctionId)| at.0 == 0 && sent.contains(&module.function(at.1).line);
        self.hooked.extend(self.to_hook.iter().filter(is_sent));
        let module = &self.project.file(ModuleId::MAIN).module;
        self.map.add(ModuleId::MAIN, module, &piece);
        self.next_line = last + 1;
        self.exec(piece.text);
        self.is_between = false;
        self.type_kept();
    }

    /// At the end of a part of the program that is not the last: takes what was typed and nobody has read, which the
    /// prompt would read otherwise.
    fn gate(&self) -> String {
        match self.dialect() {
            Dialect::Walrus => {
                let [dictionary, tell, read] = ["D", "R", "I"].map(|letter| self.name(letter));
                format!("\n{dictionary}['{tell}']('g');{dictionary}['{read}']()\n")
            }
            Dialect::Old => {
                let runtime = self.runtime();
                runtime.old_gate()
            }
        }
    }

    fn pieces(&self) -> Vec<Piece> {
        let limit = match self.dialect() {
            Dialect::Walrus => usize::MAX,
            Dialect::Old => OLD_PIECE,
        };
        self.plan(ModuleId::MAIN, |plan| plan.pieces(self.next_line, limit))
    }

    pub(super) fn plan<R>(&self, id: ModuleId, use_it: impl FnOnce(Plan<'_>) -> R) -> R {
        let hooked = self
            .to_hook
            .iter()
            .filter(|at| at.0 == id.0)
            .map(|at| at.1)
            .collect();
        use_it(Plan {
            module: &self.project.file(id).module,
            number: id.0,
            hooked: &hooked,
            dialect: self.dialect(),
            names: &self.names,
        })
    }

    /// The text of a module as the board gets it, with hooks if any of its functions has them.
    pub(super) fn module_text(&mut self, name: &str) -> Option<String> {
        let id = ModuleId(
            self.project
                .files()
                .iter()
                .position(|file| file.name == name)?,
        );
        self.served.insert(id);
        self.to_hook = self.reckon();
        if !self.to_hook.iter().any(|at| at.0 == id.0) {
            return Some(self.project.file(id).module.text().to_string());
        }
        let [join, leave] = [self.name("i"), self.name("f")];
        // The board may not know of it yet: a step asked for a module that no breakpoint is in.
        let flags = self
            .runtime()
            .flags(self.project.file(id).module.line_count());
        let preamble = format!("__import__('{join}').i({},globals(),{flags});", id.0);
        let epilogue = format!("{leave}.__exit__(0,0,0)");
        let piece = self.plan(id, |plan| plan.whole(&preamble, &epilogue));
        self.map.add(id, &self.project.file(id).module, &piece);
        let sent: Vec<_> = self
            .to_hook
            .iter()
            .filter(|at| at.0 == id.0)
            .copied()
            .collect();
        self.hooked.extend(sent);
        Some(piece.text)
    }
}

/// What the helper for special breakpoints is called.
pub(super) const BREAKPOINT: &str = "breakpoint";
/// The longest part of a program for a board with little memory, which holds its text while it compiles it.
const OLD_PIECE: usize = 1200;
