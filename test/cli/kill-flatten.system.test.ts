import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  anOperator,
  eventually,
  type Operator,
  secretsOf,
  type VenueChild,
  venueWithBot,
} from './a-bot-process.ts';

const WAIT = { timeout: 300_000 };

let operator: Operator;
let venue: VenueChild;

beforeAll(async () => {
  operator = anOperator(() => secretsOf(venue));
  venue = await venueWithBot(operator);
});
afterAll(() => operator.close());

describe('"sluice kill --flatten" on a bot with a position and a working order', () => {
  it('shows what is cancelled and closed, and ends when the account is flat', WAIT, async () => {
    const bot = operator.run(['bot.yaml']);
    await eventually(
      async () => {
        const status = await operator.status();
        return (status?.positions.length ?? 0) > 0 && (status?.openOrders.length ?? 0) > 0;
      },
      'a position and an order that rests',
      bot.err,
    );
    const killed = await operator.sluice(['kill', '--flatten', '--reason', 'enough', '--wait', '120']);
    expect(killed.out).toContain('Gate is killed (kill: enough (cli))');
    expect(killed.err).toMatch(/positions closed 0 of 1; waits for /);
    expect(killed.err.trimEnd().split('\n').at(-1)).toBe(
      'Flat: orders cancelled or filled 1 of 1, positions closed 1 of 1',
    );
    expect(killed.code).toBe(0);
    const status = await operator.status();
    expect([status?.positions, status?.openOrders, status?.gate.state]).toEqual([[], [], 'killed']);
    const asked = await operator.sluice(['positions', '--json']);
    expect(asked.out).not.toContain('AAPL.US');
  });
});
