import { NEVER as SILENCE } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { createActivity } from '#src/app/clock/activity.ts';
import { createSteppedClock, type Step, type Stepper } from '#src/app/clock/stepped-clock.ts';
import { createSteppedInbox } from '#src/app/clock/stepped-inbox.ts';
import { millis } from '#src/model/time.ts';

const QUIET = { quote: 0, trade: 0 };
const END: Step = { time: 0, phase: 'end', frames: QUIET };

/** A venue that answers with these steps and records its requests. */
function scripted(steps: readonly Step[]): Stepper & { readonly reported: (number | undefined)[] } {
  const reported: (number | undefined)[] = [];
  return {
    reported,
    step: async ({ timer }) => {
      reported.push(timer);
      return steps[reported.length - 1] ?? END;
    },
  };
}

function worldOf(stepper: Stepper) {
  const activity = createActivity();
  const stepped = createSteppedClock({
    start: millis(100),
    stepper,
    inbox: createSteppedInbox(),
    activity,
    quotes: 'batched',
  });
  return { ...stepped, activity };
}

const going = () => false;

describe('the stepped clock', () => {
  it('does not advance until it is driven', () => {
    expect(worldOf(scripted([])).clock.now()).toBe(100);
  });

  it("reports when the bot's next timer is due, and fires it when the venue reports that it comes first", async () => {
    const stepper = scripted([
      { time: 200, phase: 'timer', frames: QUIET },
      { time: 250, phase: 'print', frames: QUIET },
    ]);
    const { clock, drive } = worldOf(stepper);
    const fired: number[] = [];
    clock.at(millis(200), 'timer', () => fired.push(clock.now()));
    await drive(going);
    expect(stepper.reported).toEqual([200, undefined, undefined]);
    expect(fired).toEqual([200]);
    expect(clock.now()).toBe(250);
  });

  it('does not fire a timer while the market comes first, also at the same instant', async () => {
    const stepper = scripted([
      { time: 150, phase: 'print', frames: QUIET },
      { time: 200, phase: 'venue', frames: QUIET },
      { time: 200, phase: 'timer', frames: QUIET },
    ]);
    const { clock, drive } = worldOf(stepper);
    const fired: number[] = [];
    clock.at(millis(200), 'timer', () => fired.push(stepper.reported.length));
    await drive(going);
    expect(fired).toEqual([3]);
    expect(stepper.reported).toEqual([200, 200, 200, undefined]);
  });

  it('fires one of two timers of an instant, and reports that the other is due', async () => {
    const stepper = scripted([
      { time: 200, phase: 'timer', frames: QUIET },
      { time: 200, phase: 'timer', frames: QUIET },
    ]);
    const { clock, drive } = worldOf(stepper);
    const fired: string[] = [];
    clock.at(millis(200), 'timer', () => fired.push('timer'));
    clock.at(millis(200), 'close', () => fired.push('close'));
    await drive(going);
    expect(fired).toEqual(['close', 'timer']);
    expect(stepper.reported).toEqual([200, 200, undefined]);
  });

  it('takes no step while the bot is working', async () => {
    const stepper = scripted([{ time: 200, phase: 'timer', frames: QUIET }]);
    const { clock, drive, activity } = worldOf(stepper);
    let answer = (): void => undefined;
    clock.at(millis(200), 'timer', () => {
      const call = activity.track(SILENCE).subscribe();
      answer = () => call.unsubscribe();
    });
    const driven = drive(going);
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(stepper.reported).toEqual([200]);
    answer();
    await driven;
    expect(stepper.reported).toEqual([200, undefined]);
  });

  it('stops on request', async () => {
    const stepper = scripted(
      Array.from({ length: 50 }, (_, index) => ({ ...END, time: 200 + index, phase: 'print' })),
    );
    const { clock, drive } = worldOf(stepper);
    await drive(() => stepper.reported.length >= 3);
    expect(clock.now()).toBe(202);
  });

  it('ends with an error when the venue is gone, or skips a timer', async () => {
    const gone: Stepper = { step: () => Promise.reject(new Error('connection refused')) };
    await expect(worldOf(gone).drive(going)).rejects.toThrow('connection refused');
    const hasty = worldOf(scripted([{ time: 300, phase: 'print', frames: QUIET }]));
    hasty.clock.at(millis(200), 'timer', () => undefined);
    await expect(hasty.drive(going)).rejects.toThrow(
      'Clock cannot skip an entry due at 200 on its way to 300',
    );
  });
});
