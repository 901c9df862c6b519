import fc from 'fast-check';
import { of, tap } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { VirtualClock } from '#src/backtest/virtual-clock.ts';
import { CALL_BUDGET, createCallBudget } from '#src/execution/call-budget.ts';
import { millis } from '#src/model/time.ts';
import { CALL_KINDS, type CallKind } from '#src/ports/call-budget.ts';
import { runTo, seconds } from '../fixtures/time.ts';

/** A budget whose calls are written down as they leave. */
function watched() {
  const clock = new VirtualClock(millis(0));
  const budget = createCallBudget(clock);
  const left: { readonly kind: CallKind; readonly at: number }[] = [];
  const refused: CallKind[] = [];
  const ask = (kind: CallKind): void => {
    const call = of('sent').pipe(tap(() => left.push({ kind, at: clock.now() })));
    budget.through(kind, call, 'refused').subscribe((told) => {
      if (told === 'refused') refused.push(kind);
    });
  };
  const times = (kind: CallKind) => left.filter((call) => call.kind === kind).map(({ at }) => at);
  return { clock, budget, left, refused, ask, times };
}

/** Most of these instants in any window of 30 s, wherever it begins. */
function mostIn30s(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  return Math.max(0, ...sorted.map((from) => sorted.filter((at) => at >= from && at < from + 30_000).length));
}

describe('the call budget', () => {
  it('never sends 30 calls in 30 s nor two within 20 ms, whatever is asked when, with 200 ms of jitter (I-17)', () => {
    const arrival = fc.record({
      after: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 50 }), fc.integer({ min: 0, max: 5_000 })),
      kind: fc.constantFrom(...CALL_KINDS),
      jitter: fc.integer({ min: 0, max: 200 }),
    });
    fc.assert(
      fc.property(fc.array(arrival, { minLength: 1, maxLength: 300 }), (arrivals) => {
        const { clock, left, ask } = watched();
        let at = 0;
        for (const { after, kind } of arrivals) {
          at += after;
          runTo(clock, at);
          ask(kind);
        }
        runTo(clock, at + 600_000);
        const sent = left.map((call) => call.at);
        const arrived = sent.map((time, index) => time + (arrivals[index % arrivals.length]?.jitter ?? 0));
        expect(mostIn30s(arrived)).toBeLessThanOrEqual(30);
        const gaps = sent.slice(1).map((time, index) => time - (sent[index] ?? 0));
        for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(25);
      }),
      { numRuns: 100 },
    );
  });

  it('lets the twenty-ninth call leave when the first is 31 s old, not a millisecond sooner (I-17)', () => {
    const { clock, left, ask } = watched();
    for (let count = 0; count < 29; count += 1) ask('cancel');
    runTo(clock, seconds(30.999));
    ask('cancel');
    expect(left).toHaveLength(28);
    runTo(clock, seconds(31));
    expect(left.at(-1)).toEqual({ kind: 'cancel', at: 31_000 });
  });

  it('gives a place back when no byte left, and only then (I-17, F-N16)', () => {
    const { clock, budget, ask, times } = watched();
    const fails = (count: number) => {
      for (let i = 0; i < count; i += 1) {
        runTo(clock, clock.now() + 25);
        budget.through('open', of('not-sent'), 'refused', (told) => told === 'not-sent').subscribe();
      }
    };
    fails(100);
    expect(budget.used()).toMatchObject({ open: 0 });
    for (let i = 0; i < 12; i += 1) {
      runTo(clock, clock.now() + 25);
      ask('open');
    }
    expect(times('open')).toHaveLength(12);
    expect(budget.used()).toMatchObject({ open: 12 });
    runTo(clock, clock.now() + 25);
    ask('open');
    expect(times('open')).toHaveLength(12);
  });

  it('is not lazy: under load it uses at least 90 % of what it may (I-17)', () => {
    const { clock, left, ask } = watched();
    for (let at = 0; at < 310_000; at += 100) {
      runTo(clock, at);
      for (const kind of CALL_KINDS) ask(kind);
    }
    const windows = 310_000 / CALL_BUDGET.windowMs;
    const used = left.filter(({ at }) => at < 310_000).length;
    expect(used / (windows * CALL_BUDGET.calls)).toBeGreaterThanOrEqual(0.9);
  });

  it('keeps ten calls for cancels, which opens and reads never have, and gives cancels whatever is free (I-14, I-17)', () => {
    const { clock, times, ask } = watched();
    for (let count = 0; count < 40; count += 1) {
      ask('open');
      ask('read');
    }
    runTo(clock, seconds(2));
    expect([times('open').length, times('read').length]).toEqual([4, 14]);
    for (let count = 0; count < 12; count += 1) ask('cancel');
    runTo(clock, seconds(3));
    expect(times('cancel')).toHaveLength(10);
    runTo(clock, seconds(40));
    expect(times('cancel')).toHaveLength(12);
  });

  it('gives opens twelve calls at most, and lends reads what opens leave', () => {
    const { clock, times, ask } = watched();
    for (let count = 0; count < 40; count += 1) ask('open');
    runTo(clock, seconds(1));
    for (let count = 0; count < 40; count += 1) ask('read');
    runTo(clock, seconds(4));
    expect([times('open').length, times('read').length]).toEqual([12, 6]);
  });

  it('sends cancels before reads and reads before opens, whoever came first (I-17)', () => {
    const { clock, left, ask } = watched();
    for (const kind of ['open', 'open', 'read', 'cancel', 'cancel'] as const) ask(kind);
    runTo(clock, seconds(1));
    expect(left.map(({ kind }) => kind)).toEqual(['open', 'cancel', 'cancel', 'read', 'open']);
  });

  it('sends the last of n cancels within ceil((n - 10) / 28) windows of 31 s and n x 25 ms (I-14)', () => {
    for (const count of [1, 10, 11, 38, 39, 100]) {
      const { clock, times, ask } = watched();
      // Everybody else has used all that they may have.
      for (let other = 0; other < 40; other += 1) ask('read');
      runTo(clock, seconds(1));
      for (let cancel = 0; cancel < count; cancel += 1) ask('cancel');
      runTo(clock, seconds(300));
      const last = (times('cancel').at(-1) ?? Number.NaN) - 1_000;
      const allowed = Math.ceil(Math.max(0, count - 10) / 28) * 31_000 + count * 25;
      expect(last).toBeLessThanOrEqual(allowed);
    }
  });

  it('refuses a read that no place came free for in time, and counts nothing for it (I-23)', () => {
    const { clock, budget, refused, ask } = watched();
    for (let count = 0; count < 20; count += 1) ask('read');
    runTo(clock, seconds(3));
    expect(refused).toEqual(Array.from({ length: 6 }, () => 'read'));
    expect(budget.used()).toMatchObject({ read: 14, open: 0, cancel: 0, max: 28 });
  });

  it('keeps the calls of one opening order, however much is read', () => {
    const { clock, budget, times, ask } = watched();
    for (let count = 0; count < 40; count += 1) ask('read');
    runTo(clock, seconds(5));
    budget.hold(4).subscribe(() => {
      for (let count = 0; count < 4; count += 1) ask('open');
    });
    runTo(clock, seconds(6));
    expect([times('open').length, times('read').length]).toEqual([4, 14]);
  });

  it('sends the questions of an order 25 ms apart when they are asked the moment its places are held', () => {
    const { clock, budget, times, ask } = watched();
    ask('read');
    runTo(clock, 100);
    budget.hold(3).subscribe(() => {
      for (const kind of ['open', 'open', 'open'] as const) ask(kind);
    });
    runTo(clock, seconds(1));
    expect(times('open')).toEqual([100, 125, 150]);
  });

  it('holds the places of an order before its first question, and nobody else has them (I-5, I-17)', () => {
    const { clock, budget, times, ask } = watched();
    const told: boolean[] = [];
    budget.hold(4).subscribe((isHeld) => told.push(isHeld));
    for (let count = 0; count < 30; count += 1) ask('read');
    runTo(clock, seconds(1));
    expect(times('read')).toHaveLength(14);
    for (let count = 0; count < 4; count += 1) ask('open');
    runTo(clock, seconds(2));
    expect([told, times('open').length]).toEqual([[true], 4]);
  });

  it('tells within a second that an order cannot have its places, and gives back what is not used', () => {
    const { clock, budget, ask } = watched();
    for (let count = 0; count < 10; count += 1) ask('open');
    runTo(clock, seconds(1));
    const told: boolean[] = [];
    budget.hold(3).subscribe((isHeld) => told.push(isHeld));
    runTo(clock, seconds(2));
    expect(told).toEqual([false]);
    budget.hold(2).subscribe((isHeld) => told.push(isHeld));
    expect([told, budget.isHolding()]).toEqual([[false, true], true]);
    budget.release();
    expect(budget.isHolding()).toBe(false);
    budget.hold(2).subscribe();
    runTo(clock, seconds(8));
    expect(budget.isHolding()).toBe(false);
  });
});
