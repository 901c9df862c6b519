import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAIN, PACKAGE } from '../fixtures/built-package.ts';
import { linkPackage } from '../fixtures/link-package.ts';

const root = resolve(import.meta.dirname, '../..');
const project = mkdtempSync(join(tmpdir(), 'sluice-cli-'));

const CONFIG = `strategy: sma-cross
symbols: [SPX.US]
period: 1d
params: { weight: 25% }
account: { currency: USD, cash: { USD: 100000 } }
data: { from: 2018-01-02, to: 2018-12-31, dir: ${join(root, 'backtest-data')} }
risk: { maxOrderNotional: 100000 USD, maxPositionWeight: 40% }
`;

beforeAll(() => {
  mkdirSync(join(project, 'node_modules'));
  mkdirSync(join(project, 'strategies'));
  linkPackage(PACKAGE, project);
  writeFileSync(join(project, 'good.yaml'), CONFIG);
  writeFileSync(
    join(project, 'thrower.yaml'),
    CONFIG.replace('sma-cross', 'thrower').replace(/params.*\n/, ''),
  );
  writeFileSync(
    join(project, 'strategies/thrower.ts'),
    [
      "import { defineStrategy, every } from '@sluice-trading/sluice';",
      'export default defineStrategy({',
      "  name: 'thrower', params: {}, signals: ({ bars }) => ({ tick: every(bars) }),",
      "  onSignal: () => { throw new Error('planted'); },",
      '});',
    ].join('\n'),
  );
  writeFileSync(
    join(project, 'strategies/mine.ts'),
    [
      "import { defineStrategy, first } from '@sluice-trading/sluice';",
      'export default defineStrategy({',
      "  name: 'mine', params: {}, signals: ({ bars }) => ({ begin: first(bars) }),",
      '  onSignal: (signal, { orders }) => orders.targetWeight(signal.symbol, 0.3),',
      '});',
    ].join('\n'),
  );
  writeFileSync(join(project, 'mine.yaml'), CONFIG.replace('sma-cross', 'mine').replace(/params.*\n/, ''));
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs the command line in the test's project; `onErr` receives its messages. */
function sluice(
  args: readonly string[],
  onErr?: (text: string, kill: (signal: NodeJS.Signals) => void) => void,
): Promise<Ended> {
  return new Promise((resolvePromise) => {
    const child = spawn(process.execPath, [MAIN, ...args], {
      cwd: project,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [out, err] = ['', ''];
    child.stdout.on('data', (text) => {
      out += text;
    });
    child.stderr.on('data', (text) => {
      err += text;
      onErr?.(err, (signal) => child.kill(signal));
    });
    child.once('close', (code) => resolvePromise({ code, out, err }));
  });
}

describe('the command line', () => {
  it('reports a backtest as text and as JSON', async () => {
    const page = await sluice(['backtest', 'good.yaml']);
    expect(page.code).toBe(0);
    expect(page.out).toMatch(
      /Result {3}Buy and hold\nReturn.*Trades[\s\S]*CAGR[\s\S]*Max drawdown[\s\S]*Sharpe[\s\S]*Exposure[\s\S]*Fees/,
    );
    expect(page.out.split('\n').length).toBeLessThanOrEqual(24);
    expect(page.out).toMatch(/ assumptions of the model, definitions, all figures: add --explain\n/);
    const explained = await sluice(['backtest', 'good.yaml', '--explain']);
    expect(explained.out).toMatch(/Prices\n[\s\S]*All figures\n[\s\S]*Definitions\n[\s\S]*Assumptions\n/);
    const json = await sluice(['backtest', 'good.yaml', '--json']);
    expect(JSON.parse(json.out)).toMatchObject({ schema: 'sluice.report/1' });
  });

  it('runs a strategy that the user wrote', async () => {
    const ended = await sluice(['backtest', 'mine.yaml']);
    expect(ended.code).toBe(0);
    expect(ended.err).toMatch(
      /^Kept as \.sluice\/backtests\/mine-[\d-]+: open or compare it in "sluice ui"\n$/,
    );
    expect(ended.out).toContain('BACKTEST  mine');
  });

  it('refuses a strategy that sets a timer in a backtest, as on paper', async () => {
    const written = readFileSync(join(project, 'strategies/mine.ts'), 'utf8');
    writeFileSync(
      join(project, 'strategies/restless.ts'),
      `${written.replace("'mine'", "'restless'")}\nsetInterval(() => undefined, 1_000);\n`,
    );
    const config = readFileSync(join(project, 'mine.yaml'), 'utf8');
    writeFileSync(join(project, 'restless.yaml'), config.replace('mine', 'restless'));
    const ended = await sluice(['backtest', 'restless.yaml', '--json']);
    expect(ended.code).toBe(3);
    expect(ended.err).toContain('cannot use setInterval: decide in the hooks');
  });

  it('prints "equal" with counts when backtest and paper agree', async () => {
    const ended = await sluice(['parity', 'good.yaml']);
    expect(ended.code).toBe(0);
    expect(ended.out.replaceAll(/\s+/g, ' ')).toMatch(/^equal: .*\d+ fills, \d+ equity/);
  });

  it('takes parameters from flags for run and parity as it does for a backtest', async () => {
    const flags = ['--param', 'fast=5', '--param', 'weight=10%', '--json'];
    const tested = await sluice(['backtest', 'good.yaml', ...flags]);
    const usual = await sluice(['backtest', 'good.yaml', '--json']);
    const paper = await sluice(['run', 'good.yaml', ...flags]);
    const { figures } = JSON.parse(paper.out);
    expect(figures).toEqual(JSON.parse(tested.out).figures);
    expect(figures).not.toEqual(JSON.parse(usual.out).figures);
    const agreed = await sluice(['parity', 'good.yaml', ...flags]);
    expect(agreed.code).toBe(0);
    expect(JSON.parse(agreed.out)).toMatchObject({
      kind: 'equal',
      counts: { fills: JSON.parse(tested.out).flow.fills },
    });
    for (const command of ['run', 'parity']) {
      const refused = await sluice([command, 'good.yaml', '--param', 'fast=500']);
      expect(refused.code).not.toBe(0);
      expect(refused.err).toContain(
        'Cannot set parameter "fast" to "500", want a whole number from 2 to 200',
      );
    }
  });

  it('lists every mistake and the name that was meant', async () => {
    writeFileSync(
      join(project, 'bad.yaml'),
      CONFIG.replace('sma-cross', 'sma-cros').replace('maxOrderNotional', 'maxNotional'),
    );
    const ended = await sluice(['check', 'bad.yaml', 'good.yaml']);
    expect(ended.code).toBe(3);
    expect(ended.out).toContain('did you mean "sma-cross"?\n  at bad.yaml:1:11 (strategy)');
    expect(ended.out).toContain('did you mean "maxOrderNotional"?');
    expect(ended.out).toContain('good.yaml: ok');
  });

  it('names the hook, the error and the line when a strategy throws, and exits 6', async () => {
    for (const command of ['backtest', 'run']) {
      const ended = await sluice([command, 'thrower.yaml']);
      expect(ended.code).toBe(6);
      expect(ended.err).toMatch(/Strategy "thrower" threw in onSignal: planted \(at .*thrower\.ts:4:\d+\)/);
    }
  });

  it('exits 2 for a command or a flag that does not exist, and names the nearest', async () => {
    const command = await sluice(['backtst']);
    expect(command).toMatchObject({ code: 2 });
    expect(command.err).toContain('Did you mean backtest?');
    expect(await sluice(['backtest', 'good.yaml', '--jsn'])).toMatchObject({ code: 2 });
  });

  it('exits 4 and prints what to do when the port is taken', async () => {
    const taken = createServer();
    await new Promise<void>((done) => taken.listen(0, '127.0.0.1', done));
    const address = taken.address();
    const port = typeof address === 'object' ? String(address?.port) : '';
    const data = join(root, 'backtest-data');
    const ended = await sluice(['venue', '--port', port, '--data', data]);
    taken.close();
    expect(ended.code).toBe(4);
    expect(ended.err).toContain(`127.0.0.1:${port}`);
  });

  it('ends normally on Ctrl-C: exit 130, the journal complete, its last record has the reason', async () => {
    let sent = false;
    const ended = await sluice(['run', 'good.yaml'], (said, kill) => {
      if (sent || !said.includes('equity')) return;
      sent = true;
      kill('SIGINT');
    });
    expect(ended.code).toBe(130);
    const journal = /Journal: (\S+)/.exec(ended.out)?.[1] ?? '';
    const database = new DatabaseSync(join(project, journal), { readOnly: true });
    const last = database.prepare('SELECT body FROM records ORDER BY seq DESC LIMIT 1').get();
    database.close();
    expect(JSON.parse(String(last?.['body']))).toMatchObject({ kind: 'run-ended', reason: 'interrupted' });
  });
});
