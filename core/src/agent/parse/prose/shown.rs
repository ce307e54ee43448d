//! Tags that are not alone on their line, and forms of other programs.

use crate::agent::command::Kind;
use crate::agent::parse::{
    body::{self, NoEnd},
    build,
    fault::{Form, Reason},
    note::Note,
    prose::debris,
    prose::foreign,
    prose::invented,
    prose::marks,
    rejected::Rejected,
    tags::{self, Opening, Spelling, Tag},
    text::Line,
    walk::{Parser, refuse_too_long},
};

impl<'a> Parser<'a> {
    /// Handles a tag in a list, a heading or emphasis, which counts if it is alone on its line and closed.
    pub(in crate::agent::parse) fn marked(&mut self, line: Line<'a>) -> Result<(), Rejected> {
        let marked = marks::unmark(line.text).filter(|_| !self.options.strict);
        let tag = marked.and_then(|marked| Some((marked, tags::read(marked.tag)?)));
        let Some((marked, Tag::Open(mut opening))) = tag else {
            self.quoted(line);
            return Ok(());
        };
        let kind = opening.name.kind;
        let Some(kind) = kind.filter(|_| opening.name.spelling != Spelling::OtherCase) else {
            return Ok(());
        };
        invented::rename(&mut opening, marked.tag);
        opening.notes.push(Note::Marked);
        let line = Line {
            text: marked.tag,
            ..line
        };
        let is_alone = debris::trim(opening.rest).is_empty();
        let is_mention = opening.attributes.is_empty() && !(is_alone && kind.has_body());
        if let Some(text) = body::on_one_line(line.text, &opening, kind) {
            self.one_line(line, kind, opening, text);
        } else if is_mention {
            self.hint(line);
        } else if !kind.has_body() {
            self.single(line, kind, opening);
        } else {
            return self.marked_block(line, kind, opening, marked.in_list);
        }
        Ok(())
    }

    fn marked_block(
        &mut self,
        line: Line<'a>,
        kind: Kind,
        opening: Opening<'a>,
        in_list: bool,
    ) -> Result<(), Rejected> {
        let token = build::token(&opening);
        let body = match body::read_marked(&mut self.cursor, kind, token) {
            Ok(body) => body,
            // The tag has a path, and no plain tag of its command follows: its body was cut off.
            Err(NoEnd::Message) if !opening.attributes.is_empty() => {
                return self.block(line, kind, opening);
            }
            Err(NoEnd::Message | NoEnd::OtherTag) => {
                self.hint(line);
                return Ok(());
            }
        };
        refuse_too_long(body.text, line)?;
        if let Some(in_tag) = invented::body_in_tag(kind, &opening) {
            let has_body = !body.text.trim().is_empty();
            self.push_in_tag(line, kind, opening, in_tag, has_body);
            return Ok(());
        }
        let text = Self::unix_lines(body.text);
        let inner = body.without_list_indent(&text).filter(|_| in_list);
        let text = inner.as_deref().unwrap_or(&text);
        let outcome = build::from_body(kind, &opening, text, self.options);
        let outcome = outcome.map(|(command, mut notes)| {
            notes.extend(inner.is_some().then_some(Note::ListIndentRemoved));
            (command, notes)
        });
        self.push(line, Some(kind), opening, outcome);
        Ok(())
    }

    /// Handles a tag after quote marks or backquotes, which is not a command; nor is the text it encloses.
    pub(in crate::agent::parse) fn quoted(&mut self, line: Line<'a>) {
        let Some(tag) = marks::read_decorated(line.text) else {
            return;
        };
        let behind_marks = self.closings.follows_behind_marks(tag.kind, line.start);
        if tag.alone && tag.closing {
            self.stray(line, tag.kind);
        } else if tag.alone
            && tag.kind.has_body()
            && body::skip_quoted(&mut self.cursor, tag.kind, behind_marks)
            || tag.has_attributes && !tag.closing
        {
            self.refuse(line, tag.kind.name(), Reason::Decorated);
        } else if !tag.closing {
            self.hint(line);
        }
    }

    fn hint(&mut self, line: Line<'_>) {
        self.found += 1;
        self.inbox.hints.push(line.number);
    }

    /// Handles a form of another program.
    pub(in crate::agent::parse) fn foreign(&mut self, line: Line<'a>) {
        let Some(form) = foreign::begins(line.text, &self.cursor) else {
            return;
        };
        let in_fence = self.fence.is_some();
        let swallowed = foreign::skip(&mut self.cursor, line, form, in_fence);
        self.refuse(line, form.name(), Reason::Foreign { form, swallowed });
    }

    /// Handles a fence: with a language, it begins a code block in any case; a bare one ends the open block.
    pub(in crate::agent::parse) fn fence(&mut self, line: Line<'a>) {
        if !line.text.starts_with("```") && !line.text.starts_with("~~~") {
            return;
        }
        let is_bare = line.text.trim_end_matches(['`', '~']).is_empty();
        match self.fence.take().filter(|_| is_bare) {
            Some(begin) => self.code_block = self.code_block.or(Some(begin)),
            None => {
                self.fence = Some(line.number);
                self.foreign(line);
            }
        }
    }

    /// Adds a fault for a reply of code alone, which was meant to have an effect.
    pub(in crate::agent::parse) fn blame_code_block(&mut self) {
        let has_other = self.inbox.outbox_copy.is_some() || !self.inbox.hints.is_empty();
        if let Some(number) = self.code_block
            && self.inbox.items.is_empty()
            && !has_other
        {
            let form = Form::CodeBlock;
            let line = Line {
                number,
                start: 0,
                text: "",
            };
            let swallowed = 0;
            self.refuse(line, form.name(), Reason::Foreign { form, swallowed });
        }
    }
}
