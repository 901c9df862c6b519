import { describe, expect, it } from 'vitest';
import { TRADE_COMMANDS } from '#src/wire/commands.ts';
import { NotificationSchema } from '#src/wire/gen/trade_pb.ts';
import { decodeMessage } from '#src/wire/message.ts';
import { call, SocketClient, step } from '../a-client.ts';
import { aVenue } from '../a-venue.ts';
import { fired, setFaults, submit, today } from '../fault-kit.ts';

describe('faults on demand', () => {
  it.each([
    ['venue.fail', 500, 500000],
    ['venue.dup', 403, 403202],
    ['venue.badsig', 403, 403201],
    ['venue.expireToken', 401, 401003],
    ['venue.limit', 429, 429002],
  ])('%s: answers %i with code %i, and the books are unchanged', async (knob, status, code) => {
    const { venue } = await aVenue();
    await setFaults(venue, { knob, endpoint: 'submitOrder', times: 1 });
    expect(await submit(venue)).toMatchObject({ status, code });
    expect(await today(venue)).toEqual([]);
    expect(await submit(venue)).toMatchObject({ code: 0 });
    expect(await fired(venue)).toEqual([1]);
  });

  it('F-B01 venue.lie: answers 500000 although the order exists', async () => {
    const { venue } = await aVenue();
    await setFaults(venue, { knob: 'venue.lie', endpoint: 'submitOrder' });
    expect(await submit(venue)).toMatchObject({ status: 500, code: 500000 });
    expect(await today(venue)).toHaveLength(1);
  });

  it('F-N01 and F-N02: closes the connection after the order was accepted, or before it was read', async () => {
    const { venue } = await aVenue();
    await setFaults(venue, { knob: 'net.dropResponse', endpoint: 'submitOrder' });
    await expect(submit(venue)).rejects.toThrow();
    expect(await today(venue)).toHaveLength(1);
    await setFaults(venue, { knob: 'net.dropRequest', endpoint: 'submitOrder' });
    await expect(submit(venue)).rejects.toThrow();
    expect(await today(venue)).toHaveLength(1);
  });

  it('F-N07 net.delayResponse: accepts the order at once and answers late, by machine time', async () => {
    const { venue, advance } = await aVenue();
    await setFaults(venue, { knob: 'net.delayResponse', endpoint: 'submitOrder', ms: 30_000 });
    const late = submit(venue);
    await expect.poll(async () => (await today(venue)).length).toBe(1);
    advance(30_000);
    expect(await late).toMatchObject({ code: 0 });
  });

  it('F-N18 and F-B03: answers with a page, and with 429 without an envelope', async () => {
    const { venue } = await aVenue();
    const raw = async () => {
      const answer = await fetch(`${venue.http}/v1/test`);
      return [answer.status, await answer.text()];
    };
    await setFaults(venue, { knob: 'venue.html' });
    expect(await raw()).toEqual([502, '<h1>502 Bad Gateway</h1>\n']);
    await setFaults(venue, { knob: 'venue.limit', envelope: false });
    expect(await raw()).toEqual([429, 'Too Many Requests\n']);
  });

  it('F-B07 venue.numericId: writes the order id as a number of JSON, digit for digit', async () => {
    const { venue } = await aVenue();
    await setFaults(venue, { knob: 'venue.numericId' });
    const { text } = await submit(venue);
    const [, digits] = /"order_id":(\d{18})}/.exec(text) ?? [];
    expect(digits).toBe((await today(venue))[0]?.order_id);
  });

  it('F-B09 and F-B10: the list lags by market time, or is empty', async () => {
    const { venue } = await aVenue();
    await setFaults(venue, { knob: 'venue.listLag', ms: 90_000 });
    await submit(venue);
    expect(await today(venue)).toEqual([]);
    for (let phase = ''; phase !== 'timer'; ) {
      const { time } = (await (
        await fetch(`${venue.admin}/clock`, { headers: { authorization: `Bearer ${venue.adminToken}` } })
      ).json()) as { readonly time: number };
      phase = (await step(venue, time + 90_000, 'batched')).phase;
    }
    expect(await today(venue)).toHaveLength(1);
    await setFaults(venue, { knob: 'venue.emptyList' });
    expect(await today(venue)).toEqual([]);
  });

  it('F-B16 venue.cancelLie: reports that an open order does not exist', async () => {
    const { venue } = await aVenue();
    const { data } = await submit(venue);
    await setFaults(venue, { knob: 'venue.cancelLie', times: 1 });
    const cancel = () => call(venue, 'DELETE', '/v1/trade/order', { body: { order_id: data.order_id } });
    expect(await cancel()).toMatchObject({ code: 603001 });
    expect(await cancel()).toMatchObject({ code: 0 });
  });

  it('F-B12: drops, doubles and shuffles order pushes', async () => {
    const { venue } = await aVenue();
    const client = await SocketClient.loggedIn(venue, 'trade');
    await client.ask(TRADE_COMMANDS.subscribe, { topics: ['private'] });
    const pushed = async (knob: string): Promise<readonly string[]> => {
      await setFaults(venue, { knob, times: 1 });
      const before = client.pushes.length;
      const ids = [await submit(venue), await submit(venue)].map(({ data }) => data.order_id as string);
      const frames = [await step(venue), await step(venue)].map(({ frames: { trade } }) => trade);
      const all = await client.pushed(before + frames.reduce((sum, count) => sum + count, 0));
      return all.slice(before).map(({ body }) => {
        const text = new TextDecoder().decode(decodeMessage(NotificationSchema, body).data);
        return String(ids.findIndex((id) => text.includes(id)));
      });
    };
    expect(await pushed('venue.push.drop')).toEqual(['1']);
    expect(await pushed('venue.push.dup')).toEqual(['0', '0', '1']);
    expect(await pushed('venue.push.shuffle')).toEqual(['1', '0']);
  });

  it('draws from the seed: equal seeds fire on the same calls, about as often as the given chance', async () => {
    const run = async (): Promise<string> => {
      const { venue } = await aVenue();
      await setFaults(venue, { knob: 'venue.fail', chance: 0.3, skip: 2 });
      let seen = '';
      for (let each = 0; each < 60; each += 1) {
        seen += (await call(venue, 'GET', '/v1/test')).code === 0 ? '.' : 'x';
      }
      return seen;
    };
    const first = await run();
    expect(await run()).toBe(first);
    expect(first.startsWith('..')).toBe(true);
    const count = first.split('x').length - 1;
    expect(count).toBeGreaterThan(5);
    expect(count).toBeLessThan(35);
  });

  it.each([
    [{ knob: 'venue.unheard' }],
    [{ knob: 'venue.fail', endpoint: 'nowhere' }],
    [{ knob: 'venue.fail', chance: 2 }],
  ])('refuses the fault %j and keeps the earlier ones', async (knob) => {
    const { venue } = await aVenue();
    await setFaults(venue, { knob: 'venue.fail', endpoint: 'account' });
    expect((await setFaults(venue, knob)).status).toBe(400);
    expect(await fired(venue)).toEqual([0]);
  });
});
