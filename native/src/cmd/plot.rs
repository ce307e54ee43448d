//! A log, as a picture in the terminal.

use std::{fs, io, path::Path};

use super::{Exit, Failure};

/// Prints the numeric columns of a CSV file, or one of its columns.
pub(super) fn print(log: &Path, wanted: Option<&str>) -> Result<Exit, Failure> {
    let text = read(log).map_err(|error| {
        let hint = match error.kind() {
            io::ErrorKind::NotFound => "; `flylead export fetch` gets it from the device",
            _ => "",
        };
        Failure::new(Exit::Usage, format!("{}: {error}{hint}", log.display()))
    })?;
    let mut shown = 0;
    for (name, values) in columns(&text, wanted) {
        println!("{}", draw(&name, &values));
        shown += 1;
    }
    match shown {
        0 => Err(Failure::new(
            Exit::Usage,
            "there is no such column with numbers in it",
        )),
        _ => Ok(Exit::Done),
    }
}

fn read(log: &Path) -> io::Result<String> {
    fs::read(log).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

/// Every column with two numbers or more, with its name: the header's, or its number.
fn columns(text: &str, wanted: Option<&str>) -> Vec<(String, Vec<f64>)> {
    let mut rows = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(cells)
        .peekable();
    let has_header = rows
        .peek()
        .is_some_and(|row| row.iter().all(|cell| cell.parse::<f64>().is_err()));
    let header = if has_header {
        rows.next().unwrap_or_default()
    } else {
        Vec::new()
    };
    let rows: Vec<_> = rows.collect();
    let width = rows.iter().map(Vec::len).max().unwrap_or(0);
    let named = (0..width).map(|index| {
        let name = header
            .get(index)
            .map_or_else(|| format!("column {}", index + 1), |name| name.to_string());
        let values: Vec<f64> = rows
            .iter()
            .filter_map(|row| row.get(index)?.parse().ok())
            .filter(|value: &f64| value.is_finite())
            .collect();
        (index, name, values)
    });
    named
        .filter(|(index, name, values)| {
            let number = (index + 1).to_string();
            values.len() > 1 && wanted.is_none_or(|wanted| wanted == name || wanted == number)
        })
        .map(|(_, name, values)| (name, values))
        .collect()
}

/// A logger's CSV has no quoted commas; quotes around a cell are dropped.
fn cells(line: &str) -> Vec<&str> {
    line.split(',')
        .map(|cell| cell.trim().trim_matches('"'))
        .collect()
}

fn draw(name: &str, values: &[f64]) -> String {
    let (low, high) = values
        .iter()
        .fold((f64::MAX, f64::MIN), |(low, high), value| {
            (low.min(*value), high.max(*value))
        });
    let span = if high > low { high - low } else { 1.0 };
    let points: Vec<f64> = (0..WIDTH.min(values.len()))
        .map(|at| {
            mean(
                &values[at * values.len() / WIDTH.min(values.len())..]
                    [..(values.len() / WIDTH).max(1)],
            )
        })
        .collect();
    let bars: String = points
        .iter()
        .map(|value| BARS[level((value - low) / span)])
        .collect();
    let name: String = name
        .chars()
        .filter(|character| !character.is_control())
        .collect();
    format!("{name}  {} values, {low} to {high}\n{bars}", values.len())
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// 0.0 to 1.0 as one of the bars.
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
        assert_eq!(
            draw("v", &[0.0, 1.0, 2.0, 3.0]),
            "v  4 values, 0 to 3\n▁▃▆█"
        );
        assert_eq!(draw("v", &[5.0, 5.0]), "v  2 values, 5 to 5\n▁▁");
    }

    #[test]
    fn text_columns_are_left_out_and_a_column_is_found_by_name_or_number() {
        let text = "time,state,value\n0,ok,1.5\n1,ok,2.5\n";
        let names = |wanted| {
            columns(text, wanted)
                .into_iter()
                .map(|(name, _)| name)
                .collect::<Vec<_>>()
        };
        assert_eq!(names(None), ["time", "value"]);
        assert_eq!(names(Some("value")), ["value"]);
        assert_eq!(names(Some("3")), ["value"]);
        assert!(names(Some("state")).is_empty());
    }
}
