type Outcome = { readonly value: unknown } | { readonly error: unknown };
let outcomes: Map<string, Outcome> | undefined;

/** From now on each named read happens once, because this process is about to lose the permission to read files. */
export function rememberReads(): void {
  outcomes ??= new Map();
}

/** True after `rememberReads` was called. */
export function remembersReads(): boolean {
  return outcomes !== undefined;
}

/** Calls `read` the first time and repeats its result or error; without `rememberReads` calls it each time. */
export function remembered<T>(name: string, read: () => T): T {
  if (outcomes === undefined) return read();
  let outcome = outcomes.get(name);
  if (outcome === undefined) {
    try {
      outcome = { value: read() };
    } catch (error) {
      outcome = { error };
    }
    outcomes.set(name, outcome);
  }
  if ('error' in outcome) throw outcome.error;
  return outcome.value as T;
}
