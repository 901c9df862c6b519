import { describe, expect, it } from 'vitest';
import { decodeEvent, encodeEvent } from '#src/events/codec.ts';
import type { SluiceEvent } from '#src/events/event.ts';
import type { TrackedOrder } from '#src/events/fold.ts';
import { PASSING } from '#src/execution/algorithms/rebalance.ts';
import type { Alarm } from '#src/model/notice.ts';
import { securitySymbol } from '#src/model/symbol.ts';
import { DAY_MS, millis, SECOND_MS } from '#src/model/time.ts';
import type { OperatorCommand } from '#src/ports/operator.ts';
import { isCounted } from '#src/risk/risk-gate.ts';
import { RULES } from '#src/risk/rules.ts';
import { createEngineRig, type EngineRig, type RigOptions } from '../../fixtures/engine-rig.ts';
import { AAPL } from '../../fixtures/market.ts';
import { restarted } from '../../fixtures/restarting.ts';
import { runTo } from '../../fixtures/time.ts';

const MSFT = securitySymbol('MSFT.US');
const IBM = securitySymbol('IBM.US');

/** Buys AAPL at the first quote; at the second it wants half of the equity in MSFT and a fifth in IBM in its place. */
function rotating(): NonNullable<RigOptions['strategy']> {
  let quotes = 0;
  return {
    onQuote: (_event, { orders }) => {
      quotes += 1;
      if (quotes === 1) return orders.buy(AAPL, 100);
      return quotes === 2 ? orders.rebalance({ [MSFT]: 0.5, [IBM]: 0.2 }) : undefined;
    },
  };
}

const setting = (more: RigOptions = {}): RigOptions => ({
  symbols: [AAPL, MSFT, IBM],
  strategy: rotating(),
  ...more,
});

/** A bot that holds 100 AAPL, whose sale I2 is at the venue. */
function selling(more: RigOptions = {}): EngineRig {
  const rig = createEngineRig(setting(more));
  rig.start();
  rig.quote(10);
  fill(rig, 'I1', '100', '9000', { AAPL: '100' });
  rig.quote(10);
  return rig;
}

function fill(
  { venue }: EngineRig,
  intent: string,
  quantity: string,
  cash: string,
  shares: Readonly<Record<string, string>>,
): void {
  venue.hold(shares, cash);
  venue.execute(`O-${intent}`, { id: `e-${intent}-${quantity}`, quantity, price: '10' });
  venue.push(`O-${intent}`);
}

/** Submits so far, as "sell AAPL.US 100". */
function submits({ venue, engine }: EngineRig): readonly string[] {
  return venue.calls.flatMap((call) => {
    const order = [...engine.state.live.values(), ...engine.state.done.values()].find(
      ({ intentId }) => call === `submit ${intentId}`,
    );
    return order === undefined ? [] : [`${order.terms.side} ${order.terms.symbol} ${order.terms.quantity}`];
  });
}

const ends = ({ journal }: EngineRig): readonly string[] =>
  [...journal.replay()].flatMap((event) =>
    event.kind === 'algorithm-ended' ? [`${event.outcome}: ${event.why}`] : [],
  );

describe('a rebalance while its sale is at the venue', () => {
  it('waits through a part of it, and buys when it is filled', () => {
    const rig = selling();
    expect(submits(rig)).toEqual(['buy AAPL.US 100', 'sell AAPL.US 100']);
    fill(rig, 'I3', '40', '9400', { AAPL: '60' });
    expect(submits(rig)).toHaveLength(2);
    fill(rig, 'I3', '60', '10000', {});
    expect(submits(rig).slice(2)).toEqual(['buy MSFT.US 500', 'buy IBM.US 200']);
    expect(ends(rig)).toEqual(['done: sent 1 to sell and 2 to buy']);
  });

  it('asks again while the venue does not count the money of a sale that it told of', () => {
    const rig = selling();
    rig.venue.answers.buyLimit = '10';
    fill(rig, 'I3', '100', '10000', {});
    expect(submits(rig)).toHaveLength(2);
    runTo(rig.clock, millis(rig.clock.now() + 11 * SECOND_MS));
    expect(submits(rig)).toHaveLength(2);
    rig.venue.answers.buyLimit = '1000';
    runTo(rig.clock, millis(rig.clock.now() + 60 * SECOND_MS));
    expect(submits(rig).slice(2)).toEqual(['buy MSFT.US 500', 'buy IBM.US 200']);
    expect(rig.kinds().filter((kind) => kind === 'intent-denied')).toHaveLength(2);
  });

  it('asks again after denials that there are, and that no limit stands behind', () => {
    const rules = new Set(['call-budget', 'restart', 'stale-verdict', ...RULES.map(({ name }) => name)]);
    for (const rule of PASSING) expect([rule, rules.has(rule), isCounted(rule)]).toEqual([rule, true, false]);
  });

  it.each<readonly [OperatorCommand, string]>([
    [{ kind: 'cancel-all' }, 'cli asked for "cancel-all"'],
    [{ kind: 'flatten' }, 'cli asked for "flatten"'],
    [{ kind: 'halt' }, 'the gate was halted by the operator'],
    [{ kind: 'kill', flatten: false, foreign: false }, 'the gate was killed by the operator'],
  ])('buys nothing after $kind', (command, why) => {
    const rig = selling();
    rig.command(command);
    rig.venue.list('O-I3', { status: 'CanceledStatus' });
    rig.venue.push('O-I3');
    expect(submits(rig).filter((text) => text.includes('MSFT') || text.includes('IBM'))).toEqual([]);
    expect(ends(rig)).toEqual([`canceled: ${why}`]);
  });

  it('buys nothing after its strategy failed, while another goes on', () => {
    let quotes = 0;
    const failing = rotating();
    const rig = createEngineRig({
      symbols: [AAPL, MSFT, IBM],
      members: {
        one: {
          strategy: {
            onQuote: (event, context) => {
              quotes += 1;
              if (quotes === 3) throw new Error('a bug');
              return failing.onQuote?.(event, context);
            },
          },
        },
        other: { strategy: { onQuote: () => undefined } },
      },
    });
    rig.start();
    rig.quote(10);
    fill(rig, 'I1', '100', '9000', { AAPL: '100' });
    rig.quote(10);
    rig.quote(10);
    rig.venue.list('O-I3', { status: 'CanceledStatus' });
    rig.venue.push('O-I3');
    expect(submits(rig)).toHaveLength(2);
    expect(ends(rig)).toEqual(['canceled: the strategy failed']);
  });

  it('is given up after ten days, and says so', () => {
    const alarms: Alarm[] = [];
    const rig = selling({ onAlarm: (alarm) => alarms.push(alarm) });
    runTo(rig.clock, millis(rig.clock.now() + 10 * DAY_MS));
    expect(ends(rig)).toEqual([
      'failed: its purchases waited for longer than 10 days; sent 1 to sell and 0 to buy',
    ]);
    expect(alarms.map(({ code }) => code)).toContain('rebalance-late');
    fill(rig, 'I3', '100', '10000', {});
    expect(submits(rig)).toHaveLength(2);
  });
});

describe('a rebalance of a bot that dies', () => {
  /** The journal of one that was carried out, through its text. */
  function whole(): readonly SluiceEvent[] {
    const rig = selling();
    fill(rig, 'I3', '100', '10000', {});
    return [...rig.journal.replay()].map((event) => decodeEvent(encodeEvent(event)));
  }

  it.each(['arrived', 'was lost'])(
    'sends each order once, and no purchase before its sale, wherever its journal ends; what was on its way %s (I-2, I-21)',
    (fate) => {
      const events = whole();
      const begun = events.findIndex(({ kind }) => kind === 'algorithm-started') + 1;
      expect(begun).toBeGreaterThan(1);
      for (let count = begun; count <= events.length; count += 1) {
        const left = events.slice(0, count);
        const inDoubt = lost(left);
        const rig = afterCrash(left, fate === 'arrived');
        const sold = isSold(left);
        if (!sold) expect(atVenue(rig).filter(({ link }) => link?.slot.startsWith('buy'))).toEqual([]);
        runTo(rig.clock, millis(rig.clock.now() + 20 * SECOND_MS));
        const sale = atVenue(rig).find(({ terms }) => terms.side === 'sell');
        if (!sold && sale !== undefined) fill(rig, sale.intentId, '100', '10000', {});
        runTo(rig.clock, millis(rig.clock.now() + 20 * SECOND_MS));
        const wanted = ['buy AAPL.US 100', 'buy IBM.US 200', 'buy MSFT.US 500', 'sell AAPL.US 100'];
        const missing = fate === 'arrived' ? [] : inDoubt;
        // A sale in doubt holds the purchases up until it is given up, which takes two minutes.
        const waits = missing.includes('sell AAPL.US 100') ? wanted.slice(1, 3) : [];
        expect([count, sent(rig)]).toEqual([
          count,
          wanted.filter((text) => !missing.includes(text) && !waits.includes(text)),
        ]);
      }
    },
  );
});

/** Orders that the venue took, as "sell AAPL.US 100". */
const sent = (rig: EngineRig): readonly string[] => atVenue(rig).map(textOf).toSorted();

const textOf = ({ terms }: Pick<TrackedOrder, 'terms'>): string =>
  `${terms.side} ${terms.symbol} ${terms.quantity}`;

function atVenue({ engine: { state } }: EngineRig): readonly TrackedOrder[] {
  return [...state.live.values(), ...state.done.values()].filter(
    ({ facets }) => facets.submission.kind === 'acked',
  );
}

/** The venue fills the sale right after it was read as working: while the bot is down where that is the last it knows. */
const isSold = (left: readonly SluiceEvent[]): boolean =>
  left.some((event) => event.kind === 'order-moved' && event.intentId === 'I3');

/** Orders whose bytes may have left when the journal ended. */
function lost(left: readonly SluiceEvent[]): readonly string[] {
  return left.flatMap((event) => {
    if (event.kind !== 'intent-drafted') return [];
    const of = left.filter((each) => 'intentId' in each && each.intentId === event.intentId);
    return of.at(-1)?.kind === 'submit-sending' ? [textOf(event)] : [];
  });
}

/** The bot starts again and knows no price at first; the venue has what it took before, and what was on its way where that arrived. */
function afterCrash(left: readonly SluiceEvent[], arrived: boolean): EngineRig {
  const took = arrived ? 'submit-sending' : 'submit-acked';
  const again = restarted(
    left,
    ({ venue, price }) => {
      price(Number.NaN);
      const sold = isSold(left);
      venue.hold(sold ? {} : { AAPL: '100' }, sold ? '10000' : '9000');
      for (const event of left) {
        if (event.kind !== 'intent-drafted') continue;
        const { intentId, terms } = event;
        if (!left.some((each) => each.kind === took && each.intentId === intentId)) continue;
        venue.list(`O-${intentId}`, { intentId, terms });
        const filled = left.find((each) => each.kind === 'order-filled' && each.intentId === intentId);
        if (filled === undefined && !(intentId === 'I3' && sold)) continue;
        venue.execute(`O-${intentId}`, { id: `e-${intentId}-100`, quantity: '100', price: '10' });
      }
    },
    { symbols: [AAPL, MSFT, IBM], strategy: { onQuote: () => undefined }, minted: 10 },
  );
  again.price(10);
  return again;
}
