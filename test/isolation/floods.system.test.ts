import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { MAIN } from '../fixtures/built-package.ts';

const CONFIG = `strategy: flood
symbols: [SPX.US]
period: 1d
account: { currency: USD, cash: { USD: 100000 } }
data: { from: 2020-04-14, to: 2020-04-17 }
`;

/** Output of a backtest of a strategy with this `onBar`, in a Node.js with a heap of 200 MB. */
async function backtested(body: string): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), 'sluice-floods-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  for (const folder of ['strategies', 'node_modules']) mkdirSync(join(dir, folder));
  const strategy = `import { defineStrategy } from '@sluice-trading/sluice';
export default defineStrategy({ name: 'flood', params: {}, onBar: () => { ${body} } });`;
  writeFileSync(join(dir, 'strategies/flood.ts'), strategy);
  writeFileSync(join(dir, 'flood.yaml'), CONFIG);
  const child = spawn(process.execPath, ['--max-old-space-size=200', MAIN, 'backtest', 'flood.yaml'], {
    cwd: dir,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  child.stdout.resume();
  child.stderr.on('data', (text) => {
    said += text;
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  return `${code} ${said.trim()}`;
}

const OUT_OF_MEMORY = '6 Stopped: the process of this run is out of memory, in onBar of "flood"';
const FLOODED = '6 Stopped: onBar of "flood" wrote more than 65536 bytes to its console';

it.each([
  ['shared buffers', 'new SharedArrayBuffer(2 ** 24)', OUT_OF_MEMORY],
  ['buffers', 'new ArrayBuffer(2 ** 24)', OUT_OF_MEMORY],
])(
  'a backtest ends when its strategy fills the memory with %s, which V8 does not limit',
  async (_what, buffer, said) => {
    const fill = `const kept = []; for (;;) { const one = ${buffer}; new Uint8Array(one).fill(1); kept.push(one); }`;
    expect(await backtested(fill)).toBe(said);
  },
);

it.each([
  ['console.log', `for (;;) console.log('x'.repeat(1e6));`],
  ['process.stdout', `for (;;) process.stdout.write('x'.repeat(1e6));`],
  ['tampered atomics', `Atomics.store = Atomics.wait = () => 0; for (;;) console.error('x'.repeat(1e6));`],
])('a backtest ends when its strategy floods its output by %s', async (_how, body) => {
  expect(await backtested(body)).toBe(FLOODED);
});

it('a backtest whose strategy writes a little at every bar continues', async () => {
  expect(await backtested(`console.log('x'.repeat(60_000));`)).toMatch(/^0/);
});
