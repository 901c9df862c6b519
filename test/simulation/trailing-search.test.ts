import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decimal } from '#src/model/decimal.ts';
import { PRINTS_PER_BAR } from '#src/simulation/market/prints.ts';
import { Tape } from '#src/simulation/market/tape.ts';
import {
  firstTrigger,
  followTrail,
  reaches,
  stopBehind,
  type Trail,
  type TriggerPrint,
} from '#src/simulation/market/watch.ts';
import { PRINT_FILLS } from '#src/simulation/models.ts';
import { bars } from './world.ts';

const BEGIN = Date.parse('2024-03-05T09:30:00-05:00');
const MINUTE_MS = 60_000;
const REGULAR = ['regular'] as const;

/** A walk in whole cents: the steps between closes, and how far each bar goes beyond its open and close. */
const someBars = fc
  .array(fc.record({ moves: fc.integer({ min: -6, max: 6 }), up: fc.nat(5), down: fc.nat(5) }), {
    minLength: 1,
    maxLength: 40,
  })
  .map((steps) => {
    let last = 10_000;
    const rows = steps.map(({ moves, up, down }, index) => {
      const open = last;
      last += moves;
      const cents = [open, Math.max(open, last) + up, Math.min(open, last) - down, last];
      const [first, high, low, close] = cents.map((each) => each / 100) as [number, number, number, number];
      return [BEGIN + index * MINUTE_MS, first, high, low, close, 100] as const;
    });
    return bars('AAPL.US', '1m', rows);
  });

const someTrail: fc.Arbitrary<Trail> = fc.record({
  kind: fc.constant('trail' as const),
  side: fc.constantFrom('buy' as const, 'sell' as const),
  distance: fc.oneof(
    fc
      .constantFrom('0.03', '0.1', '0.145', '200')
      .map((text) => ({ kind: 'amount' as const, amount: decimal(text) })),
    fc
      .constantFrom('0.0005', '0.001', '0.01', '1', '1.5')
      .map((text) => ({ kind: 'ratio' as const, ratio: decimal(text) })),
  ),
  anchor: fc.constantFrom(undefined, 100, 100.05),
  monitor: fc.constantFrom(undefined, { direction: 'up' as const, price: decimal('100.04') }),
  hits: fc.integer({ min: 1, max: 3 }),
});

/** The same search without shortcuts: for every tick, the stop follows from the best of the previous ones. */
function printByPrint(tape: Tape, from: number, trail: Trail, atClose: boolean): TriggerPrint | undefined {
  const times: number[] = [];
  const isBetter = (price: number, than: number | undefined): boolean =>
    than === undefined || (trail.side === 'sell' ? price > than : price < than);
  let best = trail.monitor === undefined ? trail.anchor : undefined;
  let isFollowing = trail.monitor === undefined;
  let seen: number[] = [];
  for (let index = from; index < tape.columns.length * PRINTS_PER_BAR; index += 1) {
    const price = tape.price(index);
    const step = index % PRINTS_PER_BAR;
    isFollowing ||= trail.monitor !== undefined && reaches(price, trail.monitor);
    if (!isFollowing) continue;
    let hasMoved = false;
    if (atClose && step === 3)
      for (const each of seen) {
        if (!isBetter(each, best)) continue;
        best = each;
        hasMoved = true;
      }
    const before = step === 0 ? undefined : tape.price(index - 1);
    if (best !== undefined) {
      const level = stopBehind(best, trail);
      if (reaches(price, level)) {
        times.push(tape.time(index));
        if (times.filter((time) => (times.at(-1) as number) - time <= MINUTE_MS).length >= trail.hits) {
          const travelled = before !== undefined && !reaches(before, level) && !hasMoved;
          return { index, price: travelled ? level.price : decimal(String(price)) };
        }
      }
    }
    if (atClose && (step === 1 || step === 2)) seen = [...seen, price];
    else {
      if (isBetter(price, best)) best = price;
      seen = [];
    }
  }
  return undefined;
}

it('finds where a trailing stop triggers, and its best price, as a search of every tick does', () => {
  const modes = fc.constantFrom('tick' as const, 'close' as const);
  fc.assert(
    fc.property(someBars, someTrail, fc.nat(12), modes, (columns, trail, start, mode) => {
      const from = start % (columns.length * PRINTS_PER_BAR);
      const tape = new Tape(columns, PRINT_FILLS);
      const until = Number.POSITIVE_INFINITY;
      const found = firstTrigger(tape, from, until, trail, REGULAR, mode);
      expect(found).toEqual(printByPrint(tape, from, trail, mode === 'close'));
      const end = columns.length * PRINTS_PER_BAR;
      const prices = Array.from({ length: end }, (_, index) => tape.price(index));
      const begin =
        trail.monitor === undefined
          ? from
          : prices.findIndex((price, index) => index >= from && price >= 100.04);
      const after = followTrail(tape, { from, end, until, kinds: REGULAR }, trail);
      if (begin < 0 || begin >= end) expect(after).toBe(trail);
      else {
        const met = prices.slice(begin);
        if (trail.monitor === undefined && trail.anchor !== undefined) met.push(trail.anchor);
        expect(after.anchor).toBe(trail.side === 'sell' ? Math.max(...met) : Math.min(...met));
      }
    }),
    { numRuns: Number(process.env['SLUICE_RUNS'] ?? 300) },
  );
});
