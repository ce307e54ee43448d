//! Strips the debris that pasting and bare completions leave around a line.

/// Returns a line without the blanks, line ends and invisible debris of pasting at its ends.
pub(in crate::agent::parse) fn trim(line: &str) -> &str {
    if let [first, .., last] = line.as_bytes()
        && first.is_ascii_graphic()
        && last.is_ascii_graphic()
    {
        return line;
    }
    line.trim_matches(is_debris)
}

/// Strips debris at the end only.
pub(in crate::agent::parse) fn trim_end(text: &str) -> &str {
    text.trim_end_matches(|c| c != '\n' && is_debris(c))
}

pub(in crate::agent::parse) fn is_debris(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{feff}' | '\u{200b}'..='\u{200d}')
}

/// Returns a line without the tokens that end a bare completion: `<|im_end|>`, `<|return|>`, `</s>`.
pub(in crate::agent::parse) fn without_end_tokens(mut line: &str) -> &str {
    while line.ends_with('>') {
        let token = match line.ends_with("|>") {
            true => line.rfind("<|"),
            false => line.strip_suffix("</s>").map(str::len),
        };
        let Some(start) = token else { break };
        line = trim_end(&line[..start]);
    }
    line
}
