import type { ExecutionPolicy } from '../execution/orders/order-style.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import type { StrategyHost } from '../ports/strategy-host.ts';
import type { StrategyLimits } from '../risk/strategy-limits.ts';

/** One of several strategies of a bot, with a part of the account that it sees as its own. */
export interface Member {
  /** Its name in the bot: orders, state and reports bear it. */
  readonly name: string;
  readonly host: StrategyHost;
  /** What it trades, in its own order; each is one of the bot's. */
  readonly symbols: readonly SecuritySymbol[];
  readonly policy: ExecutionPolicy;
  readonly limits: StrategyLimits;
  /** Values of the strategy's series of a symbol at the newest closed bar. */
  readonly values: (symbol: SecuritySymbol) => Readonly<Record<string, number>>;
}
