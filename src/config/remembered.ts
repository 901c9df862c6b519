type Outcome = { readonly value: unknown } | { readonly error: unknown };
let outcomes: Map<string, Outcome> | undefined;

/** From now on, what is read under a name is read once: this process is about to give up reading files. */
export function rememberReads(): void {
  outcomes ??= new Map();
}

/** True where `rememberReads` was called. */
export function remembersReads(): boolean {
  return outcomes !== undefined;
}

/** What `read` gives or throws, the first time; without `rememberReads` it is called each time. */
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
