/**
 * Parses a log into columns of numbers. Cells are separated by commas, semicolons or tabs and may be quoted; numbers
 * may have a decimal comma if commas separate no cells; lines that begin with `#` are comments. `flylead export plot`
 * parses logs in the same way.
 */

export interface Log {
  /** Column names; empty for a column without one. */
  names: string[];
  /** One value per row; `NaN` if a cell is not a number. */
  columns: Float64Array[];
  rows: number;
}

/** Layout of a log. */
interface Layout {
  separator: number;
  /** Cells of the heading; empty without one. */
  heading: string[];
  /** Start of the first row of numbers. */
  start: number;
}

/** Parses a log in one pass over its bytes. */
export function readLog(bytes: Uint8Array): Log {
  const layout = layoutOf(bytes);
  const { heading, start, separator } = layout;
  const width = Math.max(heading.length, cells(lineAt(bytes, start), separator).length);
  const names = Array.from({ length: width }, (_, at) => heading[at] ?? "");
  const room = countLines(bytes, start);
  const columns = names.map(() => new Float64Array(room).fill(NaN));
  const rows = fill(bytes, layout, columns);
  return { names, columns: columns.map((column) => column.subarray(0, rows)), rows };
}

/** Returns the text of some rows, from 0, for a table. */
export function textRows(bytes: Uint8Array, from: number, count: number): string[][] {
  const { start, separator } = layoutOf(bytes);
  const rows: string[][] = [];
  let row = 0;
  for (let at = start; at < bytes.length && rows.length < count; at = endOfLine(bytes, at) + 1) {
    if (!isRow(bytes, at, endOfLine(bytes, at))) continue;
    if (row >= from) rows.push(cells(lineAt(bytes, at), separator));
    row++;
  }
  return rows;
}

/** Returns the column for the x axis: the first one if it never decreases, otherwise the row number, which has no name. */
export function axisOf({ names, columns, rows }: Log): { name: string | undefined; x: Float64Array; rest: number[] } {
  const [first] = columns;
  if (first && columns.length > 1 && isRising(first)) return { name: names[0]!, x: first, rest: names.map((_, at) => at).slice(1) };
  return { name: undefined, x: Float64Array.from({ length: rows }, (_, at) => at), rest: names.map((_, at) => at) };
}

function isRising(values: Float64Array): boolean {
  for (let at = 0; at < values.length; at++) if (Number.isNaN(values[at]!) || (at > 0 && values[at]! < values[at - 1]!)) return false;
  return values.length > 1;
}

/** Detects the layout. A heading is the last row before the first one with a number in it; titles may precede it. */
function layoutOf(bytes: Uint8Array): Layout {
  const separator = separatorOf(bytes);
  let heading: string[] = [];
  let at = 0;
  for (let row = 0; at < bytes.length && row < SAMPLE; at = endOfLine(bytes, at) + 1) {
    if (!isRow(bytes, at, endOfLine(bytes, at))) continue;
    const found = cells(lineAt(bytes, at), separator);
    if (found.some((cell) => !Number.isNaN(numberOf(cell, separator)))) return { separator, heading, start: at };
    heading = found;
    row++;
  }
  return { separator, heading, start: at };
}

/**
 * Returns the separator that occurs in most of the first lines, or a comma if none does. A semicolon wins a tie with a
 * comma, which is then a decimal comma.
 */
function separatorOf(bytes: Uint8Array): number {
  const counts = new Map([SEMICOLON, TAB, COMMA].map((byte) => [byte, 0]));
  for (let at = 0, row = 0; at < bytes.length && row < SAMPLE; at = endOfLine(bytes, at) + 1) {
    const end = endOfLine(bytes, at);
    if (!isRow(bytes, at, end)) continue;
    for (const [byte, count] of counts) if (bytes.subarray(at, end).includes(byte)) counts.set(byte, count + 1);
    row++;
  }
  const best = [...counts].reduce((one, other) => (other[1] > one[1] ? other : one));
  return best[1] > 0 ? best[0] : COMMA;
}

/** Returns true if a line is neither a remark nor empty. */
function isRow(bytes: Uint8Array, at: number, end: number): boolean {
  return end > at && bytes[at] !== REMARK && !(end === at + 1 && bytes[at] === RETURN);
}

function fill(bytes: Uint8Array, { start, separator }: Layout, columns: Float64Array[]): number {
  let [row, at] = [0, start];
  while (at < bytes.length) {
    const end = endOfLine(bytes, at);
    if (isRow(bytes, at, end)) fillRow(bytes, at, end, separator, columns, row++);
    at = end + 1;
  }
  return row;
}

function fillRow(bytes: Uint8Array, at: number, end: number, separator: number, columns: Float64Array[], row: number): void {
  for (const column of columns) {
    const stop = endOfCell(bytes, at, end, separator);
    column[row] = numberIn(bytes, at, stop, separator);
    at = stop + 1;
    if (at > end) return;
  }
}

function endOfCell(bytes: Uint8Array, at: number, end: number, separator: number): number {
  let stop = at;
  while (stop < end && bytes[stop] !== separator && bytes[stop] !== QUOTE) stop++;
  return bytes[stop] === QUOTE && stop < end ? endOfQuoted(bytes, stop, end, separator) : stop;
}

/** Returns the end of a cell, ignoring separators between quotes. */
function endOfQuoted(bytes: Uint8Array, at: number, end: number, separator: number): number {
  for (let isQuoted = false; at < end; at++) {
    if (bytes[at] === QUOTE) isQuoted = !isQuoted;
    else if (bytes[at] === separator && !isQuoted) break;
  }
  return at;
}

/** Parses a number. Most cells are short plain numbers, which need no string. */
function numberIn(bytes: Uint8Array, from: number, to: number, separator: number): number {
  let [value, scale, sign, digits] = [0, 0, 1, 0];
  for (let at = from; at < to; at++) {
    const byte = bytes[at]!;
    if (byte >= ZERO && byte <= NINE) {
      value = value * 10 + (byte - ZERO);
      scale *= 10;
      digits++;
    } else if (byte === POINT && scale === 0) scale = 1;
    else if (byte === MINUS && at === from) sign = -1;
    else if (byte !== RETURN) return numberOf(textOf(bytes, from, to), separator);
  }
  if (digits === 0 || digits > EXACT_DIGITS) return numberOf(textOf(bytes, from, to), separator);
  return (sign * value) / (scale || 1);
}

function numberOf(cell: string, separator: number): number {
  if (cell === "") return NaN;
  const plain = Number(cell);
  const number = Number.isNaN(plain) && separator !== COMMA ? Number(cell.replace(",", ".")) : plain;
  return Number.isFinite(number) ? number : NaN;
}

function countLines(bytes: Uint8Array, start: number): number {
  let lines = 1;
  for (let at = start; at < bytes.length; at++) if (bytes[at] === NEWLINE) lines++;
  return lines;
}

function endOfLine(bytes: Uint8Array, at: number): number {
  const end = bytes.indexOf(NEWLINE, at);
  return end < 0 ? bytes.length : end;
}

function lineAt(bytes: Uint8Array, at: number): Uint8Array {
  return bytes.subarray(at, endOfLine(bytes, at));
}

function cells(line: Uint8Array, separator: number): string[] {
  const found: string[] = [];
  for (let at = 0; at <= line.length; ) {
    const stop = endOfCell(line, at, line.length, separator);
    found.push(textOf(line, at, stop));
    at = stop + 1;
  }
  return found;
}

/** Returns a cell without its quotes, and with each doubled quote inside them as one (RFC 4180, section 2). */
function textOf(bytes: Uint8Array, from: number, to: number): string {
  const text = decoder.decode(bytes.subarray(from, to)).trim();
  return /^".*"$/.test(text) ? text.slice(1, -1).replaceAll('""', '"') : text;
}

const decoder = new TextDecoder();
const [TAB, NEWLINE, RETURN, QUOTE, REMARK, COMMA, MINUS, POINT, ZERO, NINE, SEMICOLON] = [9, 10, 13, 34, 35, 44, 45, 46, 48, 57, 59];
/** Number of rows used to detect a log's layout. */
const SAMPLE = 50;
/** Number of digits that a JavaScript number holds exactly. */
const EXACT_DIGITS = 15;
