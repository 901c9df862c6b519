import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { MAIN } from '../fixtures/built-package.ts';

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Environment variables in addition to those of the test; undefined removes one. */
export type Environment = Readonly<Record<string, string | undefined>>;

const ROOT = join(import.meta.dirname, '../..');
const OURS = /^(?:SLUICE|LONGBRIDGE|LONGPORT)_/;

/** Where a command runs, and with which build. */
export interface TradingDependencies {
  readonly cwd?: string;
  readonly env?: Environment;
  readonly main?: string;
  /** Options of Node.js. */
  readonly flags?: readonly string[];
}

/** Runs a command in a folder (by default the repository), without credentials unless given. */
export function sluice(
  args: readonly string[],
  { cwd = ROOT, env = {}, main = MAIN, flags = [] }: TradingDependencies = {},
): Promise<Ended> {
  const clean = Object.entries(process.env).filter(([name]) => !OURS.test(name));
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [...flags, main, ...args], {
      cwd,
      env: { ...Object.fromEntries(clean), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [out, err] = ['', ''];
    child.stdout.on('data', (text) => {
      out += text;
    });
    child.stderr.on('data', (text) => {
      err += text;
    });
    child.once('close', (code) => resolve({ code, out, err }));
  });
}
