type Column = Uint8Array | Uint16Array | Uint32Array | Float64Array;

/** Returns a copy of a column with capacity for `rows` rows. */
export function longerColumn<T extends Column>(column: T, rows: number): T {
  const longer = new (column.constructor as new (length: number) => T)(rows);
  longer.set(column);
  return longer;
}
