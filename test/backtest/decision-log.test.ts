import { describe, expect, it } from 'vitest';
import { DecisionLog } from '#src/backtest/express/decision-log.ts';
import type { SupportedDraft } from '#src/backtest/express/supported-draft.ts';
import { securitySymbol } from '#src/model/symbol.ts';
import type { DraftTerms } from '#src/strategy/order-draft.ts';

const SYMBOLS = ['700.HK', '5.HK'].map(securitySymbol);

describe('stored answers of a strategy', () => {
  it('are returned in order with their reasons, however many texts those have', () => {
    // More reasons than are interned, drafts without one among them, and more drafts than the initial capacity.
    const given = Array.from({ length: 3_000 }, (_, at): SupportedDraft => {
      const symbol = SYMBOLS[at % 2] ?? securitySymbol('700.HK');
      const why = at % 3 === 0 ? {} : { reason: at % 3 === 1 ? '' : `crossed ${at}` };
      return at % 5 === 0
        ? { kind: 'target-quantity', symbol, quantity: at, ...why }
        : { kind: 'target-weight', symbol, weight: at / 3_000, ...why };
    });
    const decisions = new DecisionLog(16);
    for (const draft of given) {
      decisions.recordDraft(draft);
      decisions.recordEmpty();
    }
    const read = decisions.reader();
    for (const draft of given) {
      expect(read()).toStrictEqual(draft);
      expect(read()).toBeUndefined();
    }
    expect(decisions.finishedCalls).toBe(2 * given.length);
  });

  it('are returned as manual orders with their levels, whether those are stored as figures or as they are', () => {
    const symbol = securitySymbol('5.HK');
    const shapes: readonly DraftTerms[] = [
      { type: 'LO', price: 54.35 },
      { type: 'MIT', triggerPrice: 51 },
      { type: 'MO' },
      { type: 'LO' },
      { type: 'LO', price: '54.350' },
      { type: 'MIT', triggerPrice: 51, timeInForce: 'day' },
      { price: 54.35 },
    ];
    const given = Array.from({ length: 900 }, (_, at): SupportedDraft => {
      const side = at % 2 === 0 ? 'buy' : 'sell';
      const terms = at < 40 ? undefined : shapes[at % (shapes.length + 1)];
      const own = terms === undefined ? {} : { terms };
      const why = at % 3 === 0 ? { reason: 'fell' } : {};
      return { kind: 'order', symbol, side, quantity: at + 1, ...own, ...why };
    });
    const decisions = new DecisionLog(16);
    for (const draft of given) decisions.recordDraft(draft);
    const read = decisions.reader();
    for (const draft of given) expect(read()).toStrictEqual(draft);
  });
});
