import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createSystemClock } from '#src/app/clock/system-clock.ts';
import { inspectPlugin } from '#src/hosts/plugins/inspect-plugin.ts';
import { pluginFile } from '../fixtures/hosts.ts';

const clock = createSystemClock();
const flood = join(tmpdir(), `sluice-look-${process.pid}.mjs`);
afterAll(() => rmSync(flood, { force: true }));

describe('the inspection of a file', () => {
  it('ends a top level that loops when its time is up (I-16, F-G01)', async () => {
    const file = pluginFile('loops-at-load');
    expect(await inspectPlugin({ file, kind: 'strategy', clock, limits: { startMsMax: 200 } })).toEqual({
      kind: 'fault',
      code: 'import-failed',
      what: 'was not loaded within 200 ms',
    });
  });

  it('ends a top level that writes more than its share (I-16)', async () => {
    writeFileSync(
      flood,
      "for (let at = 0; at < 100; at += 1) console.log('x'.repeat(100));\nawait new Promise(() => {});",
    );
    expect(
      await inspectPlugin({ file: flood, kind: 'strategy', clock, limits: { outputCharsMax: 1_000 } }),
    ).toEqual({
      kind: 'fault',
      code: 'import-failed',
      what: 'wrote more than 1000 characters to its console while it was loaded',
    });
  });
});
