import type { Engine } from '../../engine/engine.ts';
import type { StrategyShare } from '../../events/run-record.ts';
import type { Flattening } from '../../execution/operator/position-flattener.ts';
import type { Quote } from '../../model/quote.ts';
import type { RiskNumber } from '../../model/risk-number.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import type { Millis } from '../../model/time.ts';
import type { CallsUsed } from '../../ports/call-budget.ts';
import type { OriginKind } from '../../reports/origin.ts';
import { type StatusFacts, statusOf } from '../../reports/status.ts';

/** The status of a running bot, as sent over its control socket. */
export interface BotStatus extends StatusFacts {
  readonly mode: 'paper' | 'live';
  readonly config: string;
  readonly strategy: string;
  /** Origin of the prices, as the venue states it. */
  readonly origin: OriginKind;
  readonly pid: number;
  /** Market time, ISO 8601. */
  readonly marketTime: string;
  /** Null while the account was not read, or a price or an exchange rate is missing. */
  readonly equity: number | null;
  /** What the bot's symbols made since their exchanges' day began, in `currency`; null where a price or an exchange rate is missing. */
  readonly dayProfit: number | null;
  /** Calls of the newest window by kind; null where the venue counts none. */
  readonly calls: CallsUsed | null;
  /** How much of each limit of the account is used up, each with the limit itself. */
  readonly limits: readonly RiskNumber[];
  /** Positions that a kill or a flatten is closing, and what each waits for. */
  readonly flattening: readonly Flattening[];
  /**
   * Symbols of positions and open orders whose worth is not known: without a quote, or an exchange rate, and of a symbol outside the config
   * without a cost. Equity is not known then, and nothing opens. Absent in bots of earlier versions.
   */
  readonly unpriced?: readonly SecuritySymbol[];
  readonly currency: string;
  /** Exchange rates of the account's other currencies into its own; `rate` is null while unknown. */
  readonly rates: readonly {
    readonly currency: string;
    readonly rate: string | null;
    readonly source: 'config' | 'venue';
    readonly ageMs: number | null;
  }[];
  /** Age of the newest quote by symbol, milliseconds of market time; null before the first. */
  readonly quoteAgesMs: Readonly<Record<SecuritySymbol, number | null>>;
}

/** What a status is read from. */
export interface StatusSources {
  readonly engine: Engine;
  readonly mode: BotStatus['mode'];
  readonly config: string;
  readonly strategy: string;
  readonly origin: OriginKind;
  readonly currency: string;
  readonly symbols: readonly SecuritySymbol[];
  /** Several strategies; empty in a bot with one. */
  readonly members: readonly { readonly name: string }[];
  readonly now: () => Millis;
  readonly calls: () => CallsUsed | undefined;
  readonly latest: (symbol: SecuritySymbol) => Quote | undefined;
}

/** Returns the current status of a bot. */
export function botStatus(sources: StatusSources): BotStatus {
  const { engine, mode, config, strategy, origin, currency, symbols, latest } = sources;
  const now = sources.now();
  const equity = engine.equityNow();
  const ages = symbols.map((symbol) => {
    const quote = latest(symbol);
    return [symbol, quote === undefined ? null : Math.max(0, now - quote.time)] as const;
  });
  return {
    mode,
    config,
    strategy,
    origin,
    currency,
    pid: process.pid,
    marketTime: new Date(now).toISOString(),
    equity: Number.isFinite(equity) ? equity : null,
    dayProfit: engine.dayProfit()?.toNumber() ?? null,
    calls: sources.calls() ?? null,
    limits: engine.limitsUsed(),
    unpriced: engine.unpriced(),
    rates: engine.rates().map(({ currency: other, rate, source, at }) => ({
      currency: other,
      rate: rate?.toSignificantDigits(8).toString() ?? null,
      source,
      ageMs: at === undefined ? null : Math.max(0, now - at),
    })),
    quoteAgesMs: Object.fromEntries(ages),
    ...statusOf(engine.state, now, engineShares(sources)),
    flattening: engine.flattening(),
    gate: engine.gateNow(),
    restrictions: engine.restrictionsNow(),
  };
}

/** Returns the share of each of several strategies in the account; empty in a bot with one. */
export function engineShares({
  engine,
  members,
}: Pick<StatusSources, 'engine' | 'members'>): readonly StrategyShare[] {
  if (members.length === 0) return [];
  const earned = engine.earned();
  return members.map(({ name }) => ({
    name,
    quarantined: engine.quarantined.has(name),
    earned: earned.get(name) ?? 0,
  }));
}
