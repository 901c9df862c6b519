import { describe, expect, it } from 'vitest';
import { classifyRefusal, ERROR_CODES, errorCode, isProofOfRefusal } from '../../src/wire/error-codes.ts';

describe('error codes', () => {
  it.each([
    [403201, 403, 'auth-fatal'],
    [403202, 403, 're-sign'],
    [403203, 403, 'auth-fatal'],
    [403205, 403, 'auth-fatal'],
    [401003, 401, 'auth-fatal'],
    [429001, 429, 'throttled'],
    [429002, 429, 'throttled'],
    [500000, 500, 'ambiguous'],
    [602001, 400, 'invalid'],
    [602013, 400, 'not-now'],
    [601011, 400, 'already-closed'],
    [601012, 400, 'already-closed'],
    [601013, 400, 'already-closed'],
    [603001, 400, 'unknown-id'],
    [404000, 404, 'invalid'],
    [405000, 405, 'invalid'],
    [403206, 403, 'auth-fatal'],
  ])('%i has HTTP %i and is %s', (code, status, failureClass) => {
    expect(errorCode(code)).toMatchObject({ code, status, failureClass });
    expect(classifyRefusal({ code, status })).toBe(failureClass);
  });

  it('has no row for success and refuses to answer with an unlisted code', () => {
    expect(ERROR_CODES.has(0)).toBe(false);
    expect(() => errorCode(999999)).toThrow(RangeError);
  });

  it('judges an unlisted code by its HTTP status alone', () => {
    expect(classifyRefusal({ code: 777777, status: 400 })).toBe('invalid');
    expect(classifyRefusal({ code: 777777, status: 429 })).toBe('throttled');
    expect(classifyRefusal({ code: 777777, status: 502 })).toBe('ambiguous');
    expect(classifyRefusal({ code: 777777, status: 200 })).toBe('ambiguous');
  });
});

describe('proof of refusal', () => {
  it.each([
    [401003, 401],
    [403201, 403],
    [403203, 403],
    [403205, 403],
    [429001, 429],
    [429002, 429],
    [602001, 400],
    [602315, 400],
    [777777, 400],
  ])('I-2: %i under HTTP %i proves that nothing was created', (code, status) => {
    expect(isProofOfRefusal({ code, status })).toBe(true);
  });

  it.each([
    ['F-B04: duplicate request means that an earlier copy was received', 403202, 403],
    ['duplicate request under another status', 403202, 400],
    ['F-B01: a server fault', 500000, 500],
    ['a server fault that claims to be a bad request', 500000, 400],
    ['an unknown server fault that claims to be a bad request', 503001, 400],
    ['a fault of another area', 2601500, 400],
    ['a listed code under a 5xx', 602001, 500],
    ['a listed code under HTTP 200', 602001, 200],
    ['a code that is not on the list', 403206, 403],
    ['an unknown path', 404000, 404],
    ['success', 0, 400],
  ])('I-2: %s proves nothing', (_, code, status) => {
    expect(isProofOfRefusal({ code, status })).toBe(false);
  });
});
