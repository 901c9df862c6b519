import { describe, expect, it } from 'vitest';
import { equityText } from '#src/cli/bots/show-status.ts';
import { createFold } from '#src/events/fold.ts';
import { localFacts } from '#src/execution/gate/gather-facts.ts';
import { decimal } from '#src/model/decimal.ts';
import { securitySymbol } from '#src/model/symbol.ts';
import { millis } from '#src/model/time.ts';
import { factSourcesOf } from '../fixtures/fact-sources.ts';
import { AAPL, security } from '../fixtures/market.ts';
import { termsOf } from '../fixtures/orders.ts';
import { sells, shares, verdictName } from '../risk/judging.ts';

const XOM = securitySymbol('XOM.US');

/**
 * Facts of the gate for an order in AAPL.US on an account that holds 10 XOM.US, which the bot does not trade, with
 * these prices of it.
 */
function factsBeside({ cost, quote }: { readonly cost?: string; readonly quote?: string }) {
  const fold = createFold();
  const quantity = decimal('10');
  const held = { symbol: XOM, currency: 'USD', quantity, available: quantity, initial: quantity };
  fold.apply({
    ...{ kind: 'run-started', at: millis(0), schema: 1, strategy: 's', config: 'c', currency: 'USD' },
    cash: { USD: decimal('10000') },
    positions: [{ ...held, averageCost: cost === undefined ? undefined : decimal(cost) }],
  });
  const quotes = new Map([
    [AAPL, decimal('10')],
    ...(quote === undefined ? [] : [[XOM, decimal(quote)] as const]),
  ]);
  const sources = factSourcesOf(fold.state, {
    now: () => millis(0),
    security: (symbol) => (symbol === AAPL ? security(AAPL) : undefined),
    reference: (symbol) => {
      const value = quotes.get(symbol);
      return value === undefined ? undefined : { value, at: millis(0) };
    },
  });
  const { others, unpriced } = localFacts(termsOf(), sources, true);
  return { gross: others?.gross.toNumber(), unpriced };
}

describe('a position in a symbol that the bot does not trade', () => {
  it('counts at its quote, or at its cost without one', () => {
    expect(factsBeside({ quote: '12' })).toEqual({ gross: 120, unpriced: undefined });
    expect(factsBeside({ cost: '11', quote: '12' }).gross).toBe(120);
    expect(factsBeside({ cost: '11' }).gross).toBe(110);
  });

  it('has no known value without both: nothing opens, and the denial names it; closing is permitted', () => {
    const facts = factsBeside({});
    expect(facts).toEqual({ gross: undefined, unpriced: [XOM] });
    const unknown = { others: undefined, unpriced: [XOM] };
    expect(verdictName(shares('1'), unknown)).toBe(
      'known-facts: No price or no exchange rate for XOM.US: equity is not known',
    );
    const closing = { opens: false, held: decimal('100'), opening: undefined };
    expect(verdictName(sells('1'), { ...unknown, ...closing })).toBe('approved');
  });

  it('is named in the status, with what to do', () => {
    const bot = { equity: null, currency: 'USD', rates: [], quoteAgesMs: { [AAPL]: 100 } };
    expect(equityText({ ...bot, unpriced: [XOM] })).toBe(
      'not known: no price of XOM.US, so nothing opens; add the symbol to the config, or close the position at the broker',
    );
    expect(equityText({ ...bot, unpriced: [AAPL] })).toBe(
      'not known yet: no quote of AAPL.US, so nothing opens',
    );
    expect(equityText({ ...bot, unpriced: [] })).toBe('not known yet');
    expect(equityText(bot)).toBe('not known yet');
  });
});
