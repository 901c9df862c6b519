import { describe, expect, it } from 'vitest';
import { paperRecord } from '#src/app/run/paper-record.ts';
import type { SluiceEvent } from '#src/events/event.ts';
import { createMemoryJournal } from '#src/journal/memory.ts';
import { decimal } from '#src/model/decimal.ts';
import { millis } from '#src/model/time.ts';
import { defineStrategy } from '#src/strategy/define-strategy.ts';
import { setupOf } from '../../fixtures/backtest.ts';
import { bracketRig, fill } from '../../fixtures/bracket-rig.ts';
import { AAPL, columnsOf } from '../../fixtures/market.ts';
import { filled, fillOf } from '../../fixtures/orders.ts';

const START = millis(Date.parse('2024-03-04T14:30:00Z'));
const strategy = defineStrategy({ name: 'by-hand', params: {}, onBar: () => undefined });
const setup = setupOf(strategy, [columnsOf(AAPL, '1d', [[START, 10, 10, 10, 10]])]);

describe('the record of a bot on an account', () => {
  it.each([true, false])(
    'has the orders of earlier runs and fills that an operator settled (machine time: %s)',
    (live) => {
      const rig = bracketRig();
      fill(rig, '100');
      const working = [...rig.engine.state.live.values()];
      const stop = working.find(({ link }) => link?.slot === 'stop');
      const target = working.find(({ link }) => link?.slot === 'target');
      if (stop === undefined || target === undefined) throw new Error('No exits are working');
      const settled: SluiceEvent = {
        ...{ kind: 'order-settled', at: millis(7_000), intentId: target.intentId, outcome: 'filled' },
        ...{ quantity: decimal('40'), price: decimal('12'), currency: 'USD', by: 'cli', reason: 'seen' },
      };
      const journal = createMemoryJournal();
      const lease: SluiceEvent = {
        ...{
          kind: 'lease-taken',
          at: millis(5),
          epoch: 2,
          version: '1',
          configHash: '',
          machineAt: millis(5),
        },
      };
      const sold = filled(fillOf('left', 'sell', '60', '9', { intent: stop.intentId, time: millis(6_000) }));
      for (const event of [...rig.journal.replay(), lease, sold, settled]) journal.append(event);
      const record = paperRecord(
        setup,
        rig.engine,
        { start: START, live },
        { journalPath: 'journal.db', journal, ownVenue: false },
      );
      expect(record.fills.map(({ quantity, price }) => `${quantity} at ${price}`)).toEqual([
        '60 at 9',
        '40 at 12',
      ]);
      expect([...(record.earlierOrders?.values() ?? [])].map(({ link }) => link?.slot)).toEqual([
        'stop',
        'target',
      ]);
    },
  );
});
