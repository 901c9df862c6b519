import { describe, expect, it } from 'vitest';
import type { OrderId } from '#src/model/order.ts';
import type { WholeBars } from '#src/simulation/models.ts';
import type { SimulatedAccount, Simulation } from '#src/simulation/simulation.ts';
import { FLAT, guardProcessExit, market, minutes, send } from './whole-bar-market.ts';
import { detail, fills } from './world.ts';

/** Plays to the end; `react` acts on each first fill of an order at the instant at which it is reported. */
function play(
  simulation: Simulation,
  account: SimulatedAccount,
  react: (order: OrderId, account: SimulatedAccount) => void,
): void {
  for (;;) {
    const own = simulation.nextVenueEventAt();
    const print = simulation.nextPrintAt();
    if (Math.min(own, print) === Number.POSITIVE_INFINITY || Math.min(own, print) > 1e15) return;
    const events = own <= print ? simulation.stepVenueEvent() : simulation.stepPrint();
    for (const event of events) {
      if (event.kind === 'order' && event.change.execution !== undefined)
        react(event.change.detail.orderId, account);
    }
  }
}

const WIDE = [100, 110, 90, 100] as const;

function bought(exits: WholeBars['exits'], entry: Parameters<typeof send>[1] = { quantity: '10' }) {
  const { simulation, account } = market(minutes(FLAT, WIDE, [100, 101, 99, 100]), { rule: { exits } });
  const id = send(account, entry);
  const sent: OrderId[] = [];
  play(simulation, account, (order) => {
    if (order !== id) return;
    sent.push(send(account, { side: 'sell', quantity: '10', type: 'MIT', triggerPrice: '95' }));
    sent.push(send(account, { side: 'sell', quantity: '10', type: 'LO', price: '105' }));
  });
  return { account, sent };
}

describe("exits that are sent when their entry's fill is reported", () => {
  it('are matched against the bar of a market entry if the rule permits it, the stop first', () => {
    const { account } = bought('entry-bar');
    expect(fills(account).slice(0, 2)).toEqual(['15:01:45 100 x 10', '15:01:45 95 x 10']);
  });

  it('are matched against the next bar otherwise', () => {
    const { account, sent } = bought('next-bar');
    expect(fills(account)).toEqual(['15:01:45 100 x 10']);
    expect(sent.map((id) => detail(account, id).status)).toEqual(['VarietiesNotReported', 'NewStatus']);
  });

  it('are matched against the next bar after a limit entry, which may have filled late in its bar', () => {
    const { account } = bought('entry-bar', { quantity: '10', type: 'LO', price: '96' });
    expect(fills(account)).toEqual(['15:01:45 96 x 10']);
  });
});

describe('orders that are matched against one bar', () => {
  it('are processed one after the other, so that the receiver of a fill can cancel the rest', () => {
    const { simulation, account } = market(minutes(FLAT, WIDE, FLAT));
    const first = send(account, { quantity: '1', type: 'LO', price: '95' });
    const second = send(account, { quantity: '2', type: 'MIT', triggerPrice: '108' });
    play(simulation, account, (order) => {
      if (order === first) account.cancel(second);
    });
    expect(fills(account)).toEqual(['15:01:45 95 x 1']);
    expect(detail(account, second).status).toBe('CanceledStatus');
  });

  it('are all matched without a reaction', () => {
    const { simulation, account } = market(minutes(FLAT, WIDE, FLAT));
    for (const quantity of ['1', '2', '3']) send(account, { quantity });
    guardProcessExit(simulation);
    expect(fills(account)).toEqual(['15:01:45 100 x 1', '15:01:45 100 x 2', '15:01:45 100 x 3']);
  });
});
