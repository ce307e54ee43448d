//! The program's files, and the names in them.

use alloc::{
    collections::BTreeSet,
    string::{String, ToString},
    vec::Vec,
};

use serde_json::json;

use super::{Adapter, request::Request};
use crate::debug::ModuleId;

impl Adapter {
    pub(super) fn loaded_sources(&mut self, request: &Request) {
        let sources = self.ids().into_iter().map(|id| self.source(id));
        let sources: Vec<_> = sources.collect();
        self.answer(request, json!({"sources": sources}));
    }

    pub(super) fn modules(&mut self, request: &Request) {
        let modules = self.ids().into_iter().map(|id| {
            let source = self.source(id);
            json!({"id": id.0, "name": source["name"], "path": source["path"], "isUserCode": true})
        });
        let modules: Vec<_> = modules.collect();
        self.answer(
            request,
            json!({"modules": modules, "totalModules": modules.len()}),
        );
    }

    /// Answers with the text of a file that is on the board alone.
    pub(super) fn source_text(&mut self, request: &Request) {
        let reference = &request.arguments["source"]["sourceReference"];
        let reference = reference
            .as_u64()
            .or(request.arguments["sourceReference"].as_u64());
        let id = reference.and_then(|reference| {
            let is_it = |id: &ModuleId| self.source(*id)["sourceReference"] == reference;
            self.ids().into_iter().find(is_it)
        });
        let session = self.session.as_ref();
        let text = id
            .zip(session)
            .map(|(id, session)| session.project().file(id).module.text().to_string());
        match text {
            Some(content) => self.answer(
                request,
                json!({"content": content, "mimeType": "text/x-python"}),
            ),
            None => self.refuse(request, "the program has no such file on the board"),
        }
    }

    fn ids(&self) -> Vec<ModuleId> {
        let session = self.session.as_ref();
        session.map_or_else(Vec::new, |session| session.project().ids().collect())
    }

    /// Completes the text before the cursor: with names of the function, and of its module's text.
    pub(super) fn completions(&mut self, request: &Request) {
        let text = request.text("text").unwrap_or_default();
        // Positions are in UTF-16; a name is the text before the cursor.
        let base = usize::from(!self.columns_from_zero);
        let column = request.number("column").unwrap_or_default() as usize;
        let units = text.encode_utf16().take(column.saturating_sub(base));
        let before = String::from_utf16_lossy(&units.collect::<Vec<_>>());
        let start = before.rfind(|one: char| !one.is_alphanumeric() && one != '_');
        let start = start.map_or(0, |at| {
            at + before[at..].chars().next().map_or(1, char::len_utf8)
        });
        let typed = &before[start..];
        let is_attribute = before[..start].ends_with('.');
        let names = self.names(request, is_attribute);
        let targets = names.iter().filter(|name| name.starts_with(typed));
        let [place, length] = [&before[..start], typed].map(|text| text.encode_utf16().count());
        let targets = targets
            .take(MOST_NAMES)
            .map(|name| json!({"label": name, "start": place + base, "length": length}));
        let targets: Vec<_> = targets.collect();
        self.answer(request, json!({"targets": targets}));
    }

    fn names(&self, request: &Request, is_attribute: bool) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        let frame = self.frame(request).unwrap_or_default();
        let stop = self.stops.stop.as_ref();
        let frame = stop.and_then(|stop| stop.frames.get(frame));
        let (Some(frame), Some(session)) = (frame, &self.session) else {
            return names;
        };
        let module = &session.project().file(frame.module).module;
        names.extend(module.names.iter().cloned());
        let function = module.function_at(frame.line);
        if let Some(id) = function.filter(|_| !is_attribute) {
            names.extend(module.function(id).variables().map(String::from));
        }
        names
    }
}

/// Limit of names offered to an editor at once.
const MOST_NAMES: usize = 100;
