import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SluiceEvent } from '#src/events/event.ts';
import { createFold } from '#src/events/fold.ts';
import { decimal } from '#src/model/decimal.ts';
import { type IntentId, intentId } from '#src/model/order.ts';
import type { RigMember } from '../fixtures/engine-rig.ts';
import { AAPL } from '../fixtures/market.ts';
import { termsOf } from '../fixtures/orders.ts';
import { restarted } from '../fixtures/restarting.ts';
import { fill, rigOf, trader } from '../fixtures/several-traders.ts';

const ownOf = (events: Iterable<SluiceEvent>): Record<string, string> => {
  const fold = createFold();
  for (const event of events) fold.apply(event);
  return Object.fromEntries(
    [...fold.state.books].map(([name, { holdings }]) => [name, String(holdings.get(AAPL)?.quantity ?? 0)]),
  );
};

describe('two strategies of one bot', () => {
  it('each see only the position of their fills, and are notified only of their orders', () => {
    const [long, short]: [string[], string[]] = [[], []];
    const rig = rigOf({ long: trader(30, long), short: trader(-10, short) });
    rig.quote(10);
    fill(rig, 'I1', 'buy', '30');
    fill(rig, 'I2', 'sell', '10');
    rig.quote(11);
    expect(long.filter((line) => !line.startsWith('working'))).toEqual([
      '0 0 0',
      'fill 30',
      'filled',
      '30 0 0',
    ]);
    expect(short.filter((line) => !line.startsWith('working'))).toEqual([
      '0 0 0',
      'fill 10',
      'filled',
      '-10 0 0',
    ]);
    expect(rig.engine.state.portfolio.holdings.get(AAPL)?.quantity.toString()).toBe('20');
    expect(ownOf(rig.journal.replay())).toEqual({ long: '30', short: '-10' });
    expect(Object.fromEntries(rig.engine.earned())).toEqual({ long: 30, short: -10 });
  });

  it('send opening orders at once, although the cancel of an order on that side is not confirmed', () => {
    let quotes = 0;
    let working: IntentId | undefined;
    const rig = rigOf({
      one: {
        strategy: {
          onQuote: ({ symbol }, { orders }) => {
            quotes += 1;
            const next = orders.buy(symbol, 40, { type: 'LO', price: 9 });
            return quotes === 1 || working === undefined
              ? next
              : [orders.cancel({ symbol, intentId: working }), next];
          },
          onOrder: ({ intentId }) => {
            working ??= intentId;
          },
        },
      },
      other: trader(1),
    });
    rig.quote(10);
    rig.quote(10);
    expect(rig.kinds()).not.toContain('intent-held');
    expect(rig.venue.calls.filter((call) => call.startsWith('submit'))).toHaveLength(3);
  });

  it('hold opposite positions in a symbol while the account holds none of it', () => {
    const rig = rigOf({ long: trader(10), short: trader(-10) });
    rig.quote(10);
    fill(rig, 'I1', 'buy', '10');
    fill(rig, 'I2', 'sell', '10');
    rig.quote(11);
    expect(rig.engine.state.portfolio.holdings.has(AAPL)).toBe(false);
    expect(ownOf(rig.journal.replay())).toEqual({ long: '10', short: '-10' });
  });

  it("are judged together: a sale beyond the account's position is a short sale, and the other's book is unchanged", () => {
    const seen: string[] = [];
    const rig = rigOf({ long: trader(10), short: trader(-20, seen) }, { limits: { allowShort: false } });
    rig.quote(10);
    expect(seen.some((line) => line.startsWith('denied'))).toBe(true);
    fill(rig, 'I1', 'buy', '10');
    expect(ownOf(rig.journal.replay())).toEqual({ long: '10' });
  });

  it('are named in every order that they send', () => {
    const rig = rigOf({ one: trader(10), other: trader(20) });
    rig.quote(10);
    const drafted = [...rig.journal.replay()].filter((event) => event.kind === 'intent-drafted');
    expect(drafted.map(({ strategy, terms }) => `${strategy} ${terms.quantity}`)).toEqual([
      'one 10',
      'other 20',
    ]);
  });

  it('have separate limits in addition to those of the account', () => {
    const seen: string[] = [];
    const small = { limits: { maxPositionQuantity: decimal('15') } };
    const rig = rigOf({ small: trader(20, seen, small), free: trader(20) });
    rig.quote(10);
    expect(seen.at(-1)).toContain(
      'Own limit of "small": Position of "AAPL.US" could become 20 shares, limit is 15 shares',
    );
    expect(rig.kinds().filter((kind) => kind === 'submit-sending')).toHaveLength(1);
  });

  it('keep their own positions over a restart', () => {
    const first = rigOf({ long: trader(30), short: trader(-10) });
    first.quote(10);
    fill(first, 'I1', 'buy', '30');
    fill(first, 'I2', 'sell', '10');
    const [long, short]: [string[], string[]] = [[], []];
    const again = restarted(
      [...first.journal.replay()],
      (rig) => {
        fill(rig, 'I1', 'buy', '30');
        fill(rig, 'I2', 'sell', '10');
      },
      {
        members: {
          long: {
            strategy: { onQuote: (_event, { position }) => void long.push(String(position(AAPL).quantity)) },
          },
          short: {
            strategy: { onQuote: (_event, { position }) => void short.push(String(position(AAPL).quantity)) },
          },
        },
      },
    );
    again.quote(10);
    expect([long, short]).toEqual([['30'], ['-10']]);
  });
});

describe('a strategy of several that fails', () => {
  const failing = {
    onQuote: () => {
      throw new RangeError('no');
    },
  };

  it('is not called again, and the others continue', () => {
    const seen: string[] = [];
    const rig = rigOf({ bad: { strategy: failing }, good: trader(10, seen) });
    rig.quote(10);
    rig.quote(11);
    expect(rig.status()).toBe('running');
    expect([...rig.engine.quarantined]).toEqual(['bad']);
    expect(seen).toContain('0 10 0');
    const failed = [...rig.journal.replay()].filter((event) => event.kind === 'strategy-failed');
    expect(failed).toMatchObject([
      { strategy: 'bad', message: expect.stringContaining('threw in onQuote: no') },
    ]);
  });

  it('closes its own position if its policy requires it, and no other', () => {
    let quotes = 0;
    const bad = trader(30, [], { whenFails: 'close' });
    const failsLater: RigMember = {
      ...bad,
      strategy: {
        ...bad.strategy,
        onQuote: (event, context) => {
          quotes += 1;
          if (quotes > 1) throw new RangeError('later');
          return bad.strategy.onQuote?.(event, context);
        },
      },
    };
    const rig = rigOf({ bad: failsLater, good: trader(10) });
    rig.quote(10);
    fill(rig, 'I1', 'buy', '30');
    fill(rig, 'I2', 'buy', '10');
    rig.quote(11);
    const sold = [...rig.journal.replay()].filter(
      (event) => event.kind === 'intent-drafted' && event.terms.side === 'sell',
    );
    expect(sold).toMatchObject([{ strategy: 'bad', terms: { symbol: AAPL } }]);
    expect(sold.map((event) => event.kind === 'intent-drafted' && event.terms.quantity.toString())).toEqual([
      '30',
    ]);
  });

  it('ends the bot when it was the last', () => {
    const rig = rigOf({ one: { strategy: failing }, other: { strategy: failing } });
    rig.quote(10);
    expect(rig.status()).toMatch(/^Strategy "other" threw in onQuote: no/);
  });
});

describe('the books of several strategies', () => {
  const someFill = fc.record({
    strategy: fc.constantFrom('one', 'other', 'third'),
    side: fc.constantFrom('buy' as const, 'sell' as const),
    quantity: fc.integer({ min: 1, max: 500 }),
    price: fc.integer({ min: 1, max: 500 }),
  });

  it('add up to the account: positions share by share, cash to the cent', () => {
    fc.assert(
      fc.property(fc.array(someFill, { maxLength: 30 }), (fills) => {
        const fold = createFold();
        for (const [place, { strategy, side, quantity, price }] of fills.entries()) {
          const id = intentId(`I${place}`);
          const terms = termsOf({ side, quantity: decimal(String(quantity)) });
          const cause = { kind: 'start', name: 'start', symbol: undefined, time: 0, inputs: {} };
          const at = 0;
          fold.apply({
            kind: 'intent-drafted',
            at,
            intentId: id,
            terms,
            reason: '',
            cause,
            strategy,
          } as never);
          fold.apply({
            ...{ kind: 'order-filled', at, intentId: id },
            fill: {
              ...{
                executionId: `e${place}`,
                orderId: 'O',
                intentId: id,
                symbol: AAPL,
                side,
                currency: 'USD',
              },
              ...{
                quantity: terms.quantity,
                price: decimal(String(price)),
                fee: decimal('0.01'),
                charges: [],
                time: 0,
              },
            },
          } as never);
        }
        const { portfolio, books } = fold.state;
        const sum = (of: (book: typeof portfolio) => string): number =>
          [...books.values()].reduce((all, book) => all + Number(of(book)), 0);
        expect(sum(({ holdings }) => String(holdings.get(AAPL)?.quantity ?? 0))).toBe(
          Number(portfolio.holdings.get(AAPL)?.quantity ?? 0),
        );
        expect(sum(({ cash }) => String(cash.get('USD') ?? 0))).toBeCloseTo(
          Number(portfolio.cash.get('USD') ?? 0),
          6,
        );
      }),
    );
  });
});
