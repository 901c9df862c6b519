import type { RunningVenue } from '#src/venue/venue-options.ts';
import { call, type HttpAnswer, step } from './a-client.ts';

export interface KnobReport {
  readonly knobs: readonly { readonly fired: number; readonly seen: number }[];
  readonly firings: readonly { readonly knob: string; readonly on: string; readonly marketTime: number }[];
}

/** Sets faults; `keep` keeps the earlier ones. */
export async function setFaults(venue: RunningVenue, ...knobs: readonly object[]): Promise<Response> {
  return postFaults(venue, { seed: 3, knobs });
}

export async function postFaults(venue: RunningVenue, body: object): Promise<Response> {
  return fetch(`${venue.admin}/faults`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${venue.adminToken}` },
    body: JSON.stringify(body),
  });
}

export async function faultReport(venue: RunningVenue): Promise<KnobReport> {
  return (await (
    await fetch(`${venue.admin}/faults`, { headers: { authorization: `Bearer ${venue.adminToken}` } })
  ).json()) as KnobReport;
}

export async function fired(venue: RunningVenue): Promise<readonly number[]> {
  return (await faultReport(venue)).knobs.map((knob) => knob.fired);
}

/** A buy of 700.HK far below the market of the test venue. */
export const ORDER = {
  symbol: '700.HK',
  order_type: 'ELO',
  side: 'Buy',
  submitted_quantity: '200',
  submitted_price: '300',
  time_in_force: 'Day',
  remark: 'mine',
};

export async function submit(venue: RunningVenue, changed: object = {}): Promise<HttpAnswer> {
  return call(venue, 'POST', '/v1/trade/order', { body: { ...ORDER, ...changed } });
}

export interface OrderRow {
  readonly order_id: string;
  readonly status: string;
  readonly executed_quantity: string;
  readonly remark: string;
}

export async function today(venue: RunningVenue): Promise<readonly OrderRow[]> {
  return (await call(venue, 'GET', '/v1/trade/order/today')).data.orders;
}

export async function executions(
  venue: RunningVenue,
): Promise<readonly { readonly order_id: string; readonly quantity: string; readonly price: string }[]> {
  return (await call(venue, 'GET', '/v1/trade/execution/today')).data.trades;
}

export async function positions(
  venue: RunningVenue,
): Promise<readonly { symbol: string; quantity: string }[]> {
  const { data } = await call(venue, 'GET', '/v1/asset/stock');
  return data.list.flatMap((channel: { stock_info: object[] }) => channel.stock_info);
}

export async function marketTime(venue: RunningVenue): Promise<number> {
  return (
    (await (
      await fetch(`${venue.admin}/clock`, { headers: { authorization: `Bearer ${venue.adminToken}` } })
    ).json()) as { readonly time: number }
  ).time;
}

export async function advanceMarket(venue: RunningVenue, ms: number): Promise<void> {
  const until = (await marketTime(venue)) + ms;
  for (let phase = ''; phase !== 'timer' && phase !== 'end'; )
    phase = (await step(venue, until, 'batched')).phase;
}
