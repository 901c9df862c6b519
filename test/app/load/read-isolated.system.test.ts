import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readIsolated } from '#src/app/load/read-isolated.ts';
import { pluginFile } from '../../fixtures/hosts.ts';

describe('a strategy file that is read in a separate process', () => {
  it("returns the strategy's declarations", async () => {
    expect(await readIsolated(pluginFile('echo'), 'strategies/echo.ts')).toMatchObject({
      kind: 'ok',
      plugin: { name: 'echo', params: {}, timers: { look: { every: '15m' } } },
    });
  });

  it.each([
    ['throws-at-load', 'import-failed', 'failed while it was loaded: no such model file (at x.ts:1:7)'],
    ['exits-at-load', 'import-failed', 'ended its own process, exit code 3'],
    [
      'fills-at-load',
      'import-failed',
      /was not loaded within|used more than 512 MB of memory|ran out of memory/,
    ],
    ['rejects-at-load', 'import-failed', /^threw outside of its hooks: this is not awaited \(at x\.ts:1:/],
    ['threads-at-load', 'import-failed', /A strategy cannot import "node:worker_threads"/],
    ['no-strategy', 'not-a-strategy', /has a default export that did not come from defineStrategy/],
  ])('affects only itself: %s (I-16, F-G02, F-G03, F-G05)', async (name, code, what) => {
    const reading = await readIsolated(pluginFile(name), 'x.ts');
    const message = typeof what === 'string' ? expect.stringContaining(what) : expect.stringMatching(what);
    expect(reading).toEqual({ kind: 'fault', code, what: message });
  });

  it('is read as an ES module whatever files are next to it', async () => {
    const file = join(tmpdir(), `sluice-apart-${process.pid}.ts`);
    const text =
      "import { defineStrategy } from '@sluice-trading/sluice';\nexport default defineStrategy({ name: 'a', params: {}, onBar: () => undefined });\n";
    writeFileSync(file, text);
    try {
      expect(await readIsolated(file, 'a.ts')).toMatchObject({ kind: 'ok', plugin: { name: 'a' } });
    } finally {
      rmSync(file);
    }
  });

  it('may declare parameters without a maximum, and nothing that is no parameter', async () => {
    const file = join(tmpdir(), `sluice-apart-params-${process.pid}.mjs`);
    const strategy = (params: string): string =>
      `export default { name: 'a', params: ${params}, onBar: () => undefined, [Symbol.for('sluice.strategy')]: 1 };\n`;
    const bound = "{ kind: 'number', min: 0, max: Infinity, default: 1, doc: '' }";
    writeFileSync(file, strategy(`{ size: ${bound} }`));
    try {
      expect(await readIsolated(file, 'a')).toMatchObject({
        plugin: { params: { size: { max: Number.POSITIVE_INFINITY } } },
      });
      writeFileSync(file, strategy(`{ size: { kind: 'number', doc: '' } }  `));
      expect(await readIsolated(file, 'a')).toMatchObject({
        code: 'not-a-strategy',
        what: expect.stringContaining('declares odd "params.size'),
      });
    } finally {
      rmSync(file);
    }
  });
});
