import { cachedDataVersionTag } from 'node:v8';
import { describe, expect, it } from 'vitest';
import { withRoomToInline } from '#src/backtest/express/room-to-inline.ts';

/** V8's own number of its version and flags, by which it judges code from the disk. */
const flags = cachedDataVersionTag;

describe('more room to inline', () => {
  it('is there for the work alone, and what it gives comes out', () => {
    const before = flags();
    expect(withRoomToInline(flags)).not.toBe(before);
    expect(flags()).toBe(before);
  });

  it('ends with work that fails', () => {
    const before = flags();
    const fail = (): never => {
      throw new Error('no such bar');
    };
    expect(() => withRoomToInline(fail)).toThrow('no such bar');
    expect(flags()).toBe(before);
  });
});
