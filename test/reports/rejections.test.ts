import { describe, expect, it } from 'vitest';
import type { Decision } from '../../src/events/run-record.ts';
import { algorithmId } from '../../src/model/algorithm.ts';
import { decimal } from '../../src/model/decimal.ts';
import { intentId } from '../../src/model/order.ts';
import { millis } from '../../src/model/time.ts';
import { nonePassedText } from '../../src/reports/denials.ts';
import { rejectedIn, rejectionsOf, rejectionTexts } from '../../src/reports/rejections.ts';
import { fillOf, termsOf } from '../fixtures/orders.ts';

const at = (day: string) => millis(Date.parse(`${day}T21:00:00Z`));

const refused = (day: string, message: string): Decision => ({
  ...{ kind: 'submit-refused', at: at(day), intentId: intentId('i-1'), code: 602001, message },
});

const moved = (day: string, status: 'RejectedStatus' | 'FilledStatus', message: string): Decision => ({
  ...{ kind: 'order-moved', at: at(day), intentId: intentId('i-2'), status, rawStatus: status },
  ...{ executedQuantity: decimal('0'), message },
});

describe('why the venue took no order', () => {
  const decisions = [
    moved('2020-01-02', 'FilledStatus', ''),
    refused('2020-01-03', 'Time in force "gtc" is not taken for MO, want day'),
    moved('2020-01-06', 'RejectedStatus', 'Insufficient funds: needs 1,000.50, has 900'),
    moved('2020-01-07', 'RejectedStatus', 'Insufficient funds: needs 2,000.75, has 850'),
  ];

  it('is counted by reason, whatever the figures in it, with the text of the first', () => {
    const rejections = rejectionsOf({ decisions });
    expect(rejectionTexts(rejections)).toEqual([
      '2; first on 2020-01-06: Insufficient funds: needs 1,000.50, has 900',
      '1; first on 2020-01-03: Time in force "gtc" is not taken for MO, want day',
    ]);
    expect(rejectedIn(rejections)).toBe(3);
  });

  it('distinguishes exits, and those that came after another exit of their position', () => {
    const exit = (id: string): Decision => ({
      ...{ kind: 'intent-drafted', at: at('2020-01-02'), intentId: intentId(id), reason: 'trail' },
      terms: termsOf({ side: 'sell' }),
      link: { algorithm: algorithmId('bracket-1'), slot: 'trail', exit: true },
      cause: { kind: 'bar', name: 'bar', symbol: undefined, time: at('2020-01-02'), inputs: {} },
    });
    const rejected = {
      ...refused('2020-01-03', 'Wants to sell 51, available 0'),
      intentId: intentId('trail'),
    };
    const filled: Decision = {
      ...{ kind: 'order-filled', at: at('2020-01-06'), intentId: intentId('stop') },
      fill: fillOf('e1', 'sell', '51', '10'),
    };
    const later = { ...rejected, at: at('2020-01-07') };
    const decisions = [
      exit('trail'),
      exit('stop'),
      rejected,
      filled,
      later,
      refused('2020-01-08', 'No funds'),
    ];
    expect(rejectionTexts(rejectionsOf({ decisions }))).toEqual([
      '1; first on 2020-01-03: an exit of an open position: Wants to sell 51, available 0',
      '1; first on 2020-01-07: an exit sent after another exit of its position had filled, so nothing is missing: Wants to sell 51, available 0',
      '1; first on 2020-01-08: No funds',
    ]);
  });

  it('counts an exit as that of an open position if another exit had filled only in part', () => {
    const draft = (id: string, slot: string): Decision => ({
      ...{ kind: 'intent-drafted', at: at('2020-01-02'), intentId: intentId(id), reason: slot },
      terms: termsOf({ side: 'sell' }),
      link: { algorithm: algorithmId('bracket-1'), slot, exit: true },
      cause: { kind: 'bar', name: 'bar', symbol: undefined, time: at('2020-01-02'), inputs: {} },
    });
    const filled = (side: 'buy' | 'sell', quantity: string): Decision => ({
      ...{
        kind: 'order-filled',
        at: at('2020-01-03'),
        intentId: intentId(side === 'buy' ? 'entry' : 'stop'),
      },
      fill: fillOf(`${side}-${quantity}`, side, quantity, '10'),
    });
    const rejected = {
      ...refused('2020-01-06', 'Wants to sell 51, available 0'),
      intentId: intentId('trail'),
    };
    const kinds = (...fills: readonly Decision[]) =>
      rejectionsOf({ decisions: [draft('stop', 'stop'), draft('trail', 'trail'), ...fills, rejected] }).map(
        ({ exit }) => exit,
      );
    expect(kinds(filled('buy', '51'), filled('sell', '20'))).toEqual(['of-open-position']);
    expect(kinds(filled('buy', '51'), filled('sell', '51'))).toEqual(['after-another']);
  });

  it('is shown above the figures if all orders were rejected', () => {
    const flow = { intents: 3, denied: 0, orders: 0, bars: 9, signals: 3 };
    expect(nonePassedText(flow, { rejected: 3 })).toMatch(/^No order was taken: .* the venue refused/);
    expect(nonePassedText(flow, { rejected: 0 })).toBeUndefined();
  });
});
