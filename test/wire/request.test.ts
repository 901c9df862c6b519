import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ORDER_TYPES, VENUE_STATUSES } from '../../src/model/order.ts';
import { utcDay } from '../../src/model/time.ts';
import { ENDPOINTS, type EndpointName, findEndpoint, type RequestOf } from '../../src/wire/endpoints.ts';
import { PROFILES } from '../../src/wire/profiles.ts';
import { decodeQuery, decodeRequest, encodeRequest, readResponse } from '../../src/wire/request.ts';
import { defined } from '../../src/wire/schemas/parameter-fields.ts';
import { WireError } from '../../src/wire/wire-error.ts';
import { aCurrency, anOrderId, aPositive, aQuantity, aSecond, aSymbol, someTerms } from './arbitraries.ts';

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const someText = fc.string({ minLength: 1, maxLength: 20 });
const some = <T extends object>(shape: fc.Arbitrary<T>) => shape.map((value) => defined(value));
const none = fc.constant({});

const reference = some(fc.record({ orderId: anOrderId, isAttached: maybe(fc.boolean()) }));
const filters = {
  symbol: maybe(aSymbol),
  statuses: maybe(fc.subarray([...VENUE_STATUSES], { minLength: 1 })),
  side: maybe(fc.constantFrom('buy' as const, 'sell' as const)),
  market: maybe(fc.constantFrom('US', 'HK')),
  page: maybe(fc.integer({ min: 1, max: 1_000_000 })),
  size: maybe(fc.integer({ min: 1, max: 1_000 })),
};
const executions = some(
  fc.record({
    symbol: maybe(aSymbol),
    orderId: maybe(anOrderId),
    from: maybe(aSecond),
    to: maybe(aSecond),
    page: maybe(fc.integer({ min: 1, max: 1_000_000 })),
  }),
);
const symbols = fc.array(aSymbol, { maxLength: 4 });
const mode = fc.constantFrom('add' as const, 'remove' as const);

/** A request of every endpoint, with any values of a caller. */
const requests: { readonly [Name in EndpointName]: fc.Arbitrary<RequestOf<Name>> } = {
  connectivityTest: none,
  refreshToken: fc.record({ expiresAt: aSecond }),
  socketToken: none,
  socketTokenV2: none,
  submitOrder: some(
    fc.record({
      terms: someTerms,
      remark: fc.string({ maxLength: 64 }),
      clientRequestId: maybe(someText),
    }),
  ),
  replaceOrder: some(
    fc.record({
      orderId: anOrderId,
      quantity: aQuantity,
      price: maybe(aPositive()),
      triggerPrice: maybe(aPositive()),
      limitOffset: maybe(aPositive()),
      limitDepthLevel: maybe(fc.integer({ min: -5, max: 5 })),
      triggerCount: maybe(fc.integer({ min: 0, max: 3 })),
      remark: maybe(someText),
    }),
  ),
  cancelOrder: reference,
  orderDetail: reference,
  todayOrders: some(fc.record({ ...filters, orderId: maybe(anOrderId), isAttached: maybe(fc.boolean()) })),
  historyOrders: some(fc.record({ ...filters, from: maybe(aSecond), to: maybe(aSecond) })),
  todayExecutions: executions,
  historyExecutions: executions,
  allExecutions: executions,
  buyLimit: some(
    fc.record({
      symbol: aSymbol,
      type: fc.constantFrom(...ORDER_TYPES),
      side: fc.constantFrom('buy' as const, 'sell' as const),
      price: maybe(aPositive()),
      currency: maybe(aCurrency),
      orderId: maybe(anOrderId),
      fractionalShares: maybe(fc.boolean()),
    }),
  ),
  signatureSelfTest: reference,
  account: some(fc.record({ currency: maybe(aCurrency) })),
  cashFlow: some(
    fc.record({
      from: aSecond,
      to: aSecond,
      businessType: maybe(fc.integer({ min: 1, max: 3 })),
      symbol: maybe(aSymbol),
      size: maybe(fc.integer({ min: 1, max: 10_000 })),
    }),
  ),
  positions: fc.record({ symbols }),
  funds: fc.record({ isins: fc.array(fc.constantFrom('HK0000676327', 'US0378331005'), { maxLength: 3 }) }),
  marginRatio: fc.record({ symbol: aSymbol }),
  watchlistGroups: none,
  createGroup: fc.record({ name: someText, symbols }),
  updateGroup: some(
    fc.record({
      id: fc.constant('5001'),
      name: maybe(someText),
      members: maybe(fc.record({ mode, symbols })),
    }),
  ),
  deleteGroup: fc.record({ id: fc.constant('5001'), purge: fc.boolean() }),
  pinSymbols: fc.record({ mode, symbols }),
  securityList: some(
    fc.record({ market: fc.constantFrom('US', 'HK'), category: maybe(fc.constant('Overnight')) }),
  ),
  marketTemperature: fc.record({ market: fc.constantFrom('US', 'HK', 'CN', 'SG') }),
  historyMarketTemperature: fc.record({
    market: fc.constantFrom('US', 'HK'),
    from: aSecond.map(utcDay),
    to: aSecond.map(utcDay),
  }),
  marketStatus: none,
};

const names = Object.keys(ENDPOINTS) as EndpointName[];

describe('request of every endpoint', () => {
  it.each(names)('%s is read by the venue as the client wrote it, under both profiles', (name) => {
    const profiles = fc.constantFrom(PROFILES.documented, PROFILES.longbridge);
    fc.assert(
      fc.property(requests[name] as fc.Arbitrary<RequestOf<EndpointName>>, profiles, (request, profile) => {
        const sent = encodeRequest(name, request, profile);
        expect(decodeRequest(name, sent)).toEqual({ kind: 'ok', request });
        expect(sent.query === '' || sent.body === '').toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it.each(names)('%s is found by its method and path', (name) => {
    const { method, path } = ENDPOINTS[name];
    expect(findEndpoint(method, path)).toEqual({ kind: 'found', name });
  });

  it.each(names)('%s never throws, whatever arrives', (name) => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), fc.string(), (body, query) => {
        const read = decodeRequest(name, { body, query });
        if (read.kind === 'invalid')
          expect(read).toMatchObject({ code: 602001, message: expect.any(String) });
      }),
      { numRuns: 60 },
    );
  });

  it('has the rows of the source document and of the reference', () => {
    const rows = Object.values(ENDPOINTS).map((row) => `${row.method} ${row.path}`);
    expect(new Set(rows).size).toBe(rows.length);
    expect(rows).toHaveLength(29);
  });

  it('distinguishes an unknown path from a wrong method', () => {
    expect(findEndpoint('GET', '/v1/nowhere')).toEqual({ kind: 'unknown-path', code: 404000 });
    expect(findEndpoint('PATCH', '/v1/trade/order')).toEqual({ kind: 'wrong-method', code: 405000 });
  });
});

describe('parameters of a DELETE', () => {
  const orderId = '900100200300400500';
  const cancel = (profile: keyof typeof PROFILES) =>
    encodeRequest('cancelOrder', { orderId: orderId as never }, PROFILES[profile]);

  it('are in the body by default and in the query for the live service', () => {
    expect(cancel('documented')).toMatchObject({ query: '', body: `{"order_id":"${orderId}"}` });
    expect(cancel('longbridge')).toMatchObject({ query: `order_id=${orderId}`, body: '' });
  });

  it('may be in both places while they agree', () => {
    const both = { query: `order_id=${orderId}`, body: `{"order_id":"${orderId}"}` };
    expect(decodeRequest('cancelOrder', both)).toMatchObject({ kind: 'ok' });
    const unlike = { ...both, body: '{"order_id":"900100200300400501"}' };
    expect(decodeRequest('cancelOrder', unlike)).toMatchObject({
      kind: 'invalid',
      message: expect.stringContaining('order_id: differs between query'),
    });
  });

  it('keep an order id that was sent as a JSON number digit for digit', () => {
    const read = decodeRequest('cancelOrder', { query: '', body: '{"order_id":900100200300400501}' });
    expect(read).toMatchObject({ kind: 'ok', request: { orderId: '900100200300400501' } });
  });
});

describe('answers and queries', () => {
  it('refuses an answer without a required field, naming it', () => {
    expect(() => readResponse('socketToken', { limit: 10, online: 1 })).toThrow(
      'Cannot read the response of GET /v1/socket/token: otp: is missing',
    );
    expect(() => readResponse('marginRatio', null)).toThrow(WireError);
  });

  it('accepts unknown fields', () => {
    expect(readResponse('socketToken', { otp: 'x', limit: '10', online: 1, new: [1] })).toMatchObject({
      otp: 'x',
      limit: 10,
      online: 1,
    });
  });

  it('accepts an empty answer in any form', () => {
    for (const data of [{}, null, undefined]) expect(() => readResponse('cancelOrder', data)).not.toThrow();
  });

  it('S-05: a query cannot reach the prototype', () => {
    decodeRequest('account', { query: '__proto__=1&constructor=2', body: '' });
    expect(decodeQuery('__proto__=x')['y']).toBeUndefined();
    expect(Object.hasOwn(Object.prototype, 'x')).toBe(false);
  });
});

describe('a JSON body with a value of another kind', () => {
  it.each([
    ['{"name":5}', 'name: want a text'],
    ['{"name":"mine","securities":"700.HK"}', 'securities: want a list'],
    ['{"name":true,"securities":["700.HK"]}', 'name: want a text'],
  ])('is refused by the watchlist: %s', (body, message) => {
    expect(decodeRequest('createGroup', { query: '', body })).toMatchObject({ kind: 'invalid', message });
  });

  it('is refused by an order whose remark is a number', () => {
    const order = {
      symbol: '700.HK',
      order_type: 'MO',
      side: 'Buy',
      submitted_quantity: '100',
      time_in_force: 'Day',
    };
    const read = (remark: unknown) =>
      decodeRequest('submitOrder', { query: '', body: JSON.stringify({ ...order, remark }) });
    expect(read('mine').kind).toBe('ok');
    expect(read(7)).toMatchObject({ kind: 'invalid', message: 'remark: want a text' });
  });
});
