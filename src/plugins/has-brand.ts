/** True for an object that has the brand of a plugin kind. */
export function hasBrand(value: unknown, mark: symbol): boolean {
  return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[mark] === 1;
}
