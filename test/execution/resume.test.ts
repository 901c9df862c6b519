import { describe, expect, it } from 'vitest';
import { millis } from '#src/model/time.ts';
import type { EngineRig } from '../fixtures/engine-rig.ts';
import { runTo } from '../fixtures/time.ts';
import { buying, cancels, standing, submits } from './a-buying-bot.ts';

const KILL = { kind: 'kill', flatten: false, foreign: false } as const;

/** The venue applies every cancel that it received. */
function confirm(rig: EngineRig): void {
  for (const call of cancels(rig)) {
    const id = call.slice('cancel '.length);
    rig.venue.list(id, { status: 'CanceledStatus' });
    rig.venue.push(id);
  }
}

describe('a resume', () => {
  it('is refused until every cancel of the kill is confirmed (F-O02)', () => {
    const rig = buying();
    rig.quote(10);
    rig.command(KILL);
    expect(rig.command({ kind: 'resume' })[0]).toMatchObject({ kind: 'refused' });
    expect(standing(rig).state).toBe('killed');
    confirm(rig);
    expect(rig.command({ kind: 'resume' }, 'looked at it')[0]?.kind).toBe('done');
    expect(standing(rig).state).toBe('active');
    rig.quote(10);
    expect(submits(rig)).toBe(2);
  });

  it('requires that a divergence is settled first, and names both numbers (F-O04, I-13)', () => {
    const rig = buying();
    rig.quote(10);
    rig.venue.execute('O-I1', { id: 'e1', quantity: '100', price: '9' });
    rig.venue.push('O-I1');
    rig.command({ kind: 'halt' });
    expect(rig.command({ kind: 'resume' })[0]).toEqual({
      kind: 'refused',
      message:
        "Cannot resume: our books are not the venue's, settle that first: AAPL.US is 100 here and 0 at the venue; cash USD is 9100 here and 10000 at the venue",
    });
    expect(standing(rig).state).toBe('halted');
  });

  it('requires that a difference in cash alone is settled first, and names both numbers (F-O04, I-13)', () => {
    const rig = buying();
    rig.command({ kind: 'halt' });
    rig.venue.hold({}, '9999.99');
    expect(rig.command({ kind: 'resume' })[0]).toEqual({
      kind: 'refused',
      message:
        "Cannot resume: our books are not the venue's, settle that first: cash USD is 10000 here and 9999.99 at the venue",
    });
  });

  it('waits for a reading of the account instead of refusing, for 40 s (F-O04)', () => {
    const rig = buying();
    rig.command({ kind: 'halt' });
    rig.venue.answers.silent.add('balance');
    const answers = rig.command({ kind: 'resume' });
    runTo(rig.clock, millis(rig.clock.now() + 30_000));
    expect(answers).toEqual([]);
    rig.venue.answers.silent.delete('balance');
    runTo(rig.clock, millis(rig.clock.now() + 1_000));
    expect(answers[0]?.kind).toBe('done');
    expect(standing(rig).state).toBe('active');
    rig.command({ kind: 'halt' });
    rig.venue.answers.silent.add('balance');
    const late = rig.command({ kind: 'resume' });
    runTo(rig.clock, millis(rig.clock.now() + 41_000));
    expect(late[0]?.message).toContain('the account could not be read for 40 s');
    expect(standing(rig).state).toBe('halted');
  });

  it('that waits does not lift a later kill (F-O02)', () => {
    const rig = buying();
    rig.command({ kind: 'halt' });
    rig.venue.answers.silent.add('balance');
    const answers = rig.command({ kind: 'resume' });
    runTo(rig.clock, millis(rig.clock.now() + 2_000));
    rig.command(KILL);
    rig.venue.answers.silent.delete('balance');
    runTo(rig.clock, millis(rig.clock.now() + 2_000));
    expect(answers[0]).toMatchObject({ kind: 'refused' });
    expect(standing(rig).state).toBe('killed');
  });

  it('opens at once after the books were adopted, and halts again at the next divergence (F-O04, F-B21, I-13)', () => {
    const rig = buying({ pushComplete: false });
    const diverge = (cash: string) => {
      rig.venue.hold({}, cash);
      runTo(rig.clock, millis(rig.clock.now() + 61_000));
    };
    diverge('9000');
    expect(standing(rig)).toMatchObject({ state: 'halted', rule: 'books-diverged' });
    expect(rig.command({ kind: 'adopt-books' }, 'a fee')[0]?.kind).toBe('done');
    expect(rig.command({ kind: 'resume' }, 'a fee')[0]?.kind).toBe('done');
    rig.quote(10);
    expect([submits(rig), standing(rig).state]).toEqual([1, 'active']);
    diverge('8000');
    expect(standing(rig)).toMatchObject({
      state: 'halted',
      reason: 'cash USD is 9000 here and 8000 at the venue',
    });
  });

  it('is refused without a reason', () => {
    const rig = buying();
    rig.command({ kind: 'halt' });
    expect(rig.command({ kind: 'resume' }, '')[0]?.kind).toBe('refused');
  });
});
