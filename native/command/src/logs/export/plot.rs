//! A log as a picture in the terminal.

use std::{fs, io, path::Path};

use flylead_native::export::{Column, Table};

use super::{Exit, Failure};
use crate::terminal::print_line;

/// Prints the numeric columns of a log, or one of its columns.
pub(super) fn print(log: &Path, wanted: Option<&str>) -> Result<Exit, Failure> {
    let bytes = fs::read(log).map_err(|error| {
        let hint = match error.kind() {
            io::ErrorKind::NotFound => "; `flylead export fetch` fetches it from the device",
            _ => "",
        };
        Failure::new(Exit::Usage, format!("{}: {error}{hint}", log.display()))
    })?;
    let table = Table::read(&bytes);
    let mut shown = columns(&table, wanted).peekable();
    if shown.peek().is_none() {
        let message = "the log has no such numeric column";
        return Err(Failure::new(Exit::Usage, message));
    }
    for column in shown {
        print_line(draw(column))?;
    }
    Ok(Exit::Done)
}

/// Returns every column with two numbers or more, or the one with this name or number.
fn columns<'a>(table: &'a Table, wanted: Option<&'a str>) -> impl Iterator<Item = &'a Column> {
    let numbered = (1..).zip(&table.columns);
    numbered
        .filter(move |(number, column): &(usize, _)| {
            let is = |wanted| wanted == column.name || wanted == number.to_string();
            column.values.len() > 1 && wanted.is_none_or(is)
        })
        .map(|(_, column)| column)
}

fn draw(Column { name, values }: &Column) -> String {
    let (low, high) = range(values);
    let name: String = name
        .chars()
        .filter(|character| !character.is_control())
        .collect();
    let bars = bars(values, WIDTH);
    format!("{name}  {} values, {low} to {high}\n{bars}", values.len())
}

/// Draws values as bars from the lowest to the highest, side by side in at most `width` places.
pub(super) fn bars(values: &[f64], width: usize) -> String {
    let (low, high) = range(values);
    let span = if high > low { high - low } else { 1.0 };
    let places = width.min(values.len());
    (0..places)
        .map(|at| &values[at * values.len() / places..(at + 1) * values.len() / places])
        .map(|part| part.iter().sum::<f64>() / part.len() as f64)
        .map(|mean| BARS[level((mean - low) / span)])
        .collect()
}

fn range(values: &[f64]) -> (f64, f64) {
    values
        .iter()
        .fold((f64::MAX, f64::MIN), |(low, high), value| {
            (low.min(*value), high.max(*value))
        })
}

/// Returns the bar for a height from 0.0 to 1.0.
fn level(height: f64) -> usize {
    let last = BARS.len() - 1;
    (0..last)
        .find(|level| height * BARS.len() as f64 <= (level + 1) as f64)
        .unwrap_or(last)
}

const WIDTH: usize = 72;
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_is_drawn_from_its_lowest_to_its_highest_value() {
        let column = |values: &[f64]| Column {
            name: "v".into(),
            values: values.to_vec(),
        };
        assert_eq!(
            draw(&column(&[0.0, 1.0, 2.0, 3.0])),
            "v  4 values, 0 to 3\n▁▃▆█"
        );
        assert_eq!(draw(&column(&[5.0, 5.0])), "v  2 values, 5 to 5\n▁▁");
    }

    #[test]
    fn text_columns_are_left_out_and_a_column_is_found_by_name_or_number() {
        let table = Table::read(b"time,state,value\n0,ok,1.5\n1,ok,2.5\n");
        let names = |wanted| -> Vec<_> {
            columns(&table, wanted)
                .map(|column| &column.name[..])
                .collect()
        };
        assert_eq!(names(None), ["time", "value"]);
        assert_eq!(names(Some("value")), ["value"]);
        assert_eq!(names(Some("3")), ["value"]);
        assert!(names(Some("state")).is_empty());
    }
}
