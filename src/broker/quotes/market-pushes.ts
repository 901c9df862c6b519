import { concatMap, filter, firstValueFrom, from, Observable, Subject } from 'rxjs';
import type {
  BrokerQueue,
  BrokerQueues,
  MarketDepth,
  MarketTrade,
  PriceLevel,
} from '../../model/market-depth.ts';
import { plural } from '../../model/plural.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import type { QuoteCommands } from '../../wire/commands.ts';
import type { PushFrame } from '../../wire/frame.ts';
import { SubType } from '../../wire/gen/quote_pb.ts';
import { readBrokerQueue, readLevel, readMarketTrade } from '../../wire/mapper/market-push.ts';
import { readSymbol } from '../../wire/mapper/values.ts';
import { decodeMessage } from '../../wire/message.ts';
import { MAX_SYMBOLS } from '../../wire/socket-status.ts';
import { WireError } from '../../wire/wire-error.ts';
import { BrokerError } from '../broker-error.ts';
import { createCountReporter } from '../count-reporter.ts';
import type { RaiseAlarm } from '../raise-alarm.ts';
import type { SocketCall } from '../socket/command-call.ts';
import { chunked } from './chunked.ts';
import { type BookSides, createPushedBook, type PushedBook } from './pushed-book.ts';
import { createSubscriptions } from './quote-subscriptions.ts';

/**
 * Market pushes other than quotes. Cold: each stream subscribes at the venue on subscription, and unsubscribes with
 * its last listener.
 */
export interface MarketPushes {
  /** The whole book after every push, the first one immediately. */
  depth(symbols: readonly SecuritySymbol[]): Observable<MarketDepth>;
  /** All queues after every push, the first ones immediately. */
  brokers(symbols: readonly SecuritySymbol[]): Observable<BrokerQueues>;
  /** Trades of the market, starting with the newest ones if the venue returns them. */
  trades(symbols: readonly SecuritySymbol[]): Observable<MarketTrade>;
}

/** Name of a stream. */
export type PushKind = keyof MarketPushes;

/** The pushes, and the hooks for their socket. */
export interface SocketMarketPushes {
  readonly pushes: MarketPushes;
  hasListener(kind: PushKind, symbol: SecuritySymbol): boolean;
  symbols(): readonly SecuritySymbol[];
  receive(push: PushFrame): void;
  /** Subscribes every symbol with listeners and checks the venue's confirmation. */
  restore(call: SocketCall): Promise<void>;
  onUp(): void;
  onDown(): void;
  fail(error: BrokerError): void;
}

/** Its dependencies. */
export interface MarketPushParts {
  readonly call: SocketCall;
  readonly commands: QuoteCommands;
  /** Other symbols that are subscribed on this connection: they count towards the limit. */
  readonly otherSymbols: () => readonly SecuritySymbol[];
  /** True if a symbol's depth has another listener. */
  readonly keepsDepth: (symbol: SecuritySymbol) => boolean;
  readonly safe: (text: string) => string;
  readonly raiseAlarm: RaiseAlarm;
}

const KINDS = ['depth', 'brokers', 'trades'] as const satisfies readonly PushKind[];
const SUB_TYPES = { depth: SubType.DEPTH, brokers: SubType.BROKERS, trades: SubType.TRADE } as const;

/**
 * Depth (102), broker queues (103) and trades (104) over the quote socket. After every reconnect, symbols with
 * listeners are subscribed again and confirmed; their books restart with the venue's first push. @see
 * docs/wire-protocol.md, "The sockets"; docs/reliability.md, F-N11, F-B34
 */
export function createMarketPushes(parts: MarketPushParts): SocketMarketPushes {
  const { call, commands, raiseAlarm, safe } = parts;
  const depth$ = new Subject<MarketDepth>();
  const brokers$ = new Subject<BrokerQueues>();
  const trades$ = new Subject<MarketTrade>();
  const levels = createPushedBook<PriceLevel>();
  const queues = createPushedBook<BrokerQueue>();
  const listeners = {
    depth: createSubscriptions(),
    brokers: createSubscriptions(),
    trades: createSubscriptions(),
  };
  /** Symbols requested from the venue since the connection was established. */
  const requested = {
    depth: new Set<SecuritySymbol>(),
    brokers: new Set<SecuritySymbol>(),
    trades: new Set<SecuritySymbol>(),
  };
  const unreadable = createCountReporter((count, example) =>
    raiseAlarm('unreadable-push', `${count} pushes could not be read and were skipped`, {
      example: safe(example),
    }),
  );
  let isUp = false;

  const symbols = (): readonly SecuritySymbol[] => [
    ...new Set(KINDS.flatMap((kind) => listeners[kind].all())),
  ];

  async function subscribeMissing(through: SocketCall, kind: PushKind): Promise<void> {
    const wanted = listeners[kind].all().filter((symbol) => !requested[kind].has(symbol));
    for (const symbol of wanted) requested[kind].add(symbol);
    for (const chunk of chunked(wanted)) {
      const fields = { symbol: [...chunk], subType: [SUB_TYPES[kind]], isFirstPush: true };
      const { subList } = await firstValueFrom(through(commands.subscribe, fields));
      const granted = new Set(
        subList.filter((each) => each.subType.includes(SUB_TYPES[kind])).map((each) => each.symbol),
      );
      const absent = chunk.filter((symbol) => !granted.has(symbol));
      if (absent.length === 0) continue;
      raiseAlarm(
        'symbols-not-subscribed',
        `The venue pushes no ${kind} of ${plural(absent.length, 'symbol')}`,
        {
          symbols: absent.join(' '),
        },
      );
    }
  }

  /** A broken connection restores automatically; a refusal does not, so it is reported. */
  function reportFailure(kind: PushKind, error: unknown): void {
    if (error instanceof BrokerError && error.code === 'socket-lost') return;
    raiseAlarm('subscription-failed', `Cannot change the subscription of ${kind}: ${safe(String(error))}`);
  }

  function subscribeNow(kind: PushKind): void {
    subscribeMissing(call, kind).catch((error: unknown) => reportFailure(kind, error));
  }

  function unsubscribe(kind: PushKind, gone: readonly SecuritySymbol[]): void {
    for (const symbol of gone) requested[kind].delete(symbol);
    if (kind === 'depth') levels.remove(gone);
    if (kind === 'brokers') queues.remove(gone);
    const over = kind === 'depth' ? gone.filter((symbol) => !parts.keepsDepth(symbol)) : gone;
    if (!isUp) return;
    from(chunked(over))
      .pipe(
        concatMap((symbol) =>
          call(commands.unsubscribe, { symbol: [...symbol], subType: [SUB_TYPES[kind]] }),
        ),
      )
      .subscribe({ error: (error: unknown) => reportFailure(kind, error) });
  }

  function listen<T extends { readonly symbol: SecuritySymbol }>(
    kind: PushKind,
    source$: Observable<T>,
    currentBook: (symbol: SecuritySymbol) => T | undefined,
  ) {
    return (requestedSymbols: readonly SecuritySymbol[]): Observable<T> =>
      new Observable((subscriber) => {
        const wanted = [...new Set(requestedSymbols)];
        const all = new Set([...symbols(), ...parts.otherSymbols(), ...wanted]);
        if (all.size > MAX_SYMBOLS) {
          const message = `Cannot subscribe the ${kind} of ${plural(wanted.length, 'symbol')}: ${all.size} in all, limit ${MAX_SYMBOLS}`;
          const where = { endpoint: 'quote socket', retryable: false };
          subscriber.error(new BrokerError('bad-option', message, where));
          return undefined;
        }
        subscriber.add(source$.pipe(filter((each) => wanted.includes(each.symbol))).subscribe(subscriber));
        const fresh = listeners[kind].add(wanted);
        for (const symbol of wanted) {
          const known = currentBook(symbol);
          if (known !== undefined) subscriber.next(known);
        }
        if (isUp && fresh.length > 0) subscribeNow(kind);
        return () => unsubscribe(kind, listeners[kind].remove(wanted));
      });
  }

  function read({ command, body }: PushFrame): void {
    if (command === commands.pushDepth.code) {
      const push = decodeMessage(commands.pushDepth.push, body);
      const symbol = readSymbol(push.symbol, 'symbol');
      if (!listeners.depth.all().includes(symbol)) return;
      const sides = { bids: push.bid.map(readLevel), asks: push.ask.map(readLevel) };
      const book = levels.push(symbol, push.sequence, sides);
      if (book !== undefined) depth$.next({ symbol, ...book });
    }
    if (command === commands.pushBrokers.code) {
      const push = decodeMessage(commands.pushBrokers.push, body);
      const symbol = readSymbol(push.symbol, 'symbol');
      if (!listeners.brokers.all().includes(symbol)) return;
      const sides = {
        bids: push.bidBrokers.map(readBrokerQueue),
        asks: push.askBrokers.map(readBrokerQueue),
      };
      const book = queues.push(symbol, push.sequence, sides);
      if (book !== undefined) brokers$.next({ symbol, ...book });
    }
    if (command === commands.pushTrade.code) {
      const push = decodeMessage(commands.pushTrade.push, body);
      const symbol = readSymbol(push.symbol, 'symbol');
      for (const trade of push.trade.map((each) => readMarketTrade(symbol, each))) trades$.next(trade);
    }
  }

  return {
    pushes: {
      depth: listen('depth', depth$, (symbol) => bookOf(symbol, levels)),
      brokers: listen('brokers', brokers$, (symbol) => bookOf(symbol, queues)),
      trades: listen('trades', trades$, () => undefined),
    },
    hasListener: (kind, symbol) => listeners[kind].all().includes(symbol),
    symbols,
    receive(push) {
      try {
        read(push);
      } catch (error) {
        if (!(error instanceof WireError)) throw error;
        unreadable(error.message);
      }
    },
    async restore(through) {
      levels.remove();
      queues.remove();
      for (const kind of KINDS) {
        try {
          requested[kind].clear();
          await subscribeMissing(through, kind);
        } catch (error) {
          if (!(error instanceof BrokerError) || error.code !== 'socket-refused') throw error;
          reportFailure(kind, error);
        }
      }
    },
    onUp() {
      isUp = true;
      for (const kind of KINDS)
        if (listeners[kind].all().some((symbol) => !requested[kind].has(symbol))) subscribeNow(kind);
    },
    onDown() {
      isUp = false;
    },
    fail(error) {
      isUp = false;
      for (const each$ of [depth$, brokers$, trades$]) each$.error(error);
    },
  };
}

function bookOf<Level extends { readonly level: number }>(
  symbol: SecuritySymbol,
  books: PushedBook<Level>,
): (BookSides<Level> & { readonly symbol: SecuritySymbol }) | undefined {
  const book = books.of(symbol);
  return book === undefined ? undefined : { symbol, ...book };
}
