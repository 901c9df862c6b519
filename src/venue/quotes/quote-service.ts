import type { Quote } from '../../model/quote.ts';
import { marketOf, parseSymbol, type SecuritySymbol } from '../../model/symbol.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Simulation } from '../../simulation/simulation.ts';
import { type QuoteCommands, quoteCommands } from '../../wire/commands.ts';
import { DOCUMENTED_COMMANDS } from '../../wire/documented.ts';
import type { RequestFrame } from '../../wire/frame.ts';
import type { WireProfile } from '../../wire/profiles.ts';
import { MAX_SYMBOLS } from '../../wire/socket-status.ts';
import { type AccountAccess, accessMarket } from '../access/account-access.ts';
import type { CallLimiter } from '../calls/call-limiter.ts';
import { languageOf } from '../calls/language.ts';
import type { Faults } from '../faults/faults.ts';
import { FaultyQuotes } from '../faults/faulty-quotes.ts';
import type { SocketConnection } from '../server/socket-connection.ts';
import type { SocketService } from '../server/socket-service.ts';
import type { BarHistory, MarketHours } from '../venue-options.ts';
import { readCompactDay } from './calendar-text.ts';
import { QUOTE_MARKETS, tradeDays, tradePeriods, WHOLE_DAY } from './market-facts.ts';
import type { BookStyle } from './order-book.ts';
import { PrintLog } from './print-log.ts';
import { quoteProfile } from './quote-profile.ts';
import { pullCommands } from './quote-pulls.ts';
import { QuotePushes } from './quote-pushes.ts';
import {
  type Caller,
  type EncodedResponse,
  onEmptyRequest,
  onRequest,
  type QuoteCommand,
  refuse,
  respondWith,
} from './quote-response.ts';
import { SUB_TYPES, Subscriptions, type SubTypeNumber } from './subscriptions.ts';

export interface QuoteServiceParts {
  readonly simulation: Simulation;
  readonly history: BarHistory;
  readonly profile: WireProfile;
  readonly limits: CallLimiter;
  readonly conflates: boolean;
  readonly book: BookStyle;
  readonly hours: MarketHours;
  readonly faults: Faults;
  readonly accountAccess: AccountAccess;
  readonly machine: Clock;
}

export class QuoteService implements SocketService {
  readonly #simulation: Simulation;
  readonly #limits: CallLimiter;
  readonly #faults: Faults;
  readonly #faulty: FaultyQuotes;
  readonly #accountAccess: AccountAccess;
  readonly #subscriptions = new Subscriptions();
  readonly #pushes: QuotePushes;
  readonly #commands: ReadonlyMap<number, QuoteCommand>;
  /** Commands that are also available over HTTP. */
  readonly #pulls: ReadonlyMap<number, QuoteCommand<Caller>>;

  constructor(parts: QuoteServiceParts) {
    const { history, profile, limits, conflates, book, hours, faults, machine, accountAccess } = parts;
    const log = new PrintLog();
    const table = quoteCommands(profile);
    this.#faults = faults;
    this.#accountAccess = accountAccess;
    this.#faulty = new FaultyQuotes(faults, machine);
    const simulation = this.#withQuoteFaults(parts.simulation);
    this.#simulation = parts.simulation;
    this.#limits = limits;
    this.#pushes = new QuotePushes({
      simulation,
      log,
      conflates,
      book,
      subscriptions: this.#subscriptions,
      isFrozen: (symbol) => this.#faulty.isFrozen(symbol),
      depthLevels: (connection, symbol) =>
        accountAccess.depthLevels(connection.session?.accountId ?? '', symbol),
    });
    const pulls = [
      ...pullCommands(table, { simulation, history, log, book, hours, faults, accountAccess }),
      ...this.#marketCommands(table, hours),
    ];
    this.#pulls = new Map(pulls.map((command) => [command.code, command]));
    const commands: readonly QuoteCommand[] = [...pulls, ...this.#subscriptionCommands(table)];
    const served = commands.filter(({ code }) => !faults.onlyDocumented || DOCUMENTED_COMMANDS.has(code));
    this.#commands = new Map(served.map((command) => [command.code, command]));
  }

  serve(connection: SocketConnection, request: RequestFrame): void {
    const answer = this.#answer(connection, request);
    if (answer.kind === 'refusal') {
      connection.refuse(request, answer.refusal);
      return;
    }
    connection.respond(request, answer.body);
    answer.afterwards?.();
  }

  /** Answers a request over HTTP. Throws WireError if the body cannot be decoded. */
  pull(code: number, body: Uint8Array, accountId: string): EncodedResponse {
    const command = this.#pulls.get(code);
    if (command === undefined) return refuse('invalidRequest', `unknown command ${code}`);
    if (!this.#limits.admitsQuote(accountId, code, this.#simulation.now())) return refuse('rateLimited');
    return command.handle(body, { session: { accountId } });
  }

  onDrained(connection: SocketConnection): void {
    this.#pushes.onDrained(connection);
  }

  onClosed(connection: SocketConnection): void {
    this.#subscriptions.removeConnection(connection);
    this.#pushes.onClosed(connection);
  }

  publish(quote: Quote): void {
    this.#faulty.deliver(quote, (delivery) => this.#pushes.publish(delivery.quote, delivery.distortion));
  }

  /** Pushes current books, for markets whose book changes between prints. */
  pushBooks(): void {
    this.#pushes.pushBooks();
  }

  #answer(connection: SocketConnection, request: RequestFrame): EncodedResponse {
    const command = this.#commands.get(request.command);
    if (command === undefined) return refuse('invalidRequest', `unknown command ${request.command}`);
    const accountId = connection.session?.accountId ?? '';
    if (!this.#limits.admitsQuote(accountId, request.command, this.#simulation.now()))
      return refuse('rateLimited');
    return command.handle(request.body, connection);
  }

  #subscriptionCommands(table: QuoteCommands): readonly QuoteCommand[] {
    return [
      onRequest(table.subscriptions, (_question, connection: SocketConnection) =>
        respondWith(this.#listOf(connection, this.#subscriptions.symbolsOf(connection))),
      ),
      onRequest(table.subscribe, (request, connection: SocketConnection) => {
        const symbols = this.#accepted(request.symbol);
        const types = typesOf(request.subType);
        if (types === undefined) return refuse('badParameters', 'sub_type: want 1 to 4');
        const accountId = connection.session?.accountId ?? '';
        const allowedTypesOf = (symbol: SecuritySymbol) =>
          this.#accountAccess.allowedSubTypes(accountId, symbol, types);
        const all = new Set([...this.#subscriptions.symbolsOfAccount(accountId), ...symbols]);
        if (request.symbol.length > MAX_SYMBOLS || all.size > MAX_SYMBOLS)
          return refuse('tooManySubscriptions');
        const received = symbols.map((symbol) => [symbol, allowedTypesOf(symbol)] as const);
        if (symbols.length > 0 && received.every(([, allowed]) => allowed.length === 0))
          return refuse('noAccess');
        for (const [symbol, allowed] of received)
          if (allowed.length > 0) this.#subscriptions.add(connection, symbol, allowed);
        const fields = this.#listOf(connection, symbols);
        if (!request.isFirstPush) return { kind: 'answer', fields };
        return { kind: 'answer', fields, afterwards: () => this.#firstPush(connection, symbols, types) };
      }),
      onRequest(table.unsubscribe, (request, connection: SocketConnection) => {
        const types = request.unsubAll ? SUB_TYPES : typesOf(request.subType);
        if (types === undefined) return refuse('badParameters', 'sub_type: want 1 to 4');
        const all = request.unsubAll && request.symbol.length === 0;
        const symbols = all ? this.#subscriptions.symbolsOf(connection) : this.#listed(request.symbol);
        for (const symbol of symbols) this.#subscriptions.remove(connection, symbol, types);
        return respondWith({});
      }),
    ];
  }

  #marketCommands(table: QuoteCommands, hours: MarketHours): readonly QuoteCommand<Caller>[] {
    const simulation = this.#simulation;
    const listed = new Set(simulation.securities().map((security) => marketOf(security.symbol)));
    const packaged = new Set(simulation.securities().map(({ symbol }) => accessMarket(symbol)));
    const periodsOf = (market: string) =>
      hours === 'always' ? WHOLE_DAY : tradePeriods(market, simulation.tradingDay(market));
    const markets = new Set([...QUOTE_MARKETS, ...listed]);
    return [
      onRequest(table.userQuoteProfile, ({ language }, connection) =>
        respondWith(
          quoteProfile({
            accountId: connection.session?.accountId ?? '',
            levels: new Map(
              [...packaged].map((market) => [
                market,
                this.#accountAccess.quoteLevel(connection.session?.accountId ?? '', market),
              ]),
            ),
            language: languageOf(language),
            now: simulation.now(),
            rateLimits: this.#limits.announcedLimits([...this.#commands.keys()]),
          }),
        ),
      ),
      onEmptyRequest(table.marketTradePeriod, () =>
        respondWith({
          marketTradeSession: [...new Set(['US', 'HK', ...listed])].map((market) => {
            return { market, tradeSession: periodsOf(market) };
          }),
        }),
      ),
      onRequest(table.marketTradeDay, ({ market, begDay, endDay }) => {
        const [from, to] = [readCompactDay(begDay), readCompactDay(endDay)];
        if (from === undefined || to === undefined)
          return refuse('badParameters', 'beg_day, end_day: want YYYYMMDD');
        if (!markets.has(market)) return refuse('badParameters', `market: "${market}" is unknown`);
        const days = tradeDays({ market, from, to, isListed: listed.has(market), hours });
        return days === undefined ? refuse('badParameters', 'want at most one month') : respondWith(days);
      }),
    ];
  }

  #withQuoteFaults(
    simulation: Simulation,
  ): Pick<Simulation, 'now' | 'security' | 'quote' | 'securities' | 'tradedSince'> {
    return {
      now: () => simulation.now(),
      security: (symbol) => simulation.security(symbol),
      securities: () => simulation.securities(),
      tradedSince: (symbol, from) => simulation.tradedSince(symbol, from),
      quote: (symbol) => this.#faulty.quoteForPull(symbol, simulation.quote(symbol)),
    };
  }

  /** Returns the symbols that a subscription accepts: the listed ones, or fewer under a fault. */
  #accepted(symbols: readonly string[]): readonly SecuritySymbol[] {
    const listed = this.#listed(symbols);
    const fault = this.#faults.onReply('venue.subPartial', {});
    return fault === undefined ? listed : listed.slice(0, fault.keep);
  }

  #listed(symbols: readonly string[]): readonly SecuritySymbol[] {
    const listed = symbols.flatMap((text) => parseSymbol(text) ?? []);
    return listed.filter((symbol) => this.#simulation.security(symbol) !== undefined);
  }

  #listOf(connection: SocketConnection, symbols: readonly SecuritySymbol[]) {
    return {
      subList: symbols.map((symbol) => ({
        symbol,
        subType: [...this.#subscriptions.typesOf(connection, symbol)],
      })),
    };
  }

  #firstPush(
    connection: SocketConnection,
    symbols: readonly SecuritySymbol[],
    types: readonly SubTypeNumber[],
  ): void {
    for (const symbol of symbols) {
      const quote = this.#simulation.quote(symbol);
      const allowed = this.#accountAccess.allowedSubTypes(connection.session?.accountId ?? '', symbol, types);
      if (quote !== undefined) this.#pushes.pushSnapshot(connection, quote, allowed);
    }
  }
}

/** Returns the subscription types; undefined if there is none or one is unknown. */
function typesOf(numbers: readonly number[]): readonly SubTypeNumber[] | undefined {
  const types = SUB_TYPES.filter((type) => numbers.includes(type));
  return types.length === 0 || numbers.some((number) => !SUB_TYPES.some((type) => type === number))
    ? undefined
    : types;
}
