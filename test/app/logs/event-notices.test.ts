import { describe, expect, it } from 'vitest';
import { createEventNotices } from '#src/app/logs/event-notices.ts';
import { VirtualClock } from '#src/backtest/virtual-clock.ts';
import type { SluiceEvent } from '#src/events/event.ts';
import { createFold } from '#src/events/fold.ts';
import { decimal } from '#src/model/decimal.ts';
import type { Notice } from '#src/model/notice.ts';
import { millis } from '#src/model/time.ts';
import { AAPL, TENCENT } from '../../fixtures/market.ts';
import { acked, drafted, filled, fillOf, intentOf } from '../../fixtures/orders.ts';
import { runTo } from '../../fixtures/time.ts';

/** A run whose events are folded and turned into notices, on a clock that the test drives. */
function aRun() {
  const clock = new VirtualClock(millis(0));
  const fold = createFold();
  const sent: Notice[] = [];
  const redact = (text: string): string => text.replaceAll('hunter22', '[redacted]');
  const notices = createEventNotices({ clock, symbols: [AAPL], send: (notice) => sent.push(notice), redact });
  const happen = (...events: readonly SluiceEvent[]): void => {
    for (const event of events) {
      fold.apply(event);
      notices.event(event, fold.state);
    }
  };
  return { clock, sent, happen, close: notices.close };
}

const START: SluiceEvent = {
  kind: 'run-started',
  at: millis(0),
  schema: 1,
  strategy: 'dips',
  config: 'dips.yaml',
  currency: 'USD',
  cash: { USD: decimal('100000') },
  positions: [],
  equity: decimal('100000.128'),
};

/** Buys 100 at 100 and sells 150 at 110 in two parts, which leaves 50 sold short. */
function aReversal(happen: (...events: readonly SluiceEvent[]) => void): void {
  const [entry, exit] = [intentOf('IN'), intentOf('OUT', { reason: 'stop <b>hunter22</b>' })];
  happen(...acked(entry), filled(fillOf('1', 'buy', '100', '100', { intent: entry.id })));
  happen(
    ...acked({ ...exit, terms: { ...exit.terms, side: 'sell', quantity: decimal('150') } }),
    filled(fillOf('2', 'sell', '40', '110', { intent: exit.id })),
    filled(fillOf('3', 'sell', '110', '95', { intent: exit.id })),
  );
}

describe('notices of a run', () => {
  it('have each fill with its reason, the position after it, and the profit of what it closed', () => {
    const { clock, sent, happen } = aRun();
    happen(START);
    aReversal(happen);
    expect(sent).toEqual([
      { kind: 'start', notice: { at: 0, symbols: [AAPL], gate: 'active', equity: decimal('100000.13') } },
    ]);
    runTo(clock, 5_000);
    const [, notice] = sent;
    if (notice?.kind !== 'fills') throw new Error('No notice of fills was sent');
    expect(
      notice.notice.fills.map(({ quantity, reason, position, closed, profit, profitShare }) => [
        ...[quantity, position, closed, profit].map(String),
        profitShare,
        reason,
      ]),
    ).toEqual([
      ['100', '100', '0', 'undefined', undefined, 'a test'],
      ['40', '60', '40', '400', 0.1, 'stop <b>[redacted]</b>'],
      ['110', '-50', '60', '-300', -0.05, 'stop <b>[redacted]</b>'],
    ]);
  });

  it('show the profit of shares that an earlier process bought, and none where their cost is not known', () => {
    const bought = {
      symbol: AAPL,
      currency: 'USD',
      quantity: decimal('100'),
      available: decimal('100'),
      initial: decimal('100'),
    };
    for (const [cost, profit] of [
      ['90', '2000'],
      ['0', 'undefined'],
    ] as const) {
      const { sent, happen, close } = aRun();
      happen({ ...START, positions: [{ ...bought, averageCost: decimal(cost) }] });
      const exit = intentOf();
      happen(...acked({ ...exit, terms: { ...exit.terms, side: 'sell' } }));
      happen(filled(fillOf('1', 'sell', '100', '110')));
      close();
      expect(
        sent
          .flatMap((each) => (each.kind === 'fills' ? each.notice.fills : []))
          .map((fill) => String(fill.profit)),
      ).toEqual([profit]);
    }
  });

  it('list at most a hundred fills of five seconds, and count the others (I-23)', () => {
    const { clock, sent, happen } = aRun();
    happen(START, ...acked(intentOf('IN', { terms: { ...intentOf().terms, quantity: decimal('300') } })));
    for (let count = 0; count < 250; count += 1)
      happen(filled(fillOf(`${count}`, 'buy', '1', '100', { intent: intentOf('IN').id })));
    runTo(clock, 60_000);
    expect(
      sent.map((each) => (each.kind === 'fills' ? [each.notice.fills.length, each.notice.more] : [])),
    ).toEqual([[], [100, 150]]);
  });

  it('group denials by rule and symbol within a minute', () => {
    const { clock, sent, happen } = aRun();
    happen(START);
    for (let count = 0; count < 30; count += 1) {
      const intent = intentOf(`D${count}`);
      const symbol = count % 3 === 0 ? TENCENT : AAPL;
      const reason = `number ${count}`;
      happen(drafted({ ...intent, terms: { ...intent.terms, symbol } }), {
        kind: 'intent-denied',
        at: millis(count),
        intentId: intent.id,
        rule: 'max-order',
        reason,
        numbers: [],
      });
    }
    runTo(clock, 60_000);
    expect(sent.slice(1)).toEqual([
      {
        kind: 'denials',
        notice: {
          denials: [
            { at: 27, rule: 'max-order', symbol: TENCENT, reason: 'number 27', count: 10 },
            { at: 29, rule: 'max-order', symbol: AAPL, reason: 'number 29', count: 20 },
          ],
          more: 0,
        },
      },
    ]);
  });

  it('have each change of the gate after the fills before it, and the end of the run last', () => {
    const { sent, happen, close } = aRun();
    happen(START);
    aReversal(happen);
    const moved = { kind: 'gate-moved', at: millis(7), by: 'operator', rule: 'kill' } as const;
    happen({ ...moved, state: 'killed', reason: 'enough' });
    happen({ kind: 'symbol-halted', at: millis(8), symbol: AAPL, rule: 'exits', reason: 'a finding' });
    happen({ ...moved, state: 'active', rule: 'resume', reason: 'looked at it', ends: ['kill'] });
    happen(...acked(intentOf('REST')));
    happen({ kind: 'run-ended', at: millis(9), reason: 'interrupted', message: '' });
    close();
    expect(sent.map(({ kind }) => kind)).toEqual(['start', 'fills', 'gate', 'gate', 'stop']);
    expect(sent.slice(2).map(({ notice }) => notice)).toEqual([
      { at: 7, before: 'active', state: 'killed', by: 'operator', rule: 'kill', reason: 'enough' },
      { at: 7, before: 'killed', state: 'active', by: 'operator', rule: 'resume', reason: 'looked at it' },
      { at: 9, reason: 'interrupted', message: '', openOrders: 3, gate: 'active' },
    ]);
  });
});
