/** The strategy threw, or broke its contract; it is not called again. */
export class StrategyError extends Error {
  readonly code = 'strategy-failed';
  override readonly name = 'StrategyError';
}
