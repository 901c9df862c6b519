import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { VirtualClock } from '#src/backtest/virtual-clock.ts';
import { millis, NEVER } from '#src/model/time.ts';
import { type Cancel, PHASES, type Phase } from '#src/ports/clock.ts';

const phase = fc.constantFrom(...PHASES);
const command = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('add' as const), at: fc.nat(60), phase }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('cancel' as const), which: fc.nat(40) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('fire' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('move' as const), by: fc.nat(10) }) },
);

/** A model of the clock: a sorted list. */
function createModel() {
  const entries: { readonly id: number; readonly at: number; readonly rank: number }[] = [];
  let now = 0;
  const due = () => [...entries].sort((a, b) => a.at - b.at || a.rank - b.rank || a.id - b.id)[0];
  const remove = (id: number) => {
    const index = entries.findIndex((entry) => entry.id === id);
    if (index >= 0) entries.splice(index, 1);
  };
  return {
    now: () => now,
    due,
    remove,
    add: (id: number, at: number, said: Phase) =>
      entries.push({ id, at: Math.max(at, now), rank: PHASES.indexOf(said) }),
    fire: () => {
      const first = due();
      if (first === undefined) return undefined;
      remove(first.id);
      now = first.at;
      return first.id;
    },
    move: (to: number) => {
      now = to;
    },
  };
}

describe('the virtual clock', () => {
  it('fires like a list sorted by time, phase and order of scheduling', () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 120 }), (commands) => {
        const clock = new VirtualClock(millis(0));
        const model = createModel();
        const cancels: Cancel[] = [];
        const fired: number[] = [];
        for (const step of commands) {
          if (step.do === 'add') {
            const id = cancels.length;
            cancels.push(clock.at(millis(step.at), step.phase, () => fired.push(id)));
            model.add(id, step.at, step.phase);
          } else if (step.do === 'cancel') {
            cancels[step.which]?.();
            model.remove(step.which);
          } else if (step.do === 'fire') {
            const before = fired.length;
            const expected = model.fire();
            expect(clock.fireNext()).toBe(expected !== undefined);
            expect(fired.slice(before)).toEqual(expected === undefined ? [] : [expected]);
          } else {
            const to = clock.now() + step.by;
            if (to > (model.due()?.at ?? Number.POSITIVE_INFINITY)) {
              expect(() => clock.moveTo(millis(to))).toThrow('Clock cannot skip an entry');
              continue;
            }
            clock.moveTo(millis(to));
            model.move(to);
          }
          expect(clock.now()).toBe(model.now());
          expect(clock.nextAt()).toBe(model.due()?.at ?? NEVER);
          expect(clock.next()?.rank).toBe(model.due()?.rank);
        }
      }),
    );
  });

  it('never calls back synchronously, even for a time that has passed', () => {
    const clock = new VirtualClock(millis(100));
    const fired: number[] = [];
    clock.at(millis(50), 'timer', () => fired.push(clock.now()));
    expect(fired).toEqual([]);
    clock.fireNext();
    expect(fired).toEqual([100]);
  });

  it('lets a timer schedule another for the same instant, after those that wait', () => {
    const clock = new VirtualClock(millis(0));
    const fired: string[] = [];
    clock.at(millis(1), 'timer', () => {
      fired.push('first');
      clock.at(millis(1), 'timer', () => fired.push('third'));
    });
    clock.at(millis(1), 'timer', () => fired.push('second'));
    while (clock.fireNext());
    expect(fired).toEqual(['first', 'second', 'third']);
  });

  it('cannot go back, nor skip a due timer', () => {
    const clock = new VirtualClock(millis(10));
    clock.at(millis(20), 'timer', () => undefined);
    expect(() => clock.moveTo(millis(9))).toThrow('Clock cannot go back from 10 to 9');
    expect(() => clock.moveTo(millis(21))).toThrow('Clock cannot skip an entry due at 20 on its way to 21');
    clock.moveTo(millis(20));
    expect(clock.now()).toBe(20);
  });

  it('does not advance when it is queried, nor for a cancelled timer', () => {
    const clock = new VirtualClock(millis(0));
    clock.at(millis(5), 'timer', () => undefined)();
    expect([clock.nextAt(), clock.now(), clock.fireNext()]).toEqual([NEVER, 0, false]);
  });
});
