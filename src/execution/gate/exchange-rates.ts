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
import { awaitAnswer, type Task } from '../../ports/task.ts';
import type { Aged } from '../../risk/facts.ts';

/** A request to refresh exchange rates. */
export interface RatesTask {
  readonly kind: 'rates';
}

/** State of the rate of one currency. */
export interface RateStatus {
  readonly currency: Currency;
  /** Account currency per unit; undefined if there is no rate, or no recent one. */
  readonly rate: Decimal | undefined;
  readonly source: 'config' | 'venue';
  /** Time of the venue's answer; undefined for a figure of the config. */
  readonly at: Millis | undefined;
}

/** Exchange rates into the account's currency. */
export interface ExchangeRates {
  /** Account currency per unit of a currency; undefined if there is no rate, or no recent one (F-D12). */
  rate(currency: Currency): Decimal | undefined;
  /** Currencies of the account or its symbols without a usable rate. */
  missing(): readonly Currency[];
  /** Time since which a missing currency cannot be converted. */
  missingSince(currency: Currency): Millis;
  /** All other currencies of the account or its symbols. */
  statuses(): readonly RateStatus[];
  /** A number that changes whenever a rate may have changed. */
  version(): number;
  /**
   * If due, queries the venue for the balance in each currency without a rate in the config. Runs within one task.
   */
  refresh(): Task;
}

interface ExchangeRateParts {
  readonly broker: Pick<Broker, 'balance'>;
  readonly clock: Clock;
  readonly queueTask: (task: RatesTask) => void;
  readonly state: Pick<BotState, 'portfolio'>;
  readonly currency: Currency;
  readonly traded: readonly Currency[];
  readonly fx: FxRates;
  /** Dated rates, which replace the fixed rates of their pairs; absent if there are none. */
  readonly fxSeries?: readonly FxSeries[] | undefined;
  readonly alarms: Alarms;
}

/** Interval of queries, and maximum age of an answer. */
export const RATES_EVERY_MS = 5 * MINUTE_MS;
export const RATE_AGE_MAX_MS = 15 * MINUTE_MS;
/** Delay before a failed query is repeated; doubled after each further failure, up to the usual interval. */
export const RATES_RETRY_MS = 5_000;
/** Cash, in either currency, from which rounding to cents does not matter. */
const ENOUGH_CASH = 100;

/**
 * Creates the exchange rates of an account. Rates of the config take precedence; others are derived from the
 * account's balance in two currencies. A currency without a rate raises an alarm and blocks opening, because equity
 * is not known.
 * @see docs/reliability.md, F-D12
 */
export function createExchangeRates(parts: ExchangeRateParts): ExchangeRates {
  const { broker, clock, state, currency: own, traded, alarms } = parts;
  const configRates = new Map<Currency, Decimal | undefined>();
  const received = new Map<Currency, Aged<Decimal>>();
  const alarmed = new Set<Currency>();
  /** Time of the next query; undefined before the first. */
  let dueAt: Millis | undefined;
  const startedAt = clock.now();
  let retryMs = RATES_RETRY_MS;
  let changes = 0;
  let cancelQuery: Cancel = () => undefined;

  const dated = datedRates(parts.fx, parts.fxSeries);
  let ratesInForce = dated.asOf(clock.now());

  function currentRates(): FxRates {
    const now = dated.asOf(clock.now());
    if (now === ratesInForce) return ratesInForce;
    configRates.clear();
    changes += 1;
    ratesInForce = now;
    return ratesInForce;
  }

  function configRate(currency: Currency): Decimal | undefined {
    const fx = currentRates();
    if (!configRates.has(currency)) configRates.set(currency, rateBetween(currency, own, fx));
    return configRates.get(currency);
  }

  function rate(currency: Currency): Decimal | undefined {
    const figure = configRate(currency);
    if (figure !== undefined) return figure;
    const latest = received.get(currency);
    return latest !== undefined && isFresh(latest) ? latest.value : undefined;
  }

  function isFresh({ at }: Aged<unknown>): boolean {
    return clock.now() - at <= RATE_AGE_MAX_MS;
  }

  function neededCurrencies(): readonly Currency[] {
    const { cash, holdings } = state.portfolio;
    const all = new Set(traded);
    for (const [currency, amount] of cash) if (!amount.isZero()) all.add(currency);
    for (const { currency } of holdings.values()) all.add(currency);
    all.delete(own);
    return [...all];
  }

  function* refresh(): Task {
    const unconfigured = neededCurrencies().filter((currency) => configRate(currency) === undefined);
    const isDue = dueAt === undefined || clock.now() >= dueAt;
    if (unconfigured.length === 0 || !isDue) return;
    scheduleQuery(RATES_EVERY_MS);
    const failure = yield* queryRates(unconfigured);
    if (failure === undefined) retryMs = RATES_RETRY_MS;
    else {
      scheduleQuery(retryMs);
      retryMs = Math.min(2 * retryMs, RATES_EVERY_MS);
    }
    reportMissing(unconfigured, failure);
  }

  function scheduleQuery(ms: number): void {
    dueAt = millis(clock.now() + ms);
    cancelQuery();
    cancelQuery = clock.at(dueAt, 'timer', () => parts.queueTask({ kind: 'rates' }));
  }

  /** Queries the venue for rates; returns the reason if an answer is missing. */
  function* queryRates(currencies: readonly Currency[]): Task<never, string | undefined> {
    const ours = yield* awaitAnswer(broker.balance(own));
    if (ours.kind !== 'ok') return ours.message;
    let failure: string | undefined;
    for (const currency of currencies) {
      const theirs = yield* awaitAnswer(broker.balance(currency));
      if (theirs.kind === 'ok') storeRate(currency, ours.value, theirs.value);
      else failure ??= theirs.message;
    }
    return failure;
  }

  function storeRate(currency: Currency, ours: AccountBalance, theirs: AccountBalance): void {
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
    missing: () => neededCurrencies().filter((currency) => rate(currency) === undefined),
    missingSince(currency) {
      const at = received.get(currency)?.at;
      return at === undefined ? startedAt : millis(at + RATE_AGE_MAX_MS);
    },
    statuses: () =>
      neededCurrencies().map((currency) => ({
        currency,
        rate: rate(currency),
        source: configRate(currency) === undefined ? ('venue' as const) : ('config' as const),
        at: configRate(currency) === undefined ? received.get(currency)?.at : undefined,
      })),
    version() {
      currentRates();
      return received.size > 0 && [...received.values()].some((each) => !isFresh(each)) ? -1 : changes;
    },
    refresh,
  };
}

/**
 * Derives a rate from two answers. Total cash has the same value in both; equity moves with prices between them, so
 * it is used only if there is too little cash.
 */
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
