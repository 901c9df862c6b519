import { createSystemClock } from '#src/app/clock/system-clock.ts';
import { systemRandom } from '#src/app/clock/system-random.ts';
import { type BrokerClient, createBrokerClient } from '#src/broker/connect.ts';
import type { Alarm } from '#src/model/notice.ts';
import { type Millis, millis } from '#src/model/time.ts';
import { startVenue } from '#src/venue/start-venue.ts';
import { PROFILES, type ProfileName } from '#src/wire/profiles.ts';
import { eventually } from '../fixtures/eventually.ts';
import { ACCOUNT, contractBars, contractSimulation } from './contract-world.ts';
import { CONTRACT_START } from './describe-broker.ts';

const CREDENTIALS = {
  appKey: 'ak_paper_contract',
  appSecret: 'as_paper_contract_secret',
  accessToken: 'at_paper_contract_token',
};

/** The client of an embedded venue over loopback, stepped by the test. */
export interface PaperVenue {
  readonly client: BrokerClient;
  readonly alarms: readonly Alarm[];
  /** Steps to an instant and waits until every frame has arrived. */
  runUntil(at: Millis): Promise<void>;
  /** Quotes and hints that have arrived so far. */
  arrived(): { readonly quotes: number; readonly hints: number };
  close(): Promise<void>;
}

export async function startPaperVenue(profileName: ProfileName): Promise<PaperVenue> {
  const machine = createSystemClock();
  const profile = PROFILES[profileName];
  const bars = contractBars();
  const venue = await startVenue({
    simulation: contractSimulation(true),
    accountId: ACCOUNT,
    credentials: CREDENTIALS,
    history: (symbol, period) => (symbol === bars.symbol && period === bars.period ? bars : undefined),
    profile,
    port: 0,
    adminPort: 0,
    marketClock: { kind: 'stepped' },
    machine,
    random: systemRandom,
    skewToleranceMs: 300_000,
  });
  let market = CONTRACT_START;
  const alarms: Alarm[] = [];
  const client = createBrokerClient({
    httpUrl: venue.http,
    quoteWsUrl: venue.quoteWs,
    tradeWsUrl: venue.tradeWs,
    credentials: CREDENTIALS,
    profile,
    machine,
    market: () => market,
    random: systemRandom,
    deployment: 'TEST',
    facts: { pushComplete: true, callsPer30s: undefined },
    alarms: { raise: (alarm) => alarms.push(alarm) },
  });
  await client.connect();

  const arrived = { quotes: 0, hints: 0 };
  const expected = { quotes: 0, hints: 0 };
  client.broker.hints$.subscribe(() => {
    arrived.hints += 1;
  });
  const quotes = client.feed.quotes([bars.symbol]).subscribe(() => {
    arrived.quotes += 1;
  });
  let state = '';
  const states = client.feed.state$.subscribe((next) => {
    state = next;
  });
  await eventually(() => state === 'live', 'the feed to be live');

  async function step(timer: Millis): Promise<string> {
    const answer = await fetch(`${venue.admin}/clock/step`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${venue.adminToken}` },
      body: JSON.stringify({ timer, quotes: 'each' }),
    });
    const said = (await answer.json()) as {
      readonly time: number;
      readonly phase: string;
      readonly frames: { readonly quote: number; readonly trade: number };
    };
    market = millis(said.time);
    expected.quotes += said.frames.quote;
    expected.hints += said.frames.trade;
    return said.phase;
  }

  return {
    client,
    alarms,
    arrived: () => ({ ...arrived }),
    async runUntil(at) {
      while ((await step(at)) !== 'timer');
      await eventually(
        () => arrived.quotes === expected.quotes && arrived.hints === expected.hints,
        `${expected.quotes} quotes and ${expected.hints} hints, have ${arrived.quotes} and ${arrived.hints}`,
      );
    },
    async close() {
      quotes.unsubscribe();
      states.unsubscribe();
      await client.close();
      await venue.close();
    },
  };
}
