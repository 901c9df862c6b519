import { afterEach, describe, expect, it } from 'vitest';
import { decimal } from '#src/model/decimal.ts';
import { type SecuritySymbol, securitySymbol } from '#src/model/symbol.ts';
import { MINUTE_MS, SECOND_MS } from '#src/model/time.ts';
import { orderDrafts } from '#src/strategy/order-draft.ts';
import { eventually } from '../fixtures/eventually.ts';
import { at } from '../fixtures/market.ts';
import {
  AAPL_US,
  createSocketRig,
  type SocketRig,
  type SocketRigOptions,
  TENCENT_HK,
} from '../fixtures/socket-rig.ts';
import { watching } from '../fixtures/watching.ts';

const SPY_US = securitySymbol('SPY.US');
let rig: SocketRig;
const rigWith = async (options: SocketRigOptions = {}) => {
  rig = await createSocketRig(options);
};
afterEach(async () => {
  await rig.faults();
  await rig.close();
});

const { kindsOf, happened, settled, judged, untilLetThrough, farBelow } = watching(() => rig);
const copies = async () => [...(await rig.ordersByTag()).values()].map((ids) => ids.length);
const deniedBy = (rule: string) => kindsOf('intent-denied').some((event) => event.rule === rule);

describe('a submit whose answer is empty or wrong', () => {
  it.each([
    ['F-N01: the connection broke after the order was taken', { knob: 'net.dropResponse' }],
    ['F-B01: 500 although the order exists', { knob: 'venue.lie' }],
  ])('is one order, adopted by its tag (%s; I-2, I-3)', async (_what, knob) => {
    await rigWith();
    await rig.faults({ ...knob, endpoint: 'submitOrder', times: 1 });
    rig.want(orderDrafts.buy(AAPL_US, 10));
    await happened('submit-unknown');
    await happened('order-filled');
    expect(kindsOf('submit-acked')).toMatchObject([{ by: expect.stringMatching(/listing|push/) }]);
    expect(kindsOf('submit-sending')).toHaveLength(1);
    expect(await copies()).toEqual([1]);
    await settled();
  });

  it('is refused by 429 with an envelope, and not sent again (F-B03, I-2, I-17)', async () => {
    await rigWith();
    await rig.faults({ knob: 'venue.limit', endpoint: 'submitOrder', envelope: true, times: 1 });
    rig.want(orderDrafts.buy(AAPL_US, 10));
    await happened('submit-refused');
    rig.want(orderDrafts.buy(TENCENT_HK, 100));
    await happened('order-filled');
    expect(kindsOf('submit-sending')).toHaveLength(2);
    expect(await copies()).toEqual([1]);
    await settled();
  });

  it('is unknown by 429 without an envelope: its possible cost stays reserved, and nothing is sent again (F-B03, I-2)', async () => {
    await rigWith();
    await rig.faults({ knob: 'venue.limit', endpoint: 'submitOrder', envelope: false, times: 1 });
    rig.want(orderDrafts.buy(AAPL_US, 10));
    await happened('submit-unknown');
    rig.want(orderDrafts.buy(TENCENT_HK, 100));
    await happened('order-filled');
    expect([...rig.engine.state.live.values()].map(({ facets }) => facets.submission.kind)).toEqual([
      'unknown',
    ]);
    expect(kindsOf('submit-sending')).toHaveLength(2);
    expect(await copies()).toEqual([1]);
  });

  it('reaches the venue at most once, whatever happens to kept connections (F-N06, I-2)', async () => {
    await rigWith();
    await rig.faults({ knob: 'net.halfClose', chance: 0.5 });
    for (let count = 0; count < 8; count += 1) rig.want(orderDrafts.buy(TENCENT_HK, 100));
    await eventually(() => judged() === 8, 'every request to be judged');
    await eventually(
      () =>
        [...rig.engine.state.live.values()].every(
          ({ facets }) => !['new', 'sending'].includes(facets.submission.kind),
        ),
      'every submit to have come to something',
    );
    await rig.faults();
    expect(kindsOf('submit-sending').length).toBeGreaterThan(0);
    expect(Math.max(0, ...(await copies()))).toBeLessThanOrEqual(1);
    const known = new Set(kindsOf('submit-sending').map(({ intentId }) => String(intentId)));
    expect([...(await rig.ordersByTag()).keys()].filter((tag) => !known.has(tag))).toEqual([]);
  });
});

describe('an order id that is sent as a number of JSON', () => {
  it('is kept digit for digit through listing, cancel and books (F-B07, I-3, I-11)', async () => {
    await rigWith({ cancelAfterMs: 10_000 });
    await rig.faults({ knob: 'venue.numericId' });
    const price = farBelow();
    rig.want(orderDrafts.buy(AAPL_US, 10, { type: 'LO', price }));
    await happened('submit-acked');
    await happened('cancel-answered');
    await eventually(() => rig.engine.state.done.size === 1, 'the order to be over');
    const [{ orderId } = { orderId: '' }] = kindsOf('submit-acked');
    expect(BigInt(orderId)).toBeGreaterThan(2n ** 53n);
    expect(String(Number(orderId))).not.toBe(String(orderId));
    expect([...(await rig.ordersByTag()).values()]).toEqual([[orderId]]);
    expect(kindsOf('cancel-answered')).toMatchObject([{ answer: 'accepted' }]);
    expect([...rig.engine.state.done.values()].map(({ facets }) => facets.venue)).toEqual(['CanceledStatus']);
  });
});

describe('quotes that stop', () => {
  const limits = { maxQuoteAge: MINUTE_MS };
  /** New York is open: quotes age only while an exchange trades. */
  const startsAt = at('2025-09-03T10:30:00-04:00');

  it('while the socket is healthy are stale by symbol: it opens nothing, another symbol does (F-D01, I-9)', async () => {
    await rigWith({ limits, startsAt });
    await rig.faults({ knob: 'venue.freeze', symbol: 'AAPL.US', pulls: true });
    const reported = (symbol: SecuritySymbol) => rig.client.feed.latest(symbol)?.time ?? 0;
    await eventually(() => reported(SPY_US) - reported(AAPL_US) > 2 * MINUTE_MS, 'the quote to be old');
    rig.want(orderDrafts.buy(AAPL_US, 10));
    await happened('intent-denied');
    expect(kindsOf('intent-denied')).toMatchObject([{ rule: 'stale-quote' }]);
    rig.want(orderDrafts.buy(SPY_US, 10));
    await happened('order-filled');
    expect(rig.alarms.filter(({ code }) => /socket|down|lost/.test(code))).toEqual([]);
  });

  it('on a half-open, silent connection open nothing, until it is closed and opened again (F-N10, F-N11, I-9)', async () => {
    await rigWith({
      limits: { maxQuoteAge: 10 * SECOND_MS },
      startsAt,
      settings: { pingEveryMs: 500, silenceMs: 3_000 },
    });
    await rig.faults({ knob: 'net.blackhole', side: 'quote', times: 1 });
    const silentFrom = rig.client.feed.latest(AAPL_US)?.time ?? 0;
    const since = performance.now();
    await eventually(() => performance.now() - since > 1_000, 'half a minute of market time');
    rig.want(orderDrafts.buy(AAPL_US, 10));
    await happened('intent-denied');
    expect(['stale-quote', 'unheard-quote']).toContain(kindsOf('intent-denied')[0]?.rule);
    await eventually(() => rig.alarms.length > 0, 'the silence to be reported');
    await eventually(() => (rig.client.feed.latest(AAPL_US)?.time ?? 0) > silentFrom, 'quotes to come again');
    await untilLetThrough('opens to be let through again');
    await settled();
  });
});

describe('hostile frames', () => {
  const startsAt = at('2025-09-03T10:30:00-04:00');

  it.each(['bomb', 'big', 'long-length', 'noise'])(
    'close their connection and nothing else: nothing opens on its quotes, cancels continue, and trading resumes (S-02 %s, F-B31, I-9, I-23)',
    async (form) => {
      await rigWith({ startsAt });
      const price = farBelow();
      rig.want(orderDrafts.buy(AAPL_US, 10, { type: 'LO', price }));
      await happened('submit-acked');
      const cut = { knob: 'net.cut', side: 'quote', ms: 1_000, skip: 1, times: 1 };
      await rig.faults({ knob: 'venue.frame', form, kind: 'push', side: 'quote', times: 1 }, cut);
      await eventually(
        () => rig.alarms.some(({ code }) => code === 'socket-lost'),
        'the line to be given up',
      );
      rig.want(orderDrafts.buy(SPY_US, 10));
      await happened('intent-denied');
      expect(kindsOf('intent-denied')).toMatchObject([{ rule: 'unheard-quote' }]);
      expect(await rig.command({ kind: 'cancel-all' })).toMatchObject({ kind: 'done' });
      await happened('cancel-answered');
      await untilLetThrough('opens to be let through again');
      await settled();
      expect(rig.engine.state.gate.standing.state).toBe('active');
    },
  );
});

describe('implausible quotes', () => {
  const startsAt = at('2025-09-03T10:30:00-04:00');
  const last = (symbol: SecuritySymbol) => rig.client.feed.latest(symbol)?.last.toNumber() ?? 0;
  const reasonsBy = (rule: string) =>
    kindsOf('intent-denied').flatMap((event) => (event.rule === rule ? [event.reason] : []));

  it('open nothing while nothing confirms them, and are accepted once three agree (F-D03, S-03, I-9, I-15)', async () => {
    await rigWith({ startsAt, limits: { maxQuoteJump: decimal('0.2') } });
    const believed = () => rig.client.feed.reliability?.(AAPL_US).agreeing === 3;
    await eventually(believed, 'three quotes that agree');
    const sane = last(AAPL_US);
    const one = { knob: 'venue.spike', symbol: 'AAPL.US', factor: '10', times: 1 };
    await rig.faults(one, { knob: 'venue.freeze', symbol: 'AAPL.US', skip: 1 });
    await eventually(() => last(AAPL_US) > 5 * sane, 'a wild quote');
    expect(rig.client.feed.reliability?.(AAPL_US)).toMatchObject({ agreeing: 1 });
    rig.want(orderDrafts.buy(AAPL_US, 10));
    await eventually(() => judged() === 1, 'the request to be judged');
    expect(reasonsBy('quote-jump')).toEqual([expect.stringContaining('from its last believed price')]);
    await rig.faults({ knob: 'venue.spike', symbol: 'AAPL.US', factor: '10' });
    await eventually(() => last(AAPL_US) > 5 * sane && believed(), 'three wild quotes that agree');
    await rig.faults();
    await eventually(() => last(AAPL_US) < 2 * sane && believed(), 'quotes as before');
    await untilLetThrough('opens to be let through again');
  });

  it('because the venue left their symbol out of the subscription open nothing, the others do (F-B34, I-9)', async () => {
    await rigWith({ startsAt, knobs: [{ knob: 'venue.subPartial', keep: 1, times: 1 }] });
    const left = rig.alarms.find(({ code }) => code === 'symbols-not-subscribed');
    expect(left?.facts).toEqual({ symbols: '700.HK SPY.US' });
    rig.want(orderDrafts.buy(SPY_US, 10));
    await happened('intent-denied');
    expect(reasonsBy('unheard-quote')).toEqual([
      'Quotes of "SPY.US" do not arrive: the venue has not confirmed its subscription',
    ]);
    rig.want(orderDrafts.buy(AAPL_US, 10));
    await happened('order-filled');
    expect(rig.alarms.filter(({ code }) => code === 'symbols-not-subscribed')).toHaveLength(1);
    await rig.faults({ knob: 'net.cut', side: 'quote', times: 1 });
    await eventually(() => rig.client.feed.missingQuotes?.([SPY_US]).length === 0, 'a whole subscription');
    await eventually(() => {
      if (judged() === kindsOf('intent-drafted').length) rig.want(orderDrafts.buy(SPY_US, 10));
      return kindsOf('order-filled').length > 1;
    }, 'the symbol to be traded once it is heard');
  });

  it('from a broken connection open nothing, however young they are (F-N15, F-N11, I-9)', async () => {
    await rigWith({ startsAt });
    await rig.faults({ knob: 'net.cut', side: 'quote', ms: 1_500, times: 1 });
    await eventually(() => rig.alarms.some(({ code }) => code === 'socket-lost'), 'the cut to be noticed');
    rig.want(orderDrafts.buy(AAPL_US, 10));
    await happened('intent-denied');
    expect(reasonsBy('unheard-quote')).toEqual([
      'Quotes of "AAPL.US" do not arrive: the quote connection is down',
    ]);
    await untilLetThrough('opens to be let through again');
  });
});

describe('a strategy that sends a thousand orders at once', () => {
  it('is denied by limits and halted, and the venue refuses no call (F-G04, I-15, I-17)', async () => {
    // One repeat only: how many orders fit the call budget depends on when the first is filled.
    await rigWith({ counted: true, limits: { maxOrderRate: 10, maxRepeats: 1, maxBreaches: 10 } });
    for (let count = 0; count < 1_000; count += 1) rig.want(orderDrafts.buy(AAPL_US, 10));
    await eventually(() => rig.engine.state.gate.standing.state === 'halted', 'the halt');
    const sent = kindsOf('submit-sending').length;
    await eventually(() => judged() >= 500, 'five hundred requests to be judged');
    expect(kindsOf('submit-sending').length).toBe(sent);
    expect(rig.engine.state.gate.standing).toMatchObject({
      state: 'halted',
      by: 'gate',
      rule: 'repeated-breach',
    });
    expect(kindsOf('submit-sending').length).toBeLessThanOrEqual(3);
    expect(deniedBy('duplicate-order')).toBe(true);
    expect(kindsOf('submit-refused')).toEqual([]);
    expect(rig.alarms.filter(({ code, message }) => /429|limit/.test(`${code} ${message}`))).toEqual([]);
  });
});
