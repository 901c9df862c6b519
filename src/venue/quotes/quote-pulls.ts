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
import { spoiltBars } from '../faults/faulty-bars.ts';
import type { BarHistory, MarketHours } from '../venue-options.ts';
import { calcIndexes, pastFigures } from './calc-indexes.ts';
import { askedBars, lengthOf, newestBars, type ShownSessions, shownBars, writeBars } from './candles.ts';
import { capitalDistribution, capitalFlowLines, intradayLines, minutesOfDay } from './day-flow.ts';
import { optionCommands } from './option-pulls.ts';
import { type BookStyle, brokersOf, depthOf } from './order-book.ts';
import { PARTICIPANTS } from './participants.ts';
import { previousClose } from './previous-close.ts';
import type { PrintLog } from './print-log.ts';
import { answer, type Caller, onAsk, onRequest, type QuoteCommand, refuse } from './quote-answers.ts';
import { writeTrade } from './quote-pushes.ts';

export interface PullParts {
  readonly simulation: Pick<Simulation, 'now' | 'security' | 'quote' | 'securities' | 'tradedSince'>;
  readonly history: BarHistory;
  readonly log: PrintLog;
  readonly book: BookStyle;
  readonly hours: MarketHours;
  readonly faults: Pick<Faults, 'onReply' | 'lacks'>;
  readonly rights: Pick<AccountAccess, 'sees' | 'depthLevels'>;
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
  const { simulation, history, log, rights, faults } = parts;
  const quoteOf = quotesOf(parts);
  const figuresOf = (symbol: SecuritySymbol, wanted: readonly CalcIndex[]) => {
    const quote = simulation.quote(symbol);
    if (quote === undefined) return [];
    const bars = pastFigures(quote, { days: history(symbol, '1d'), minutes: shownBars(parts, symbol, '1m') });
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
    const seen = requested.filter((symbol) => rights.sees(caller.session?.accountId ?? '', symbol, 'basic'));
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
        : answer({ secuStaticInfo: known(symbol).flatMap(infoOf) }),
    ),
    onRequest(commands.securityQuote, ({ symbol }, caller) => {
      if (symbol.length > MAX_SYMBOLS) return refuse('tooMuchData');
      const seen = visible(symbol, caller);
      return isRefusal(seen) ? seen : answer({ secuQuote: seen.flatMap(quoteOf) });
    }),
    onRequest(commands.calcIndexes, ({ symbols, calcIndex }, caller) => {
      if (symbols.length > MAX_SYMBOLS) return refuse('tooMuchData');
      const seen = visible(symbols, caller);
      if (isRefusal(seen)) return seen;
      return answer({ securityCalcIndex: seen.flatMap((symbol) => figuresOf(symbol, calcIndex)) });
    }),
  ];
}

function oneSymbol(commands: QuoteCommands, parts: PullParts): readonly QuoteCommand<Caller>[] {
  const { simulation, log, book, rights } = parts;
  const named = (text: string, caller: Caller, least: QuoteLevel = 'basic'): Security | Refusal => {
    const symbol = parseSymbol(text);
    const security = symbol === undefined ? undefined : simulation.security(symbol);
    if (security === undefined) return refuse('unknownSymbol');
    const accountId = caller.session?.accountId ?? '';
    return rights.sees(accountId, security.symbol, least) ? security : refuse('noAccess');
  };
  const bookOf = (security: Security, quote: Quote | undefined) =>
    quote === undefined ? { ask: [], bid: [] } : depthOf(security, quote, book, simulation.now());
  const queueOf = (security: Security, quote: Quote | undefined) =>
    quote === undefined
      ? { askBrokers: [], bidBrokers: [] }
      : brokersOf(security, quote, book, simulation.now());
  const minutes = (symbol: SecuritySymbol) => minutesOfDay(shownBars(parts, symbol, '1m'));
  return [
    onRequest(commands.depth, ({ symbol }, caller) => {
      const security = named(symbol, caller, 'lv1');
      if (isRefusal(security)) return security;
      const levels = rights.depthLevels(caller.session?.accountId ?? '', security.symbol);
      const { ask, bid } = bookOf(security, simulation.quote(security.symbol));
      return answer({ symbol, ask: ask.slice(0, levels), bid: bid.slice(0, levels) });
    }),
    onRequest(commands.brokers, ({ symbol }, caller) => {
      const security = named(symbol, caller, 'lv2');
      if (isRefusal(security)) return security;
      return answer({ symbol, ...queueOf(security, simulation.quote(security.symbol)) });
    }),
    onAsk(commands.participants, () =>
      answer({ participantBrokerNumbers: book === 'deep' ? [...PARTICIPANTS] : [] }),
    ),
    onRequest(commands.trades, ({ symbol, count }, caller) => {
      const security = named(symbol, caller);
      if (isRefusal(security)) return security;
      if (count < 1) return refuse('badParameters', `count: want 1 to ${MAX_ROWS}, saw ${count}`);
      if (count > MAX_ROWS) return refuse('tooMuchData');
      return answer({ symbol, trades: log.tradesOf(security.symbol, count).map(writeTrade) });
    }),
    onRequest(commands.intraday, ({ symbol }, caller) => {
      const security = named(symbol, caller);
      if (isRefusal(security)) return security;
      return answer({ symbol, lines: intradayLines(minutes(security.symbol)) });
    }),
    onRequest(commands.capitalFlow, ({ symbol }, caller) => {
      const security = named(symbol, caller);
      if (isRefusal(security)) return security;
      return answer({ symbol, capitalFlowLines: capitalFlowLines(minutes(security.symbol)) });
    }),
    onRequest(commands.capitalDistribution, ({ symbol }, caller) => {
      const security = named(symbol, caller);
      if (isRefusal(security)) return security;
      return answer(capitalDistribution(security.symbol, minutes(security.symbol), simulation.now()));
    }),
  ];
}

function bars(commands: QuoteCommands, parts: PullParts): readonly QuoteCommand<Caller>[] {
  const { simulation, hours, faults, rights } = parts;
  const barsOf = (question: { readonly symbol: string; readonly period: number }, caller: Caller) => {
    const symbol = parseSymbol(question.symbol);
    if (symbol === undefined || simulation.security(symbol) === undefined) return refuse('unknownSymbol');
    if (!rights.sees(caller.session?.accountId ?? '', symbol, 'basic')) return refuse('noAccess');
    const period = readPeriod(question.period);
    if (period === undefined) return refuse('badParameters', `period: ${question.period} is none`);
    return shownBars(parts, symbol, period) ?? refuse('noQuotes', `no ${period} bars of "${symbol}"`);
  };
  const spoilt = (symbol: string, rows: ReturnType<typeof writeBars>): ReturnType<typeof writeBars> => {
    const fault = faults.onReply('venue.bars', { symbol });
    return fault === undefined ? rows : spoiltBars(fault.form, rows);
  };
  return [
    onRequest(commands.candlesticks, (question, caller) => {
      const shown = barsOf(question, caller);
      if (isRefusal(shown)) return shown;
      if (question.count < 1)
        return refuse('badParameters', `count: want 1 to ${MAX_ROWS}, saw ${question.count}`);
      if (question.count > MAX_ROWS) return refuse('tooMuchData');
      const range = newestBars(lengthOf(shown), question.count);
      const candlesticks = writeBars(shown, range, shownSessions(question.tradeSession, hours));
      return answer({ symbol: question.symbol, candlesticks: spoilt(question.symbol, candlesticks) });
    }),
    onRequest(commands.historyCandlesticks, (question, caller) => {
      const shown = barsOf(question, caller);
      if (isRefusal(shown)) return shown;
      const range = askedBars(shown, question);
      if (range === undefined) return refuse('badParameters', 'no such dates, minute, count or query type');
      const candlesticks = writeBars(shown, range, shownSessions(question.tradeSession, hours));
      return answer({ symbol: question.symbol, candlesticks: spoilt(question.symbol, candlesticks) });
    }),
  ];
}

function shownSessions(sessionCode: number, hours: MarketHours): ShownSessions {
  if (hours === 'always') return 'all-are-regular';
  return sessionCode === ALL_SESSIONS ? 'all' : 'regular';
}

function known(symbols: readonly string[]): readonly SecuritySymbol[] {
  return symbols.flatMap((text) => parseSymbol(text) ?? []);
}
