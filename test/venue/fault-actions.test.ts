import { describe, expect, it } from 'vitest';
import { call, step } from './a-client.ts';
import { aVenue } from './a-venue.ts';
import { advanceMarket, executions, fired, ORDER, positions, setFaults, submit, today } from './fault-kit.ts';

const cancel = (venue: Parameters<typeof today>[0], id: string) =>
  call(venue, 'DELETE', '/v1/trade/order', { body: { order_id: id } });

/** A venue in trading hours with a working order. */
async function withOrder() {
  const { venue } = await aVenue();
  await advanceMarket(venue, 660_000);
  const { data } = await submit(venue);
  await step(venue, null);
  return { venue, id: data.order_id as string };
}

describe('orders that end differently from their request', () => {
  it('F-B14 venue.fillRace: fills while the cancel is in flight, and the cancel has no effect', async () => {
    const { venue, id } = await withOrder();
    await setFaults(venue, { knob: 'venue.fillRace' });
    expect(await cancel(venue, id)).toMatchObject({ code: 0 });
    await advanceMarket(venue, 1_000);
    expect(await today(venue)).toMatchObject([{ status: 'FilledStatus', executed_quantity: '200' }]);
    expect(await executions(venue)).toMatchObject([{ order_id: id, quantity: '200', price: '300' }]);
  });

  it('F-B14 venue.fillRace of a part: the rest is cancelled', async () => {
    const { venue, id } = await withOrder();
    await setFaults(venue, { knob: 'venue.fillRace', quantity: '100' });
    await cancel(venue, id);
    await advanceMarket(venue, 1_000);
    expect(await today(venue)).toMatchObject([{ status: 'CanceledStatus', executed_quantity: '100' }]);
  });

  it('F-B15 venue.lateFill: fills after it was cancelled', async () => {
    const { venue, id } = await withOrder();
    await setFaults(venue, { knob: 'venue.lateFill', ms: 5_000 });
    await cancel(venue, id);
    await advanceMarket(venue, 1_000);
    expect(await today(venue)).toMatchObject([{ status: 'CanceledStatus', executed_quantity: '0' }]);
    await advanceMarket(venue, 5_000);
    expect(await executions(venue)).toMatchObject([{ order_id: id, quantity: '200' }]);
    expect(await positions(venue)).toMatchObject([{ symbol: '700.HK', quantity: '200' }]);
  });

  it('F-B26 venue.asyncReject: rejects after it accepted', async () => {
    const { venue } = await withOrder();
    await setFaults(venue, { knob: 'venue.asyncReject', ms: 100, message: 'no' });
    expect(await submit(venue)).toMatchObject({ code: 0 });
    await advanceMarket(venue, 200);
    expect((await today(venue))[0]).toMatchObject({ status: 'RejectedStatus' });
  });

  it('venue.replaceNewId: the order continues under another id, which the old one still finds', async () => {
    const { venue, id } = await withOrder();
    await setFaults(venue, { knob: 'venue.replaceNewId', form: 'both' });
    const body = { order_id: id, quantity: '300', price: '299.8', remark: 'mine' };
    expect(await call(venue, 'PUT', '/v1/trade/order', { body })).toMatchObject({ code: 0 });
    await advanceMarket(venue, 1_000);
    const [row, ...others] = await today(venue);
    expect(others).toEqual([]);
    expect(row).toMatchObject({ remark: '', quantity: '300', status: 'NewStatus' });
    expect(row?.order_id).not.toBe(id);
    const { data } = await call(venue, 'GET', `/v1/trade/order?order_id=${id}`);
    expect(data.order_id).toBe(row?.order_id);
  });

  it('F-B19 venue.overfill: fills more than was ordered', async () => {
    const { venue, id } = await withOrder();
    await setFaults(venue, { knob: 'venue.overfill', extra: '100' });
    expect(await executions(venue)).toMatchObject([{ order_id: id, quantity: '300' }]);
    expect(await today(venue)).toMatchObject([{ status: 'FilledStatus', executed_quantity: '300' }]);
  });
});

describe("events outside a bot's control", () => {
  it('venue.adjust: shares and cash are added and removed', async () => {
    const { venue } = await withOrder();
    const cash = async () => (await call(venue, 'GET', '/v1/asset/account')).data.list[0].total_cash;
    const before = await cash();
    await setFaults(venue, {
      knob: 'venue.adjust',
      symbol: '700.HK',
      quantity: '500',
      currency: 'HKD',
      amount: '-1000',
    });
    expect(await positions(venue)).toMatchObject([{ symbol: '700.HK', quantity: '500' }]);
    expect(Number(before) - Number(await cash())).toBe(1_000);
    await setFaults(venue, { knob: 'venue.adjust', symbol: '700.HK', quantity: '-500' });
    expect(await positions(venue)).toEqual([]);
  });

  it('venue.fillDuring: an order fills between two reads, as often as configured', async () => {
    const { venue } = await withOrder();
    await setFaults(venue, { knob: 'venue.fillDuring', endpoint: 'positions', quantity: '100', times: 1 });
    expect(await executions(venue)).toEqual([]);
    expect(await positions(venue)).toMatchObject([{ quantity: '100' }]);
    expect(await positions(venue)).toMatchObject([{ quantity: '100' }]);
    expect(await executions(venue)).toHaveLength(1);
    expect(await fired(venue)).toEqual([1]);
  });

  it('venue.foreign venue.foreignCancel: the owner trades manually', async () => {
    const { venue, id } = await withOrder();
    await setFaults(venue, {
      knob: 'venue.foreign',
      symbol: '700.HK',
      side: 'buy',
      quantity: '100',
      price: '301',
    });
    const rows = await today(venue);
    expect(rows).toMatchObject([{ remark: '', quantity: '100' }, { order_id: id }]);
    await setFaults(venue, { knob: 'venue.foreignCancel', orderId: id });
    await advanceMarket(venue, 1_000);
    expect((await today(venue)).map(({ status }) => status)).toEqual(['NewStatus', 'CanceledStatus']);
  });

  it('venue.session: a halted security neither trades nor fills; its order keeps working, and fills afterwards', async () => {
    const { venue } = await withOrder();
    await setFaults(venue, { knob: 'venue.session', symbol: '700.HK', status: 'halted' });
    await submit(venue, { submitted_price: '500' });
    await advanceMarket(venue, 120_000);
    expect((await today(venue))[0]).toMatchObject({ status: 'NewStatus' });
    await setFaults(venue, { knob: 'venue.session', symbol: '700.HK', status: 'normal' });
    await advanceMarket(venue, 60_000);
    expect((await today(venue))[0]).toMatchObject({ status: 'FilledStatus' });
  });

  it('venue.split: prices halve at once, positions and orders follow', async () => {
    const { venue } = await withOrder();
    await setFaults(...([venue, { knob: 'venue.adjust', symbol: '700.HK', quantity: '100' }] as const), {
      knob: 'venue.split',
      symbol: '700.HK',
      ratio: '2',
    });
    expect(await positions(venue)).toMatchObject([{ quantity: '200' }]);
    expect(await today(venue)).toMatchObject([{ quantity: '400', price: '150' }]);
    expect(ORDER.submitted_price).toBe('300');
  });
});
