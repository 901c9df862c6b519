import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ENDPOINTS } from '#src/wire/endpoints.ts';

const ROOT = join(import.meta.dirname, '..');

/** Texts of the tests in which a client calls a venue: those of the live broker client and of the whole API. */
function testsOf(room: string): readonly string[] {
  return readdirSync(join(ROOT, room))
    .filter((name) => name.endsWith('.test.ts') || name === 'describe-broker.ts')
    .map((name) => readFileSync(join(ROOT, room, name), 'utf8'));
}

const ASKING = [...testsOf('contracts'), ...testsOf('broker')];

describe('every row of the table of endpoints', () => {
  // That each has a method, and a route, the surface's test and the venue's own hold.
  it.each(Object.keys(ENDPOINTS))('%s is called by a test through the client', (name) => {
    const isAsked = ASKING.some((text) => text.includes(`http.${name}(`) || text.includes(`'${name}'`));
    expect(isAsked).toBe(true);
  });
});
