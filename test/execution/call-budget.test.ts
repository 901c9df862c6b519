import fc from 'fast-check';
import { concat, defer, EMPTY, NEVER, Observable, of, tap } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { VirtualClock } from '#src/backtest/virtual-clock.ts';
import { CALL_BUDGET, createCallBudget } from '#src/execution/call-budget/call-budget.ts';
import { millis } from '#src/model/time.ts';
import { budgeted } from '#src/ports/budgeted.ts';
import { CALL_KINDS, type CallKind } from '#src/ports/call-budget.ts';
import { CallLimiter } from '#src/venue/calls/call-limiter.ts';
import { runTo, seconds } from '../fixtures/time.ts';

/** A budget that records the times of its calls. */
function watched() {
  const clock = new VirtualClock(millis(0));
  const budget = createCallBudget(clock);
  const left: { readonly kind: CallKind; readonly at: number }[] = [];
  const refused: CallKind[] = [];
  const ask = (kind: CallKind): void => {
    const call = of('sent').pipe(tap(() => left.push({ kind, at: clock.now() })));
    budgeted(budget, kind, { work: () => call, refused: 'refused' }).subscribe((reported) => {
      if (reported === 'refused') refused.push(kind);
    });
  };
  const times = (kind: CallKind) => left.filter((call) => call.kind === kind).map(({ at }) => at);
  return { clock, budget, left, refused, ask, times };
}

/** Maximum number of these instants in any window of 30 s. */
function mostIn30s(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  return Math.max(0, ...sorted.map((from) => sorted.filter((at) => at >= from && at < from + 30_000).length));
}

describe('the call budget', () => {
  it('never sends 30 calls in 30 s nor two within 20 ms, as they arrive, with 130 ms of jitter each way (I-17)', () => {
    const arrival = fc.record({
      after: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 50 }), fc.integer({ min: 0, max: 5_000 })),
      kind: fc.constantFrom(...CALL_KINDS),
      there: fc.integer({ min: 0, max: 130 }),
      back: fc.oneof(fc.integer({ min: 0, max: 130 }), fc.constant(3_000)),
      preparedMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 200 })),
    });
    fc.assert(
      fc.property(fc.array(arrival, { minLength: 1, maxLength: 300 }), (arrivals) => {
        const clock = new VirtualClock(millis(0));
        const budget = createCallBudget(clock);
        const venue = new CallLimiter('account', true);
        const arrived: number[] = [];
        let refusals = 0;
        const wait = (ms: number) =>
          new Observable<never>((subscriber) =>
            clock.at(millis(clock.now() + ms), 'timer', () => subscriber.complete()),
          );
        const served = defer(() => {
          arrived.push(clock.now());
          if (!venue.admits('paper', 'todayOrders', clock.now())) refusals += 1;
          return EMPTY;
        });
        let at = 0;
        for (const { after, kind, there, back, preparedMs } of arrivals) {
          at += after;
          runTo(clock, at);
          const call = concat(wait(there), served, wait(back), of('answer'));
          const changes = kind === 'kill' || kind === 'protect' || kind === 'open';
          budgeted(budget, kind, {
            work: (depart) => (changes ? concat(wait(preparedMs), depart(call)) : call),
            refused: 'refused',
          }).subscribe();
        }
        runTo(clock, at + 600_000);
        expect(refusals).toBe(0);
        expect(mostIn30s(arrived)).toBeLessThanOrEqual(30);
      }),
      { numRuns: 100 },
    );
  });

  it('lets the next call leave 25 ms after the answer, or 150 ms after a call without one (I-17)', () => {
    const { clock, budget, ask, times } = watched();
    const answered = new Observable<string>((subscriber) =>
      clock.at(millis(60), 'timer', () => {
        subscriber.next('answer');
        subscriber.complete();
      }),
    );
    budgeted(budget, 'kill', { work: () => answered, refused: 'refused' }).subscribe();
    budgeted(budget, 'kill', { work: () => NEVER, refused: 'refused' }).subscribe();
    ask('kill');
    runTo(clock, seconds(1));
    expect(times('kill')).toEqual([85 + 150]);
  });

  it('lets the twenty-ninth call leave when the first is 31 s old, not a millisecond sooner (I-17)', () => {
    const { clock, left, ask } = watched();
    for (let count = 0; count < 29; count += 1) ask('kill');
    runTo(clock, seconds(30.999));
    ask('kill');
    expect(left).toHaveLength(28);
    runTo(clock, seconds(31));
    expect(left.at(-1)).toEqual({ kind: 'kill', at: 31_000 });
  });

  it('returns a place if no byte was sent, and only then (I-17, F-N16)', () => {
    const { clock, budget, ask, times } = watched();
    const fails = (count: number) => {
      for (let i = 0; i < count; i += 1) {
        runTo(clock, clock.now() + 25);
        const wasNotSent = (reported: string): boolean => reported === 'not-sent';
        budgeted(budget, 'open', { work: () => of('not-sent'), refused: 'refused', wasNotSent }).subscribe();
      }
    };
    fails(100);
    expect(budget.used()).toMatchObject({ open: 0 });
    for (let i = 0; i < 9; i += 1) {
      runTo(clock, clock.now() + 25);
      ask('open');
    }
    expect(times('open')).toHaveLength(9);
    expect(budget.used()).toMatchObject({ open: 9 });
    runTo(clock, clock.now() + 25);
    ask('open');
    expect(times('open')).toHaveLength(9);
  });

  it('is fully used: under load at least 90 % of it (I-17)', () => {
    const { clock, left, ask } = watched();
    for (let at = 0; at < 310_000; at += 100) {
      runTo(clock, at);
      for (const kind of CALL_KINDS) ask(kind);
    }
    const windows = 310_000 / CALL_BUDGET.windowMs;
    const used = left.filter(({ at }) => at < 310_000).length;
    expect(used / (windows * CALL_BUDGET.calls)).toBeGreaterThanOrEqual(0.9);
  });

  it('reserves ten calls for cancels, which no other class gets, and gives cancels whatever is free (I-14, I-17)', () => {
    const { clock, times, ask } = watched();
    for (let count = 0; count < 40; count += 1)
      for (const kind of ['open', 'read', 'watch', 'poll', 'protect'] as const) ask(kind);
    runTo(clock, seconds(3));
    for (let count = 0; count < 12; count += 1) ask('kill');
    runTo(clock, seconds(4));
    const others = ['open', 'read', 'watch', 'poll', 'protect'] as const;
    const below = others.reduce((sum, kind) => sum + times(kind).length, 0);
    expect([below, times('kill').length]).toEqual([18, 10]);
    runTo(clock, seconds(70));
    expect(times('kill')).toHaveLength(12);
  });

  it('gives opening orders nine calls at most: seven are reserved for polls and two for orders that reduce (I-17)', () => {
    const { clock, times, ask } = watched();
    for (let count = 0; count < 40; count += 1) ask('open');
    runTo(clock, seconds(2));
    expect(times('open')).toHaveLength(9);
    for (let count = 0; count < 2; count += 1) ask('protect');
    for (let count = 0; count < 7; count += 1) ask('poll');
    runTo(clock, seconds(3));
    expect([times('protect').length, times('poll').length]).toEqual([2, 7]);
  });

  it('reserves places for exits that are still to be sent, six at most, from all lower classes', () => {
    for (const [due, opens] of [
      [0, 9],
      [3, 8],
      [6, 5],
      [20, 5],
    ] as const) {
      const { clock, budget, times, ask } = watched();
      budget.setProtection({
        pendingExits: () => due,
        hasPosition: () => true,
        killCalls: () => 10,
        isPushConnected: () => false,
      });
      for (let count = 0; count < 20; count += 1)
        for (const kind of ['watch', 'read', 'open'] as const) ask(kind);
      runTo(clock, seconds(2));
      const below = times('open').length + times('read').length + times('watch').length;
      expect(below).toBeLessThanOrEqual(18 - 7 - Math.min(due, 6));
      for (let count = 0; count < due; count += 1) ask('protect');
      runTo(clock, seconds(3));
      expect(times('protect').length).toBeGreaterThanOrEqual(Math.min(due, 6));
      const only = watched();
      only.budget.setProtection({
        pendingExits: () => due,
        hasPosition: () => true,
        killCalls: () => 10,
        isPushConnected: () => false,
      });
      for (let count = 0; count < 20; count += 1) only.ask('open');
      runTo(only.clock, seconds(2));
      expect(only.times('open')).toHaveLength(opens);
    }
  });

  it.each([0, 1, 4, 5, 30])(
    'reserves for a kill of %i orders and positions what it needs and five more, ten at most, also if some calls of a kill were made (I-14)',
    (due) => {
      for (const made of [0, 3, 12]) {
        const { clock, budget, times, ask } = watched();
        budget.setProtection({
          pendingExits: () => 0,
          hasPosition: () => false,
          killCalls: () => due,
          isPushConnected: () => true,
        });
        for (let count = 0; count < made; count += 1) ask('kill');
        for (let count = 0; count < 30; count += 1) for (const kind of ['poll', 'open'] as const) ask(kind);
        runTo(clock, seconds(2));
        const others = times('poll').length + times('open').length;
        expect(others).toBe(28 - made - Math.max(0, Math.min(10 - made, due + 5)));
        for (let count = 0; count < 30; count += 1) ask('kill');
        runTo(clock, seconds(4));
        expect(times('kill').length - made).toBeGreaterThanOrEqual(Math.min(due, Math.max(0, 10 - made)));
      }
    },
  );

  it('serves by priority, regardless of the order of arrival: kill, protect, poll, watch, open, read (I-17)', () => {
    const { clock, left, ask } = watched();
    const all = ['read', 'open', 'watch', 'poll', 'protect', 'kill'] as const;
    for (const kind of ['read', ...all] as const) ask(kind);
    runTo(clock, seconds(1));
    expect(left.map(({ kind }) => kind)).toEqual(['read', ...all.toReversed()]);
  });

  it('lets protective orders wait as long as necessary, and never refuses them', () => {
    const { clock, refused, times, ask } = watched();
    for (let count = 0; count < 30; count += 1) ask('protect');
    runTo(clock, seconds(70));
    expect([times('protect').length, refused]).toEqual([30, []]);
  });

  it('refuses lower classes as soon as a kill is urgent, and lends protective orders the places of cancels', () => {
    const { clock, budget, refused, times, ask } = watched();
    for (let count = 0; count < 18; count += 1) ask('protect');
    runTo(clock, seconds(1));
    ask('poll');
    ask('open');
    ask('protect');
    runTo(clock, seconds(1.1));
    expect([refused, times('protect').length]).toEqual([[], 18]);
    budget.setUrgent(true);
    expect([refused, times('protect').length]).toEqual([['poll', 'open'], 19]);
    ask('watch');
    expect(refused).toEqual(['poll', 'open', 'watch']);
    budget.setUrgent(false);
    ask('watch');
    expect(refused).toHaveLength(3);
  });

  it('counts a call when it leaves, 25 ms from every other, however long it was prepared (T-04, I-17)', () => {
    const { clock, budget, left, ask } = watched();
    const leaves = of('sent').pipe(tap(() => left.push({ kind: 'open', at: clock.now() })));
    const disk = new Observable<never>((subscriber) =>
      clock.at(millis(110), 'timer', () => subscriber.complete()),
    );
    budgeted(budget, 'open', {
      work: (depart) => concat(disk, depart(leaves)),
      refused: 'refused',
    }).subscribe();
    runTo(clock, 100);
    for (let count = 0; count < 3; count += 1) ask('read');
    runTo(clock, seconds(1));
    expect(left).toEqual([
      { kind: 'read', at: 100 },
      { kind: 'open', at: 125 },
      { kind: 'read', at: 150 },
      { kind: 'read', at: 175 },
    ]);
  });

  it('states how many calls an opening order must leave free', () => {
    const clock = new VirtualClock(millis(0));
    for (const due of [0, 3, 9])
      for (const isHeld of [false, true])
        for (const isPushed of [false, true]) {
          const budget = createCallBudget(clock, CALL_BUDGET);
          budget.setProtection({
            pendingExits: () => due,
            hasPosition: () => isHeld,
            killCalls: () => due,
            isPushConnected: () => isPushed,
          });
          budgeted(budget, 'read', { work: () => of('sent'), refused: 'refused' }).subscribe();
          const { read, reserved, max } = budget.used();
          const free = max - read - reserved;
          expect([budget.hasCapacity('open', free), budget.hasCapacity('open', free + 1)]).toEqual([
            true,
            false,
          ]);
        }
  });

  it('counts the calls of other processes on the account, and shares its own counts', () => {
    const clock = new VirtualClock(millis(0));
    const all: { at: number }[] = Array.from({ length: 20 }, () => ({ at: 0 }));
    const own: { at: number }[] = [];
    const budget = createCallBudget(clock, CALL_BUDGET, {
      others: (since) => all.map(({ at }) => at).filter((at) => at > since),
      withLock: (work) => ({ result: work() }),
      add(at) {
        const call = { at };
        own.push(call);
        return {
          moveTo: (left) => {
            call.at = left;
          },
          remove: () => void own.splice(own.indexOf(call), 1),
        };
      },
    });
    runTo(clock, 1_000);
    expect([
      budget.hasCapacity('read'),
      budget.hasCapacity('protect'),
      budget.hasCapacity('kill', 8),
    ]).toEqual([false, false, true]);
    expect(budget.hasCapacity('kill', 9)).toBe(false);
    budgeted(budget, 'kill', { work: () => of('sent'), refused: 'refused' }).subscribe();
    expect(own).toEqual([{ at: 1_000 }]);
    runTo(clock, seconds(31));
    expect(budget.hasCapacity('protect', 17)).toBe(true);
    expect(budget.used()).toMatchObject({ others: 0, cancel: 1 });
  });

  it('sends the last of n cancels within ceil((n - 10) / 28) windows of 31 s and n x 25 ms (I-14)', () => {
    for (const count of [1, 10, 11, 38, 39, 100]) {
      const { clock, times, ask } = watched();
      // All other classes have used their share.
      for (let other = 0; other < 40; other += 1) ask('read');
      runTo(clock, seconds(1));
      for (let cancel = 0; cancel < count; cancel += 1) ask('kill');
      runTo(clock, seconds(300));
      const last = (times('kill').at(-1) ?? Number.NaN) - 1_000;
      const allowed = Math.ceil(Math.max(0, count - 10) / 28) * 31_000 + count * 25;
      expect(last).toBeLessThanOrEqual(allowed);
    }
  });

  it('refuses a read without a free place in time, and counts nothing for it (I-23)', () => {
    const { clock, budget, refused, ask } = watched();
    for (let count = 0; count < 20; count += 1) ask('read');
    runTo(clock, seconds(3));
    expect(refused).toEqual(Array.from({ length: 15 }, () => 'read'));
    expect(budget.used()).toMatchObject({ read: 5, open: 0, cancel: 0, max: 28 });
  });

  it('keeps the calls of one opening order, however much is read', () => {
    const { clock, budget, times, ask } = watched();
    for (let count = 0; count < 40; count += 1) ask('read');
    runTo(clock, seconds(5));
    expect(budget.reserve('open', 4)).toBe(true);
    for (let count = 0; count < 4; count += 1) ask('open');
    runTo(clock, seconds(6));
    expect([times('open').length, times('read').length]).toEqual([4, 5]);
  });

  it('sends the requests of an order 25 ms apart when they are made as soon as its places are reserved', () => {
    const { clock, budget, times, ask } = watched();
    ask('read');
    runTo(clock, 100);
    expect(budget.reserve('open', 3)).toBe(true);
    for (const kind of ['open', 'open', 'open'] as const) ask(kind);
    runTo(clock, seconds(1));
    expect(times('open')).toEqual([100, 125, 150]);
  });

  it('reserves the places of an order before its first request, exclusively (I-5, I-17)', () => {
    const { clock, budget, times, ask } = watched();
    expect(budget.reserve('open', 4)).toBe(true);
    for (let count = 0; count < 30; count += 1) ask('read');
    runTo(clock, seconds(1));
    expect(times('read')).toHaveLength(5);
    for (let count = 0; count < 4; count += 1) ask('open');
    runTo(clock, seconds(2));
    expect(times('open')).toHaveLength(4);
  });

  it('reports at once that an order cannot have its places, and returns unused ones', () => {
    const { clock, budget, ask } = watched();
    for (let count = 0; count < 7; count += 1) ask('open');
    runTo(clock, seconds(1));
    expect([budget.reserve('open', 3), budget.hasReservation('open')]).toEqual([false, false]);
    expect([budget.reserve('open', 2), budget.hasReservation('open')]).toEqual([true, true]);
    budget.release();
    expect(budget.hasReservation('open')).toBe(false);
    budget.reserve('open', 2);
    runTo(clock, seconds(8));
    expect(budget.hasReservation('open')).toBe(false);
  });
});
