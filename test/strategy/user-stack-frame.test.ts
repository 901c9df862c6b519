import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { userStackFrame } from '#src/strategy/user-stack-frame.ts';

const SOURCES = new URL('../../src/', import.meta.url);
const OTHERS = [' at mine (/srv/ann/rules.ts:3:9)', ' at node:internal/modules/run:1:2'];

/** An error with these frames, innermost first. */
function thrown(...frames: readonly string[]): Error {
  const error = new Error('odd');
  error.stack = ['Error: odd', ...frames].join('\n');
  return error;
}

describe('the source position of an error', () => {
  it('is the first frame in an author’s code', () => {
    expect(userStackFrame(thrown(...OTHERS))).toBe(' (at /srv/ann/rules.ts:3:9)');
    expect(userStackFrame(thrown(' at file:///srv/ann/rules.mjs:3:9'))).toBe(' (at /srv/ann/rules.mjs:3:9)');
    expect(userStackFrame(thrown(' at node:fs:1:2', ...OTHERS))).toBe(' (at /srv/ann/rules.ts:3:9)');
  });

  it('is in an author’s folder, although a file has the name of one of ours', () => {
    const own = ' at onBar (file:///srv/ann/src/strategy/cross.ts:7:1)';
    expect(userStackFrame(thrown(own, ...OTHERS))).toBe(' (at /srv/ann/src/strategy/cross.ts:7:1)');
  });

  it.each(readdirSync(SOURCES))('is never src/%s', (name) => {
    const url = new URL(`${name}/any.ts`, SOURCES);
    for (const place of [url.href, fileURLToPath(url)]) {
      expect(userStackFrame(thrown(` at ours (${place}:1:2)`))).toBe('');
      expect(userStackFrame(thrown(` at async ${place}:1:2`, ...OTHERS))).toBe(' (at /srv/ann/rules.ts:3:9)');
    }
  });

  it('is unknown without a frame', () => {
    expect(userStackFrame('odd')).toBe('');
    expect(userStackFrame(thrown())).toBe('');
  });
});
