import { describe, expect, it } from 'vitest';
import { decodeRequest } from '../../src/wire/request.ts';

describe('submit at the venue', () => {
  const good = {
    symbol: '700.HK',
    order_type: 'LO',
    side: 'Buy',
    submitted_quantity: '100',
    time_in_force: 'Day',
  };
  const submit = (body: object) => {
    const read = decodeRequest('submitOrder', { query: '', body: JSON.stringify({ ...good, ...body }) });
    return read.kind === 'ok' ? 'ok' : read.message;
  };

  it.each([
    ['a limit order', { submitted_price: '412.4' }],
    ['a price as a JSON number', { submitted_price: 412.4 }],
    ['null and empty texts as absent', { submitted_price: '412.4', expire_date: null, trigger_price: '' }],
    ['unknown fields', { submitted_price: '412.4', shiny: { new: true } }],
    ['a market order', { order_type: 'MO' }],
    ['GTD with its day', { submitted_price: '412.4', time_in_force: 'GTD', expire_date: '2027-01-04' }],
    [
      'a trailing order with a depth level',
      { order_type: 'TSLPAMT', trailing_amount: '1', limit_depth_level: -1 },
    ],
  ])('accepts %s', (_, body) => {
    expect(submit(body)).toBe('ok');
  });

  it.each([
    ['no price', {}, 'submitted_price: is missing, order type LO requires it'],
    ['an exponent', { submitted_price: '1e9' }, 'submitted_price: want a decimal number above 0, saw "1e9"'],
    ['a price of 0', { submitted_price: '0' }, 'submitted_price: want a decimal number above 0, saw "0"'],
    [
      'a removed order type',
      { order_type: 'TSMAMT', trailing_amount: '1' },
      'order_type: order type not support: TSMAMT was removed on 2024-04-29, TSLPAMT trails with a limit',
    ],
    [
      'the other removed order type',
      { order_type: 'TSMPCT', trailing_percent: '1' },
      'order_type: order type not support: TSMPCT was removed on 2024-04-29, TSLPPCT trails with a limit',
    ],
    ['a type that never was', { order_type: 'XO' }, 'order_type: order type not support, saw "XO"'],
    [
      'a Hong Kong type in the US',
      { symbol: 'AAPL.US', order_type: 'AO' },
      'order type not support: AO exists in HK only',
    ],
    [
      'a price on a market order',
      { order_type: 'MO', submitted_price: '1' },
      'submitted_price: is not valid with order type MO',
    ],
    [
      'a market order for long',
      { order_type: 'MO', time_in_force: 'GTC' },
      'time in force not support: MO is good for its day only',
    ],
    [
      'GTD without a day',
      { submitted_price: '1', time_in_force: 'GTD' },
      'expire_date: is valid only with time_in_force "GTD"',
    ],
    [
      'a day that does not exist',
      { submitted_price: '1', expire_date: '2026-02-30' },
      'expire_date: want a day as YYYY-MM-DD, saw "2026-02-30"',
    ],
    [
      'a symbol in small letters',
      { symbol: 'aapl.us' },
      'symbol: want <code>.<market> such as "700.HK", saw "aapl.us"',
    ],
    ['a list where one value belongs', { side: ['Buy'] }, 'side: want a single value'],
    [
      'a remark of 256 characters',
      { submitted_price: '1', remark: 'x'.repeat(256) },
      `remark: want at most 255 characters, saw "${'x'.repeat(60)}"`,
    ],
    [
      'a trigger count of 4',
      { order_type: 'MIT', trigger_price: '1', trigger_count: 4 },
      'trigger_count: want a whole number from 0 to 3, saw "4"',
    ],
    [
      'a trailing order with neither offset nor level',
      { order_type: 'TSLPAMT', trailing_amount: '1' },
      'limit_offset: is missing, order type TSLPAMT requires it',
    ],
    [
      'attached orders',
      { submitted_price: '1', attached_params: {} },
      'attached_params: attached order not support',
    ],
  ])('refuses %s', (_, body, message) => {
    expect(submit(body)).toBe(message);
  });

  it('names the field that is missing', () => {
    expect(decodeRequest('submitOrder', { query: '', body: '' })).toMatchObject({
      message: 'symbol: is missing',
    });
    expect(decodeRequest('submitOrder', { query: '', body: '[]' })).toMatchObject({
      message: 'body: want a JSON object',
    });
  });
});
