//! The Python that the hooks call on the board.

use alloc::{format, string::{String, ToString}};

/// What the board's part of the debugger has to know and to have.
#[derive(Debug, Clone)]
pub struct Runtime<'a> {
    /// What all names of the hooks begin with.
    pub prefix: &'a str,
    /// What marks the debugger's own lines in the output: hexadecimal digits that no program can know.
    pub token: &'a str,
    /// Whether programs start threads: each then has a stack of its own.
    pub has_threads: bool,
    /// Whether programs have `asyncio`'s tasks: each then has a stack of its own.
    pub has_tasks: bool,
}

impl Runtime<'_> {
    /// The text of it.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = HOOKS.to_string();
        if self.has_tasks {
            text += TASKS;
        }
        text = if self.has_threads { format!("{THREADS}{}", per_thread(&text)) } else { alone(&text) };
        text.replace('@', self.prefix).replace("TOKEN", self.token)
    }
}

fn alone(text: &str) -> String {
    let text = text.replace(" LOCK\n", " pass\n").replace(";UNLOCK", "").replace("THREAD", "0");
    put(&text.replace("TOP", "@T"), "@T=")
}

fn per_thread(text: &str) -> String {
    let text = text.replace(" LOCK\n", " @k.acquire()\n").replace("UNLOCK", "@k.release()");
    let text = text.replace("THREAD", "@q()").replace("TOP", "@t.get(@q())");
    put(&text, "@t[@q()]=")
}

/// `PUT(x)` becomes `assignment` and `x`.
fn put(text: &str, assignment: &str) -> String {
    let mut parts = text.split("PUT(");
    let mut out = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let (value, rest) = part.split_once(')').unwrap_or((part, ""));
        out += assignment;
        out += value;
        out += rest;
    }
    out
}

const HOOKS: &str = include_str!("python/hooks.py");
const TASKS: &str = include_str!("python/tasks.py");
const THREADS: &str = "from _thread import get_ident as @q,allocate_lock\n@k=allocate_lock()\n@t={}\n";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_the_template_is_left() {
        for (has_threads, has_tasks) in [(false, false), (true, true)] {
            let text = Runtime { prefix: "_", token: "0a1b", has_threads, has_tasks }.text();
            for word in ["@", "TOP", "PUT", "TOKEN", "THREAD", "LOCK"] {
                assert!(!text.contains(word), "{word} in {text}");
            }
        }
    }
}
