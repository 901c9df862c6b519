import { describe, expect, it } from 'vitest';
import type { RunningVenue } from '#src/venue/venue-options.ts';
import { call, step } from './a-client.ts';
import { aVenue } from './a-venue.ts';

const BUY = { symbol: '700.HK', order_type: 'LO', side: 'Buy', time_in_force: 'Day' };
/** Below the market of the fixture, so that the order keeps working. */
const PRICE = '300';

async function most(venue: RunningVenue, more = ''): Promise<number> {
  const query = `symbol=700.HK&order_type=LO&side=Buy&price=${PRICE}${more}`;
  const { data } = await call(venue, 'GET', `/v1/trade/estimate/buy_limit?${query}`);
  return Number(data.cash_max_qty);
}

async function resting(venue: RunningVenue, quantity: number): Promise<string> {
  const body = { ...BUY, submitted_price: PRICE, submitted_quantity: String(quantity) };
  const { data } = await call(venue, 'POST', '/v1/trade/order', { body });
  for (let steps = 0; steps < 100; steps += 1) {
    const detail = await call(venue, 'GET', `/v1/trade/order?order_id=${data.order_id}`);
    if (detail.data.status === 'NewStatus') return data.order_id;
    await step(venue);
  }
  throw new Error('The market did not open within 100 steps');
}

describe('an estimate for an order that would be replaced', () => {
  it("counts the order's own reservation as free, and the venue accepts the replace", async () => {
    const { venue } = await aVenue();
    const before = await most(venue);
    const id = await resting(venue, 1_000);
    expect(await most(venue)).toBeLessThan(before - 900);
    expect(await most(venue, `&order_id=${id}`)).toBe(before);
    const replaced = { order_id: id, quantity: String(before), price: PRICE };
    expect(await call(venue, 'PUT', '/v1/trade/order', { body: replaced })).toMatchObject({ code: 0 });
    await step(venue);
    const detail = await call(venue, 'GET', `/v1/trade/order?order_id=${id}`);
    expect(detail.data).toMatchObject({ quantity: String(before), status: 'NewStatus', msg: '' });
  });

  it.each([
    ['an unknown order', () => '123', 'Buy', 603001, 'Order not found'],
    ['an order of the other side', (id: string) => id, 'Sell', 602001, 'saw a buy of 700.HK, NewStatus'],
  ])('is refused for %s', async (_what, orderId, side, code, said) => {
    const { venue } = await aVenue();
    const id = orderId(await resting(venue, 100));
    const query = `symbol=700.HK&order_type=LO&side=${side}&price=${PRICE}&order_id=${id}`;
    const answer = await call(venue, 'GET', `/v1/trade/estimate/buy_limit?${query}`);
    expect(answer).toMatchObject({ status: 400, code });
    expect(answer.message).toContain(said);
  });

  it('is refused for an order that is over', async () => {
    const { venue } = await aVenue();
    const id = await resting(venue, 100);
    await call(venue, 'DELETE', `/v1/trade/order?order_id=${id}`);
    await step(venue);
    const query = `symbol=700.HK&order_type=LO&side=Buy&price=${PRICE}&order_id=${id}`;
    const answer = await call(venue, 'GET', `/v1/trade/estimate/buy_limit?${query}`);
    expect(answer).toMatchObject({ code: 602001, message: expect.stringContaining('CanceledStatus') });
  });
});
