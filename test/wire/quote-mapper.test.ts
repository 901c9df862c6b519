import { create } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Decimal } from '../../src/model/decimal.ts';
import { PERIODS } from '../../src/model/period.ts';
import type { Quote } from '../../src/model/quote.ts';
import { SECURITY_KINDS, type Security } from '../../src/model/security.ts';
import { securitySymbol } from '../../src/model/symbol.ts';
import { millis } from '../../src/model/time.ts';
import {
  CandlestickSchema,
  PrePostQuoteSchema,
  PushQuoteSchema,
  PushQuoteTag,
  SecurityQuoteSchema,
  StaticInfoSchema,
  TradeStatus,
} from '../../src/wire/gen/quote_pb.ts';
import {
  figureText,
  readCandlestick,
  readPeriod,
  writeCandlestick,
  writePeriod,
} from '../../src/wire/mapper/bar.ts';
import {
  mergePushQuote,
  readSecurityQuote,
  readSessionQuote,
  readTradeStatus,
  writePushQuote,
  writeSecurityQuote,
  writeTradeStatus,
} from '../../src/wire/mapper/quote.ts';
import { readStaticInfo, writeStaticInfo } from '../../src/wire/mapper/security.ts';
import { decodeMessage, encodeMessage } from '../../src/wire/message.ts';
import { WireError } from '../../src/wire/wire-error.ts';
import { aCurrency, anAmount, aPositive, aQuantity, aSecond, aSymbol } from './arbitraries.ts';

const aQuote: fc.Arbitrary<Quote> = fc.record({
  symbol: aSymbol,
  time: aSecond,
  last: aPositive(),
  dayOpen: aPositive(),
  dayHigh: aPositive(),
  dayLow: aPositive(),
  dayVolume: aQuantity,
  volume: aQuantity,
  status: fc.constantFrom('normal', 'halted', 'suspended', 'delisted', 'not-yet-open'),
  session: fc.constantFrom('regular', 'pre', 'post', 'overnight'),
});

const money = { turnover: new Decimal('1.5'), currentTurnover: new Decimal(1) };

describe('quote', () => {
  it('I-11: pushed, is read by the client as the venue has it', () => {
    fc.assert(
      fc.property(aQuote, (quote) => {
        const body = encodeMessage(PushQuoteSchema, writePushQuote(quote, { ...money, sequence: 7n }));
        const push = decodeMessage(PushQuoteSchema, body);
        expect(mergePushQuote(undefined, push)).toEqual({ kind: 'quote', quote, isPriced: true });
      }),
    );
  });

  it('pulled, is read by the client as the venue has it', () => {
    fc.assert(
      fc.property(aQuote, aPositive(), (any, previousClose) => {
        const quote: Quote = { ...any, volume: new Decimal(0), session: 'regular' };
        const body = encodeMessage(
          SecurityQuoteSchema,
          writeSecurityQuote(quote, { ...money, previousClose }),
        );
        expect(readSecurityQuote(decodeMessage(SecurityQuoteSchema, body))).toEqual(quote);
      }),
    );
  });

  const before: Quote = {
    symbol: securitySymbol('700.HK'),
    time: millis(1_763_692_800_000),
    last: new Decimal('412.4'),
    dayOpen: new Decimal(410),
    dayHigh: new Decimal(413),
    dayLow: new Decimal(409),
    dayVolume: new Decimal(5000),
    volume: new Decimal(100),
    status: 'normal',
    session: 'regular',
  };

  it('keeps what a partial push leaves out, and uses its time, status and volume', () => {
    const push = create(PushQuoteSchema, {
      symbol: '700.HK',
      lastDone: '412.6',
      open: '0.000',
      timestamp: 1_763_692_801n,
      tradeStatus: TradeStatus.FUSE,
    });
    expect(mergePushQuote(before, push)).toEqual({
      kind: 'quote',
      quote: {
        ...before,
        last: new Decimal('412.6'),
        time: 1_763_692_801_000,
        volume: new Decimal(0),
        status: 'halted',
      },
      isPriced: true,
    });
  });

  it('is incomplete when the first push leaves prices out', () => {
    const push = create(PushQuoteSchema, { symbol: '700.HK', lastDone: '412.6', timestamp: 1n });
    expect(mergePushQuote(undefined, push)).toEqual({ kind: 'incomplete', missing: ['open', 'high', 'low'] });
  });

  it('of a correction changes nothing', () => {
    const push = create(PushQuoteSchema, { symbol: '700.HK', tag: PushQuoteTag.Eod });
    expect(mergePushQuote(before, push)).toEqual({ kind: 'correction' });
  });

  it.each([
    ['a negative price', { lastDone: '-1' }],
    ['a price that is no number', { high: 'NaN' }],
    ['no time', { timestamp: 0n }],
    ['a negative volume', { currentVolume: -1n }],
    ['an unknown session', { tradeSession: 9 as never }],
    ['a symbol of look-alikes', { symbol: '700.НK' }],
  ])('F-B20: is refused with %s', (_, change) => {
    const push = create(PushQuoteSchema, { symbol: '700.HK', timestamp: 1_763_692_801n, ...change });
    expect(() => mergePushQuote(before, push)).toThrow(WireError);
  });

  it('F-B20: is refused when a pull leaves a price out', () => {
    expect(() => readSecurityQuote(create(SecurityQuoteSchema, { symbol: '700.HK', timestamp: 1n }))).toThrow(
      WireError,
    );
  });

  it('outside regular hours comes from its own block', () => {
    const wire = create(SecurityQuoteSchema, {
      ...writeSecurityQuote(
        { ...before, symbol: securitySymbol('AAPL.US') },
        { ...money, previousClose: new Decimal(1) },
      ),
      preMarketQuote: create(PrePostQuoteSchema, {
        lastDone: '190.5',
        timestamp: 1_763_692_900n,
        volume: 10n,
        high: '191',
        low: '190',
      }),
      postMarketQuote: create(PrePostQuoteSchema),
    });
    expect(readSessionQuote(wire, 'pre')).toMatchObject({
      last: new Decimal('190.5'),
      session: 'pre',
      dayOpen: before.dayOpen,
    });
    expect(readSessionQuote(wire, 'post')).toBeUndefined();
    expect(readSessionQuote(wire, 'overnight')).toBeUndefined();
  });

  it('F-B27: an unknown trade status is unrecognised, and is never written', () => {
    expect(readTradeStatus(42)).toBe('unrecognised');
    expect(() => writeTradeStatus('unrecognised')).toThrow(WireError);
    expect(Array.from({ length: 11 }, (_, status) => readTradeStatus(status))).not.toContain('unrecognised');
  });
});

describe('bar', () => {
  const of = { symbol: securitySymbol('AAPL.US'), period: '1m' } as const;
  const aFigure = fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }).map((figure) => figure + 0);
  const aBar = fc.record({
    time: aSecond,
    open: aFigure,
    high: aFigure,
    low: aFigure,
    close: aFigure,
    volume: fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
  });

  it('is read by the client as the venue has it, to the last bit', () => {
    fc.assert(
      fc.property(aBar, aFigure, (figures, turnover) => {
        const bar = { ...of, ...figures };
        const body = encodeMessage(
          CandlestickSchema,
          writeCandlestick(bar, { turnover, session: 'regular' }),
        );
        expect(readCandlestick(decodeMessage(CandlestickSchema, body), of)).toEqual(bar);
      }),
    );
  });

  it('writes the shortest decimal, never an exponent', () => {
    expect(figureText(412.4)).toBe('412.4');
    expect(figureText(0.1 + 0.2)).toBe('0.30000000000000004');
    expect(figureText(1e-7)).toBe('0.0000001');
    expect(figureText(1e21)).toBe('1000000000000000000000');
    fc.assert(
      fc.property(aFigure, (figure) => {
        expect(figureText(figure)).toMatch(/^\d+(\.\d+)?$/);
      }),
    );
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY])('has no number for %s', (figure) => {
    expect(() => figureText(figure)).toThrow(WireError);
  });

  it('F-B20: is refused when a figure is missing or broken', () => {
    const good = { open: '1', high: '1', low: '1', close: '1', timestamp: 60n };
    for (const change of [
      { open: '' },
      { close: '-1' },
      { high: '1e9' },
      { timestamp: 0n },
      { volume: -1n },
    ]) {
      expect(() => readCandlestick(create(CandlestickSchema, { ...good, ...change }), of)).toThrow(WireError);
    }
  });

  it('has a wire number for every period, and back', () => {
    for (const period of PERIODS) expect(readPeriod(writePeriod(period))).toBe(period);
    expect(readPeriod(7)).toBeUndefined();
  });
});

describe('static info', () => {
  const aSecurity: fc.Arbitrary<Security> = fc.record({
    symbol: aSymbol,
    names: fc.record({ en: fc.string(), zhCn: fc.string(), zhHk: fc.string() }),
    kind: fc.constantFrom(...SECURITY_KINDS),
    board: fc.constantFrom('HKEquity', 'HKWarrant', 'USMain'),
    currency: aCurrency,
    lotSize: fc.integer({ min: 1, max: 100_000 }),
    margin: fc.record({ initial: anAmount, maintenance: anAmount, forced: anAmount }),
    tradable: fc.boolean(),
    company: fc.record({ totalShares: fc.integer({ min: 1 }), epsTtm: fc.constantFrom('-1.5', '22.4') }),
    origin: fc.constant({ kind: 'generated' as const, seed: 1, method: 'test' }),
  });

  it('contains everything for the client that the wire has fields for', () => {
    fc.assert(
      fc.property(aSecurity, (security) => {
        const body = encodeMessage(StaticInfoSchema, writeStaticInfo(security, { exchange: 'SEHK' }));
        const { symbol, names, board, currency, lotSize, company } = security;
        const read = readStaticInfo(decodeMessage(StaticInfoSchema, body));
        expect(read).toEqual({ symbol, names, board, currency, lotSize, company, kind: undefined });
      }),
    );
  });

  it('implies a kind only if the board has one kind', () => {
    const kindOn = (board: string) =>
      readStaticInfo(create(StaticInfoSchema, { symbol: 'X.HK', currency: 'HKD', lotSize: 1, board })).kind;
    expect(kindOn('HKHS')).toBe('index');
    expect(kindOn('USOption')).toBe('option');
    expect(kindOn('HKEquity')).toBeUndefined();
    expect(kindOn('BoardOfTomorrow')).toBeUndefined();
  });

  it('F-B20: is refused without a lot size, currency or symbol', () => {
    const good = { symbol: '700.HK', currency: 'HKD', lotSize: 100 };
    for (const change of [{ lotSize: 0 }, { currency: '' }, { symbol: 'x' }]) {
      expect(() => readStaticInfo(create(StaticInfoSchema, { ...good, ...change }))).toThrow(WireError);
    }
  });
});
