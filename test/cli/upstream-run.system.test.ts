import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAIN } from '../fixtures/built-package.ts';
import { type CommandLine, startCommandLine } from './a-command-line.ts';

const CONFIG = `strategy: sma-cross
symbols: [AAPL.US, 700.HK]
period: 1m
account: { currency: USD, cash: { USD: 100000, HKD: 500000 }, fx: { USDHKD: 7.80 } }
paper: { market: upstream }
`;

let elsewhere: CommandLine;
beforeAll(async () => {
  elsewhere = await startCommandLine(['--profile', 'longbridge']);
  writeFileSync(join(elsewhere.project, 'up.yaml'), CONFIG);
});
afterAll(() => elsewhere.close());

/** Runs the bot until it trades, then interrupts it. */
async function untilItTrades(): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn(process.execPath, [MAIN, 'run', 'up.yaml'], {
    cwd: elsewhere.project,
    env: { ...process.env, ...elsewhere.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, err, reported] = ['', '', false];
  child.stdout.on('data', (text) => {
    out += text;
  });
  child.stderr.on('data', (text) => {
    err += text;
    if (reported || !/^UTC +quotes/m.test(err)) return;
    reported = true;
    child.kill('SIGINT');
  });
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, out, err })));
}

describe('a config whose paper market is upstream', () => {
  it('runs on the quotes of the broker that the environment names, with a local account and local orders', async () => {
    const { code, out, err } = await untilItTrades();
    expect(code).toBe(130);
    expect(err).toContain('AAPL.US: Apple (invented prices), stock, lots of 1, USD');
    expect(out).toContain('PAPER  sma-cross  up.yaml');
    expect(out).toContain('164,102.56');
    expect(await elsewhere.json(['orders'])).toEqual([]);
  });

  it('names missing environment variables before anything runs', async () => {
    const { code, err } = await elsewhere.sluice(['run', 'up.yaml'], { SLUICE_QUOTE_WS_URL: undefined });
    expect([code, err]).toEqual([3, expect.stringContaining('SLUICE_QUOTE_WS_URL')]);
  });

  it('refuses to run at another speed, or in the past', async () => {
    const fast = await elsewhere.sluice(['run', 'up.yaml', '--speed', '5']);
    expect([fast.code, fast.err]).toEqual([2, expect.stringContaining('leave "--speed" out')]);
    const past = await elsewhere.sluice(['backtest', 'up.yaml']);
    expect([past.code, past.err]).toEqual([3, expect.stringContaining('"data" is missing')]);
  });
});
