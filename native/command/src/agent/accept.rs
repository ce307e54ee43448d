//! Shows the changes of a command, and asks which of them stay.

use flylead_native::workspace::{Changed, How};

use super::{keys, show, stop};
use crate::terminal::{say, say_in, visible_line};

/// Shows all changes; one key accepts them. From a list, each may be left out.
pub(super) fn ask(changes: &[Changed]) -> Vec<bool> {
    say_in(show::BOLD, "the command changed:");
    changes.iter().for_each(show_one);
    let none = vec![false; changes.len()];
    match keys::key("Accept? [y]es to all, [n]one, [l]ist to choose ", "ynl") {
        Ok(Some('y')) => vec![true; changes.len()],
        Ok(Some('l')) => choose(changes).unwrap_or(none),
        Ok(Some(_)) | Err(_) => none,
        Ok(None) => {
            stop::stop();
            none
        }
    }
}

fn show_one(change: &Changed) {
    let how = match change.how {
        How::New => "new ",
        How::Deleted => "deleted ",
        _ => "",
    };
    say_in(
        show::BOLD,
        format_args!("--- {how}{}", visible_line(&change.path)),
    );
    let lines: Vec<&str> = change.text.lines().collect();
    lines
        .iter()
        .take(MOST_LINES)
        .for_each(|line| show::say_diff(line));
    if lines.len() > MOST_LINES {
        say(format_args!("… {} more lines", lines.len() - MOST_LINES));
    }
    for mark in &change.marks {
        say_in(
            show::RED,
            format_args!("look at it: {}", visible_line(mark)),
        );
    }
}

/// Lists the changes with numbers, and asks for those to keep.
fn choose(changes: &[Changed]) -> Option<Vec<bool>> {
    for (number, change) in changes.iter().enumerate() {
        let mark = if change.marks.is_empty() { "" } else { " (!)" };
        say(format_args!(
            "{:>3} {}{mark}",
            number + 1,
            visible_line(&change.path)
        ));
    }
    loop {
        let line =
            keys::line("numbers to accept, such as 1 3-5, or ! and numbers for all but those: ")
                .ok()?;
        match numbers(&line, changes.len()) {
            Some(chosen) => return Some(chosen),
            None => say("these are not numbers from the list"),
        }
    }
}

/// Parses `1 3-5` as entries of a list, or `! 2` as all entries except those.
fn numbers(line: &str, count: usize) -> Option<Vec<bool>> {
    let line = line.trim();
    let (is_inverse, words) = match line.strip_prefix('!') {
        Some(words) => (true, words),
        None => (false, line),
    };
    let mut chosen = vec![is_inverse; count];
    for word in words.split([' ', ',']).filter(|word| !word.is_empty()) {
        let (first, last) = word.split_once('-').unwrap_or((word, word));
        let (first, last): (usize, usize) = (first.parse().ok()?, last.parse().ok()?);
        if first == 0 || first > last {
            return None;
        }
        chosen.get_mut(first - 1..last)?.fill(!is_inverse);
    }
    Some(chosen)
}

const MOST_LINES: usize = 200;

#[cfg(test)]
mod tests {
    use super::numbers;

    #[test]
    fn a_list_is_chosen_from_by_numbers_and_by_what_is_left_out() {
        assert_eq!(numbers("1 3-4", 4), Some(vec![true, false, true, true]));
        assert_eq!(numbers("! 2", 3), Some(vec![true, false, true]));
        assert_eq!(numbers("", 2), Some(vec![false, false]));
        for line in ["0", "5", "3-2", "1-9", "x"] {
            assert_eq!(numbers(line, 4), None, "{line}");
        }
    }
}
