import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ENDPOINTS } from '#src/wire/endpoints.ts';

const ROOT = join(import.meta.dirname, '..');

/** Tests in which a client asks a venue: the live broker's and the whole surface's. */
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
