type Outcome = { readonly value: unknown } | { readonly error: unknown };
let kept: Map<string, Outcome> | undefined;

/** From now on, what is read under a name is read once: this process is about to give up reading files. */
export function rememberReads(): void {
  kept ??= new Map();
}

/** True where `rememberReads` was called. */
export function remembersReads(): boolean {
  return kept !== undefined;
}

/** What `read` gives or throws, the first time; without `rememberReads` it is called each time. */
export function remembered<T>(name: string, read: () => T): T {
  if (kept === undefined) return read();
  let outcome = kept.get(name);
  if (outcome === undefined) {
    try {
      outcome = { value: read() };
    } catch (error) {
      outcome = { error };
    }
    kept.set(name, outcome);
  }
  if ('error' in outcome) throw outcome.error;
  return outcome.value as T;
}
