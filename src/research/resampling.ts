/** Ways to resample a run. */
export const BOOTSTRAPS = ['trades', 'stationary', 'block'] as const;
export type Bootstrap = (typeof BOOTSTRAPS)[number];

/** Random numbers in [0, 1). */
export type Draw = () => number;

/**
 * Fills `indices` with the rows of one resample of the stationary bootstrap: blocks that start anywhere, have a
 * geometric length with mean `block`, and continue at the start after the last row.
 * @see Politis and Romano, "The Stationary Bootstrap", Journal of the American Statistical Association 89, 1994
 */
export function stationaryIndices(indices: Int32Array, count: number, block: number, draw: Draw): void {
  const restart = 1 / block;
  let row = Math.floor(draw() * count);
  for (let at = 0; at < indices.length; at += 1) {
    if (at > 0) row = draw() < restart ? Math.floor(draw() * count) : (row + 1) % count;
    indices[at] = row;
  }
}

/**
 * The same with blocks of fixed length `block`, the last one truncated.
 * @see Politis and Romano, "A Circular Block-Resampling Procedure for Stationary Data", 1992
 */
export function blockIndices(indices: Int32Array, count: number, block: number, draw: Draw): void {
  let row = 0;
  for (let at = 0; at < indices.length; at += 1) {
    row = at % block === 0 ? Math.floor(draw() * count) : (row + 1) % count;
    indices[at] = row;
  }
}

/** The same row by row, each drawn independently. */
export function independentIndices(indices: Int32Array, count: number, draw: Draw): void {
  for (let at = 0; at < indices.length; at += 1) indices[at] = Math.floor(draw() * count);
}

/** Default mean block length for a number of rows: its square root, as in other programs. */
export function defaultBlockLength(count: number): number {
  return Math.max(1, Math.round(Math.sqrt(count)));
}

/** Shuffles values (Fisher and Yates). */
export function shuffle(values: Float64Array, draw: Draw): void {
  for (let at = values.length - 1; at > 0; at -= 1) {
    const other = Math.floor(draw() * (at + 1));
    const value = values[at] as number;
    values[at] = values[other] as number;
    values[other] = value;
  }
}
