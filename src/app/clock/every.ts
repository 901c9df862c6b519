/** Calls `action` at an interval of machine time in milliseconds; the returned function stops it. */
export function every(milliseconds: number, action: () => void): () => void {
  const timer = setInterval(action, milliseconds);
  return () => clearInterval(timer);
}

/** Returns a signal that is aborted after so many milliseconds of machine time. */
export function abortedAfter(milliseconds: number): AbortSignal {
  return AbortSignal.timeout(milliseconds);
}
