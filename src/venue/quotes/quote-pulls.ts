import { parseOptionSymbol } from '../../model/option-symbol.ts';
import type { Quote } from '../../model/quote.ts';
import type { Security } from '../../model/security.ts';
import { marketOf, parseSymbol, type SecuritySymbol } from '../../model/symbol.ts';
import type { Simulation } from '../../simulation/simulation.ts';
import type { QuoteCommands } from '../../wire/commands.ts';
import type { CalcIndex } from '../../wire/gen/quote_pb.ts';
import { readPeriod } from '../../wire/mapper/bar.ts';
import { withProvenance } from '../../wire/mapper/provenance.ts';
import { writeSecurityQuote } from '../../wire/mapper/quote.ts';
import { writeStaticInfo } from '../../wire/mapper/security.ts';
import { MAX_ROWS, MAX_SYMBOLS } from '../../wire/socket-status.ts';
import type { AccountAccess, QuoteLevel } from '../access/account-access.ts';
import type { Faults } from '../faults/faults.ts';
import { corruptedBars } from '../faults/faulty-bars.ts';
import type { BarHistory, MarketHours } from '../venue-options.ts';
import { calcIndexes, pastFigures } from './calc-indexes.ts';
import {
  lengthOf,
  newestBars,
  requestedBars,
  type VisibleSessions,
  visibleBars,
  writeBars,
} from './candles.ts';
import { capitalDistribution, capitalFlowLines, intradayLines, minutesOfDay } from './day-flow.ts';
import { optionCommands } from './option-pulls.ts';
import { type BookStyle, brokersOf, depthOf } from './order-book.ts';
import { PARTICIPANTS } from './participants.ts';
import { previousClose } from './previous-close.ts';
import type { PrintLog } from './print-log.ts';
import { writeTrade } from './quote-pushes.ts';
import {
  type Caller,
  onEmptyRequest,
  onRequest,
  type QuoteCommand,
  refuse,
  respondWith,
} from './quote-response.ts';

export interface PullParts {
  readonly simulation: Pick<Simulation, 'now' | 'security' | 'quote' | 'securities' | 'tradedSince'>;
  readonly history: BarHistory;
  readonly log: PrintLog;
  readonly book: BookStyle;
  readonly hours: MarketHours;
  readonly faults: Pick<Faults, 'onReply' | 'lacks'>;
  readonly accountAccess: Pick<AccountAccess, 'hasQuoteLevel' | 'depthLevels'>;
}

type Refusal = ReturnType<typeof refuse>;

function isRefusal(found: object): found is Refusal {
  return 'kind' in found && found.kind === 'refusal';
}

/** Exchange codes by market; US funds are listed on NYSE Arca. */
const EXCHANGES: Readonly<Record<string, string>> = { HK: 'SEHK', US: 'NASD' };
const US_FUNDS = 'ARCX';

/** Session code of all sessions; 0 means regular hours. */
const ALL_SESSIONS = 100;

export function pullCommands(commands: QuoteCommands, parts: PullParts): readonly QuoteCommand<Caller>[] {
  return [
    ...manySymbols(commands, parts),
    ...oneSymbol(commands, parts),
    ...bars(commands, parts),
    ...optionCommands(commands, { ...parts, quoteOf: quotesOf(parts) }),
  ];
}

/** Returns a function for the quotes of a symbol; empty before the first. */
function quotesOf({ simulation, history, log }: PullParts) {
  return (symbol: SecuritySymbol) => {
    const quote = simulation.quote(symbol);
    if (quote === undefined) return [];
    const before = previousClose(quote, history);
    const facts = { turnover: log.turnoverOf(quote), previousClose: before ?? quote.last };
    const fields = writeSecurityQuote(quote, facts);
    return [before === undefined ? { ...fields, prevClose: '' } : fields];
  };
}

function manySymbols(commands: QuoteCommands, parts: PullParts): readonly QuoteCommand<Caller>[] {
  const { simulation, history, log, accountAccess, faults } = parts;
  const quoteOf = quotesOf(parts);
  const figuresOf = (symbol: SecuritySymbol, wanted: readonly CalcIndex[]) => {
    const quote = simulation.quote(symbol);
    if (quote === undefined) return [];
    const bars = pastFigures(quote, {
      days: history(symbol, '1d'),
      minutes: visibleBars(parts, symbol, '1m'),
    });
    const facts = {
      quote,
      previousClose: previousClose(quote, history),
      turnover: log.turnoverOf(quote),
      ...bars,
      company: simulation.security(symbol)?.company,
    };
    return [calcIndexes(facts, wanted)];
  };
  const infoOf = (symbol: SecuritySymbol) => {
    const security = simulation.security(symbol);
    const market = marketOf(symbol);
    if (security === undefined) return [];
    const isFund = market === 'US' && security.kind === 'etf';
    const exchange = isFund ? US_FUNDS : (EXCHANGES[market] ?? market);
    const fields = writeStaticInfo(security, { exchange, hasOptions: hasOptions(symbol) });
    return [faults.lacks('prices.origin') ? fields : withProvenance(fields, security)];
  };
  /** Returns the symbols that the account may see; a refusal if it may see none of those requested. */
  const visible = (symbols: readonly string[], caller: Caller): readonly SecuritySymbol[] | Refusal => {
    const requested = known(symbols);
    const seen = requested.filter((symbol) =>
      accountAccess.hasQuoteLevel(caller.session?.accountId ?? '', symbol, 'basic'),
    );
    return requested.length > 0 && seen.length === 0 ? refuse('noAccess') : seen;
  };
  const optioned = new Set(
    simulation.securities().map((security) => `${parseOptionSymbol(security.symbol)?.root}.US`),
  );
  const hasOptions = (symbol: SecuritySymbol): boolean => optioned.has(symbol);
  return [
    onRequest(commands.staticInfo, ({ symbol }) =>
      symbol.length > MAX_SYMBOLS
        ? refuse('tooMuchData')
        : respondWith({ secuStaticInfo: known(symbol).flatMap(infoOf) }),
    ),
    onRequest(commands.securityQuote, ({ symbol }, caller) => {
      if (symbol.length > MAX_SYMBOLS) return refuse('tooMuchData');
      const seen = visible(symbol, caller);
      return isRefusal(seen) ? seen : respondWith({ secuQuote: seen.flatMap(quoteOf) });
    }),
    onRequest(commands.calcIndexes, ({ symbols, calcIndex }, caller) => {
      if (symbols.length > MAX_SYMBOLS) return refuse('tooMuchData');
      const seen = visible(symbols, caller);
      if (isRefusal(seen)) return seen;
      return respondWith({ securityCalcIndex: seen.flatMap((symbol) => figuresOf(symbol, calcIndex)) });
    }),
  ];
}

function oneSymbol(commands: QuoteCommands, parts: PullParts): readonly QuoteCommand<Caller>[] {
  const { simulation, log, book, accountAccess } = parts;
  const named = (text: string, caller: Caller, least: QuoteLevel = 'basic'): Security | Refusal => {
    const symbol = parseSymbol(text);
    const security = symbol === undefined ? undefined : simulation.security(symbol);
    if (security === undefined) return refuse('unknownSymbol');
    const accountId = caller.session?.accountId ?? '';
    return accountAccess.hasQuoteLevel(accountId, security.symbol, least) ? security : refuse('noAccess');
  };
  const bookOf = (security: Security, quote: Quote | undefined) =>
    quote === undefined ? { ask: [], bid: [] } : depthOf(security, quote, book, simulation.now());
  const queueOf = (security: Security, quote: Quote | undefined) =>
    quote === undefined
      ? { askBrokers: [], bidBrokers: [] }
      : brokersOf(security, quote, book, simulation.now());
  const minutes = (symbol: SecuritySymbol) => minutesOfDay(visibleBars(parts, symbol, '1m'));
  return [
    onRequest(commands.depth, ({ symbol }, caller) => {
      const security = named(symbol, caller, 'lv1');
      if (isRefusal(security)) return security;
      const levels = accountAccess.depthLevels(caller.session?.accountId ?? '', security.symbol);
      const { ask, bid } = bookOf(security, simulation.quote(security.symbol));
      return respondWith({ symbol, ask: ask.slice(0, levels), bid: bid.slice(0, levels) });
    }),
    onRequest(commands.brokers, ({ symbol }, caller) => {
      const security = named(symbol, caller, 'lv2');
      if (isRefusal(security)) return security;
      return respondWith({ symbol, ...queueOf(security, simulation.quote(security.symbol)) });
    }),
    onEmptyRequest(commands.participants, () =>
      respondWith({ participantBrokerNumbers: book === 'deep' ? [...PARTICIPANTS] : [] }),
    ),
    onRequest(commands.trades, ({ symbol, count }, caller) => {
      const security = named(symbol, caller);
      if (isRefusal(security)) return security;
      if (count < 1) return refuse('badParameters', `count: want 1 to ${MAX_ROWS}, saw ${count}`);
      if (count > MAX_ROWS) return refuse('tooMuchData');
      return respondWith({ symbol, trades: log.tradesOf(security.symbol, count).map(writeTrade) });
    }),
    onRequest(commands.intraday, ({ symbol }, caller) => {
      const security = named(symbol, caller);
      if (isRefusal(security)) return security;
      return respondWith({ symbol, lines: intradayLines(minutes(security.symbol)) });
    }),
    onRequest(commands.capitalFlow, ({ symbol }, caller) => {
      const security = named(symbol, caller);
      if (isRefusal(security)) return security;
      return respondWith({ symbol, capitalFlowLines: capitalFlowLines(minutes(security.symbol)) });
    }),
    onRequest(commands.capitalDistribution, ({ symbol }, caller) => {
      const security = named(symbol, caller);
      if (isRefusal(security)) return security;
      return respondWith(capitalDistribution(security.symbol, minutes(security.symbol), simulation.now()));
    }),
  ];
}

function bars(commands: QuoteCommands, parts: PullParts): readonly QuoteCommand<Caller>[] {
  const { simulation, hours, faults, accountAccess } = parts;
  const barsOf = (request: { readonly symbol: string; readonly period: number }, caller: Caller) => {
    const symbol = parseSymbol(request.symbol);
    if (symbol === undefined || simulation.security(symbol) === undefined) return refuse('unknownSymbol');
    if (!accountAccess.hasQuoteLevel(caller.session?.accountId ?? '', symbol, 'basic'))
      return refuse('noAccess');
    const period = readPeriod(request.period);
    if (period === undefined) return refuse('badParameters', `period: ${request.period} is unknown`);
    return visibleBars(parts, symbol, period) ?? refuse('noQuotes', `no ${period} bars of "${symbol}"`);
  };
  const spoilt = (symbol: string, rows: ReturnType<typeof writeBars>): ReturnType<typeof writeBars> => {
    const fault = faults.onReply('venue.bars', { symbol });
    return fault === undefined ? rows : corruptedBars(fault.form, rows);
  };
  return [
    onRequest(commands.candlesticks, (request, caller) => {
      const shown = barsOf(request, caller);
      if (isRefusal(shown)) return shown;
      if (request.count < 1)
        return refuse('badParameters', `count: want 1 to ${MAX_ROWS}, saw ${request.count}`);
      if (request.count > MAX_ROWS) return refuse('tooMuchData');
      const range = newestBars(lengthOf(shown), request.count);
      const candlesticks = writeBars(shown, range, visibleSessions(request.tradeSession, hours));
      return respondWith({ symbol: request.symbol, candlesticks: spoilt(request.symbol, candlesticks) });
    }),
    onRequest(commands.historyCandlesticks, (request, caller) => {
      const shown = barsOf(request, caller);
      if (isRefusal(shown)) return shown;
      const range = requestedBars(shown, request);
      if (range === undefined)
        return refuse('badParameters', 'dates, minute, count or query type: not valid');
      const candlesticks = writeBars(shown, range, visibleSessions(request.tradeSession, hours));
      return respondWith({ symbol: request.symbol, candlesticks: spoilt(request.symbol, candlesticks) });
    }),
  ];
}

function visibleSessions(sessionCode: number, hours: MarketHours): VisibleSessions {
  if (hours === 'always') return 'all-are-regular';
  return sessionCode === ALL_SESSIONS ? 'all' : 'regular';
}

function known(symbols: readonly string[]): readonly SecuritySymbol[] {
  return symbols.flatMap((text) => parseSymbol(text) ?? []);
}
