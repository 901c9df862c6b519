import { describe, expect, it } from 'vitest';
import { VirtualClock } from '#src/backtest/virtual-clock.ts';
import { createRunClock } from '#src/engine/run-clock.ts';
import { millis } from '#src/model/time.ts';

const IDLE = Number.POSITIVE_INFINITY;

function aClock() {
  const machine = new VirtualClock(millis(0));
  const fired: string[] = [];
  const clock = createRunClock(machine);
  const set = (name: string, at: number) => clock.at(millis(at), 'timer', () => fired.push(name));
  return { machine, clock, fired, set };
}

describe('the clock of a run', () => {
  it('has the time and the timers of the clock below it', () => {
    const { machine, clock, fired, set } = aClock();
    set('second', 20);
    set('first', 10);
    machine.fireNext();
    expect([clock.now(), fired]).toEqual([10, ['first']]);
    machine.fireNext();
    expect([clock.now(), fired]).toEqual([20, ['first', 'second']]);
  });

  it('cancels one timer and leaves the others', () => {
    const { machine, fired, set } = aClock();
    set('stays', 20);
    set('goes', 10)();
    machine.fireNext();
    expect([fired, machine.nextAt()]).toEqual([['stays'], IDLE]);
  });

  it('leaves no timer at its end, including those of other timers', () => {
    const { machine, clock, fired, set } = aClock();
    clock.at(millis(10), 'timer', () => {
      set('set by a timer', 40);
      clock.end();
    });
    set('later', 20);
    machine.fireNext();
    expect([fired, machine.nextAt()]).toEqual([[], IDLE]);
  });

  it('sets no timer after its end, and ends twice without harm', () => {
    const { machine, clock, set } = aClock();
    clock.end();
    clock.end();
    set('late', 10)();
    expect(machine.nextAt()).toBe(IDLE);
  });
});
