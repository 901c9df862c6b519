import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { MAIN } from '../fixtures/built-package.ts';
import { type Ended, type Environment, sluice as run } from './run-sluice.ts';

/** A separate venue process, and a project folder whose commands use it. */
export interface CommandLine {
  readonly project: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Admin port of the venue, if it has one. */
  readonly admin: string | undefined;
  /** Runs a command with the venue's credentials in its environment. */
  sluice(args: readonly string[], environment?: Environment): Promise<Ended>;
  /** Runs a command with `--json` and parses its output; throws if it fails. */
  json(args: readonly string[]): Promise<unknown>;
  close(): Promise<void>;
}

/** `venueEnvironment` is added to the environment of the venue. */
export async function startCommandLine(
  venueArgs: readonly string[] = [],
  venueEnvironment: Environment = {},
): Promise<CommandLine> {
  const project = mkdtempSync(join(tmpdir(), 'sluice-broker-cli-'));
  const venue = spawn(
    process.execPath,
    [MAIN, 'venue', '--json', '--port', '0', '--until-stdin-ends', '--rate-limits', 'off', ...venueArgs],
    { cwd: project, env: { ...process.env, ...venueEnvironment }, stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const gone = new Promise<void>((resolve) => venue.once('close', () => resolve()));
  const ready = await firstLine(venue.stdout);
  const environment = environmentOf(JSON.parse(ready));
  let commands = 0;

  function sluice(args: readonly string[], more: Environment = {}): Promise<Ended> {
    // Each command counts its calls alone: together with those before it, it would wait up to 30 s for one.
    commands += 1;
    const state = { SLUICE_STATE_DIR: join(project, `state-${commands}`) };
    return run(args, { cwd: project, env: { ...environment, ...state, ...more } });
  }

  return {
    project,
    environment,
    admin: JSON.parse(ready).admin,
    sluice,
    async json(args) {
      const ended = await sluice([...args, '--json']);
      if (ended.code !== 0) throw new Error(`"${args.join(' ')}" ended with ${ended.code}: ${ended.err}`);
      return JSON.parse(ended.out);
    },
    async close() {
      venue.stdin.end();
      await gone;
      rmSync(project, { recursive: true, force: true });
    },
  };
}

function firstLine(stream: NodeJS.ReadableStream): Promise<string> {
  return new Promise((resolve, reject) => {
    const lines = createInterface({ input: stream });
    lines.once('line', resolve);
    lines.once('close', () => reject(new Error('The venue ended before it was ready')));
  });
}

function environmentOf(ready: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const named = {
    SLUICE_HTTP_URL: ready['http'],
    SLUICE_QUOTE_WS_URL: ready['quoteWs'],
    SLUICE_TRADE_WS_URL: ready['tradeWs'],
    SLUICE_APP_KEY: ready['appKey'],
    SLUICE_APP_SECRET: ready['appSecret'],
    SLUICE_ACCESS_TOKEN: ready['accessToken'],
    SLUICE_CATALOGUE_TOKEN: ready['catalogueToken'],
    ...(ready['adminToken'] === undefined ? {} : { SLUICE_ADMIN_TOKEN: ready['adminToken'] }),
  };
  return Object.fromEntries(
    Object.entries(named).map(([name, value]) => {
      if (value === undefined) throw new Error(`The venue did not say what becomes ${name}`);
      return [name, value];
    }),
  );
}
