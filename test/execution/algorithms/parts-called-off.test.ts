import { describe, expect, it } from 'vitest';
import { securitySymbol } from '#src/model/symbol.ts';
import { MINUTE_MS, millis } from '#src/model/time.ts';
import type { OperatorCommand } from '#src/ports/operator.ts';
import { createEngineRig, type EngineRig, type RigOptions } from '../../fixtures/engine-rig.ts';
import { AAPL } from '../../fixtures/market.ts';
import { fill, sent } from '../../fixtures/rebalancing.ts';
import { runTo } from '../../fixtures/time.ts';

const MSFT = securitySymbol('MSFT.US');

/** Buys in three slices, a minute apart, at the first quote. */
const inParts: NonNullable<RigOptions['strategy']> = {
  onQuote: (_event, { orders, position }) => {
    const { quantity, openBuys } = position(AAPL);
    if (quantity + openBuys > 0) return undefined;
    return orders.twap(orders.buy(AAPL, 90), { minutes: 3, parts: 3 });
  },
};

/** A bot whose first slice is filled. */
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

/** Advances to the time of the next slice, with a fresh quote. */
function later(rig: EngineRig): void {
  runTo(rig.clock, millis(rig.clock.now() + MINUTE_MS));
  rig.quote(10);
}

describe('the exits of a bracket after the position was closed', () => {
  it.each<readonly [OperatorCommand, readonly string[]]>([
    [{ kind: 'flatten' }, ['sell AAPL.US 70']],
    [{ kind: 'flatten', symbols: [AAPL] }, ['sell AAPL.US 70']],
    [{ kind: 'cancel-all' }, []],
    [{ kind: 'cancel-all', symbols: [MSFT] }, ['sell AAPL.US 70']],
  ])('are not sent again after %j if they had yielded to an order of the strategy', (command, more) => {
    let quotes = 0;
    const rig = createEngineRig({
      symbols: [AAPL, MSFT],
      strategy: {
        onQuote: (_event, { orders }) => {
          quotes += 1;
          if (quotes === 1) return orders.bracket(orders.buy(AAPL, 100), { stop: 8 });
          return quotes === 2 ? orders.sell(AAPL, 30) : undefined;
        },
      },
    });
    rig.start();
    rig.quote(10);
    fill(rig, 'I2', '100', '9000', { AAPL: '100' });
    rig.quote(10);
    rig.venue.list('O-I3', { status: 'CanceledStatus' });
    rig.venue.push('O-I3');
    rig.command(command);
    fill(rig, 'I4', '30', '9300', { AAPL: '70' });
    runTo(rig.clock, millis(rig.clock.now() + MINUTE_MS));
    expect(sent(rig)).toEqual(['buy AAPL.US 100', 'sell AAPL.US 100', 'sell AAPL.US 30', ...more]);
    const stops = [...rig.engine.state.live.values()].filter(({ link }) => link?.slot === 'stop');
    expect(stops).toHaveLength(command.kind === 'cancel-all' && command.symbols !== undefined ? 1 : 0);
  });
});

describe('an entry that is filled in spite of a cancel-all', () => {
  it('has its stop nevertheless', () => {
    let quotes = 0;
    const rig = createEngineRig({
      strategy: {
        onQuote: (_event, { orders }) => {
          quotes += 1;
          return quotes === 1 ? orders.bracket(orders.buy(AAPL, 100), { stop: 8 }) : undefined;
        },
      },
    });
    rig.start();
    rig.quote(10);
    rig.command({ kind: 'cancel-all' });
    fill(rig, 'I2', '100', '9000', { AAPL: '100' });
    expect(sent(rig)).toEqual(['buy AAPL.US 100', 'sell AAPL.US 100']);
  });
});

describe('a sliced order after the position was closed', () => {
  it('continues without a command', () => {
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

  it('continues when the command was for another symbol', () => {
    const rig = begun();
    rig.command({ kind: 'flatten', symbols: [MSFT] });
    later(rig);
    expect(submits(rig)).toBe(2);
  });

  it('sends no more of it once its strategy failed, while another continues', () => {
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
