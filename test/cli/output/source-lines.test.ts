import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { atSource } from '../../../src/cli/output/source-lines.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-lines-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Line 1 comes from line 3, column 5 of the first source, line 2 from line 1 of the second. */
const map = {
  version: 3,
  sources: ['../../src/app/run-past.ts', '../../node_modules/zod/core.js'],
  names: [],
  mappings: 'AAEI;ACFJ',
};
const chunk = join(folder, 'past-abc.js');
writeFileSync(`${chunk}.map`, JSON.stringify(map));
const url = pathToFileURL(chunk).href;

describe('atSource', () => {
  it('names the line of the source, and adds the position in the bundle', () => {
    expect(atSource(`Error: no\n    at run (${url}:1:1)\n    at ${url}:2:1`)).toBe(
      'Error: no\n    at run (src/app/run-past.ts:3:5 (past-abc.js:1:1))\n    at node_modules/zod/core.js:1:1 (past-abc.js:2:1)',
    );
  });

  it('leaves a place unchanged that has no map, or an invalid one', () => {
    const other = pathToFileURL(join(folder, 'other.js')).href;
    writeFileSync(join(folder, 'broken.js.map'), '{');
    const broken = pathToFileURL(join(folder, 'broken.js')).href;
    const stack = `Error: no\n    at ${other}:1:1\n    at node:fs:441:7\n    at ${broken}:1:1\n    at ${url}:900:7`;
    expect(atSource(stack).split('\n').slice(0, 4)).toEqual(stack.split('\n').slice(0, 4));
  });
});
