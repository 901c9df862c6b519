import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { failure, readEnvelope, success } from '../../src/wire/envelope.ts';
import { MAX_JSON_DEPTH, parseLosslessJson } from '../../src/wire/lossless-json.ts';
import { WireError } from '../../src/wire/wire-error.ts';

describe('envelope', () => {
  it('contains the text under both names and data always', () => {
    expect(success({})).toEqual({ code: 0, msg: 'success', message: 'success', data: {} });
    expect(failure(403201, 'signature invalid')).toEqual({
      code: 403201,
      msg: 'signature invalid',
      message: 'signature invalid',
      data: null,
    });
  });

  it('does not fail with code 0', () => {
    expect(() => failure(0, 'no')).toThrow(RangeError);
  });

  it.each([
    ['{"code":0,"msg":"success","data":{"a":1}}', { kind: 'ok', message: 'success', data: { a: 1 } }],
    ['{"code":0,"message":"fine"}', { kind: 'ok', message: 'fine', data: null }],
    ['{"code":0,"data":[],"more":true}', { kind: 'ok', message: '', data: [] }],
    [
      '{"code":602001,"message":"no","data":null}',
      { kind: 'failure', code: 602001, message: 'no', data: null },
    ],
  ])('F-B08: reads %s', (text, expected) => {
    expect(readEnvelope(text)).toEqual(expected);
  });

  it.each(['', '<html>502</html>', '[]', 'null', '7', '{}', '{"code":"0"}', '{"code":1.5}', '{"code":0'])(
    'F-N18: does not accept %j as an envelope',
    (text) => {
      expect(readEnvelope(text).kind).toBe('not-an-envelope');
    },
  );

  it('reads what it writes', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1, max: 9_999_999 }), (text, code) => {
        const read = readEnvelope(JSON.stringify(failure(code, text)));
        expect(read).toEqual({ kind: 'failure', code, message: text, data: null });
      }),
    );
  });

  it('never throws, whatever the text', () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (text) => void readEnvelope(text)));
  });
});

describe('lossless JSON', () => {
  it('F-B07: keeps an order id digit for digit', () => {
    const read = readEnvelope('{"code":0,"data":{"order_id":683615454870679601}}');
    expect(read).toMatchObject({ data: { order_id: '683615454870679601' } });
  });

  it('I-11: keeps the text of every number that is not a whole one within 2^53', () => {
    const text = '[9007199254740991, 9007199254740992, -5, 412.40, 1e3, 1e400, 0.1, -0.0]';
    expect(parseLosslessJson(text)).toEqual([
      9007199254740991,
      '9007199254740992',
      -5,
      '412.40',
      '1e3',
      '1e400',
      '0.1',
      '-0.0',
    ]);
  });

  it('loses no integer', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }), (whole) => {
        expect(String(parseLosslessJson(`${whole}`))).toBe(String(whole));
      }),
    );
  });

  it('agrees with the plain parser if nothing is lost', () => {
    const someJson = fc
      .jsonValue({ maxDepth: 5 })
      .filter((json) => !/\d[.e]|proto|\d{16}/.test(JSON.stringify(json)));
    fc.assert(
      fc.property(someJson, (json) => {
        const text = JSON.stringify(json);
        expect(parseLosslessJson(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it('reads 32 levels and refuses 33', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    expect(() => parseLosslessJson(nested(MAX_JSON_DEPTH))).not.toThrow();
    expect(() => parseLosslessJson(nested(MAX_JSON_DEPTH + 1))).toThrow(WireError);
    expect(() => parseLosslessJson('{"a":'.repeat(100_000))).toThrow(WireError);
  });

  it('counts no bracket inside a text', () => {
    const text = JSON.stringify('[{"\\"'.repeat(50));
    expect(parseLosslessJson(text)).toBe(JSON.parse(text));
  });

  it.each([
    '{"__proto__":{"polluted":1}}',
    '{"a":[{"constructor":1}]}',
    '{"prototype":1}',
    '{"__pr\\u006fto__":1}',
  ])('S-05: refuses %s', (text) => {
    expect(() => parseLosslessJson(text)).toThrow(WireError);
    expect('polluted' in {}).toBe(false);
  });
});
