//! Names for editors: those that the board's own `dir` lists, with signatures from programs, files and stubs.

use std::{collections::BTreeMap, fs, path::Path};

use flylead_core::zylisp::{
    Help, Question,
    lang::{Name, NameKind, Place},
};
use ruff_python_ast::{Stmt, StmtFunctionDef};
use ruff_text_size::Ranged as _;

use super::source::{Program, READ_LIMIT};

/// A function or class in a program, a file or a stub.
#[derive(Debug, Clone)]
pub(super) struct Definition {
    /// `name`, or `Class.name`.
    path: String,
    /// Parameters in parentheses.
    parameters: String,
    meaning: Option<String>,
    /// Line within its source.
    line: u32,
    source: Option<std::sync::Arc<str>>,
}

impl Definition {
    /// Returns the name without that of its class.
    pub(super) fn last_name(&self) -> &str {
        self.path.rsplit('.').next().unwrap_or_default()
    }
}

/// Returns the functions and classes of a suite, and the methods of its classes.
pub(super) fn definitions(body: &[Stmt], text: &str, class: &str) -> Vec<Definition> {
    let mut found = Vec::new();
    for statement in body {
        match statement {
            Stmt::FunctionDef(function) => {
                found.push(Definition {
                    path: format!("{class}{}", function.name),
                    parameters: parameters(function, text, !class.is_empty()),
                    meaning: docstring(&function.body),
                    line: line_of(text, function.name.start().to_usize()),
                    source: None,
                });
                found.extend(definitions(&function.body, text, class));
            }
            Stmt::ClassDef(class_definition) => {
                let path = format!("{class}{}", class_definition.name);
                let inner = definitions(&class_definition.body, text, &format!("{path}."));
                let made_by = format!("{path}.__init__");
                let made = inner.iter().find(|inner| inner.path == made_by);
                found.push(Definition {
                    parameters: made.map_or_else(|| "()".into(), |made| made.parameters.clone()),
                    path,
                    meaning: docstring(&class_definition.body),
                    line: line_of(text, class_definition.name.start().to_usize()),
                    source: None,
                });
                found.extend(inner);
            }
            Stmt::If(branches) => found.extend(definitions(&branches.body, text, class)),
            Stmt::Try(tried) => found.extend(definitions(&tried.body, text, class)),
            _ => {}
        }
    }
    found
}

/// Returns the parameters as written, on one line; those of a method without `self`.
fn parameters(function: &StmtFunctionDef, text: &str, is_method: bool) -> String {
    let words: Vec<_> = text[function.parameters.range()]
        .split_whitespace()
        .collect();
    let words = words.join(" ");
    let inner = words
        .strip_prefix('(')
        .and_then(|inner| inner.strip_suffix(')'));
    let inner = inner.unwrap_or(&words).trim();
    let inner = match inner.split_once(',').unwrap_or((inner, "")) {
        ("self" | "cls", rest) if is_method => rest.trim().trim_start_matches("/,").trim(),
        _ => inner,
    };
    let returns = function.returns.as_ref();
    let returns = returns.map(|returns| format!(" -> {}", &text[returns.range()]));
    format!(
        "({}){}",
        inner.trim_end_matches(','),
        returns.unwrap_or_default()
    )
}

/// Returns the first paragraph of a docstring.
fn docstring(body: &[Stmt]) -> Option<String> {
    let Stmt::Expr(first) = body.first()? else {
        return None;
    };
    let text = first.value.as_string_literal_expr()?.value.to_str().trim();
    let paragraph = text.split("\n\n").next().unwrap_or(text);
    let words: Vec<_> = paragraph.split_whitespace().collect();
    Some(words.join(" ")).filter(|text| !text.is_empty())
}

fn line_of(text: &str, offset: usize) -> u32 {
    let ends = text.as_bytes()[..offset]
        .iter()
        .filter(|byte| **byte == b'\n');
    u32::try_from(ends.count() + 1).unwrap_or(u32::MAX)
}

/// Names known without the board.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// Definitions of programs that were sent.
    programs: BTreeMap<String, Definition>,
    /// Definitions of files and stubs, prefixed with their modules' names.
    files: BTreeMap<String, Definition>,
    is_loading: bool,
}

impl Names {
    /// Keeps the definitions of a program that is sent.
    pub(super) fn learn(&mut self, program: &Program) {
        for definition in &program.definitions {
            if self.programs.len() >= DEFINITIONS_LIMIT {
                return;
            }
            let definition = Definition {
                line: program.line(definition.line),
                source: program.name().cloned(),
                ..definition.clone()
            };
            self.programs.insert(definition.path.clone(), definition);
        }
    }

    /// Returns true on the first call, when files and stubs have to be loaded.
    pub(super) fn begin_loading(&mut self) -> bool {
        !std::mem::replace(&mut self.is_loading, true)
    }

    pub(super) fn loaded(&mut self, found: BTreeMap<String, Definition>) {
        self.files = found;
    }

    /// Answers a question without the board.
    pub(super) fn answer(&self, question: &Question) -> Help {
        self.combine(question, "")
    }

    /// Answers a question with the help of the board's output.
    pub(super) fn combine(&self, question: &Question, printed: &str) -> Help {
        match question {
            Question::Complete { prefix } => Help::Names(self.complete(prefix, printed)),
            Question::LookUp { name } => Help::Name(self.look_up(name, printed).map(Box::new)),
            _ => question.unanswered(),
        }
    }

    fn complete(&self, prefix: &str, printed: &str) -> Vec<(String, NameKind)> {
        let (object, part) = split(prefix);
        let owner = object
            .map(|object| format!("{object}."))
            .unwrap_or_default();
        let mut found = BTreeMap::new();
        let of_board = printed
            .lines()
            .filter_map(|line| line.trim_end().split_once('|'));
        for (name, kind) in of_board {
            found.insert(format!("{owner}{name}"), kind_of(kind));
        }
        let is_member = |path: &str| path.starts_with(prefix) && !path[owner.len()..].contains('.');
        let known = self.programs.keys().chain(self.files.keys());
        // If the board reports nothing, modules that are not imported are known by their stubs.
        for path in known
            .filter(|path| is_member(path))
            .filter(|_| of_nothing(printed))
        {
            found.insert(path.clone(), NameKind::Function);
        }
        if object.is_none() {
            let words = KEYWORDS.iter().filter(|word| word.starts_with(prefix));
            found.extend(words.map(|word| (String::from(*word), NameKind::SpecialForm)));
            let functions = BUILTINS.iter().filter(|(name, _)| name.starts_with(prefix));
            found.extend(functions.map(|(name, _)| (String::from(*name), NameKind::Function)));
        }
        let is_shown = |name: &str| part.starts_with('_') || !name[owner.len()..].starts_with('_');
        let found = found.into_iter().filter(|(name, _)| is_shown(name));
        found.take(NAMES_LIMIT).collect()
    }

    fn look_up(&self, name: &str, printed: &str) -> Option<Name> {
        let mut words = printed.trim_end().split('|');
        let [kind, value, owner_kind, owner] = [(); 4].map(|()| words.next().unwrap_or_default());
        let (object, part) = split(name);
        let owner = match class_name(owner_kind) {
            // A module or a class has its own name.
            "module" | "type" => owner,
            "" | "NoneType" => object.unwrap_or_default(),
            class => class,
        };
        let path = match object {
            Some(_) => format!("{owner}.{part}"),
            None => name.to_owned(),
        };
        let is_known = !kind.is_empty();
        let definition = self
            .programs
            .get(&path)
            .or_else(|| self.in_files(&path, object, value));
        let named = |usage: String| Name {
            name: name.into(),
            kind: NameKind::Function,
            usage,
            meaning: None,
            defined: None,
        };
        if let Some(definition) = definition {
            return Some(Name {
                meaning: definition.meaning.clone(),
                defined: Some((
                    definition.source.clone(),
                    Place {
                        line: definition.line,
                        column: 1,
                    },
                )),
                ..named(format!("{name}{}", definition.parameters))
            });
        }
        let builtin = BUILTINS.iter().find(|(builtin, _)| *builtin == name);
        if let Some((_, parameters)) = builtin {
            return Some(named(format!("{name}{parameters}")));
        }
        is_known.then(|| Name {
            kind: kind_of(kind),
            meaning: Some(class_name(kind).into()),
            ..named(name.into())
        })
    }

    /// Returns a definition of the files by its path, or by the end of its path: packages of stubs have their own
    /// folders. A bare name stands for a module's function only if the board has that function.
    fn in_files(&self, path: &str, object: Option<&str>, value: &str) -> Option<&Definition> {
        let end = format!(".{path}");
        let ends = |known: &&String| known.ends_with(&end);
        match object {
            None if value != path => None,
            _ => self.files.get(path).or_else(|| {
                let path = self.files.keys().find(ends)?;
                self.files.get(path)
            }),
        }
    }
}

fn of_nothing(printed: &str) -> bool {
    printed.trim().is_empty()
}

/// Returns the program that prints the names with this prefix, each with its type; `None` if the board cannot know any.
pub(super) fn completion(prefix: &str) -> Option<String> {
    let (object, part) = split(prefix);
    // The beginning of a name may be a keyword: `wlan.is` is that of `wlan.isconnected`.
    if !part.is_empty() && !has_form_of_name(part) {
        return None;
    }
    let list = |object: &str| {
        format!(
            "(lambda o,p:[print(n,str(type(getattr(o,n,None))),sep='|')for n in dir(o)if n.startswith(p)])({object},'{part}')\n"
        )
    };
    match object {
        Some(object) if object.split('.').all(is_name) => Some(list(object)),
        Some(_) => None,
        None => Some(format!(
            "(lambda g,p:[print(n,str(type(g[n])),sep='|')for n in list(g)if n.startswith(p)])(globals(),'{part}')\n{}",
            list("__import__('builtins')")
        )),
    }
}

/// Returns the program that prints the type and the name of a value, and those of its owner.
pub(super) fn lookup(name: &str) -> Option<String> {
    let (object, _) = split(name);
    let owner = object.unwrap_or("None");
    name.split('.').all(is_name).then(|| {
        format!(
            "(lambda v,o:print(str(type(v)),getattr(v,'__name__',''),str(type(o)),getattr(o,'__name__',''),sep='|'))({name},{owner})"
        )
    })
}

/// Splits a name into the object whose attribute it is, and the attribute.
fn split(name: &str) -> (Option<&str>, &str) {
    match name.rsplit_once('.') {
        Some((object, part)) => (Some(object), part),
        None => (None, name),
    }
}

fn is_name(text: &str) -> bool {
    has_form_of_name(text) && !KEYWORDS.contains(&text)
}

fn has_form_of_name(text: &str) -> bool {
    let mut characters = text.chars();
    let first = characters.next();
    first.is_some_and(|first| first.is_alphabetic() || first == '_')
        && characters.all(|character| character.is_alphanumeric() || character == '_')
}

/// Returns the name of a class, such as `Pin` for `<class 'Pin'>`.
fn class_name(kind: &str) -> &str {
    kind.split('\'').nth(1).unwrap_or(kind)
}

fn kind_of(kind: &str) -> NameKind {
    match class_name(kind) {
        "function" | "bound_method" | "closure" | "generator" | "type" => NameKind::Function,
        _ => NameKind::Variable,
    }
}

/// Returns the definitions of the Python files in this folder and in `lib`, and of the stubs in `typings`, prefixed
/// with their modules' names.
pub(super) fn load() -> BTreeMap<String, Definition> {
    let mut reader = Reader {
        found: BTreeMap::new(),
        files: 0,
    };
    reader.folder(Path::new("."), "", "py", 0);
    reader.folder(Path::new("lib"), "", "py", 1);
    reader.folder(Path::new("typings"), "", "pyi", 3);
    reader.found
}

struct Reader {
    found: BTreeMap<String, Definition>,
    files: usize,
}

impl Reader {
    fn folder(&mut self, folder: &Path, package: &str, extension: &str, depth: usize) {
        let Ok(entries) = fs::read_dir(folder) else {
            return;
        };
        for entry in entries.flatten() {
            let path = entry.path();
            let stem = path.file_stem().and_then(|stem| stem.to_str());
            let Some(stem) = stem.filter(|_| self.files < FILES_LIMIT) else {
                continue;
            };
            let module = match stem {
                "__init__" => package.to_owned(),
                _ => format!("{package}{stem}."),
            };
            if path.is_dir() && depth > 0 {
                self.folder(&path, &module, extension, depth - 1);
            } else if path.extension().is_some_and(|found| found == extension) {
                self.file(&path, &module);
            }
        }
    }

    fn file(&mut self, path: &Path, module: &str) {
        self.files += 1;
        let is_short = fs::metadata(path).is_ok_and(|file| file.len() <= FILE_LIMIT);
        let Some(text) = is_short.then(|| fs::read_to_string(path).ok()).flatten() else {
            return;
        };
        let Ok(parsed) = ruff_python_parser::parse_module(&text) else {
            return;
        };
        let shown = path.strip_prefix(".").unwrap_or(path).display().to_string();
        let source: std::sync::Arc<str> = shown.into();
        for definition in definitions(&parsed.into_suite(), &text, "") {
            if self.found.len() >= DEFINITIONS_LIMIT {
                return;
            }
            let path = format!("{module}{}", definition.path);
            let source = Some(std::sync::Arc::clone(&source));
            // Of a stub's overloads, the first one counts.
            let definition = Definition {
                source,
                ..definition
            };
            self.found.entry(path).or_insert(definition);
        }
    }
}

/// Python's keywords, as MicroPython has them.
const KEYWORDS: [&str; 35] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue",
    "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import",
    "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while",
    "with", "yield",
];

/// Parameters of built-in functions, which have no source.
const BUILTINS: [(&str, &str); 31] = [
    ("abs", "(number)"),
    ("all", "(iterable)"),
    ("any", "(iterable)"),
    ("bin", "(integer)"),
    ("bool", "(value=False)"),
    ("bytearray", "(source=b'', encoding)"),
    ("bytes", "(source=b'', encoding)"),
    ("chr", "(codepoint)"),
    ("dict", "(mapping_or_pairs=(), **items)"),
    ("dir", "(object)"),
    ("enumerate", "(iterable, start=0)"),
    ("eval", "(source, globals, locals)"),
    ("exec", "(source, globals, locals)"),
    ("getattr", "(object, name, default)"),
    ("hasattr", "(object, name)"),
    ("hex", "(integer)"),
    ("input", "(prompt='')"),
    ("int", "(value=0, base=10)"),
    ("isinstance", "(object, class_or_tuple)"),
    ("len", "(collection)"),
    ("list", "(iterable=())"),
    ("max", "(*values, key, default)"),
    ("min", "(*values, key, default)"),
    ("open", "(file, mode='r')"),
    ("print", "(*values, sep=' ', end='\\n', file)"),
    ("range", "(start, stop, step=1)"),
    ("repr", "(object)"),
    ("sorted", "(iterable, key=None, reverse=False)"),
    ("str", "(object='', encoding)"),
    ("sum", "(iterable, start=0)"),
    ("zip", "(*iterables)"),
];

/// Limit of names offered as completions.
const NAMES_LIMIT: usize = 1_000;

/// Limit of kept definitions.
const DEFINITIONS_LIMIT: usize = 50_000;

/// Limits of the files read for definitions: their number, and the length of the longest one in bytes.
const FILES_LIMIT: usize = 1_000;
const FILE_LIMIT: u64 = READ_LIMIT as u64;
