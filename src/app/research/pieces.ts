/** Progress of a computation that is made in pieces, and its interruption. */
export interface PiecesHooks {
  /** Receives the share that is done, from 0 to 1. */
  readonly onShare?: ((share: number) => void) | undefined;
  readonly interrupted?: AbortSignal | undefined;
}

/**
 * Runs a computation that yields the share that is done after each piece. Signals and the terminal have their turn between two of them. Returns
 * undefined where it was interrupted.
 */
export async function inPieces<T>(
  work: Generator<number, T | undefined>,
  { onShare, interrupted }: PiecesHooks,
): Promise<T | undefined> {
  for (;;) {
    const piece = work.next();
    if (piece.done === true) return piece.value;
    onShare?.(piece.value);
    await new Promise((resolve) => setImmediate(resolve));
    if (interrupted?.aborted !== true) continue;
    work.return(undefined);
    return undefined;
  }
}

/** Runs the same from its beginning to its end. */
export function atOnce<T>(work: Generator<number, T>): T {
  for (;;) {
    const piece = work.next();
    if (piece.done === true) return piece.value;
  }
}
