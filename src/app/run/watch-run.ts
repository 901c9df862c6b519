import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { ConfigError } from '../../config/config-error.ts';
import type { ExecutionPolicy } from '../../execution/orders/order-style.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';
import type { RiskLimits } from '../../risk/limits.ts';
import type { AnyRun, PaperRun } from '../load/load-run.ts';
import type { NextStrategy } from '../plugins/reloadable-host.ts';
import { changesBetween, codeHash } from './run-changes.ts';
import { watchFiles } from './watch-files.ts';

/** Inputs of a run that watches its files. */
export interface Watching {
  readonly loaded: Pick<AnyRun, 'config' | 'setup' | 'strategyFile' | 'files'>;
  /** Reads the whole config again, as at the start. */
  readonly reload: () => Promise<PaperRun>;
  /** Called with a text for each change, applied or not. */
  readonly print: (text: string) => void;
}

/** Parts that a watched run changes; the engine reads these limits and policy. */
export interface Changeable {
  readonly limits: RiskLimits;
  readonly policy: ExecutionPolicy;
  swap(next: NextStrategy): Promise<void>;
  /** Called with one line for each applied change. */
  onChanged(line: string): void;
}

/**
 * Watches the config and code of a paper run. Saved files are read, compared and shown; permitted changes are applied
 * between two events, all or none, and the bot continues unchanged after an error.
 */
export function watchRun({ loaded, reload, print }: Watching, bot: Changeable, machine: Clock): Cancel {
  let running: Watching['loaded'] = loaded;
  let code = codeOf(loaded.strategyFile);
  let busy: Promise<void> = Promise.resolve();
  let isOver = false;
  const files = [...loaded.files.map((file) => resolve(file)), loaded.strategyFile];

  async function applyChanges(): Promise<void> {
    if (isOver) return;
    const next = await reload();
    const newCode = codeOf(next.strategyFile);
    const changes = changesBetween(running.config, next.config, { before: code, after: newCode });
    if (changes.kind === 'none') return;
    if (changes.kind === 'refused') return print(`Not taken up: ${changes.message}\n`);
    print(`Saved:\n${changes.lines.map((line) => `  ${line}\n`).join('')}`);
    const { params } = next.setup;
    const isOther = newCode !== code || JSON.stringify(params) !== JSON.stringify(running.setup.params);
    if (isOther) await bot.swap({ file: next.strategyFile, params });
    put(bot.limits, next.setup.limits);
    put(bot.policy, next.setup.policy);
    running = next;
    code = newCode;
    bot.onChanged(changes.lines.join('; '));
    print('Taken up; orders stay as they are\n');
  }

  // Saves while a reload is busy are read together by the next one.
  let isQueued = false;
  const unwatch = watchFiles(files, machine, () => {
    if (isQueued) return;
    isQueued = true;
    const next = busy.then(() => {
      isQueued = false;
      return applyChanges();
    });
    busy = next.catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      const what = error instanceof ConfigError ? 'what was saved is not right' : 'it failed';
      if (!isOver) print(`Not taken up, ${what}; the bot continues unchanged\n${reason}\n`);
    });
  });
  print(`Watching ${loaded.config.path} and the code of "${loaded.config.strategy}" (${code})\n`);
  return () => {
    isOver = true;
    unwatch();
  };
}

/** Hashes the strategy's file and the other code files in its folder. */
function codeOf(file: string): string {
  const folder = dirname(file);
  const names = readdirSync(folder).filter((name) => /\.[cm]?[jt]s$/.test(name));
  return codeHash(names.toSorted().map((name) => readFileSync(join(folder, name))));
}

/** Replaces the fields of a shared object. */
function put<T extends object>(held: T, next: T): void {
  for (const key of Object.keys(held)) if (!(key in next)) Reflect.deleteProperty(held, key);
  Object.assign(held, next);
}
