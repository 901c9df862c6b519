import { describe, expect, it } from 'vitest';
import { securitySymbol } from '#src/model/symbol.ts';
import { MINUTE_MS, millis } from '#src/model/time.ts';
import type { OperatorCommand } from '#src/ports/operator.ts';
import { createEngineRig, type EngineRig, type RigOptions } from '../../fixtures/engine-rig.ts';
import { AAPL } from '../../fixtures/market.ts';
import { runTo } from '../../fixtures/time.ts';

const MSFT = securitySymbol('MSFT.US');

/** Buys in three parts, a minute apart, at the first quote. */
const inParts: NonNullable<RigOptions['strategy']> = {
  onQuote: (_event, { orders, position }) => {
    const { quantity, openBuys } = position(AAPL);
    if (quantity + openBuys > 0) return undefined;
    return orders.twap(orders.buy(AAPL, 90), { minutes: 3, parts: 3 });
  },
};

/** A bot whose first part is filled. */
function begun(more: RigOptions = { strategy: inParts }): EngineRig {
  const rig = createEngineRig({ symbols: [AAPL, MSFT], ...more });
  rig.start();
  rig.quote(10);
  rig.venue.hold({ AAPL: '30' }, '9700');
  rig.venue.execute('O-I2', { id: 'e-1', quantity: '30', price: '10' });
  rig.venue.push('O-I2');
  return rig;
}

const submits = ({ venue }: EngineRig): number =>
  venue.calls.filter((call) => call.startsWith('submit')).length;

const ends = ({ journal }: EngineRig): readonly string[] =>
  [...journal.replay()].flatMap((event) =>
    event.kind === 'algorithm-ended' ? [`${event.outcome}: ${event.why}`] : [],
  );

/** Goes on to the time of the next part, and gives it a fresh quote. */
function later(rig: EngineRig): void {
  runTo(rig.clock, millis(rig.clock.now() + MINUTE_MS));
  rig.quote(10);
}

describe('an order in parts after somebody gave up what there is', () => {
  it('goes on as long as nobody says anything', () => {
    const rig = begun();
    later(rig);
    expect(submits(rig)).toBe(2);
  });

  it.each<OperatorCommand>([
    { kind: 'cancel-all' },
    { kind: 'cancel-all', symbols: [AAPL] },
    { kind: 'flatten', symbols: [AAPL] },
  ])('sends no more of it after %j', (command) => {
    const rig = begun();
    rig.command(command);
    const given = submits(rig);
    later(rig);
    expect(submits(rig)).toBe(given);
    expect(ends(rig)).toEqual([`canceled: cli asked for "${command.kind}"; 30 of 90 traded`]);
  });

  it('goes on when that was about another symbol', () => {
    const rig = begun();
    rig.command({ kind: 'flatten', symbols: [MSFT] });
    later(rig);
    expect(submits(rig)).toBe(2);
  });

  it('sends no more of it once its strategy failed, while another goes on', () => {
    let fails = false;
    const rig = begun({
      members: {
        one: {
          strategy: {
            onQuote: (event, context) => {
              if (fails) throw new Error('a bug');
              return inParts.onQuote?.(event, context);
            },
          },
        },
        other: { strategy: { onQuote: () => undefined } },
      },
    });
    fails = true;
    rig.quote(10);
    later(rig);
    expect(submits(rig)).toBe(1);
    expect(ends(rig)).toEqual(['canceled: the strategy failed; 30 of 90 traded']);
  });
});
