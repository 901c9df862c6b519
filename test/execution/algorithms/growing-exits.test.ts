import { of } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { runBacktest } from '#src/backtest/run-backtest.ts';
import type { SluiceEvent } from '#src/events/event.ts';
import { createFold } from '#src/events/fold.ts';
import { openQuantity } from '#src/events/records/open-orders.ts';
import { createMemoryJournal } from '#src/journal/memory.ts';
import { decimal } from '#src/model/decimal.ts';
import { intentId } from '#src/model/order.ts';
import { first } from '#src/signals/cross.ts';
import { DEFAULT_RULES } from '#src/simulation/rules.ts';
import { defineStrategy } from '#src/strategy/define-strategy.ts';
import type { ExitTerms } from '#src/strategy/exits.ts';
import type { OrderDrafts } from '#src/strategy/order-draft.ts';
import { fillsOf, setupOf } from '../../fixtures/backtest.ts';
import { bracketRig, coverOf, fill, restOf, sent, until } from '../../fixtures/bracket-rig.ts';
import { createEngineRig } from '../../fixtures/engine-rig.ts';
import { AAPL, at, type BarRow, columnsOf } from '../../fixtures/market.ts';

const OPEN = at('2024-03-04T09:30:00-05:00');

/** Minute bars of 100 shares, each as open, high, low, close. */
function minutes(...rows: readonly (readonly [number, number, number, number])[]) {
  return columnsOf(
    AAPL,
    '1m',
    rows.map((row, index): BarRow => [OPEN + index * 60_000, ...row, 100]),
  );
}

const FLAT = [10, 10, 10, 10] as const;
const flat = (count: number) => Array.from({ length: count }, () => FLAT);

/** Buys 100 with exits, at ticks that fill 10 each. */
function run(exits: ExitTerms, bars: ReturnType<typeof minutes>, short = false) {
  const strategy = defineStrategy({
    name: 'bracketed',
    params: {},
    signals: ({ bars: own }) => ({ start: first(own) }),
    onSignal: ({ symbol }, { orders }) => orders.bracket(orders.buy(symbol, 100), exits),
  });
  const journal = createMemoryJournal();
  const rules = { ...DEFAULT_RULES, fills: { ...DEFAULT_RULES.fills, participation: 0.4 } };
  const record = runBacktest(setupOf(strategy, [bars], { rules, short }), { journal });
  return { record, events: [...journal.replay()] };
}

const count = (events: readonly SluiceEvent[], kind: SluiceEvent['kind']): number =>
  events.filter((event) => event.kind === kind).length;

describe('the exits of an entry that is filled in parts', () => {
  it('grow with it: one stop and one target, however many parts there are', () => {
    const { record, events } = run(
      { stop: 9.5, target: 11 },
      minutes(...flat(5), [10, 10, 9, 9.2], ...flat(6)),
    );
    expect(count(events, 'order-filled')).toBe(20);
    expect(count(events, 'intent-drafted')).toBe(3);
    expect(count(events, 'replace-sending')).toBe(18);
    expect(fillsOf(record).at(-1)).toBe('03-04T14:37 sell 10 at 10, fee 0');
  });

  it('that the owner cancels end the rest of the entry, and the alarm names all that was bought', () => {
    const alarms: string[] = [];
    const rig = bracketRig(
      {},
      { onAlarm: ({ code, message }) => code === 'exits-missing' && alarms.push(message) },
    );
    fill(rig, '40');
    rig.venue.list('O-I3', { status: 'CanceledStatus' });
    rig.venue.push('O-I3');
    expect(sent(rig).slice(-2)).toEqual(['cancel O-I4', 'cancel O-I2']);
    // A fill comes before the cancel of the entry.
    fill(rig, '10');
    for (const [id, status] of [
      ['O-I4', 'CanceledStatus'],
      ['O-I2', 'PartialWithdrawal'],
    ] as const) {
      rig.venue.list(id, { status });
      rig.venue.push(id);
    }
    expect(rig.kinds()).toContain('algorithm-ended');
    until(rig, 10_000);
    expect(alarms).toEqual([
      expect.stringContaining(
        '50 of "AAPL.US" are held without the exits that were asked for: its stop was cancelled from outside',
      ),
    ]);
  });

  it('never uncover protected shares, and never sell more than the position (I-6)', () => {
    for (const exits of [
      { stop: { percent: 5 }, target: 11 },
      { trail: { percent: 5 }, target: 11 },
    ]) {
      const wavy = Array.from({ length: 5 }, (_, index) => [10, 10 + index / 10, 9.9, 10] as const);
      const { events } = run(exits, minutes(FLAT, ...wavy, [10, 10, 9, 9.2], ...flat(6)));
      const { state, apply } = createFold();
      const guard = 'stop' in exits ? 'stop' : 'trail';
      let covered = 0;
      for (const event of events) {
        const sold = event.kind === 'order-filled' && event.fill.side === 'sell';
        apply(event);
        if (sold) break;
        const { least, most } = coverOf(state.live, guard);
        const held = state.portfolio.holdings.get(AAPL)?.quantity.toNumber() ?? 0;
        expect(least).toBeGreaterThanOrEqual(covered);
        expect(most).toBeLessThanOrEqual(held);
        covered = least;
      }
      expect(covered).toBe(100);
    }
  });

  it('shrink by the fill of one of them, and the stop keeps its level', () => {
    const { record, events } = run(
      { stop: 9.5, target: 11 },
      minutes(...flat(5), [10, 11, 10, 10.5], [10.5, 10.5, 9, 9], ...flat(6)),
    );
    const drafted = new Map(
      events.flatMap((event) =>
        event.kind === 'intent-drafted' ? [[event.intentId, event.link?.slot] as const] : [],
      ),
    );
    const withdrew = events.flatMap((event) =>
      event.kind === 'algorithm-withdrew' ? [drafted.get(event.intentId)] : [],
    );
    // Once the price has left it, the target is held back again, as it would reserve the shares of the stop; then the
    // stop triggers.
    expect(withdrew).toEqual(['target', 'target']);
    const sold = fillsOf(record).filter((fill) => fill.includes('sell'));
    expect(sold.slice(0, 2)).toEqual([
      '03-04T14:35 sell 10 at 11, fee 0',
      '03-04T14:36 sell 10 at 9.5, fee 0',
    ]);
    expect(sold).toHaveLength(10);
  });

  it('cancel the target once the stop is triggered, and the stop is not rejected', () => {
    const { record, events } = run(
      { stop: 9.5, target: 11 },
      minutes(...flat(5), [10, 10, 9, 9], ...flat(6)),
    );
    expect(fillsOf(record).filter((fill) => fill.includes('sell'))).toHaveLength(10);
    const rejected = events.filter((event) => 'status' in event && event.status === 'RejectedStatus');
    expect(rejected).toEqual([]);
  });
});

describe('an exit whose replace', () => {
  it('gets a second exit when its amend is refused, and is never cancelled (602013)', () => {
    const rig = bracketRig({
      replace: () => of({ kind: 'refused', code: 602013, message: 'order status does not allow amendment' }),
    });
    for (const part of ['10', '20', '30']) fill(rig, part);
    until(rig, 10_000);
    expect(sent(rig).filter((call) => call.startsWith('cancel'))).toEqual([]);
    // One rejection is enough: later parts do not try to amend again.
    expect(sent(rig).filter((call) => call.startsWith('replace'))).toEqual(['replace O-I3', 'replace O-I4']);
    const { live } = rig.engine.state;
    expect([coverOf(live, 'stop').most, coverOf(live, 'target').most]).toEqual([60, 60]);
    expect(openQuantity(rig.engine.state, AAPL, 'sell').toString()).toBe('60');
  });

  it('is joined by at most three others when amends are refused; then one is sent for all shares', () => {
    const rig = bracketRig({ replace: () => of({ kind: 'refused', code: 602013, message: 'no' }) });
    for (let part = 0; part < 5; part += 1) fill(rig, '10');
    until(rig, 10_000);
    const stops = [...rig.engine.state.live.values()].filter(({ link }) => link?.slot === 'stop');
    expect(stops).toHaveLength(4);
    expect(stops.every(({ facets }) => facets.pending.startsWith('cancel-'))).toBe(true);
  });

  it('is amended again 2 s later when the amend was not sent, and keeps working', () => {
    const rig = bracketRig({ replace: () => of({ kind: 'not-sent', message: 'no connection' }) });
    fill(rig, '10');
    fill(rig, '20');
    expect(sent(rig).filter((call) => call === 'replace O-I3')).toHaveLength(1);
    expect(restOf(rig, 'I3')).toBe('10');
    rig.venue.answers.replace = () => of({ kind: 'accepted' });
    until(rig, 2_000);
    expect(sent(rig).filter((call) => call === 'replace O-I3')).toHaveLength(2);
    expect(restOf(rig, 'I3')).toBe('30');
    expect(sent(rig).some((call) => call.startsWith('cancel'))).toBe(false);
  });

  it('keeps its terms when our gate denies the amend: a halted bot keeps its stops and does not enlarge them', () => {
    const rig = bracketRig();
    fill(rig, '10');
    rig.command({ kind: 'halt' });
    fill(rig, '20');
    until(rig, 30_000);
    expect(rig.kinds()).not.toContain('replace-denied');
    expect(sent(rig)).toEqual(['submit I2', 'submit I3', 'submit I4']);
    expect(restOf(rig, 'I3')).toBe('10');
  });

  it('reduces its quantity while the bot is halted: a stop for more than is held would turn the position round', () => {
    const rig = bracketRig();
    fill(rig, '100');
    rig.command({ kind: 'halt' });
    rig.venue.list('O-I4', { status: 'NewStatus' });
    rig.venue.execute('O-I4', { id: 'met', quantity: '40', price: '12' });
    rig.venue.push('O-I4');
    expect(sent(rig)).toContain('replace O-I3');
    expect(String(rig.engine.state.order(intentId('I3'))?.replacing?.quantity)).toBe('60');
    expect(rig.kinds()).not.toContain('replace-denied');
  });

  it('was accepted and is not visible half a minute later was rejected (T-41)', () => {
    const rig = bracketRig();
    fill(rig, '10');
    fill(rig, '20');
    expect(restOf(rig, 'I3')).toBe('30');
    until(rig, 29_000);
    expect(sent(rig).filter((call) => call.startsWith('submit'))).toHaveLength(3);
    until(rig, 31_000);
    expect(restOf(rig, 'I3')).toBe('10');
    expect(coverOf(rig.engine.state.live, 'stop').most).toBe(30);
    expect(sent(rig).some((call) => call.startsWith('cancel'))).toBe(false);
  });

  it('gets a second exit after three lost amends in a row', () => {
    const rig = bracketRig({ replace: () => of({ kind: 'unknown', message: 'no answer' }) });
    fill(rig, '10');
    fill(rig, '20');
    until(rig, 9_000);
    expect(coverOf(rig.engine.state.live, 'stop').most).toBe(30);
    expect(restOf(rig, 'I3')).toBe('30');
    until(rig, 30_000);
    expect(sent(rig).filter((call) => call === 'replace O-I3')).toHaveLength(3);
    expect([restOf(rig, 'I3'), coverOf(rig.engine.state.live, 'stop').most]).toEqual(['10', 30]);
  });

  it('reduces the quantity and is not visible yet is waited for: the stop is not cancelled', () => {
    const rig = bracketRig();
    fill(rig, '30');
    rig.venue.execute('O-I4', { id: 'gain', quantity: '10', price: '12' });
    rig.venue.push('O-I4');
    rig.quote(11);
    fill(rig, '5');
    until(rig, 4_000);
    expect(sent(rig).filter((call) => call.endsWith('O-I3'))).toEqual(['replace O-I3']);
  });

  it('came too late, as the stop was filled at its old quantity, sells the rest at the market (T-43)', () => {
    const rig = bracketRig();
    fill(rig, '10');
    fill(rig, '20');
    rig.venue.execute('O-I3', { id: 'late', quantity: '10', price: '9' });
    rig.venue.list('O-I3', { status: 'FilledStatus', rawStatus: 'FilledStatus' });
    rig.venue.push('O-I3');
    expect(sent(rig)).toContain('cancel O-I4');
    rig.venue.list('O-I4', { status: 'CanceledStatus', rawStatus: 'CanceledStatus' });
    rig.venue.push('O-I4');
    const close = rig.engine.state.order(intentId('I5'));
    expect([close?.link?.slot, close?.terms.type, String(close?.terms.quantity)]).toEqual([
      'close',
      'MO',
      '20',
    ]);
    expect(sent(rig)).toContain('cancel O-I2');
  });
});

describe('a bracket that grows in small parts', () => {
  it('buys no more once its stop triggers (I-6)', () => {
    const rig = bracketRig();
    fill(rig, '10');
    rig.venue.execute('O-I3', { id: 'met', quantity: '4', price: '9' });
    rig.venue.list('O-I3', { status: 'PartialFilledStatus' });
    rig.venue.push('O-I3');
    expect(sent(rig).slice(3)).toEqual(['cancel O-I2', 'cancel O-I4']);
  });

  it('has its stop grow at once, and its target every 5 s at most: calls are few (I-17)', () => {
    const rig = bracketRig();
    rig.venue.answers.replace = ({ orderId, terms }) => {
      rig.venue.list(orderId, { terms });
      return of({ kind: 'accepted' });
    };
    for (let part = 0; part < 4; part += 1) fill(rig, '10');
    expect([restOf(rig, 'I3'), restOf(rig, 'I4')]).toEqual(['40', '10']);
    until(rig, 5_000);
    expect([restOf(rig, 'I3'), restOf(rig, 'I4')]).toEqual(['40', '40']);
    expect(sent(rig).filter((call) => call === 'replace O-I4')).toHaveLength(1);
  });
});

describe('an entry that is partly filled when its strategy closes', () => {
  it.each([
    ['without short sales', false],
    ['with short sales', true],
  ])('has its filled part sold, and its rest cancelled (%s)', (_account, allowShort) => {
    let quotes = 0;
    const rig = createEngineRig({
      limits: { allowShort },
      strategy: {
        onQuote: ({ symbol }, { orders }) => {
          quotes += 1;
          if (quotes === 2) return orders.close(symbol);
          return orders.bracket(orders.buy(symbol, 100, { type: 'LO', price: 10 }), { stop: 9 });
        },
      },
    });
    const { venue } = rig;
    venue.answers.cancel = (id) => {
      venue.list(id, { status: id === 'O-I2' ? 'PartialWithdrawal' : 'CanceledStatus' });
      venue.push(id);
      return of({ kind: 'accepted' });
    };
    rig.start();
    rig.quote(10);
    fill(rig, '30');
    rig.quote(10);
    expect(rig.engine.state.order(intentId('I4'))?.terms).toMatchObject({
      side: 'sell',
      quantity: decimal('30'),
    });
    venue.execute('O-I4', { id: 'closed', quantity: '30', price: '10' });
    venue.push('O-I4');
    expect(rig.venue.calls.filter((call) => call.startsWith('cancel'))).toEqual([
      'cancel O-I3',
      'cancel O-I2',
    ]);
    expect([rig.engine.state.live.size, rig.engine.state.algorithms.size]).toEqual([0, 0]);
    expect(rig.engine.state.portfolio.holdings.size).toBe(0);
  });
});

describe('an entry that turns a position round and is filled in parts', () => {
  it.each(['60', '100'])('is not cancelled when the first %s close the old position', (first) => {
    let quotes = 0;
    const rig = createEngineRig({
      limits: { allowShort: true },
      strategy: {
        onQuote: ({ symbol }, { orders }) => {
          quotes += 1;
          return quotes === 1
            ? orders.sell(symbol, 100)
            : orders.bracket(orders.targetQuantity(symbol, 50), { stop: 9 });
        },
      },
    });
    const traded = (id: string, quantity: string): void => {
      rig.venue.execute(id, { id: `${id} ${quantity}`, quantity, price: '10' });
      rig.venue.push(id);
    };
    rig.start();
    rig.quote(10);
    traded('O-I1', '100');
    rig.quote(10);
    traded('O-I3', first);
    expect(sent(rig)).toEqual(['submit I1', 'submit I3']);
    traded('O-I3', String(150 - Number(first)));
    expect(sent(rig)).toEqual(['submit I1', 'submit I3', 'submit I4']);
    expect(rig.engine.state.order(intentId('I4'))?.terms.quantity).toEqual(decimal('50'));
    expect(rig.engine.state.portfolio.holdings.get(AAPL)?.quantity).toEqual(decimal('50'));
  });
});

describe('an entry without fills when its strategy closes', () => {
  it.each([
    ['a close', (orders: OrderDrafts) => orders.close(AAPL)],
    ['a smaller target', (orders: OrderDrafts) => orders.targetQuantity(AAPL, 40)],
  ])('is not sold against by %s, and has its stop once it is filled', (_what, closes) => {
    let quotes = 0;
    const rig = createEngineRig({
      limits: { allowShort: true },
      strategy: {
        onQuote: ({ symbol }, { orders }) => {
          quotes += 1;
          if (quotes === 2) return closes(orders);
          return orders.bracket(orders.buy(symbol, 100, { type: 'LO', price: 10 }), { stop: 9 });
        },
      },
    });
    rig.start();
    rig.quote(10);
    rig.quote(10);
    expect(sent(rig)).toEqual(['submit I2']);
    fill(rig, '100');
    expect(sent(rig)).toEqual(['submit I2', 'submit I3']);
    expect(rig.engine.state.order(intentId('I3'))?.link?.slot).toBe('stop');
  });
});
