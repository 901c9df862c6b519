import { describe, expect, it } from 'vitest';
import { createFold } from '#src/events/fold.ts';
import {
  explainingSplit,
  likelyRatio,
  splitBooking,
  splitsAwaited,
} from '#src/execution/reconciliation/announced-splits.ts';
import { decimal } from '#src/model/decimal.ts';
import { calendarDay } from '#src/model/time.ts';
import { AAPL, at } from '../fixtures/market.ts';

const DAY = '2025-09-03';
const NOON = at(`${DAY}T12:00:00-04:00`);

/** The books of a bot that has held this number of shares at 100 since it began. */
function booksOf(quantity: string) {
  const fold = createFold();
  fold.apply({
    ...{ kind: 'run-started', at: at('2025-09-01T12:00:00-04:00'), schema: 1 },
    ...{ strategy: 'held', config: 'held.yaml', currency: 'USD', cash: { USD: decimal('1000') } },
    positions: [
      { symbol: AAPL, currency: 'USD', quantity: decimal(quantity), averageCost: decimal('100') },
    ] as never,
  });
  return fold;
}

const announced = (ratio: string, exDay = DAY) => [
  { kind: 'split' as const, symbol: AAPL, exDay: calendarDay(exDay), ratio: decimal(ratio) },
];
const differing = (ours: string, venue: string) => ({
  what: AAPL,
  ours: decimal(ours),
  venue: decimal(venue),
});

describe('an announced split', () => {
  it.each([
    ['2', '400', '800', true],
    ['0.1', '405', '40', true],
    ['0.1', '405', '41', true],
    ['1.5', '-31', '-46', true],
    ['2', '400', '801', false],
    ['2', '400', '400', false],
    ['2', '0', '800', false],
  ])('of %s turns %s into %s: %s', (ratio, ours, venue, does) => {
    const facts = { state: booksOf('400').state, announced: announced(ratio), now: NOON };
    expect(explainingSplit(differing(ours, venue), facts) !== undefined).toBe(does);
  });

  it.each([
    ['2025-09-05', false],
    ['2025-09-04', true],
    ['2025-08-27', true],
    ['2025-08-26', false],
  ])('is explained on the third of September for an ex-day of %s: %s', (exDay, does) => {
    const facts = { state: booksOf('400').state, announced: announced('2', exDay), now: NOON };
    expect(explainingSplit(differing('400', '800'), facts) !== undefined).toBe(does);
  });

  it('is booked once, with the money for a fraction, at the price of new shares', () => {
    const fold = booksOf('31');
    const quote = { value: decimal('99'), at: at('2025-09-02T16:00:00-04:00') };
    const [split] = announced('1.5');
    if (split === undefined) throw new Error('A split is announced');
    const cash = { what: 'cash USD', ours: decimal('1000'), venue: decimal('1033') };
    const found = [differing('31', '46'), cash];
    const event = splitBooking(split, found, { state: fold.state, now: NOON, quote });
    if (event === undefined) throw new Error('A split of what is held is booked');
    expect(`${event.quantity} ${event.amount}`).toBe('15 33');
    expect(event.terms).toMatchObject({ price: decimal('66') });
    fold.apply(event);
    const { portfolio } = fold.state;
    expect(`${portfolio.holdings.get(AAPL)?.quantity} ${portfolio.cash.get('USD')}`).toBe('46 1033');
    const facts = { state: fold.state, announced: announced('1.5'), now: NOON };
    expect(explainingSplit(differing('46', '69'), facts)).toBeUndefined();
    expect(splitsAwaited(facts)).toEqual([]);
  });

  it('is expected on its day, for the position held before', () => {
    const { state } = booksOf('400');
    const awaited = (exDay: string) =>
      splitsAwaited({ state, announced: announced('2', exDay), now: NOON }).length;
    expect([awaited('2025-09-02'), awaited(DAY), awaited('2025-09-04')]).toEqual([0, 1, 0]);
    const [other] = announced('2');
    if (other === undefined) throw new Error('A split is announced');
    expect(splitsAwaited({ state: createFold().state, announced: [other], now: NOON })).toEqual([]);
  });
});

describe('a difference of positions', () => {
  it.each([
    ['400', '800', '2'],
    ['400', '40', '0.1'],
    ['31', '46', '1.5'],
    ['400', '425', undefined],
    ['400', '-800', undefined],
    ['0', '25', undefined],
  ])('from %s to %s looks like %s', (ours, venue, ratio) => {
    expect(likelyRatio(differing(ours, venue))).toBe(ratio);
  });
});
