//! A log as plain CSV, which every library reads.

use csv::{StringRecord, WriterBuilder};

use super::{column_name, number, rows, separator};

/// Converts a log to plain CSV: one row of headings, then rows with as many cells each, separated by commas, with
/// decimal points.
///
/// The log is read as by [`Table`](crate::export::Table): remarks, and lines of text before the headings, are left out; a
/// column without a heading is named by its number. Cells that are not numbers stay as they are.
///
/// ```
/// use flylead_native::export::plain_csv;
///
/// let log = b"# by a logger\ntime;value;state\n0;1,5;on, slow\n1;2,5\n";
/// let plain = b"time,value,state\n0,1.5,\"on, slow\"\n1,2.5,\n";
/// assert_eq!(plain_csv(log), plain);
/// ```
#[must_use]
pub fn plain_csv(log: &[u8]) -> Vec<u8> {
    let separator = separator(log);
    let (heading, body) = shape(log, separator);
    if body.width == 0 {
        return Vec::new();
    }
    let mut plain = WriterBuilder::new().from_writer(Vec::with_capacity(log.len()));
    let names = (0..body.width).map(|index| column_name(&heading, index));
    // Writing to a vector cannot fail.
    let _ = plain.write_record(names);
    for row in rows(log, separator).skip(body.first) {
        let cells =
            (0..body.width).map(|index| cell(row.get(index).unwrap_or_default(), separator));
        let _ = plain.write_record(cells);
    }
    plain.into_inner().unwrap_or_default()
}

/// Range of a log's rows.
#[derive(Default)]
struct Body {
    /// Number of rows before the body.
    first: usize,
    /// Largest number of cells in a row.
    width: usize,
}

/// Returns the headings of a log, which are the last row before the first row with a number, and the range of its rows.
fn shape(log: &[u8], separator: u8) -> (StringRecord, Body) {
    let mut heading = StringRecord::new();
    let mut body = Body::default();
    for row in rows(log, separator) {
        let is_text = body.width == 0 && !row.iter().any(|cell| number(cell, separator).is_some());
        match is_text {
            true => {
                heading = row;
                body.first += 1;
            }
            false => body.width = body.width.max(row.len()),
        }
    }
    // A log without numbers consists of headings alone.
    body.width = body.width.max(heading.len());
    (heading, body)
}

/// Returns the text of a cell, with a decimal point.
fn cell(cell: &str, separator: u8) -> String {
    let is_number = cell.parse::<f64>().is_ok();
    match !is_number && number(cell, separator).is_some() {
        true => cell.replacen(',', ".", 1),
        false => cell.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(log: &str) -> String {
        String::from_utf8(plain_csv(log.as_bytes())).expect("what was text stays text")
    }

    #[test]
    fn whatever_separates_the_cells_the_plain_log_is_the_same() {
        for log in [
            "t,v\n0,1.5\n1,-2\n",
            "t;v\r\n0;1,5\r\n1;-2\r\n",
            "t\tv\n0\t1.5\n1\t-2\n",
            "# by a logger, in 2026\n\"t\",\"v\"\n\"0\",\"1.5\"\n1,-2\n",
            "a title\nt, v\n0, 1.5\n# a pause\n1, -2",
        ] {
            assert_eq!(plain(log), "t,v\n0,1.5\n1,-2\n", "{log:?}");
        }
    }

    #[test]
    fn rows_are_as_long_as_the_longest_and_columns_without_a_heading_have_numbers() {
        assert_eq!(plain("t\n0\n1,2,x\n"), "t,column 2,column 3\n0,,\n1,2,x\n");
        assert_eq!(plain("0,ready\n"), "column 1,column 2\n0,ready\n");
        assert_eq!(plain("t,v\n"), "t,v\n");
        assert_eq!(plain(""), "");
    }

    #[test]
    fn text_that_only_looks_like_a_number_of_this_log_stays_text() {
        let log = "t;note\n0;\"1,5 mm\"\n1;\"a;b\"\n2;nan\n";
        assert_eq!(plain(log), "t,note\n0,\"1,5 mm\"\n1,a;b\n2,nan\n");
    }
}
