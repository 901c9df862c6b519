import { of } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { runBacktest } from '#src/backtest/run-backtest.ts';
import type { SluiceEvent } from '#src/events/event.ts';
import { createMemoryJournal } from '#src/journal/memory.ts';
import { dayOf, midnightOf, regularClose } from '#src/markets/sessions.ts';
import { decimal } from '#src/model/decimal.ts';
import type { Alarm } from '#src/model/notice.ts';
import { intentId } from '#src/model/order.ts';
import { addDays, calendarDay } from '#src/model/time.ts';
import type { OperatorCommand } from '#src/ports/operator.ts';
import { first } from '#src/signals/cross.ts';
import { CASH_ACCOUNT } from '#src/simulation/models.ts';
import type { StrategyContext } from '#src/strategy/context.ts';
import { defineStrategy } from '#src/strategy/define-strategy.ts';
import type { ExitTerms } from '#src/strategy/exits.ts';
import type { OrderDraft } from '#src/strategy/order-draft.ts';
import { fillsOf, setupOf } from '../../fixtures/backtest.ts';
import { bracketRig, fill, restOf, sent, until } from '../../fixtures/bracket-rig.ts';
import { createEngineRig, type EngineRig } from '../../fixtures/engine-rig.ts';
import { AAPL, type BarRow, columnsOf } from '../../fixtures/market.ts';
import { termsOf } from '../../fixtures/orders.ts';
import { limitsOf } from '../../fixtures/risk.ts';

/** Daily bars of AAPL.US from January 2023 on, with the price of each by its number. */
function days(count: number, priceOf: (day: number) => number) {
  const rows: BarRow[] = [];
  for (let day = calendarDay('2023-01-03'); rows.length < count; day = addDays(day, 1)) {
    if (regularClose('US', day) === undefined) continue;
    const price = priceOf(rows.length);
    rows.push([midnightOf('US', day), price, price, price, price]);
  }
  return columnsOf(AAPL, '1d', rows);
}

/** Buys 100 at the first close and holds them with exits until the last bar. */
function hold(exits: ExitTerms, count: number, priceOf: (day: number) => number, to = '2024-03-08') {
  const strategy = defineStrategy({
    name: 'holds',
    params: {},
    signals: ({ bars }) => ({ start: first(bars) }),
    onSignal: ({ symbol }, { orders }) => orders.bracket(orders.buy(symbol, 100), exits),
  });
  const journal = createMemoryJournal();
  const alarms: Alarm[] = [];
  const record = runBacktest(
    setupOf(strategy, [days(count, priceOf)], {
      from: calendarDay('2023-01-03'),
      to: calendarDay(to),
    }),
    {
      journal,
      onAlarm: (alarm) => alarms.push(alarm),
    },
  );
  return {
    record,
    events: [...journal.replay()],
    alarms,
    fills: fillsOf(record).map((line) => line.slice(0, -7)),
  };
}

/** Drafts of a slot, each with the day of its decision. */
function draftsOf(events: readonly SluiceEvent[], slot: string): readonly string[] {
  return events.flatMap((event) =>
    event.kind === 'intent-drafted' && event.link?.slot === slot ? [dayOf('US', event.at)] : [],
  );
}

describe('exits that the venue expires after 90 days while their position is held', () => {
  it('are sent again: the position is neither sold nor left without them', () => {
    const { events, fills, record, alarms } = hold({ stop: 5, target: 50 }, 250, () => 10);
    expect(fills).toHaveLength(1);
    const quarters = ['2023-01-04', '2023-04-04', '2023-07-03', '2023-10-03', '2024-01-02'];
    expect([draftsOf(events, 'stop'), draftsOf(events, 'target')]).toEqual([quarters, quarters]);
    const again = events.filter(
      (event) => event.kind === 'intent-drafted' && event.link?.again !== undefined,
    );
    expect(again).toHaveLength(8);
    expect(again[0]).toMatchObject({ reason: expect.stringContaining('the venue expired the one before') });
    expect(alarms.map(({ code, facts }) => `${code} ${facts['slot']}`)).toEqual([
      'exit-expired stop',
      'exit-expired target',
    ]);
    expect(record.assumptions).toContainEqual(
      expect.stringMatching(/^8 exits expired at the venue .* placed again/),
    );
  });

  it('protect after they were sent again: the stop sells in the second quarter', () => {
    const { fills } = hold({ stop: 8 }, 120, (day) => (day < 100 ? 10 : 7));
    expect(fills).toHaveLength(2);
    expect(fills[1]).toMatch(/sell 100 at 7/);
  });

  it('take the profit after they were sent again: the target sells in the second quarter', () => {
    const { fills } = hold({ target: 12 }, 120, (day) => (day < 100 ? 10 : 13));
    expect(fills).toHaveLength(2);
    expect(fills[1]).toMatch(/sell 100 at 1[23]/);
  });

  it('are sent again as trailing stops, too', () => {
    const { events, fills } = hold({ trail: { amount: 2 } }, 120, (day) => (day < 100 ? 10 : 7));
    expect(draftsOf(events, 'trail')).toHaveLength(2);
    expect(fills).toHaveLength(2);
  });
});

it('a position whose time is over only after the last bar is not closed when its exits expire later', () => {
  const { events, fills } = hold({ stop: 5, afterMinutes: 7 * 24 * 60 }, 3, () => 10, '2023-01-06');
  expect(fills).toHaveLength(1);
  const expired = events.filter((event) => event.kind === 'order-moved' && event.status === 'ExpiredStatus');
  expect(expired.map(({ at }) => dayOf('US', at))).toEqual(['2023-04-04']);
  expect(draftsOf(events, 'close')).toEqual([]);
});

it('an order that turns a position round replaces its exits, also while the market is closed and if it has exits itself', () => {
  const strategy = defineStrategy({
    name: 'turns-round',
    params: {},
    signals: ({ bars }) => ({ start: first(bars) }),
    exits: () => ({ stop: { percent: 5 }, target: { percent: 5 } }),
    onSignal: () => undefined,
    onBar: ({ symbol, bar }, { orders }) => {
      const day = dayOf('US', bar.time);
      if (day === '2023-01-04') return orders.buy(symbol, 100);
      return day === '2023-01-06' ? orders.sell(symbol, 200) : undefined;
    },
  });
  const alarms: Alarm[] = [];
  const record = runBacktest(
    setupOf(strategy, [days(8, () => 10)], {
      ...{ from: calendarDay('2023-01-03'), to: calendarDay('2023-01-13') },
      ...{ short: true, margin: { ...CASH_ACCOUNT, kind: 'margin' } },
      limits: limitsOf({ allowShort: true, useMargin: true }),
    }),
    { onAlarm: (alarm) => alarms.push(alarm) },
  );
  expect(fillsOf(record)).toEqual(['01-05T14:30 buy 100 at 10, fee 0', '01-09T14:30 sell 200 at 10, fee 0']);
  expect(alarms).toEqual([]);
});

/** A bracket that holds 100, with its stop I3 and its target I4 working at the venue. */
function held(alarms: Alarm[] = [], more?: number | 'sells'): EngineRig {
  const rig = bracketRig({}, { onAlarm: (alarm) => alarms.push(alarm) }, more);
  fill(rig, '100');
  rig.venue.list('O-I2', { status: 'FilledStatus' });
  rig.venue.push('O-I2');
  return rig;
}

function ends(
  rig: EngineRig,
  id: string,
  status: 'ExpiredStatus' | 'CanceledStatus' | 'RejectedStatus',
): void {
  rig.venue.list(id, { status });
  rig.venue.push(id);
}

describe('exits that nothing could replace', () => {
  /** Holds 100 with exits; each quote after the first makes the strategy run `next`. */
  function long(exits: ExitTerms, next: (orders: StrategyContext['orders']) => OrderDraft | undefined) {
    let quotes = 0;
    const rig = createEngineRig({
      limits: { allowShort: true },
      strategy: {
        onQuote: ({ symbol }, { orders }) => {
          quotes += 1;
          return quotes === 1 ? orders.bracket(orders.buy(symbol, 100), exits) : next(orders);
        },
      },
    });
    rig.start();
    rig.quote(10);
    fill(rig, '100');
    rig.venue.hold({ AAPL: '100' }, '9000');
    return rig;
  }
  const cancels = (rig: EngineRig): readonly string[] =>
    sent(rig).filter((call) => call.startsWith('cancel'));

  it('stay under a halt that denies the close of the strategy', () => {
    const rig = long({ stop: 5 }, (orders) => orders.close(AAPL));
    rig.command({ kind: 'halt' });
    rig.quote(10);
    expect(rig.kinds()).toContain('intent-denied');
    expect([cancels(rig), restOf(rig, 'I3')]).toEqual([[], '100']);
  });

  it.each<OperatorCommand>([{ kind: 'reduce-only' }, { kind: 'stop-opening', symbols: [AAPL] }])(
    'stay if nothing may be opened, and an order would turn the position round: $kind',
    (command) => {
      const rig = long({ stop: 5 }, (orders) => orders.sell(AAPL, 200));
      rig.command(command);
      rig.quote(10);
      expect(rig.kinds()).toContain('intent-denied');
      expect([cancels(rig), restOf(rig, 'I3')]).toEqual([[], '100']);
    },
  );

  it('stay under a halt beyond the time of their position, which is closed as soon as the gate is resumed', () => {
    const rig = long({ stop: 5, afterMinutes: 1 }, () => undefined);
    rig.command({ kind: 'halt' });
    until(rig, 90_000);
    expect([cancels(rig), restOf(rig, 'I3')]).toEqual([[], '100']);
    rig.command({ kind: 'resume' });
    expect(cancels(rig)).toEqual(['cancel O-I3']);
    ends(rig, 'O-I3', 'CanceledStatus');
    const close = [...rig.engine.state.live.values()].find(({ link }) => link?.slot === 'close');
    expect(close?.terms).toMatchObject({ side: 'sell', type: 'MO' });
  });
});

describe('a position with configured exits', () => {
  it('has them working again after the venue expired one, or closes the position after two within an hour', () => {
    const alarms: Alarm[] = [];
    const rig = held(alarms);
    ends(rig, 'O-I3', 'ExpiredStatus');
    expect(sent(rig).filter((call) => call.startsWith('submit'))).toEqual([
      'submit I2',
      'submit I3',
      'submit I4',
      'submit I5',
    ]);
    expect(restOf(rig, 'I5')).toBe('100');
    ends(rig, 'O-I5', 'ExpiredStatus');
    ends(rig, 'O-I4', 'CanceledStatus');
    // A venue that expires each exit at once would get new ones without end: the position is closed, as after a
    // rejection.
    const close = [...rig.engine.state.live.values()].find(({ link }) => link?.slot === 'close');
    expect(close?.terms.type).toBe('MO');
    expect(alarms.map(({ code }) => code)).toEqual(['exit-expired']);
  });

  it('raises an alarm when its stop is cancelled at the venue by the owner: it is not sent again', () => {
    const alarms: Alarm[] = [];
    const rig = held(alarms);
    ends(rig, 'O-I3', 'CanceledStatus');
    ends(rig, 'O-I4', 'CanceledStatus');
    until(rig, 5_000);
    expect(alarms).toMatchObject([
      { code: 'exits-missing', message: expect.stringContaining('100 of "AAPL.US" are held without') },
    ]);
  });

  it('raises that alarm for the remaining shares only, while another bracket of the symbol protects its own shares', () => {
    const alarms: Alarm[] = [];
    const rig = held(alarms, 50);
    rig.quote(10);
    rig.venue.execute('O-I6', { id: 'second', quantity: '50', price: '10' });
    rig.venue.list('O-I6', { status: 'FilledStatus' });
    rig.venue.push('O-I6');
    expect([restOf(rig, 'I7'), restOf(rig, 'I8')]).toEqual(['50', '50']);
    ends(rig, 'O-I3', 'CanceledStatus');
    ends(rig, 'O-I4', 'CanceledStatus');
    until(rig, 5_000);
    expect(alarms).toMatchObject([
      { code: 'exits-missing', message: expect.stringContaining('100 of "AAPL.US" are held without') },
    ]);
  });

  it('raises one alarm for an exit that stopped working and cannot be sent again', () => {
    const alarms: Alarm[] = [];
    const rig = held(alarms);
    ends(rig, 'O-I4', 'RejectedStatus');
    until(rig, 1_900);
    expect(alarms).toEqual([]);
    until(rig, 60_000);
    expect(alarms).toMatchObject([{ code: 'exits-missing', facts: { symbol: 'AAPL.US', slot: 'target' } }]);
  });

  it('raises it two seconds after an order that closed the position is gone, however long that one had waited', () => {
    const alarms: Alarm[] = [];
    const rig = held(alarms, 'sells');
    rig.quote(10);
    ends(rig, 'O-I3', 'CanceledStatus');
    ends(rig, 'O-I4', 'CanceledStatus');
    expect(sent(rig).at(-1)).toBe('submit I5');
    until(rig, 30_000);
    rig.venue.answers.submit = () => of({ kind: 'unknown', message: 'no answer' });
    const goneAt = rig.clock.now();
    ends(rig, 'O-I5', 'CanceledStatus');
    until(rig, goneAt + 1_999);
    expect(alarms).toEqual([]);
    until(rig, goneAt + 2_000);
    expect(alarms).toMatchObject([
      {
        at: goneAt + 2_000,
        code: 'exits-missing',
        message: expect.stringContaining('100 of "AAPL.US" are held without a working stop for 2 s'),
      },
    ]);
  });

  it.each([
    ['the venue fills', 'active'],
    ['the venue fills', 'halted'],
    ['an operator settles as filled', 'active'],
    ['an operator settles as filled', 'halted'],
  ])(
    'raises it for an older bracket if there is another entry that %s, under a gate that is %s',
    (how, gate) => {
      const alarms: Alarm[] = [];
      const rig = held(alarms, 50);
      rig.quote(10);
      // The owner sells the position of the first bracket; its exits are not gone yet.
      const theirs = { terms: termsOf({ side: 'sell', quantity: decimal('100') }) };
      rig.venue.list('THEIRS', theirs);
      rig.venue.execute('THEIRS', { id: 'theirs', quantity: '100', price: '10' });
      rig.venue.push('THEIRS');
      expect(rig.engine.state.portfolio.holdings.size).toBe(0);
      if (gate === 'halted') rig.command({ kind: 'halt' });
      if (how === 'the venue fills') {
        rig.venue.execute('O-I6', { id: 'second', quantity: '50', price: '10' });
        rig.venue.push('O-I6');
      } else {
        const outcome = { kind: 'filled', quantity: decimal('50'), price: decimal('10') } as const;
        rig.command({ kind: 'settle', intentId: intentId('I6'), outcome }, 'seen at the broker');
      }
      until(rig, rig.clock.now() + 2_000);
      // The shares belong first to the older bracket, whose exits are being cancelled.
      expect(alarms).toMatchObject([
        {
          code: 'exits-missing',
          message: expect.stringContaining('50 of "AAPL.US" are held without a working stop for 2 s'),
        },
      ]);
    },
  );
});
