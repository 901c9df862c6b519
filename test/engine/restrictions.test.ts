import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type KillMark, openKillMark } from '#src/app/kill-mark.ts';
import { openSqliteJournal } from '#src/journal/sqlite.ts';
import { decimal } from '#src/model/decimal.ts';
import { submits } from '../execution/a-buying-bot.ts';
import { createEngineRig, type EngineRig, type RigOptions } from '../fixtures/engine-rig.ts';
import { AAPL } from '../fixtures/market.ts';
import { runTo, seconds } from '../fixtures/time.ts';

const KILL = { kind: 'kill', flatten: false, foreign: false } as const;

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0).toReversed()) close();
});

function openMark(folder: string): KillMark {
  const mark = openKillMark(folder);
  closing.push(mark.close);
  return mark;
}

/** A folder with a journal and a kill file on disk. */
function place() {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-restrictions-'));
  closing.push(() => rmSync(folder, { recursive: true }));
  const journal = openSqliteJournal(join(folder, 'journal.db'));
  closing.push(() => journal.close());
  return { folder, journal, mark: openMark(folder) };
}

/** A bot that buys 100 AAPL.US at every quote, with its journal on disk. */
function bot(options: RigOptions = {}): EngineRig {
  const journal = options.journal ?? place().journal;
  const rig = createEngineRig({
    strategy: { onQuote: (_quote, { orders }) => orders.buy(AAPL, 100, { type: 'LO', price: 9 }) },
    pushComplete: false,
    ...options,
    journal,
  });
  rig.start();
  return rig;
}

describe('restrictions of the gate', () => {
  it('opens again without an operator after the books differed and then agreed (I-13)', () => {
    const rig = bot();
    rig.venue.hold({ AAPL: '25' }, '10000');
    runTo(rig.clock, seconds(60));
    expect(rig.engine.gateNow()).toMatchObject({ state: 'reduce-only', by: 'books', rule: 'books-differ' });
    rig.quote(10);
    expect(submits(rig)).toBe(0);
    rig.venue.hold({}, '10000');
    runTo(rig.clock, seconds(62));
    expect(rig.engine.gateNow().state).toBe('active');
    rig.quote(10);
    expect(submits(rig)).toBe(1);
  });

  it('keeps a drawdown that began during a pause of the books when that pause ends (I-15)', () => {
    const rig = bot({ limits: { maxDrawdown: decimal('0.05') } });
    rig.quote(10);
    rig.venue.execute('O-I1', { id: 'e1', quantity: '100', price: '10' });
    rig.venue.hold({ AAPL: '100' }, '9000');
    runTo(rig.clock, seconds(10));
    rig.venue.hold({ AAPL: '125' }, '9000');
    runTo(rig.clock, seconds(60));
    expect(rig.engine.gateNow()).toMatchObject({ state: 'reduce-only', rule: 'books-differ' });
    rig.venue.answers.equity = '9300';
    rig.quote(3);
    rig.venue.hold({ AAPL: '100' }, '9000');
    runTo(rig.clock, seconds(62));
    expect(rig.engine.gateNow()).toMatchObject({ state: 'reduce-only', rule: 'drawdown' });
  });

  it('lets a kill win that arrives while a resume of an earlier kill is under way: in memory, on disk and after a restart (I-14)', () => {
    const { mark, journal, folder } = place();
    const between: string[] = [];
    let killed = false;
    const rig = bot({
      ...{ journal, killMark: mark },
      onEvent: (event) => {
        if (event.kind === 'gate-moved') between.push(rig.engine.gateNow().state);
        if (event.kind !== 'operator-commanded' || event.command !== 'resume' || killed) return;
        killed = true;
        mark.set('stop everything (cli)');
        rig.command(KILL, 'stop everything');
      },
    });
    mark.set('first (cli)');
    rig.command(KILL, 'first');
    rig.command({ kind: 'resume' }, 'looked at it');
    rig.quote(10);
    expect(submits(rig)).toBe(0);
    expect(new Set(between)).toEqual(new Set(['killed']));
    expect(rig.engine.gateNow()).toMatchObject({ state: 'killed' });
    expect(rig.engine.state.gate.standing.state).toBe('killed');
    expect(mark.read()?.reason).toBe('stop everything (cli)');
    rig.stop();
    const again = bot({ journal, killMark: openMark(folder) });
    expect(again.engine.gateNow().state).toBe('killed');
    again.quote(10);
    expect(submits(again)).toBe(0);
  });

  it('refuses a resume when the kill file was written after it was asked for, and leaves the file alone (I-14)', () => {
    const { mark, journal, folder } = place();
    const rig = bot({ journal, killMark: mark });
    mark.set('first (cli)');
    rig.command(KILL, 'first');
    // The venue takes its time to tell the account, and a program beside this one marks a kill meanwhile.
    rig.venue.answers.delayMs = 500;
    const outcomes = rig.command({ kind: 'resume' }, 'looked at it');
    openMark(folder).set('the bot hangs (another program)');
    runTo(rig.clock, seconds(2));
    expect(outcomes).toEqual([
      {
        kind: 'refused',
        message: 'Cannot resume: a kill came after the resume: the bot hangs (another program)',
      },
    ]);
    expect([rig.engine.gateNow().state, mark.read()?.reason]).toEqual([
      'killed',
      'the bot hangs (another program)',
    ]);
  });

  it('never erases a kill in its file: no transition but the resume of that very kill lifts it (I-14)', () => {
    const { mark, journal } = place();
    const rig = bot({ journal, killMark: mark });
    mark.set('the market burns (kill file)');
    rig.command({ kind: 'halt' });
    rig.command({ kind: 'reduce-only' });
    rig.command({ kind: 'stop-opening' });
    rig.command({ kind: 'start-opening' });
    rig.venue.hold({ AAPL: '25' }, '10000');
    runTo(rig.clock, seconds(60));
    rig.venue.hold({}, '10000');
    runTo(rig.clock, seconds(63));
    expect(mark.read()?.reason).toBe('the market burns (kill file)');
    expect(rig.command({ kind: 'resume' }, 'it is out')).toMatchObject([{ kind: 'done' }]);
    expect([mark.read(), rig.engine.gateNow().state]).toEqual([undefined, 'active']);
    mark.set('again (cli)');
    expect(rig.engine.gateNow().state).toBe('killed');
  });

  it('ends the entry of one cause and no other (I-13)', () => {
    const rig = bot();
    rig.venue.hold({ AAPL: '25' }, '10000');
    runTo(rig.clock, seconds(60));
    rig.command({ kind: 'halt' });
    expect([...rig.engine.state.gate.restrictions.keys()]).toEqual(['books-differ', 'operator']);
    rig.venue.hold({}, '10000');
    runTo(rig.clock, seconds(63));
    expect([...rig.engine.state.gate.restrictions.keys()]).toEqual(['operator']);
    expect(rig.engine.gateNow()).toMatchObject({ state: 'halted', rule: 'halt' });
  });
});
