/** True for an object that carries the mark of a kind of plugin. */
export function hasBrand(value: unknown, mark: symbol): boolean {
  return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[mark] === 1;
}
