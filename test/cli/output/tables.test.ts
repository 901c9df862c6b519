import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { missingPermit, opensAccount, undocumentedMarket } from '#src/app/broker/manual-orders.ts';
import { jsonLine } from '#src/cli/output/json-line.ts';
import { columnsOf, facts, table } from '#src/cli/output/tables.ts';
import { capitalText, depthText, quotesText } from '#src/cli/output/tables-market.ts';
import { ordersText, submittedText, termsText } from '#src/cli/output/tables-orders.ts';
import { decimal } from '#src/model/decimal.ts';
import { type OrderDetail, type OrderTerms, orderId } from '#src/model/order.ts';
import { securitySymbol } from '#src/model/symbol.ts';
import { millis } from '#src/model/time.ts';

const TERMS: OrderTerms = {
  symbol: securitySymbol('700.HK'),
  side: 'buy',
  type: 'LO',
  quantity: decimal('100'),
  timeInForce: 'day',
  price: decimal('412.40'),
};

function order(remark: string): OrderDetail {
  return {
    orderId: orderId('900100200300400500'),
    terms: TERMS,
    status: 'PartialFilledStatus',
    rawStatus: 'PartialFilledStatus',
    executedQuantity: decimal('40'),
    executedPrice: decimal('412.2'),
    currency: 'HKD',
    submittedAt: millis(1_760_000_000_000),
    updatedAt: millis(1_760_000_000_000),
    triggerAt: undefined,
    message: '',
    remark,
    charges: undefined,
  };
}

describe('tables', () => {
  it('stay within 80 columns and cut names, never figures', () => {
    const columns = [
      { head: 'symbol' },
      { head: 'name', flexible: true },
      { head: 'price', align: 'right' },
    ] as const;
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 150 }), fc.integer({ min: 0 }), (name, price) => {
        const text = table(columns, [['700.HK', name, String(price)]]);
        expect(Math.max(...text.split('\n').map(columnsOf))).toBeLessThanOrEqual(80);
        expect(text.trimEnd().endsWith(String(price))).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  it('become blocks of lines when the figures alone are too wide', () => {
    const figures = Array.from({ length: 4 }, (_, index) => String(index).repeat(30));
    const text = table(
      figures.map((_, index) => ({ head: `c${index}` })),
      [figures],
    );
    for (const figure of figures) expect(text).toContain(figure);
    expect(text.split('\n')[0]).toBe(`c0  ${figures[0]}`);
  });

  it('show no control character', () => {
    const hostile = 'a\u001b[2J\u202eb\nc';
    for (const text of [
      table([{ head: 'x' }], [[hostile]]),
      facts([['x', hostile]]),
      jsonLine({ x: hostile }),
    ]) {
      expect(text).not.toContain('\u001b');
      expect(text).not.toContain('\u202e');
      expect(text).toContain('\\u001b[2J\\u202eb');
    }
    expect(JSON.parse(jsonLine({ x: hostile }))).toEqual({ x: hostile });
  });

  it('write JSON that reads back unchanged, with int64 as text', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => JSON.parse(jsonLine(text)) === text));
    expect(jsonLine({ id: 9223372036854775807n })).toBe('{"id":"9223372036854775807"}\n');
  });
});

describe('orders as text', () => {
  it('are grouped by who sent them; a tag with a wrong check is foreign', () => {
    const text = ordersText([
      order('K1-HAND-S6LKJ2TYY2MX6OXF-A4 mine'),
      order('K1-HAND-S6LKJ2TYY2MX6OXF-A5'),
    ]);
    expect(text).toMatch(/^Ours, by their tag: 1\n[\s\S]*HAND\n\nForeign: 1\n[\s\S]*K1-HAND/);
    expect(text).toContain('40/100');
    expect(text).toContain('PartialFilled');
  });

  it('print terms in one line', () => {
    expect(termsText(TERMS)).toBe('buy 100 700.HK LO at 412.4, day');
    const trailing = {
      ...TERMS,
      type: 'TSLPPCT',
      trailingPercent: decimal('1.5'),
      limitDepthLevel: 1,
    } as const;
    expect(termsText(trailing)).toContain('trailing by percent 1.5, depth level 1, day');
  });

  it('print an unknown outcome as unknown', () => {
    const text = submittedText({ answer: { kind: 'unknown', message: 'no answer' }, tag: 'K1-X' });
    expect(text).toContain('Unknown whether the venue has the order: no answer');
    expect(text).toContain('not sent again');
  });
});

describe('the market as text', () => {
  it('shows a dash for a missing figure, and never a zero', () => {
    const figures = {
      time: undefined,
      last: undefined,
      high: undefined,
      low: undefined,
      previousClose: undefined,
    };
    const text = quotesText([
      {
        ...figures,
        ...{
          symbol: 'X.HK',
          session: 'regular',
          open: undefined,
          turnover: undefined,
          status: 'halted',
          others: [],
        },
        volume: decimal('0'),
      },
    ]);
    expect(text.split('\n')[2]).toMatch(/^X\.HK +- +- +- +- +- +0 +halted +-$/);
  });

  it('shows depth side by side, also when one side is shorter', () => {
    const level = { level: 1, price: decimal('1.5'), volume: decimal('2000'), orders: 3 };
    const text = depthText({ symbol: 'X.HK', bids: [level], asks: [] });
    expect(text.split('\n')[2]).toMatch(/^ +3 +2,000 +1\.5$/);
  });

  it('nets money only if both sides are known', () => {
    const money = { large: decimal('5'), medium: decimal('2'), small: undefined };
    const out = { large: decimal('7'), medium: undefined, small: decimal('1') };
    const text = capitalText({ symbol: 'X.HK', time: undefined, in: money, out, flow: [] }, 5);
    expect(text).toMatch(/^large +5 +7 +-2$/m);
    expect(text).toMatch(/^medium +2 +- +-$/m);
  });
});

describe('the confirmation for orders at a broker', () => {
  it('is needed completely, and not for a venue on this machine', () => {
    fc.assert(
      fc.property(
        fc.boolean(),
        fc.boolean(),
        fc.option(fc.string(), { nil: undefined }),
        (isLoopback, live, account) => {
          const missing = missingPermit({ isLoopback, venue: 'v' }, { live, account });
          expect(missing === undefined).toBe(isLoopback || (live && account !== undefined));
        },
      ),
    );
  });

  it('is not enough for a market for which the broker documents no orders', () => {
    const elsewhere = { isLoopback: false, venue: 'https://broker.example' };
    expect(undocumentedMarket(elsewhere, securitySymbol('D05.SG'))).toBe(
      'Cannot send an order in D05.SG to https://broker.example: the broker documents orders for HK and US only, not for "SG". Nothing was sent',
    );
    expect(undocumentedMarket({ ...elsewhere, isLoopback: true }, securitySymbol('D05.SG'))).toBeUndefined();
    for (const symbol of ['700.HK', 'AAPL.US'])
      expect(undocumentedMarket(elsewhere, securitySymbol(symbol))).toBeUndefined();
  });

  it('holds for the account that the venue names, and for none if it names none', async () => {
    const says = (reported: string) => ({ accountId: async () => reported });
    const permit = (account: string | undefined) => ({ live: true, account });
    expect(await opensAccount(says('20400500'), permit('20400500'))).toBe(true);
    expect(await opensAccount(says('20400500'), permit('20400501'))).toBe(false);
    expect(await opensAccount(says('0'), permit('0'))).toBe(false);
    expect(await opensAccount(says('0'), permit(undefined))).toBe(true);
  });
});
