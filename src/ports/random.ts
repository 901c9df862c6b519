/** A source of chance. Seeded in backtests and tests, the machine's own only in `app/`. */
export interface Random {
  /** Uniform bytes for ids and one-time passwords. */
  bytes(count: number): Uint8Array;
  /** Uniform in [0, 1), for jitter. */
  fraction(): number;
}
