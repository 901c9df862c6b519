import { monitorEventLoopDelay } from 'node:perf_hooks';
import { timer } from 'rxjs';
import { afterEach, describe, expect, it } from 'vitest';
import { createScaledClock, createSystemClock } from '#src/app/clock/system-clock.ts';
import { systemRandom } from '#src/app/clock/system-random.ts';
import { type BrokerClient, createBrokerClient } from '#src/broker/connect.ts';
import { createCallBudget } from '#src/execution/call-budget/call-budget.ts';
import { orderId } from '#src/model/order.ts';
import type { CallBudget } from '#src/ports/call-budget.ts';
import { schedulerOn } from '#src/ports/clock-scheduler.ts';
import { toObservable } from '#src/ports/to-observable.ts';
import { PROFILES } from '#src/wire/profiles.ts';
import { answerOf } from '../fixtures/tasks.ts';
import { aVenue, CREDENTIALS, MARKET_START } from '../venue/a-venue.ts';

/**
 * Speed of market time for venue and client: a window of 31 s takes eight seconds, and the budget's second of
 * allowance for jitter is 250 ms of machine time.
 */
const SPEED = 4;
const TOO_MANY = 429_000;

/** Part of those 250 ms that a busy machine may take. A longer stall bunches the calls by itself. */
const STILL_MS_MAX = 150;
const TRIES = 6;

const clients: BrokerClient[] = [];

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

async function clientOf(budgeted: boolean) {
  const machine = createSystemClock();
  const market = createScaledClock(MARKET_START, machine, SPEED);
  const { venue } = await aVenue({
    ...{ machine, rateLimits: 'account', marketClock: { kind: 'scaled', speed: SPEED } },
  });
  const budget: CallBudget | undefined = budgeted ? createCallBudget(market) : undefined;
  const client = createBrokerClient({
    ...{ httpUrl: venue.http, quoteWsUrl: venue.quoteWs, tradeWsUrl: venue.tradeWs },
    ...{ credentials: CREDENTIALS, profile: PROFILES.documented, random: systemRandom },
    ...{ machine, deployment: 'TEST', market: () => market.now() },
    ...(budget === undefined ? {} : { budget }),
  });
  clients.push(client);
  return { client, market };
}

/**
 * Cancels many unknown orders at once while the day's orders are listed every second; returns the codes of all
 * answers.
 */
async function load(budgeted: boolean): Promise<readonly number[]> {
  const { client, market } = await clientOf(budgeted);
  const codes: number[] = [];
  const lists = timer(0, 1_000, schedulerOn(market)).subscribe(() => {
    toObservable(client.broker.ordersToday()).subscribe((answer) =>
      codes.push(answer.kind === 'ok' ? 0 : answer.code),
    );
  });
  const cancels = Array.from({ length: 45 }, (_, index) =>
    answerOf(client.broker.cancel(orderId(String(index + 1)))),
  );
  for (const answer of await Promise.all(cancels)) codes.push(answer.kind === 'refused' ? answer.code : 0);
  lists.unsubscribe();
  return codes;
}

const refusalsIn = (codes: readonly number[]): readonly number[] =>
  codes.filter((code) => code >= TOO_MANY && code < TOO_MANY + 1_000);

/** The codes of a load without refusals, or of one during which the machine did not stall. */
async function undisturbed(): Promise<readonly number[]> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const delay = monitorEventLoopDelay({ resolution: 10 });
    delay.enable();
    const codes = await load(true);
    delay.disable();
    if (refusalsIn(codes).length === 0 || delay.max / 1e6 <= STILL_MS_MAX) return codes;
  }
  throw new Error(`The machine stood still for more than ${STILL_MS_MAX} ms in each of ${TRIES} tries`);
}

describe('over real sockets, a venue that counts calls', () => {
  it('refuses no call while the call budget is kept (I-17, F-B03)', async () => {
    const codes = await undisturbed();
    expect(codes.length).toBeGreaterThan(45);
    expect(refusalsIn(codes)).toEqual([]);
  });

  it('refuses the same calls without a call budget', async () => {
    const codes = await load(false);
    expect(refusalsIn(codes).length).toBeGreaterThan(10);
  });
});
