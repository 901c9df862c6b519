import { describe, expect, it } from 'vitest';
import { call, SocketClient, send } from './a-client.ts';
import { aVenue } from './a-venue.ts';
import { HostileInputs, MOUTHS } from './hostile-inputs.ts';

/** A new seed each day would find more but not repeat; the nightly script uses other seeds. */
const SEED = 20250902;
const SAMPLES = 20_000;
const LIVE_SAMPLES = 300;

describe('malformed inputs', () => {
  it('S-02: are refused by their readers, each in its own way, and none crashes', () => {
    const inputs = new HostileInputs(SEED);
    const fed = new Map<string, number>();
    for (let count = 0; count < SAMPLES; count += 1) {
      const mouth = inputs.feedOne();
      fed.set(mouth, (fed.get(mouth) ?? 0) + 1);
    }
    for (const mouth of MOUTHS) expect(fed.get(mouth)).toBeGreaterThan(SAMPLES / 10);
  });

  it('S-02: do not crash a venue that receives them on its sockets, logged in or not', async () => {
    const faults: unknown[] = [];
    const { venue } = await aVenue({ onFault: (fault) => faults.push(fault) });
    const inputs = new HostileInputs(SEED);
    for (let count = 0; count < LIVE_SAMPLES / 10; count += 1) {
      const side = count % 2 === 0 ? 'quote' : 'trade';
      const client =
        count % 3 === 0
          ? await SocketClient.open(side === 'quote' ? venue.quoteWs : venue.tradeWs)
          : await SocketClient.loggedIn(venue, side);
      for (let frames = 0; frames < 10; frames += 1) client.raw(inputs.frame());
      client.close();
      await client.closed;
    }
    expect(await call(venue, 'GET', '/v1/test')).toMatchObject({ code: 0 });
    expect(faults).toEqual([]);
  });

  it('S-02: get a 4xx envelope over HTTP, whatever their bodies and targets are', async () => {
    const faults: unknown[] = [];
    const { venue } = await aVenue({ onFault: (fault) => faults.push(fault) });
    const inputs = new HostileInputs(SEED);
    for (let count = 0; count < LIVE_SAMPLES; count += 1) {
      const target = `/v1/trade/order?${encodeURI(inputs.text().toWellFormed()).slice(0, 4_000)}`;
      const body = Buffer.from(inputs.text());
      const answer = await send(venue, 'POST', target, body.length > 0 ? { body } : {});
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.status).toBeLessThan(500);
      expect(answer.message).not.toBe('');
    }
    expect(faults).toEqual([]);
  });
});
