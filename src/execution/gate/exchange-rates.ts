import type { BotState } from '../../events/bot-state.ts';
import type { AccountBalance } from '../../model/account.ts';
import { datedRates, type FxSeries } from '../../model/dated-rates.ts';
import type { Decimal } from '../../model/decimal.ts';
import { type FxRates, rateBetween } from '../../model/fx.ts';
import type { Currency } from '../../model/money.ts';
import { MINUTE_MS, type Millis, millis } from '../../model/time.ts';
import type { Alarms } from '../../ports/alarms.ts';
import type { Broker } from '../../ports/broker.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';
import { answerTo, type Task } from '../../ports/task.ts';
import type { Aged } from '../../risk/facts.ts';

/** A reason to ask for exchange rates again. */
export interface RatesTask {
  readonly kind: 'rates';
}

/** The state of the rate of one currency. */
export interface RateStanding {
  readonly currency: Currency;
  /** The account's currency per unit; undefined when there is none, or none that is fresh. */
  readonly rate: Decimal | undefined;
  readonly source: 'config' | 'venue';
  /** Time of the venue's answer; undefined for a figure of the config. */
  readonly at: Millis | undefined;
}

/** What currencies are worth in the account's own. */
export interface ExchangeRates {
  /** The account's currency per unit of another; undefined when there is none, or none that is fresh (F-D12). */
  rate(currency: Currency): Decimal | undefined;
  /** Currencies of the account or its symbols without a usable exchange rate. */
  missing(): readonly Currency[];
  /** Since when a currency that is missing cannot be converted. */
  missingSince(currency: Currency): Millis;
  /** Every currency besides the account's own that the account or its symbols have. */
  standings(): readonly RateStanding[];
  /** Changes whenever a rate may have. */
  stamp(): number;
  /** Asks the venue for the account in each currency that the config has no rate of, where that is due; one piece of a turn. */
  refresh(): Task;
}

/** What rates are found with. */
export interface ExchangeRateParts {
  readonly broker: Pick<Broker, 'balance'>;
  readonly clock: Clock;
  /** Queues a task while the venue is queried for rates. */
  readonly due: (task: RatesTask) => void;
  readonly state: Pick<BotState, 'portfolio'>;
  /** The account's own. */
  readonly currency: Currency;
  /** Currencies of what the bot trades. */
  readonly traded: readonly Currency[];
  readonly fx: FxRates;
  /** Rates that change, in place of the figures of their pairs; none when absent. */
  readonly fxSeries?: readonly FxSeries[] | undefined;
  readonly alarms: Alarms;
}

/** Interval of queries, and maximum age of an answer. */
export const RATES_EVERY_MS = 5 * MINUTE_MS;
export const RATE_AGE_MAX_MS = 15 * MINUTE_MS;
/** Delay before a query without an answer is repeated; doubled after each further one, up to the usual interval. */
export const RATES_RETRY_MS = 5_000;
/** From so much cash on, in either currency, cents do not matter. */
const ENOUGH_CASH = 100;

/**
 * The config's figures come first; missing ones are derived from the venue's statements of one account in two currencies. A currency
 * without a rate is an alarm, and nothing opens until there is one, since equity is not known.
 * @see docs/reliability.md, F-D12
 */
export function createExchangeRates(parts: ExchangeRateParts): ExchangeRates {
  const { broker, clock, state, currency: own, traded, alarms } = parts;
  const written = new Map<Currency, Decimal | undefined>();
  const received = new Map<Currency, Aged<Decimal>>();
  const alarmed = new Set<Currency>();
  /** Time of the next query; undefined before the first time. */
  let dueAt: Millis | undefined;
  const startedAt = clock.now();
  let retryMs = RATES_RETRY_MS;
  let changes = 0;
  let reminder: Cancel = () => undefined;

  const dated = datedRates(parts.fx, parts.fxSeries);
  let figures = dated.asOf(clock.now());

  /** Figures of the config as of now. */
  function figuresNow(): FxRates {
    const now = dated.asOf(clock.now());
    if (now === figures) return figures;
    written.clear();
    changes += 1;
    figures = now;
    return figures;
  }

  function inConfig(currency: Currency): Decimal | undefined {
    const fx = figuresNow();
    if (!written.has(currency)) written.set(currency, rateBetween(currency, own, fx));
    return written.get(currency);
  }

  function rate(currency: Currency): Decimal | undefined {
    const figure = inConfig(currency);
    if (figure !== undefined) return figure;
    const latest = received.get(currency);
    return latest !== undefined && isFresh(latest) ? latest.value : undefined;
  }

  function isFresh({ at }: Aged<unknown>): boolean {
    return clock.now() - at <= RATE_AGE_MAX_MS;
  }

  function wanted(): readonly Currency[] {
    const { cash, holdings } = state.portfolio;
    const all = new Set(traded);
    for (const [currency, amount] of cash) if (!amount.isZero()) all.add(currency);
    for (const { currency } of holdings.values()) all.add(currency);
    all.delete(own);
    return [...all];
  }

  function* refresh(): Task {
    const unwritten = wanted().filter((currency) => inConfig(currency) === undefined);
    const isDue = dueAt === undefined || clock.now() >= dueAt;
    if (unwritten.length === 0 || !isDue) return;
    askAgainIn(RATES_EVERY_MS);
    const failure = yield* ask(unwritten);
    if (failure === undefined) retryMs = RATES_RETRY_MS;
    else {
      askAgainIn(retryMs);
      retryMs = Math.min(2 * retryMs, RATES_EVERY_MS);
    }
    reportMissing(unwritten, failure);
  }

  function askAgainIn(ms: number): void {
    dueAt = millis(clock.now() + ms);
    reminder();
    reminder = clock.at(dueAt, 'timer', () => parts.due({ kind: 'rates' }));
  }

  /** Takes the venue's answer; returns the reason when there is none. */
  function* ask(currencies: readonly Currency[]): Task<never, string | undefined> {
    const ours = yield* answerTo(broker.balance(own));
    if (ours.kind !== 'ok') return ours.message;
    let failure: string | undefined;
    for (const currency of currencies) {
      const theirs = yield* answerTo(broker.balance(currency));
      if (theirs.kind === 'ok') take(currency, ours.value, theirs.value);
      else failure ??= theirs.message;
    }
    return failure;
  }

  function take(currency: Currency, ours: AccountBalance, theirs: AccountBalance): void {
    const value = rateOf(ours, theirs);
    if (value === undefined) return;
    received.set(currency, { value, at: clock.now() });
    changes += 1;
  }

  function reportMissing(currencies: readonly Currency[], failure: string | undefined): void {
    for (const currency of currencies) {
      if (rate(currency) !== undefined) alarmed.delete(currency);
      else if (!alarmed.has(currency)) {
        alarmed.add(currency);
        const cash = state.portfolio.cash.get(currency);
        const key = `account.fx.${currency}${own}`;
        const why =
          failure === undefined
            ? `the venue does not state the account in ${own} and in ${currency}`
            : `the venue gave no answer to the account in ${own} and in ${currency} (${failure}) and will be queried again`;
        alarms.raise({
          code: 'rate-missing',
          message: `No exchange rate for ${currency}: ${why}; the config has no figure. Equity is not known, so nothing opens. Add what one ${currency} is worth in ${own} as "${key}"`,
          at: clock.now(),
          facts: { currency, key, cash: cash === undefined ? '0' : cash.toFixed() },
        });
      }
    }
  }

  return {
    rate,
    missing: () => wanted().filter((currency) => rate(currency) === undefined),
    missingSince(currency) {
      const at = received.get(currency)?.at;
      return at === undefined ? startedAt : millis(at + RATE_AGE_MAX_MS);
    },
    standings: () =>
      wanted().map((currency) => ({
        currency,
        rate: rate(currency),
        source: inConfig(currency) === undefined ? ('venue' as const) : ('config' as const),
        at: inConfig(currency) === undefined ? received.get(currency)?.at : undefined,
      })),
    stamp() {
      figuresNow();
      return received.size > 0 && [...received.values()].some((each) => !isFresh(each)) ? -1 : changes;
    },
    refresh,
  };
}

/** Cash is worth the same in both answers; equity moves with prices between them, so it serves where there is no cash. */
function rateOf(ours: AccountBalance, theirs: AccountBalance): Decimal | undefined {
  for (const [one, other] of [
    [ours.totalCash, theirs.totalCash],
    [ours.equity, theirs.equity],
  ] as const) {
    if (one.abs().lt(ENOUGH_CASH) || other.abs().lt(ENOUGH_CASH)) continue;
    const rate = one.div(other);
    if (rate.gt(0) && rate.isFinite()) return rate;
  }
  return undefined;
}
