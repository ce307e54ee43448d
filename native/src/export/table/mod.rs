//! Numbers in a log.

pub(crate) mod plain;

use csv::{ReaderBuilder, StringRecord, Trim};

/// The columns of a CSV file that hold numbers.
///
/// Cells are separated by commas, semicolons or tabs, and may be quoted. Numbers may have a decimal comma if commas do
/// not separate cells; lines that begin with `#` are remarks. Cells that are not numbers are skipped.
///
/// ```
/// use flylead_native::export::Table;
///
/// let table = Table::read(b"time;value\n0;1,5\n1;2,5\n");
/// assert_eq!(table.rows, 2);
/// assert_eq!(table.columns[1].name, "value");
/// assert_eq!(table.columns[1].values, [1.5, 2.5]);
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Table {
    /// Number of rows without headings.
    pub rows: usize,
    /// All columns, in order.
    pub columns: Vec<Column>,
}

/// One column.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Column {
    /// Heading, or the column's number.
    pub name: String,
    /// Numbers, in order.
    pub values: Vec<f64>,
}

impl Table {
    /// Reads a log.
    #[must_use]
    pub fn read(log: &[u8]) -> Self {
        let separator = separator(log);
        let mut table = Self::default();
        let mut heading = StringRecord::new();
        for row in rows(log, separator) {
            let numbers: Vec<_> = row.iter().map(|cell| number(cell, separator)).collect();
            if table.rows == 0 && numbers.iter().all(Option::is_none) {
                heading = row;
                continue;
            }
            table.add(&numbers);
        }
        table.name(&heading);
        table
    }

    fn add(&mut self, numbers: &[Option<f64>]) {
        self.rows += 1;
        let width = self.columns.len().max(numbers.len());
        self.columns.resize_with(width, Column::default);
        for (column, number) in self.columns.iter_mut().zip(numbers) {
            column.values.extend(number);
        }
    }

    fn name(&mut self, heading: &StringRecord) {
        for (index, column) in self.columns.iter_mut().enumerate() {
            column.name = column_name(heading, index);
        }
    }
}

/// Returns the rows of a log, without its remarks.
pub(super) fn rows(log: &[u8], separator: u8) -> impl Iterator<Item = StringRecord> {
    let rows = ReaderBuilder::new()
        .delimiter(separator)
        .has_headers(false)
        .flexible(true)
        .comment(Some(b'#'))
        .trim(Trim::All)
        .from_reader(log)
        .into_byte_records();
    rows.filter_map(Result::ok)
        .map(StringRecord::from_byte_record_lossy)
}

/// Returns a column's heading, or its number.
pub(super) fn column_name(heading: &StringRecord, index: usize) -> String {
    let name = heading.get(index).filter(|name| !name.is_empty());
    name.map_or_else(|| format!("column {}", index + 1), str::to_owned)
}

/// Returns the number in a cell, if there is one.
pub(super) fn number(cell: &str, separator: u8) -> Option<f64> {
    let number = match cell.parse::<f64>() {
        Err(_) if separator != b',' => cell.replacen(',', ".", 1).parse().ok(),
        number => number.ok(),
    };
    number.filter(|number| number.is_finite())
}

/// Returns the separator that occurs in most of the first lines, or a comma if none occurs. In a tie, a semicolon comes
/// before a tab, and a tab before a comma.
pub(super) fn separator(log: &[u8]) -> u8 {
    let lines = || {
        let lines = log.split(|byte| *byte == b'\n');
        lines.filter(|line| !line.starts_with(b"#")).take(SAMPLE)
    };
    let count = |separator: &u8| lines().filter(|line| line.contains(separator)).count();
    let (semicolon, tab, comma) = (count(&b';'), count(&b'\t'), count(&b','));
    match semicolon.max(tab) {
        0 => b',',
        // A decimal comma occurs in as many lines as the semicolon.
        most if most < comma => b',',
        most if most == semicolon => b';',
        _ => b'\t',
    }
}

/// Number of lines used to detect a log's separator.
const SAMPLE: usize = 50;

#[cfg(test)]
mod tests {
    use super::*;

    fn read(log: &str) -> Vec<(String, Vec<f64>)> {
        let columns = Table::read(log.as_bytes()).columns.into_iter();
        columns.map(|column| (column.name, column.values)).collect()
    }

    fn columns<const N: usize>(columns: [(&str, &[f64]); N]) -> Vec<(String, Vec<f64>)> {
        columns
            .map(|(name, values)| (name.to_owned(), values.to_vec()))
            .to_vec()
    }

    #[test]
    fn semicolons_tabs_quotes_and_remarks_are_read_as_a_spreadsheet_does() {
        let expected = columns([("t", &[0.0, 1.0]), ("v", &[1.5, -2.0])]);
        for log in [
            "t,v\n0,1.5\n1,-2\n",
            "t;v\r\n0;1,5\r\n1;-2\r\n",
            "t\tv\n0\t1.5\n1\t-2\n",
            "# by a logger, in 2026\n\"t\",\"v\"\n\"0\",\"1.5\"\n1,-2\n",
            "a title\nt, v\n0, 1.5\n# a pause\n1, -2",
        ] {
            assert_eq!(read(log), expected, "{log:?}");
        }
    }

    #[test]
    fn a_quoted_comma_separates_nothing() {
        let log = "t,note,v\n0,\"one, two\",3\n1,\"\",4\n";
        assert_eq!(
            read(log),
            columns([("t", &[0.0, 1.0]), ("note", &[]), ("v", &[3.0, 4.0])])
        );
    }

    #[test]
    fn columns_without_a_heading_have_numbers_and_cells_that_are_none_are_left_out() {
        let log = "0,nan,1\n1,inf\n2,3,4,5\n";
        let table = Table::read(log.as_bytes());
        assert_eq!(table.rows, 3);
        assert_eq!(
            read(log),
            columns([
                ("column 1", &[0.0, 1.0, 2.0]),
                ("column 2", &[3.0]),
                ("column 3", &[1.0, 4.0]),
                ("column 4", &[5.0]),
            ])
        );
        assert_eq!(Table::read(b""), Table::default());
    }
}
