/** Wraps every call of an author's code; `what` is the hook. */
type CallGuard = <T>(owner: string, what: string, now: number | undefined, work: () => T) => T;

let guard: CallGuard | undefined;

/** Wraps all further calls of an author's code in this process; `null` removes the guard, at the end of a test. */
export function guardAuthorCalls(next: CallGuard | null): void {
  guard = next ?? undefined;
}

/** Calls an author's code, in the guard if there is one. */
export function authorCall<T>(owner: string, what: string, now: number | undefined, work: () => T): T {
  return guard === undefined ? work() : guard(owner, what, now, work);
}

/** Loads a file of an author's code; the call ends when its module has run. */
export async function authorLoad<T>(owner: string, load: () => Promise<T>): Promise<T> {
  const end = loadGuard?.(owner);
  try {
    return await load();
  } finally {
    end?.();
  }
}

let loadGuard: ((owner: string) => () => void) | undefined;

/** Wraps every further load: `begin` is called at its start and returns the function to call at its end. */
export function guardAuthorLoads(begin: (owner: string) => () => void): void {
  loadGuard = begin;
}
