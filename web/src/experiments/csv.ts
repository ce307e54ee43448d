/** A log as columns of numbers. A logger's CSV has no quoted commas; quotes around a cell are dropped. */

export interface Log {
  names: string[];
  /** One value for each row; `NaN` where a cell is no number. */
  columns: Float64Array[];
  rows: number;
}

/** Reads a log in one pass over its bytes. */
export function readLog(bytes: Uint8Array): Log {
  const first = cells(lineAt(bytes, 0));
  const hasHeader = first.some((cell) => cell !== "" && Number.isNaN(Number(cell)));
  const names = first.map((cell, at) => (hasHeader && cell) || `column ${at + 1}`);
  const start = hasHeader ? endOfLine(bytes, 0) + 1 : 0;
  const room = countLines(bytes, start);
  const columns = names.map(() => new Float64Array(room).fill(NaN));
  const rows = fill(bytes, start, columns);
  return { names, columns: columns.map((column) => column.subarray(0, rows)), rows };
}

/** The text of some rows, from 0, for a table. */
export function textRows(bytes: Uint8Array, hasHeader: boolean, from: number, count: number): string[][] {
  let at = hasHeader ? endOfLine(bytes, 0) + 1 : 0;
  for (let row = 0; row < from && at < bytes.length; row++) at = endOfLine(bytes, at) + 1;
  const rows: string[][] = [];
  while (rows.length < count && at < bytes.length) {
    const line = lineAt(bytes, at);
    if (line.trim() !== "") rows.push(cells(line));
    at = endOfLine(bytes, at) + 1;
  }
  return rows;
}

/** The column that the others are drawn over: the first one if it never falls, the row's number otherwise. */
export function axisOf({ names, columns, rows }: Log): { name: string; x: Float64Array; rest: number[] } {
  const [first] = columns;
  if (first && columns.length > 1 && isRising(first)) return { name: names[0]!, x: first, rest: names.map((_, at) => at).slice(1) };
  return { name: "row", x: Float64Array.from({ length: rows }, (_, at) => at), rest: names.map((_, at) => at) };
}

function isRising(values: Float64Array): boolean {
  for (let at = 0; at < values.length; at++) if (Number.isNaN(values[at]!) || (at > 0 && values[at]! < values[at - 1]!)) return false;
  return values.length > 1;
}

function fill(bytes: Uint8Array, start: number, columns: Float64Array[]): number {
  let [row, at] = [0, start];
  while (at < bytes.length) {
    const end = endOfLine(bytes, at);
    if (end > at && !(end === at + 1 && bytes[at] === RETURN)) fillRow(bytes, at, end, columns, row++);
    at = end + 1;
  }
  return row;
}

function fillRow(bytes: Uint8Array, at: number, end: number, columns: Float64Array[], row: number): void {
  for (const column of columns) {
    let stop = at;
    while (stop < end && bytes[stop] !== COMMA) stop++;
    column[row] = numberIn(bytes, at, stop);
    at = stop + 1;
    if (at > end) return;
  }
}

/** Most cells are short plain numbers, which need no string. */
function numberIn(bytes: Uint8Array, from: number, to: number): number {
  let [value, scale, sign, digits] = [0, 0, 1, 0];
  for (let at = from; at < to; at++) {
    const byte = bytes[at]!;
    if (byte >= ZERO && byte <= NINE) {
      value = value * 10 + (byte - ZERO);
      scale *= 10;
      digits++;
    } else if (byte === POINT && scale === 0) scale = 1;
    else if (byte === MINUS && at === from) sign = -1;
    else if (byte !== RETURN) return slowNumber(bytes, from, to);
  }
  if (digits === 0 || digits > EXACT_DIGITS) return slowNumber(bytes, from, to);
  return (sign * value) / (scale || 1);
}

function slowNumber(bytes: Uint8Array, from: number, to: number): number {
  const text = unquoted(decoder.decode(bytes.subarray(from, to)));
  return text === "" ? NaN : Number(text);
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

function lineAt(bytes: Uint8Array, at: number): string {
  return decoder.decode(bytes.subarray(at, endOfLine(bytes, at)));
}

function cells(line: string): string[] {
  return line.split(",").map(unquoted);
}

function unquoted(cell: string): string {
  return cell.trim().replace(/^"|"$/g, "");
}

const decoder = new TextDecoder();
const [NEWLINE, RETURN, COMMA, ZERO, NINE, POINT, MINUS] = [10, 13, 44, 48, 57, 46, 45];
/** As many digits are exact as a number of JavaScript's holds. */
const EXACT_DIGITS = 15;
