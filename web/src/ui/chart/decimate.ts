/** Reduces millions of points to those that a screen can show: the lowest and the highest value of each pixel column. */

/** Values with a shared `x`, which never decreases. */
export interface Series {
  x: Float64Array;
  y: Float64Array[];
}

/** Series for uPlot: `x`, then each `y`. */
export type Points = [number[], ...(number | null)[][]];

/**
 * Selects the points between `from` and `to`, with one point beside them on each side, in at most
 * `2 * columns` points.
 */
export function decimate({ x, y }: Series, from: number, to: number, columns: number): Points {
  const first = Math.max(lowerBound(x, from) - 1, 0);
  const last = Math.min(lowerBound(x, to) + 1, x.length);
  if (last - first <= 2 * columns) return whole(x, y, first, last);
  const axis: number[] = [];
  const lines = y.map((): (number | null)[] => []);
  for (let column = 0; column < columns; column++) {
    const begin = first + Math.floor(((last - first) * column) / columns);
    const end = first + Math.floor(((last - first) * (column + 1)) / columns);
    axis.push(x[begin]!, x[Math.floor((begin + end) / 2)]!);
    y.forEach((values, at) => lines[at]!.push(...extremes(values, begin, end)));
  }
  return [axis, ...lines];
}

function whole(x: Float64Array, y: Float64Array[], first: number, last: number): Points {
  const plain = (values: Float64Array) => Array.from(values.subarray(first, last), (value) => (Number.isNaN(value) ? null : value));
  return [Array.from(x.subarray(first, last)), ...y.map(plain)];
}

/** Returns the lowest and the highest value, in the order in which they occur. */
function extremes(values: Float64Array, begin: number, end: number): [number | null, number | null] {
  let [low, high] = [-1, -1];
  for (let at = begin; at < end; at++) {
    const value = values[at]!;
    if (Number.isNaN(value)) continue;
    if (low < 0 || value < values[low]!) low = at;
    if (high < 0 || value > values[high]!) high = at;
  }
  if (low < 0) return [null, null];
  return [values[Math.min(low, high)]!, values[Math.max(low, high)]!];
}

/** Returns the first index whose value is not below `wanted`. */
function lowerBound(values: Float64Array, wanted: number): number {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
