import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { MAIN } from '../fixtures/built-package.ts';

const CONFIG = `strategy: sma-cross
symbols: [SPX.US]
period: 1d
params: { fast: 3, slow: 6, weight: 25% }
account: { currency: USD, cash: { USD: 100000 } }
data: { from: 2019-06-03, to: 2020-04-17 }
`;

describe('a bot whose log reader has ended', () => {
  it('runs to its end', async () => {
    const project = mkdtempSync(join(tmpdir(), 'sluice-unheard-'));
    onTestFinished(() => rmSync(project, { recursive: true, force: true }));
    writeFileSync(join(project, 'bot.yaml'), CONFIG);
    const child = spawn(process.execPath, [MAIN, 'run', 'bot.yaml', '--json'], {
      cwd: project,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let out = '';
    child.stdout.on('data', (text) => {
      out += text;
    });
    // After the first words of the log, the pipe loses its reader.
    child.stderr.once('data', () => child.stderr.destroy());
    const code = await new Promise((resolve) => child.once('close', resolve));
    expect(code).toBe(0);
    expect(JSON.parse(out).flow.bars).toBe(222);
  });
});
