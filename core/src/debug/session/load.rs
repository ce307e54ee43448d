//! Prepares the board, sends the program, and cleans up.

use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};

use super::{
    Action, End, Event, Features, Launch, ModuleId, Note, Phase, Session, flags::BREAKPOINT,
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
    /// Begins the session. Actions for the board come from [`poll_action`](Self::poll_action).
    pub fn start(&mut self) {
        if self.phase == Phase::New {
            self.phase = Phase::Probing;
            self.exec(Runtime::probe(&self.launch.token, self.imports_tasks()));
        }
    }

    /// Handles an event of the raw REPL.
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

    /// Reports that a program could not be sent, and the reason.
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
            (Phase::Probing | Phase::Measuring, _) if self.asked.terminate => {
                self.end(End::Terminated);
            }
            (Phase::Compiling | Phase::Preparing, _) if self.asked.terminate => {
                self.clean(End::Terminated);
            }
            (Phase::Probing, Outcome::Completed) if self.is_roomy() => {
                self.phase = Phase::Measuring;
                self.exec(Runtime::room(&self.launch.token));
            }
            (Phase::Probing, Outcome::Completed) | (Phase::Measuring, _) => self.prepare(),
            (Phase::Compiling, Outcome::Raised(traceback)) => self.not_python(traceback),
            (Phase::Compiling | Phase::Preparing, Outcome::Completed) => self.next_preparation(),
            (Phase::Probing | Phase::Preparing, Outcome::Raised(traceback)) => {
                self.not_ready(traceback);
            }
            (Phase::Running, _) if self.final_exception.take().is_some() => self.clean_at_last(),
            (Phase::Running, Outcome::Completed) => self.next_piece(),
            (Phase::Running, Outcome::Raised(traceback)) => self.raised(traceback),
            _ => self.clean(End::Terminated),
        }
    }

    /// Returns true for a board that may have enough memory for hooks everywhere.
    fn is_roomy(&self) -> bool {
        let features = self.features;
        features.is_some_and(|features| features.dialect == Dialect::Walrus)
    }

    fn not_ready(&mut self, traceback: &Traceback) {
        let text = traceback.text.clone();
        self.clean(End::NotReady { text });
    }

    /// Sends the runtime of the hooks, and the breakpoints.
    fn prepare(&mut self) {
        let Some(features) = self.features else {
            return self.end(End::NotReady {
                text: "the board's Python is not MicroPython".to_string(),
            });
        };
        self.wanted_at_start(&features);
        self.preparations = match features.dialect {
            Dialect::Walrus => self.preparations(&features).into(),
            Dialect::Old => self.old_preparations(&features).into(),
        };
        self.preparations.extend(self.arguments());
        match self.compile_first() {
            Some(program) => {
                self.phase = Phase::Compiling;
                self.exec(program);
            }
            None => self.next_preparation(),
        }
    }

    /// Returns the code that compiles the program as it is, if it goes to the board in pieces: a mistake in one would show only after
    /// the ones before have run.
    fn compile_first(&self) -> Option<String> {
        let is_cut = self.dialect() == Dialect::Walrus && self.pieces().len() > 1;
        let text = self.project.file(ModuleId::MAIN).module.text();
        is_cut.then(|| {
            format!(
                "try:__import__('builtins').compile({},'<stdin>','exec')\nexcept SyntaxError:raise\nexcept Exception:pass\n",
                quote(text)
            )
        })
    }

    /// Ends with the mistake that the board's compiler found, without the frame of the code that asked it.
    fn not_python(&mut self, traceback: &Traceback) {
        let lines = traceback.text.lines();
        let own: String = lines
            .filter(|line| !line.ends_with(", in <module>"))
            .map(|line| format!("{line}\n"))
            .collect();
        let traceback = self.translated(&Traceback::parse(own.as_bytes()));
        self.clean(End::Raised(traceback));
    }

    /// Returns the code that sets `sys.argv`. A board without one runs a program that has no words.
    fn arguments(&self) -> Option<String> {
        let arguments = &self.launch.arguments;
        let words = arguments.iter().map(|word| quote(word) + ",");
        let words: String = words.collect();
        let without = match arguments.len() {
            0 => return None,
            1 => "pass",
            _ => {
                "raise AttributeError('this board has no sys.argv, so the program takes no arguments')"
            }
        };
        Some(format!(
            "try:\n __import__('sys').argv.clear()\n __import__('sys').argv.extend([{words}])\nexcept AttributeError:{without}\n"
        ))
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
        self.fit(features);
        self.to_hook = self.reckon();
    }

    fn next_preparation(&mut self) {
        match self.preparations.pop_front() {
            Some(program) => {
                self.phase = Phase::Preparing;
                self.exec(program);
            }
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

    /// Returns the code that stops at the first statement, before any part of the program is sent.
    fn entry(&self) -> Option<String> {
        let line = self.project.file(ModuleId::MAIN).module.first_line()?;
        self.launch.stop_on_entry.then(|| match self.dialect() {
            Dialect::Walrus => {
                let [dictionary, stop, frame] = ["D", "s", "f0"].map(|letter| self.name(letter));
                let note = self.names.line();
                format!("{note}={line}\n{dictionary}['{stop}']({frame},'s')\n")
            }
            Dialect::Old => {
                let frame = self.name("f");
                let [flags, step, hook] = ["b", "M", "d"].map(|letter| self.name(letter));
                format!("{frame}.l={line}\n{flags}[{line}]|=1\n{step}=1\n{hook}({frame})\n")
            }
        })
    }

    fn preparations(&mut self, features: &Features) -> Vec<String> {
        let dictionary = self.name("D");
        let has_modules = features.mounts && self.project.files().len() > 1;
        let mut texts = Vec::from([self.runtime().text()]);
        if self.breakpoints.all().any(|(_, one)| one.is_special()) {
            self.helpers.insert(BREAKPOINT);
        }
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
        if self.helpers.contains(BREAKPOINT) {
            texts.push(self.runtime().breakpoint());
        }
        texts.push(self.flags_at_start());
        let runs = texts
            .iter()
            .map(|text| format!("exec({},{dictionary})\n", quote(text)));
        let mut programs: Vec<_> = runs.collect();
        let new = format!(
            "try:__import__('builtins').{dictionary}={{}}\nexcept Exception:{dictionary}={{}}\n"
        );
        programs[0].insert_str(0, &new);
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
        flags += &self.old_flags_at_start();
        Vec::from([text, flags])
    }

    /// Sends the next part of the program, with the hooks required now.
    fn next_piece(&mut self) {
        if self.asked.terminate {
            return self.clean(End::Terminated);
        }
        self.to_hook = self.reckon();
        let mut pieces = self.pieces().into_iter();
        let Some(mut piece) = pieces.next() else {
            return self.clean(End::Completed);
        };
        // A small board has no memory to spare.
        let is_gated = self.dialect() == Dialect::Walrus || self.project.reads();
        if is_gated && pieces.next().is_some() {
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

    /// Returns the code at the end of a part of the program, except the last: it consumes input that was typed but not
    /// read, which the prompt would otherwise read.
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
            conditions: &self.checked_by_hooks(id),
            parts: self.has_parts(),
            in_one: self.dialect() == Dialect::Walrus && self.imports_threads(),
        })
    }

    /// Returns the text of a module as sent to the board, with hooks if any of its functions has them.
    pub(super) fn module_text(&mut self, name: &str) -> Option<String> {
        let id = ModuleId(
            self.project
                .files()
                .iter()
                .position(|file| file.name == name)?,
        );
        self.served.insert(id);
        self.to_hook = self.reckon();
        let module = &self.project.file(id).module;
        let is_hooked = self.to_hook.iter().any(|at| at.0 == id.0);
        if !is_hooked || module.first_line().is_none() {
            return Some(module.text().to_string());
        }
        let [join, leave] = [self.name("i"), format!("{}{}", self.name("f"), id.0)];
        // The board may not know the module yet if it has no breakpoint.
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

/// The longest part of a program for a board with little memory, which holds its text while it compiles it.
const OLD_PIECE: usize = 1200;
