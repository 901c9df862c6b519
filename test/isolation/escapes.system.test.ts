import { type ChildProcess, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sluice } from '../cli/run-sluice.ts';
import { countedListener } from '../fixtures/counted-listener.ts';
import { ATTEMPTS, BESIDE, fillModelOf, strategyOf } from './attempts.ts';

const CONFIG = `strategy: hostile
symbols: [SPX.US]
period: 1d
account: { currency: USD, cash: { USD: 100000 } }
data: { from: 2020-04-14, to: 2020-04-17 }
`;
const FILLS_CONFIG = `${CONFIG.replace('hostile', 'honest')}simulation: { fills: { use: hostile } }\n`;
/** Buys at each bar, so that the fill model is called. */
const HONEST = `import { defineStrategy } from '@sluice-trading/sluice';
export default defineStrategy({ name: 'honest', params: {}, onBar: ({ symbol }, { orders }) => orders.targetWeight(symbol, 0.1) });
`;
const CANARY = 'canary-7431';

interface Project {
  readonly dir: string;
  readonly victim: ChildProcess;
  connections(): number;
}

async function projectOf(atLoad: boolean): Promise<Project> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-escapes-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [dir, outside] = [join(folder, 'project'), join(folder, 'outside')];
  for (const each of ['strategies', 'fills', '.sluice/tokens', 'node_modules'])
    mkdirSync(join(dir, each), { recursive: true });
  mkdirSync(outside);
  const secret = JSON.stringify({ key: CANARY });
  writeFileSync(join(outside, 'secrets.json'), secret);
  writeFileSync(join(outside, 'secret.mjs'), `export default '${CANARY}';`);
  writeFileSync(join(dir, '.env'), `SLUICE_APP_SECRET=${CANARY}\n`, { mode: 0o600 });
  writeFileSync(join(dir, '.secret.ts'), `export default '${CANARY}';`);
  writeFileSync(join(dir, 'secrets.json'), secret);
  writeFileSync(join(dir, '.sluice/tokens/a.json'), secret);
  for (const folder of ['strategies', 'fills']) {
    symlinkSync(join(outside, 'secret.mjs'), join(dir, folder, 'link.mjs'));
    symlinkSync(outside, join(dir, folder, 'linked'));
  }
  symlinkSync(outside, join(dir, 'node_modules/linked'));
  for (const [name, main] of [
    ['hollow', 'index.mjs'],
    ['climber', '../../secrets.json'],
  ] as const) {
    mkdirSync(join(dir, 'node_modules', name));
    writeFileSync(join(dir, 'node_modules', name, 'package.json'), JSON.stringify({ name, main }));
  }
  symlinkSync(join(outside, 'secret.mjs'), join(dir, 'node_modules/hollow/index.mjs'));
  writeFileSync(join(dir, 'package.json'), JSON.stringify({ imports: { '#secrets': './secrets.json' } }));
  const { port, connections } = await countedListener();
  const victim = spawn(process.execPath, ['-e', 'setInterval(() => 0, 1000)'], { stdio: 'ignore' });
  onTestFinished(() => void victim.kill('SIGKILL'));
  const places = { PORT: String(port), DIR: dir, OUTSIDE: outside, VICTIM: String(victim.pid) };
  writeFileSync(join(dir, 'strategies/hostile.ts'), strategyOf(places, atLoad));
  writeFileSync(join(dir, 'strategies/honest.ts'), HONEST);
  writeFileSync(join(dir, 'fills/hostile.ts'), fillModelOf(places));
  for (const folder of ['strategies', 'fills']) writeFileSync(join(dir, folder, 'sibling.cjs'), BESIDE);
  writeFileSync(join(dir, 'hostile.yaml'), CONFIG);
  writeFileSync(join(dir, 'fills.yaml'), FILLS_CONFIG);
  return { dir, victim, connections };
}

/** What a command gave access to, as reported by the strategy. */
function gotIn(text: string): unknown {
  const got = /GOT(\[.*?\])(?:\n|$| \(| at )/s.exec(text)?.[1];
  return got === undefined ? text : JSON.parse(got);
}

describe('author code that tries to escape', () => {
  it('has at least forty ways', () => {
    expect(Object.keys(ATTEMPTS).length).toBeGreaterThanOrEqual(40);
  });

  it.each([
    ['check', ['check', 'hostile.yaml'], true],
    ['explain', ['explain', 'hostile.yaml'], true],
    ['doctor', ['doctor', '--offline'], true],
    ['test', ['test', 'hostile'], true],
    ['backtest', ['backtest', 'hostile.yaml'], false],
    ['sweep', ['sweep', 'hostile.yaml', '--set', 'n=0..3', '--jobs', '2'], false],
    ['run', ['run', 'hostile.yaml'], false],
    ['backtest (fill model)', ['backtest', 'fills.yaml'], false],
    ['run (fill model)', ['run', 'fills.yaml'], false],
  ] as const)('succeeds with none of them in "sluice %s" (I-16, S-06)', async (_name, args, atLoad) => {
    const { dir, victim, connections } = await projectOf(atLoad);
    const before = readdirSync(dir).sort();
    if (args[0] === 'doctor') {
      mkdirSync(join(dir, 'config'));
      writeFileSync(join(dir, 'config/hostile.yaml'), CONFIG);
      before.push('config');
    }
    const env = { SLUICE_APP_SECRET: CANARY, NO_COLOR: '1' };
    const { out, err } = await sluice(args, { cwd: dir, env });
    const said = `${out}\n${err}`;
    expect(said).not.toContain(CANARY);
    expect(gotIn(said.replace(/\n\s+/g, ' '))).toEqual([]);
    expect(connections()).toBe(0);
    expect(victim.exitCode ?? victim.signalCode).toBeNull();
    expect(readdirSync(dir).filter((name) => !before.includes(name))).toEqual([]);
    expect(existsSync(join(dir, 'written'))).toBe(false);
  });
});
