/** The strategy threw, or broke its contract; nothing more is asked of it. */
export class StrategyError extends Error {
  readonly code = 'strategy-failed';
  override readonly name = 'StrategyError';
}
