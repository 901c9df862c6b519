import {
  BehaviorSubject,
  concatMap,
  distinctUntilChanged,
  filter,
  firstValueFrom,
  from,
  Observable,
  Subject,
  tap,
  toArray,
} from 'rxjs';
import type { Bar } from '../../model/bar.ts';
import type { Decimal } from '../../model/decimal.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';
import { plural } from '../../model/plural.ts';
import type { Quote } from '../../model/quote.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import { MINUTE_MS, type Millis, millis, SECOND_MS } from '../../model/time.ts';
import type { Broker } from '../../ports/broker.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';
import type { FeedState, MissingQuotes, QuoteFeed, QuoteReliability } from '../../ports/quote-feed.ts';
import type { QuoteCommands } from '../../wire/commands.ts';
import type { PushFrame } from '../../wire/frame.ts';
import { type SecurityQuote, SubType } from '../../wire/gen/quote_pb.ts';
import { readSecurityQuote, readSessionQuote } from '../../wire/mapper/quote.ts';
import { decodeMessage, decodePushedQuote } from '../../wire/message.ts';
import { MAX_SYMBOLS } from '../../wire/socket-status.ts';
import { WireError } from '../../wire/wire-error.ts';
import { BrokerError } from '../broker-error.ts';
import { createCountReporter } from '../count-reporter.ts';
import { readHistory } from '../orders/history.ts';
import { readSecurities } from '../orders/securities.ts';
import type { RaiseAlarm } from '../raise-alarm.ts';
import type { SocketCall } from '../socket/command-call.ts';
import { createBestPrices } from './best-prices.ts';
import { chunked } from './chunked.ts';
import { createQuoteBook } from './quote-book.ts';
import { createQuoteJumpFilter } from './quote-jump-filter.ts';
import { createSubscriptions } from './quote-subscriptions.ts';

/** The QuoteFeed port, and the hooks for its socket. */
export interface SocketQuoteFeed {
  readonly feed: QuoteFeed;
  receive(push: PushFrame): void;
  /** Symbols with a listener. */
  symbols(): readonly SecuritySymbol[];
  /** Subscribes all symbols with listeners, and confirms. */
  restore(call: SocketCall): Promise<void>;
  onUp(): void;
  onDown(): void;
  fail(error: BrokerError): void;
}

/** Dependencies of the feed. */
export interface QuoteFeedParts {
  /** Sends commands over the quote socket while it is up. */
  readonly call: SocketCall;
  readonly commands: QuoteCommands;
  readonly marginFactors: Broker['marginFactors'];
  readonly machine: Clock;
  readonly market: () => Millis;
  readonly closeOf: (bar: Bar) => Millis;
  /** Of the quote socket. */
  readonly address: URL;
  /** True to subscribe the best prices of the book as well. */
  readonly withDepth: boolean;
  /** A price that jumps farther than this share is accepted after further updates confirm it. */
  readonly quoteJump: Decimal;
  /** Other symbols that are subscribed on this connection: they count towards the limit. */
  readonly otherSymbols: () => readonly SecuritySymbol[];
  /** True if a symbol's depth has another listener. */
  readonly keepsDepth: (symbol: SecuritySymbol) => boolean;
  readonly safe: (text: string) => string;
  readonly raiseAlarm: RaiseAlarm;
}

/** Delay before a failed subscription is requested again, and before each later attempt. */
const RETRY_DELAYS_MS = [SECOND_MS, 5 * SECOND_MS, 15 * SECOND_MS] as const;
const RETRY_INTERVAL_MS = MINUTE_MS;

/**
 * Quotes over the socket. A subscription requests no first push, so every emitted quote was pushed when it changed;
 * the current quote is pulled (11) and available as `latest`. @see docs/wire-protocol.md, "The sockets";
 * docs/reliability.md, F-N11, F-B34
 */
export function createQuoteFeed(parts: QuoteFeedParts): SocketQuoteFeed {
  const { call, commands, raiseAlarm, safe } = parts;
  const quotes$ = new Subject<Quote>();
  const state$ = new BehaviorSubject<FeedState>('connecting');
  const jumpFilter = createQuoteJumpFilter(parts.quoteJump);
  const book = createQuoteBook(jumpFilter.observe);
  const best = createBestPrices();
  const subType = parts.withDepth ? [SubType.QUOTE, SubType.DEPTH] : [SubType.QUOTE];
  const subscriptions = createSubscriptions();
  const requested = new Set<SecuritySymbol>();
  /** Symbols whose subscription the venue confirmed and whose quote has been pulled since. */
  const confirmed = new Set<SecuritySymbol>();
  let isUp = false;
  /** When the connection last came up or went down. */
  let changedAt = parts.market();
  let subscribing = 0;
  /** Consecutive attempts that left symbols without a subscription. */
  let failures = 0;
  let cancelRetry: Cancel = () => undefined;

  const unreadable = createCountReporter((count, example) =>
    raiseAlarm(
      'unreadable-quote',
      `${plural(count, 'quote')} could not be read and ${count === 1 ? 'was' : 'were'} skipped`,
      {
        example: safe(example),
      },
    ),
  );

  function publishState(): void {
    if (isUp) state$.next(subscribing === 0 ? 'live' : 'connecting');
  }

  /** Symbols with listeners and without a subscription. */
  const missing = (): readonly SecuritySymbol[] =>
    subscriptions.all().filter((symbol) => !requested.has(symbol));

  /**
   * Subscribes missing symbols. Refused ones are requested again later; any other failure is passed to the caller.
   */
  async function subscribeMissing(through: SocketCall): Promise<void> {
    const due = chunked(missing());
    for (const symbol of due.flat()) requested.add(symbol);
    let isRefused = false;
    for (const [index, symbols] of due.entries()) {
      try {
        await subscribeAll(through, symbols);
      } catch (error) {
        const isOver = !(error instanceof BrokerError) || error.code !== 'socket-refused';
        for (const symbol of isOver ? due.slice(index).flat() : symbols) requested.delete(symbol);
        if (isOver) throw error;
        isRefused = true;
        reportSubscriptionFailure(error);
      }
    }
    if (isRefused) retryLater();
    else failures = 0;
  }

  async function subscribeAll(through: SocketCall, symbols: readonly SecuritySymbol[]): Promise<void> {
    const answer = await firstValueFrom(
      through(commands.subscribe, { symbol: [...symbols], subType, isFirstPush: false }),
    );
    const granted = new Set(answer.subList.map((each) => each.symbol));
    reportNotGranted(symbols, granted);
    await firstValueFrom(pullOne(through, symbols));
    for (const symbol of symbols) if (granted.has(symbol)) confirmed.add(symbol);
  }

  function reportNotGranted(symbols: readonly SecuritySymbol[], granted: ReadonlySet<string>): void {
    const absent = symbols.filter((symbol) => !granted.has(symbol));
    if (absent.length === 0) return;
    raiseAlarm('symbols-not-subscribed', `The venue pushes no quotes of ${plural(absent.length, 'symbol')}`, {
      symbols: absent.join(' '),
    });
  }

  function retryNow(): void {
    subscribing += 1;
    publishState();
    subscribeMissing(call)
      .catch((error: unknown) => {
        reportSubscriptionFailure(error);
        retryLater();
      })
      .finally(() => {
        subscribing -= 1;
        publishState();
      });
  }

  /** If the connection is down, its restoration subscribes everything again. */
  function retryLater(): void {
    const waitMs = RETRY_DELAYS_MS[failures] ?? RETRY_INTERVAL_MS;
    failures += 1;
    cancelRetry();
    if (!isUp || missing().length === 0) return;
    cancelRetry = parts.machine.at(millis(parts.machine.now() + waitMs), 'timer', () => {
      if (isUp) retryNow();
    });
  }

  /**
   * A broken connection restores automatically; a refusal does not, so it is reported once until all symbols are
   * subscribed.
   */
  function reportSubscriptionFailure(error: unknown): void {
    if (failures > 0 || (error instanceof BrokerError && error.code === 'socket-lost')) return;
    const why = safe(error instanceof Error ? error.message : String(error));
    raiseAlarm(
      'subscription-failed',
      `Cannot subscribe quotes, so no order opens a position in these symbols: ${why}. Retrying`,
    );
  }

  function unsubscribe(symbols: readonly SecuritySymbol[]): void {
    const gone = symbols.filter((symbol) => requested.delete(symbol));
    for (const symbol of gone) confirmed.delete(symbol);
    if (missing().length === 0) cancelRetry();
    if (!isUp) return;
    const stillNeeded = new Set(parts.withDepth ? gone.filter(parts.keepsDepth) : []);
    const whole = gone.filter((symbol) => !stillNeeded.has(symbol));
    const requests = [
      ...chunked(whole).map((symbol) => ({ symbol: [...symbol], subType })),
      ...chunked([...stillNeeded]).map((symbol) => ({ symbol: [...symbol], subType: [SubType.QUOTE] })),
    ];
    from(requests)
      .pipe(concatMap((request) => call(commands.unsubscribe, request)))
      .subscribe({ error: (error: unknown) => reportSubscriptionFailure(error) });
  }

  function pullOne(through: SocketCall, symbols: readonly SecuritySymbol[]): Observable<readonly Quote[]> {
    return from(chunked(symbols)).pipe(
      concatMap((symbol) => through(commands.securityQuote, { symbol: [...symbol] })),
      concatMap(({ secuQuote }) => secuQuote.flatMap((wire) => newestOf(wire) ?? [])),
      tap((quote) => book.applyPull(quote)),
      toArray(),
    );
  }

  /** The newest session in a pulled quote; undefined if it cannot be read. */
  function newestOf(wire: SecurityQuote): Quote | undefined {
    return parseOrCount(() => {
      const regular = readSecurityQuote(wire);
      const others = (['pre', 'post', 'overnight'] as const).flatMap(
        // An invalid block is dropped alone: the remaining quote has its own time, so it is stale if it is old.
        (session) => parseOrCount(() => readSessionQuote(wire, session)) ?? [],
      );
      return others.reduce((newest, each) => (each.time > newest.time ? each : newest), regular);
    });
  }

  /** Returns the result of `read`; undefined, and counted, if it cannot be read. */
  function parseOrCount<T>(read: () => T | undefined): T | undefined {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      unreadable(error.message);
      return undefined;
    }
  }

  /** @see docs/reliability.md, I-9, F-B34 */
  function missingQuotes(symbols: readonly SecuritySymbol[]): readonly MissingQuotes[] {
    const since = changedAt;
    if (!isUp) return [{ why: 'the quote connection is down', since }];
    return symbols
      .filter((symbol) => !confirmed.has(symbol))
      .map((symbol) => ({ symbol, why: 'the venue has not confirmed its subscription', since }));
  }

  /** @see docs/reliability.md, F-D03 */
  function reliability(symbol: SecuritySymbol): QuoteReliability {
    const { agreeing, trusted } = jumpFilter.of(symbol);
    return {
      agreeing,
      ...omitUndefined({ trusted }),
    };
  }

  function quotes(symbols: readonly SecuritySymbol[]): Observable<Quote> {
    const wanted = new Set(symbols);
    return new Observable((subscriber) => {
      const others = [...new Set([...subscriptions.all(), ...parts.otherSymbols()])].filter(
        (symbol) => !wanted.has(symbol),
      );
      if (others.length + wanted.size > MAX_SYMBOLS) {
        const message = `Cannot subscribe ${plural(wanted.size, 'symbol')} in addition to ${others.length}, limit ${MAX_SYMBOLS}`;
        subscriber.error(
          new BrokerError('bad-option', message, { endpoint: 'quote socket', retryable: false }),
        );
        return undefined;
      }
      subscriber.add(quotes$.pipe(filter((quote) => wanted.has(quote.symbol))).subscribe(subscriber));
      const fresh = subscriptions.add([...wanted]);
      if (isUp && fresh.length > 0) retryNow();
      return () => unsubscribe(subscriptions.remove([...wanted]));
    });
  }

  const feed: QuoteFeed = {
    quotes,
    state$: state$.pipe(distinctUntilChanged()),
    latest: book.latest,
    reliability,
    missingQuotes,
    acceptPrices: jumpFilter.acceptPrices,
    ...(parts.withDepth ? { best: best.of } : {}),
    pull: (symbols) => pullOne(call, symbols),
    securities: (symbols) => readSecurities(symbols, parts),
    history: (request) => readHistory(request, parts),
  };

  return {
    feed,
    symbols: subscriptions.all,
    receive(push) {
      if (push.command === commands.pushDepth.code) {
        parseOrCount(() => best.push(decodeMessage(commands.pushDepth.push, push.body)));
        return;
      }
      if (push.command !== commands.pushQuote.code) return;
      const quote = parseOrCount(() => book.push(decodePushedQuote(push.body)));
      if (quote !== undefined) quotes$.next(quote);
    },
    async restore(through) {
      requested.clear();
      confirmed.clear();
      failures = 0;
      book.resetSequences();
      best.clear();
      await subscribeMissing(through);
    },
    onUp() {
      isUp = true;
      changedAt = parts.market();
      if (subscriptions.all().some((symbol) => !requested.has(symbol))) retryNow();
      else publishState();
    },
    onDown() {
      cancelRetry();
      if (isUp) changedAt = parts.market();
      isUp = false;
      confirmed.clear();
      best.clear();
      state$.next('down');
    },
    fail(error) {
      cancelRetry();
      isUp = false;
      state$.next('down');
      quotes$.error(error);
    },
  };
}
