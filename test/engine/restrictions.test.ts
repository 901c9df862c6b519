import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { of, Subject } from 'rxjs';
import { afterEach, describe, expect, it } from 'vitest';
import { type KillMark, openKillMark } from '#src/app/control/kill-mark.ts';
import { openSqliteJournal } from '#src/journal/sqlite.ts';
import { decimal } from '#src/model/decimal.ts';
import { securitySymbol } from '#src/model/symbol.ts';
import { millis } from '#src/model/time.ts';
import type { MissingQuotes } from '#src/ports/quote-feed.ts';
import { submits } from '../execution/a-buying-bot.ts';
import { createEngineRig, type EngineRig, type RigOptions } from '../fixtures/engine-rig.ts';
import { AAPL } from '../fixtures/market.ts';
import { runTo, seconds } from '../fixtures/time.ts';

const SPY = securitySymbol('SPY.US');
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

/** Rules and reasons of the denied orders. */
function deniedBy({ journal }: EngineRig): readonly string[] {
  return [...journal.replay()].flatMap((event) =>
    event.kind === 'intent-denied' ? [`${event.rule}: ${event.reason}`] : [],
  );
}

describe('restrictions of the gate', () => {
  it('open again without an operator after the books differed and then agreed (I-13)', () => {
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

  it('keep a drawdown that began during a pause of the books when that pause ends (I-15)', () => {
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

  it('let a kill win that arrives while a resume of an earlier kill is in progress: in memory, on disk and after a restart (I-14)', () => {
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

  it('refuse a resume if the kill file was written after the request, and leave the file alone (I-14)', () => {
    const { mark, journal, folder } = place();
    const rig = bot({ journal, killMark: mark });
    mark.set('first (cli)');
    rig.command(KILL, 'first');
    // The venue answers the account request slowly, and another program writes a kill mark in the meantime.
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

  it('never erase a kill in its file: only the resume of that kill lifts it (I-14)', () => {
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

  it('end the entry of one cause and no other (I-13)', () => {
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

  it('include a quote connection that is down, as long as it is down, with its text and since when (I-9, F-B34)', () => {
    let unheard: readonly MissingQuotes[] = [];
    const rig = bot({ pushComplete: true, unheard: () => unheard });
    runTo(rig.clock, seconds(30));
    unheard = [{ why: 'the quote connection is down', since: millis(29_000) }];
    expect(rig.engine.gateNow()).toMatchObject({
      state: 'reduce-only',
      rule: 'unheard-quote',
      since: 29_000,
    });
    rig.quote(10);
    expect(deniedBy(rig)).toEqual([
      'unheard-quote: Quotes of "AAPL.US" do not arrive: the quote connection is down',
    ]);
    unheard = [{ symbol: SPY, why: 'the venue has not confirmed its subscription', since: millis(29_000) }];
    expect(rig.engine.gateNow().state).toBe('active');
    expect(rig.engine.restrictionsNow()).toMatchObject([{ cause: 'quotes-unheard', symbol: SPY }]);
    rig.quote(10);
    expect(submits(rig)).toBe(1);
    unheard = [];
    expect(rig.engine.restrictionsNow()).toEqual([]);
  });

  it('keep an order from being sent that was approved before its quotes stopped arriving (T-03, I-9)', () => {
    let unheard: readonly MissingQuotes[] = [];
    const rig = bot({
      pushComplete: true,
      unheard: () => unheard,
      onEvent: ({ kind }) => {
        if (kind === 'intent-armed') unheard = [{ why: 'the quote connection is down', since: millis(0) }];
      },
    });
    rig.quote(10);
    expect(submits(rig)).toBe(0);
    expect(deniedBy(rig)).toEqual([
      'unheard-quote: Since the order was approved: the quote connection is down',
    ]);
  });

  it('show every cause with its text: the strictest first, including the link and an unknown order', () => {
    const pushes$ = new Subject<'up' | 'down'>();
    const rig = bot({
      pushes$,
      unheard: () => [{ why: 'the quote connection is down', since: millis(1_000) }],
    });
    rig.command({ kind: 'stop-opening' }, 'after hours');
    runTo(rig.clock, seconds(5));
    pushes$.next('down');
    const [answer] = rig.command({ kind: 'halt' }, 'looking at it');
    expect(rig.engine.restrictionsNow().map(({ cause, state, since }) => [cause, state, since])).toEqual([
      ['operator', 'halted', 5_000],
      ['schedule', 'reduce-only', 0],
      ['quotes-unheard', 'reduce-only', 1_000],
      ['orders-unheard', 'reduce-only', 5_000],
    ]);
    expect(answer).toEqual({
      kind: 'done',
      message: [
        'Gate is halted (halt: looking at it (cli))',
        'also reduce-only (stop-opening: after hours (cli))',
        'also reduce-only (unheard-quote: the quote connection is down)',
        'also reduce-only (books-agree: order changes are not heard, the connection is down)',
      ].join('; '),
    });
  });

  it('include the symbol of an unknown order, and the account while a custom rule fails (I-2, I-16)', () => {
    let isBroken = true;
    const rig = bot({
      pushComplete: true,
      rules: {
        evaluate: () =>
          of(
            isBroken ? { kind: 'failed', rule: 'mine', message: 'mine threw: no figures' } : { kind: 'pass' },
          ),
      },
    });
    rig.quote(10);
    expect(rig.engine.restrictionsNow()).toMatchObject([
      { cause: 'rule-failed', state: 'reduce-only', rule: 'mine', reason: 'mine threw: no figures' },
    ]);
    isBroken = false;
    rig.venue.answers.submit = () => of({ kind: 'unknown', message: 'the line was cut' });
    rig.quote(10);
    expect(rig.engine.restrictionsNow()).toMatchObject([{ cause: 'unknown-order', symbol: AAPL }]);
    expect(rig.engine.gateNow().state).toBe('active');
  });

  it('are reduce-only during recovery, as the status shows', () => {
    const rig = createEngineRig();
    expect(rig.engine.restrictionsNow()).toMatchObject([{ cause: 'recovering', state: 'reduce-only' }]);
    rig.start();
    expect(rig.engine.restrictionsNow()).toEqual([]);
  });

  it('are still reported by a bot whose kill file is closed, as its live view shows them once more', () => {
    const { journal, folder } = place();
    const mark = openKillMark(folder);
    const rig = bot({ journal, killMark: mark });
    mark.set('enough (another program)');
    mark.close();
    expect(rig.engine.restrictionsNow()).toMatchObject([
      { cause: 'kill', reason: 'enough (another program)' },
    ]);
  });

  it('name a kill of the kill file among the causes', () => {
    const { mark, journal } = place();
    const rig = bot({ journal, killMark: mark });
    rig.command({ kind: 'halt' }, 'looking at it');
    mark.set('the market burns (another program)');
    expect(rig.engine.restrictionsNow().map(({ state, reason }) => [state, reason])).toEqual([
      ['killed', 'the market burns (another program)'],
      ['halted', 'looking at it (cli)'],
    ]);
  });
});
