/** A source of randomness. Seeded in backtests and tests; the machine's own is used only in `app/`. */
export interface Random {
  /** Uniform random bytes for ids and one-time passwords. */
  bytes(count: number): Uint8Array;
  /** Uniform in [0, 1), for jitter. */
  fraction(): number;
}
