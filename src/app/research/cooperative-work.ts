/** Progress of a computation in pieces, and its interruption. */
export interface CooperativeHooks {
  /** Receives the completed share, from 0 to 1. */
  readonly onProgress?: ((share: number) => void) | undefined;
  readonly interrupted?: AbortSignal | undefined;
}

/**
 * Runs a computation that yields its completed share after each piece. Signals and the terminal are handled between
 * pieces. Returns undefined if interrupted.
 */
export async function runCooperatively<T>(
  work: Generator<number, T | undefined>,
  { onProgress, interrupted }: CooperativeHooks,
): Promise<T | undefined> {
  for (;;) {
    const piece = work.next();
    if (piece.done === true) return piece.value;
    onProgress?.(piece.value);
    await new Promise((resolve) => setImmediate(resolve));
    if (interrupted?.aborted !== true) continue;
    work.return(undefined);
    return undefined;
  }
}

/** Runs such a computation without pauses. */
export function runSynchronously<T>(work: Generator<number, T>): T {
  for (;;) {
    const piece = work.next();
    if (piece.done === true) return piece.value;
  }
}
