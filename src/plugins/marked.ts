const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

/** Throws TypeError for a name that no YAML could ask for. */
export function assertNamed(noun: string, name: unknown): void {
  if (typeof name === 'string' && NAME.test(name)) return;
  throw new TypeError(`Cannot define ${noun} "${String(name)}": want a kebab-case name such as "quiet-open"`);
}

/** True for an object that carries the mark of a kind of plugin. */
export function isMarked(value: unknown, mark: symbol): boolean {
  return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[mark] === 1;
}
