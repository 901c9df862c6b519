import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MAIN, PACKAGE } from '../fixtures/built-package.ts';
import { linkPackage } from '../fixtures/link-package.ts';
import { sluice } from './run-sluice.ts';

let project = '';
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'sluice-watch-'));
  mkdirSync(join(project, 'node_modules'));
  mkdirSync(join(project, 'strategies'));
  linkPackage(PACKAGE, project);
  save('strategies/always.ts', strategy('targetQuantity(symbol, params.shares)'));
  save('bot.yaml', CONFIG);
});
afterEach(() => {
  bot?.child.kill('SIGKILL');
  bot = undefined;
  rmSync(project, { recursive: true, force: true });
});

/** Targets this number of shares at every bar. The average needs a warm-up, and the sum makes the run last long. */
const strategy = (
  wish: string,
): string => `import { defineStrategy, param, sma } from '@sluice-trading/sluice';
import { word } from './word.ts';
export default defineStrategy({
  name: 'always',
  params: { shares: param.int({ min: 0, max: 100, default: 1, doc: 'Shares held' }) },
  signals: ({ bars }) => ({ mean: sma(bars.close, 20) }),
  onBar: ({ symbol }, { params, orders, value }) => {
    if (Number.isNaN(value(symbol, 'mean'))) throw new Error('not warm');
    for (let sum = 0; sum < 15e6; sum += 1);
    return orders.${wish};
  },
});
export { word };
`;
const CONFIG = `strategy: always
symbols: [SPX.US]
period: 1d
params: { shares: 1 }
account: { currency: USD, cash: { USD: 1000000 } }
data: { from: 2009-01-02, to: 2019-12-31 }
risk: { maxOrderNotional: 200000 USD, maxPositionWeight: 90%, maxOrderRate: 60/min }
`;

/** Saves as editors do: a new file replaces the old one. */
function save(path: string, text: string): void {
  writeFileSync(join(project, `${path}.new`), text);
  renameSync(join(project, `${path}.new`), join(project, path));
}

interface Bot {
  readonly child: ChildProcess;
  readonly said: () => string;
  /** Resolves once it has printed such a text after the previous match. */
  says(words: RegExp): Promise<string>;
  /** Interrupts it; resolves with its exit code or signal. */
  stop(): Promise<{ readonly code: number | string | null; readonly out: string }>;
}
let bot: Bot | undefined;

function start(...flags: readonly string[]): Bot {
  const child = spawn(process.execPath, [MAIN, 'run', 'bot.yaml', '--json', ...flags], {
    cwd: project,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, err, from] = ['', '', 0];
  let look: () => void = () => undefined;
  const gone = new Promise<number | string | null>((resolve) =>
    child.once('close', (code, signal) => resolve(code ?? signal)),
  );
  child.stdout.on('data', (text) => {
    out += text;
  });
  child.stderr.on('data', (text) => {
    err += text;
    look();
  });
  bot = {
    child,
    said: () => err,
    says: (words) =>
      new Promise((resolve, reject) => {
        look = () => {
          const found = words.exec(err.slice(from));
          if (found === null) return;
          from += found.index + found[0].length;
          look = () => undefined;
          resolve(found[0]);
        };
        void gone.then(() => reject(new Error(`It ended without saying ${words}: ${err}`)));
        look();
      }),
    stop: async () => {
      child.kill('SIGINT');
      return { code: await gone, out };
    },
  };
  return bot;
}

const assumptionsOf = (out: string): string => JSON.parse(out).assumptions.join('\n');

describe('sluice run --watch', () => {
  beforeEach(() => save('strategies/word.ts', "export const word = 'one';\n"));

  it('applies new parameters, limits and code between events, shows what changed, and trades by it', async () => {
    const running = start('--watch');
    expect(await running.says(/Watching bot.yaml and the code of "always" \(\w{12}\)/)).toBeTruthy();
    await running.says(/\n20\d\d-/);
    save('bot.yaml', CONFIG.replace('shares: 1', 'shares: 3').replace('200000 USD', '150000 USD'));
    expect(await running.says(/Saved:\n[\s\S]*?Taken up; orders stay as they are/)).toMatch(
      /params\.shares 1 -> 3\n\s+risk\.maxOrderNotional 200000 USD -> 150000 USD\n/,
    );
    save('strategies/always.ts', strategy('targetQuantity(symbol, params.shares + 4)'));
    // While the bot loads its new code, progress lines and those of a second file event may come in between.
    const said = await running.says(/Saved:\n\s+code \w{12} -> \w{12}\n[\s\S]*?Taken up; orders/);
    expect(said).not.toContain('params.');
    const code = [...said.matchAll(/code \w{12} -> (\w{12})/g)].at(-1)?.[1];
    expect(code).toBeDefined();
    save('strategies/word.ts', "export const word = 'two';\n");
    await running.says(new RegExp(`code ${code} -> \\w{12}\\n[\\s\\S]*?Taken up; orders`));
    const { code: exitCode, out } = await running.stop();
    expect(exitCode).toBe(130);
    expect(assumptionsOf(out)).toMatch(/Changed while it ran, at 20\d\d-.*: params\.shares 1 -> 3; risk\./);
    const { flow } = JSON.parse(out);
    expect(flow.fills).toBe(3);
  });

  it('continues unchanged when the saved file is invalid or cannot change, and applies the next valid one', async () => {
    const running = start('--watch');
    await running.says(/Watching/);
    save('bot.yaml', CONFIG.replace('shares: 1', 'shares: 1000'));
    await running.says(
      /Not taken up, what was saved is not right; the bot continues unchanged\n[\s\S]*?"shares" is "1000"/,
    );
    save('bot.yaml', CONFIG.replace('[SPX.US]', '[SPX.US, ALPHA.US]').replace('shares: 1', 'shares: 2'));
    await running.says(/Not taken up: "symbols" cannot change while the bot runs/);
    save('bot.yaml', CONFIG.replace('USD: 1000000', 'USD: 5'));
    await running.says(/Not taken up: "account" cannot change while the bot runs/);
    save('bot.yaml', CONFIG);
    save('strategies/always.ts', 'export default 5 +;\n');
    await running.says(/Not taken up, what was saved is not right[\s\S]*?failed while it was loaded/);
    save(
      'strategies/always.ts',
      strategy('targetQuantity(symbol, params.shares)').replace('sma(bars', 'smaa(bars'),
    );
    await running.says(/Not taken up[\s\S]*?smaa/);
    save(
      'strategies/always.ts',
      strategy('close(symbol)').replace(
        'onBar:',
        "timers: { look: { every: '1h' } }, onTimer: () => undefined,\n  onBar:",
      ),
    );
    await running.says(/Not taken up, it failed[\s\S]*?it declares other timers, which are set at the start/);
    save('strategies/always.ts', strategy('targetQuantity(symbol, 8)'));
    await running.says(/Taken up; orders stay as they are/);
    await running.says(/\n20\d\d-/);
    const { code, out } = await running.stop();
    expect(code).toBe(130);
    expect(JSON.parse(out).flow.fills).toBe(2);
  });

  it('applies a saved file that the config extends', async () => {
    save('bot.yaml', 'extends: ./base/bot.yaml\n');
    mkdirSync(join(project, 'base'));
    save('base/bot.yaml', CONFIG);
    const running = start('--watch');
    await running.says(/Watching/);
    save('base/bot.yaml', CONFIG.replace('shares: 1', 'shares: 3'));
    await running.says(/params\.shares 1 -> 3\n[\s\S]*?Taken up/);
    expect((await running.stop()).code).toBe(130);
  });

  it('applies no saved file without the option', async () => {
    const running = start();
    await running.says(/\n20\d\d-/);
    save('bot.yaml', CONFIG.replace('shares: 1', 'shares: 5'));
    save('strategies/always.ts', strategy('targetQuantity(symbol, 9)'));
    for (const _line of [1, 2]) await running.says(/\n20\d\d-/);
    const { code, out } = await running.stop();
    expect(code, running.said()).toBe(130);
    expect(JSON.parse(out).flow.fills).toBe(1);
    expect(running.said()).not.toContain('aken up');
  });

  it('is never allowed with real money, however it is enabled', async () => {
    const words = 'Cannot watch files while real money is traded: "--watch" works on paper only';
    const flagged = await sluice(['run', 'bot.yaml', '--watch', '--live'], { cwd: project });
    expect(flagged).toMatchObject({ code: 2, err: expect.stringContaining(words) });
    save('bot.yaml', `${CONFIG}mode: live\n`);
    const said = await sluice(['run', 'bot.yaml', '--watch'], { cwd: project });
    expect(said).toMatchObject({ code: 2, err: expect.stringContaining(words) });
  });
});
