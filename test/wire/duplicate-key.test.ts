import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { duplicateKey } from '../../src/wire/duplicate-key.ts';
import { decodeRequest } from '../../src/wire/request.ts';

const ORDER =
  '"symbol":"700.HK","order_type":"LO","side":"Buy","submitted_price":"412.4","time_in_force":"Day"';

describe('a body that names a key twice', () => {
  it('is refused, and no order is made of the last of two quantities', () => {
    const read = decodeRequest('submitOrder', {
      query: '',
      body: `{${ORDER},"submitted_quantity":"100","submitted_quantity":"200"}`,
    });
    expect(read).toEqual({
      kind: 'invalid',
      code: 602001,
      message: 'body: names "submitted_quantity" twice, want each key once',
    });
  });

  it('is refused for a DELETE, too', () => {
    const read = decodeRequest('cancelOrder', { query: '', body: '{"order_id":"1","order_id":"2"}' });
    expect(read).toMatchObject({ kind: 'invalid', message: expect.stringContaining('"order_id" twice') });
  });

  it('is refused in a query too, for a parameter with one value', () => {
    const read = decodeRequest('orderDetail', { query: 'order_id=1&order_id=2', body: '' });
    expect(read).toMatchObject({ kind: 'invalid', message: expect.stringContaining('order_id') });
  });
});

describe('the first key that an object names twice', () => {
  it.each([
    ['side by side', '{"a":1,"a":1}', 'a'],
    ['with others in between', '{"a":1,"b":[{"c":1},{"c":2}],"a":2}', 'a'],
    ['in an object within', '{"x":{"a":1,"b":{"a":1},"a":2}}', 'a'],
    ['in an object of a list', '[{"a":1},{"b":1,"b":1}]', 'b'],
    ['written as an escape', String.raw`{"a":1,"\u0061":2}`, 'a'],
    ['with a blank before the colon', '{"a" :1,"a"\n\t: 2}', 'a'],
    ['with quotes and a backslash inside', String.raw`{"\"\\":1,"\"\\":2}`, '"\\'],
    ['of no letters', '{"":1,"":2}', ''],
  ])('is found %s', (_where, json, key) => {
    expect(duplicateKey(json)).toBe(key);
  });

  it.each([
    ['siblings in different objects', '{"a":{"a":1},"b":{"a":1}}'],
    ['objects of one list', '[{"a":1},{"a":2}]'],
    ['a value that reads like a key', '{"a":"a","b":"a"}'],
    ['texts of a list', '{"a":["a","a"],"b":"\\"a\\":"}'],
    ['brackets and quotes inside a text', String.raw`{"a":"}{\"a\":","b":"[{"}`],
    ['keys that differ in case', '{"a":1,"A":2}'],
    ['no object at all', '"a"'],
  ])('is none for %s', (_what, json) => {
    expect(duplicateKey(json)).toBeUndefined();
  });

  it('is none in anything that JSON.stringify writes', () => {
    fc.assert(fc.property(fc.json(), (json) => duplicateKey(JSON.stringify(JSON.parse(json))) === undefined));
  });

  it('is found wherever an object of any keys gets one of them again', () => {
    const someKeys = fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(someKeys, fc.nat(), fc.jsonValue(), (keys, at, value) => {
        const key = keys[at % keys.length] ?? '';
        const members = [...keys, key].map((name) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
        return duplicateKey(`{${members.join(',')}}`) === key;
      }),
    );
  });

  it('I-23: is searched in time proportional to the body', () => {
    const members = (count: number): string =>
      `{${Array.from({ length: count }, (_, at) => `"k${at}":"${'\\\\'.repeat(20)}"`).join(',')}}`;
    const one = `{"a":"${'\\"'.repeat(1_000_000)}","b":${'['.repeat(30)}${']'.repeat(30)}}`;
    expect(duplicateKey(members(100_000))).toBeUndefined();
    expect(duplicateKey(one)).toBeUndefined();
    expect(duplicateKey(`{${'"a":{'.repeat(50_000)}${'}'.repeat(50_001)}`)).toBeUndefined();
  });
});
