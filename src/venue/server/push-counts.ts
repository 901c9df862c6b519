export type SocketSide = 'quote' | 'trade';

/** Push frames sent to one account, by socket. */
export interface PushCount {
  readonly quote: number;
  readonly trade: number;
}

/** Counts the push frames of every account, so that a stepped bot knows how many to expect. */
export class PushCounts {
  readonly #counts = new Map<string, Record<SocketSide, number>>();

  add(accountId: string, side: SocketSide): void {
    const count = this.#counts.get(accountId);
    if (count === undefined) this.#counts.set(accountId, { quote: 0, trade: 0, [side]: 1 });
    else count[side] += 1;
  }

  /** Returns the frames since the last `take`. */
  pending(accountId: string): PushCount {
    return this.#counts.get(accountId) ?? { quote: 0, trade: 0 };
  }

  /** Returns the frames since the last `take` and resets the count. */
  take(accountId: string): PushCount {
    const count = this.pending(accountId);
    this.#counts.delete(accountId);
    return count;
  }
}
