import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAIN } from '../fixtures/built-package.ts';
import { makeCertificates } from '../fixtures/certificates.ts';
import { NATS_MISSING, NATS_SERVER, NatsServer } from '../fixtures/nats-server.ts';
import { sluice } from './run-sluice.ts';

if (NATS_SERVER === undefined) console.warn(`Skipped: sweeps on a queue, as ${NATS_MISSING}`);

const project = mkdtempSync(join(tmpdir(), 'sluice-queue-'));
const children = new Set<ChildProcess>();
let server: NatsServer;

const config = (strategy: string) => `strategy: ${strategy}
symbols: [SPX.US]
period: 1d
account: { currency: USD, cash: { USD: 100000 } }
data: { from: 2015-01-02, to: 2016-12-30 }
risk: { maxOrderNotional: 100000 USD, maxPositionWeight: 90% }
`;

/**
 * Sleeps 100 ms in each trial, throws for one parameter, ends its process for another, and tries to read files for a
 * third.
 */
const BUSY = `import { defineStrategy, param } from '@sluice-trading/sluice';
import { weightOf } from '../lib/weight.ts';
const cell = new Int32Array(new SharedArrayBuffer(4));
export default defineStrategy({
  name: 'busy',
  params: { n: param.int({ min: 0, max: 1000, default: 1, doc: 'N' }) },
  signals: () => {
    Atomics.wait(cell, 0, 0, 100);
    return {};
  },
  onBar: (bar, { params, orders }) => {
    if (params.n === 3) throw new Error('n is three');
    if (params.n === 6) process.exit(0);
    if (params.n === 9) return orders.targetWeight(bar.symbol, process.getBuiltinModule('node:fs').readdirSync('/').length, 'files');
    return orders.targetWeight(bar.symbol, weightOf(params.n), 'by n');
  },
});
`;

beforeAll(async () => {
  for (const folder of ['strategies', 'lib']) mkdirSync(join(project, folder));
  writeFileSync(join(project, 'strategies/busy.ts'), BUSY);
  writeFileSync(
    join(project, 'lib/weight.ts'),
    'export const weightOf = (n: number): number => (n + 1) / 500;\n',
  );
  writeFileSync(join(project, 'busy.yaml'), config('busy'));
  writeFileSync(join(project, 'cross.yaml'), config('sma-cross'));
  writeFileSync(join(project, '.env'), 'SECRET=1\n');
  if (NATS_SERVER !== undefined) server = await NatsServer.start();
});

afterAll(async () => {
  for (const child of children) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const gone = once(child, 'close');
    child.kill('SIGKILL');
    await gone;
  }
  await server?.stop();
  rmSync(project, { recursive: true, force: true });
});

function started(words: readonly string[], cwd = project, env: NodeJS.ProcessEnv = {}): ChildProcess {
  const child = spawn(process.execPath, [MAIN, ...words], {
    cwd,
    env: { ...process.env, ...env },
    stdio: 'ignore',
  });
  children.add(child);
  return child;
}

/** A worker in its own folder, as on another machine. */
function worker(name: string): ChildProcess {
  const folder = join(project, '..', `${project.split('/').at(-1)}-${name}`);
  mkdirSync(folder, { recursive: true });
  folders.add(folder);
  return started(['worker', '--queue', server.address, '--jobs', '1'], folder);
}
const folders = new Set<string>();
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A user of a server's configuration, with the common rights and further ones. */
function user(name: string, publishes: readonly string[], subscribes: readonly string[]): string {
  const publish = ['$JS.API.>', '$O.sluice-objects.>', '_INBOX.>', ...publishes];
  const permissions = { publish, subscribe: ['_INBOX.>', ...subscribes] };
  return `{ user: ${name}, password: secret-of-${name}, permissions: ${JSON.stringify(permissions)} }`;
}

const run = (...words: readonly string[]) => sluice(['sweep', ...words, '--json'], { cwd: project });

async function ended(...words: readonly string[]) {
  const { code, out, err } = await run(...words);
  expect([code, out === '' ? err : '']).toEqual([0, '']);
  const { files } = JSON.parse(out);
  return { json: join(project, files.json), bytes: readFileSync(join(project, files.json), 'utf8') };
}

describe.skipIf(NATS_SERVER === undefined)('a sweep on a queue', () => {
  const killed = async (child: ChildProcess): Promise<void> => {
    const gone = once(child, 'close');
    child.kill('SIGKILL');
    await gone;
  };

  it('returns the bytes of the local sweep while workers, the server and the sweep itself are killed', async () => {
    const axes = ['busy.yaml', '--set', 'n=0..59:1'];
    const local = await ended(...axes, '--jobs', '2');
    expect(JSON.parse(local.bytes).failed).toHaveLength(3);
    const folder = join(local.json, '..');
    rmSync(folder, { recursive: true });
    const lines = () => {
      const path = join(folder, 'trials.jsonl');
      return existsSync(path) ? readFileSync(path, 'utf8').split('\n').length - 1 : 0;
    };
    const [first] = [worker('one'), worker('two'), worker('three')];
    const sweep = started(['sweep', ...axes, '--queue', server.address]);
    await expect.poll(lines, { timeout: 40_000, interval: 5 }).toBeGreaterThanOrEqual(5);
    await killed(first);
    await expect.poll(lines, { timeout: 40_000, interval: 5 }).toBeGreaterThanOrEqual(12);
    await server.restart();
    await expect.poll(lines, { timeout: 40_000, interval: 5 }).toBeGreaterThanOrEqual(20);
    await killed(sweep);
    const before = lines();
    expect(before).toBeLessThan(60);
    const whole = await ended(...axes, '--queue', server.address);
    expect(whole.bytes).toBe(local.bytes);
    expect(lines()).toBe(60);
  });

  it('searches in generations with the same bytes', async () => {
    const axes = ['cross.yaml', '--set', 'fast=2..40', '--set', 'slow=10..60:1', '--where', 'fast < slow'];
    const search = [...axes, '--method', 'tpe', '--trials', '20'];
    const local = await ended(...search, '--jobs', '1');
    expect((await ended(...search, '--queue', server.address, '--fresh')).bytes).toBe(local.bytes);
  });

  it('is computed over TLS, by users with the documented rights', async () => {
    makeCertificates(project, 'queue');
    const inProject = (name: string): string => join(project, name);
    const guarded = await NatsServer.start({
      settings: `tls { cert_file: "${inProject('queue.pem')}", key_file: "${inProject('queue.key')}" }
authorization { users = [ ${user('sweep', ['sluice.trials.>', 'sluice.sweeps.>'], ['sluice.sweeps.>'])}, ${user('worker', ['sluice.results.>', '$JS.ACK.SLUICE_TRIALS.>'], [])} ] }
`,
    });
    const address = guarded.address.replace('nats:', 'tls:');
    const login = (name: string) => ({ SLUICE_NATS_USER: name, SLUICE_NATS_PASSWORD: `secret-of-${name}` });
    const trusted = { NODE_EXTRA_CA_CERTS: inProject('ca.pem') };
    try {
      const axes = ['sweep', 'cross.yaml', '--set', 'fast=5..9:1', '--json'];
      const local = await ended(...axes.slice(1, -1), '--jobs', '1');
      const words = ['worker', '--queue', address, '--jobs', '1'];
      const working = started(words, project, { ...login('worker'), ...trusted });
      const { code, out, err } = await sluice([...axes, '--queue', address, '--fresh'], {
        cwd: project,
        env: { ...login('sweep'), ...trusted },
      });
      expect([code, out === '' ? err : '']).toEqual([0, '']);
      expect(readFileSync(inProject(JSON.parse(out).files.json), 'utf8')).toBe(local.bytes);
      await killed(working);
      const untrusted = await sluice(words, { cwd: project, env: login('worker') });
      expect([untrusted.code, untrusted.err]).toEqual([4, expect.stringContaining('NODE_EXTRA_CA_CERTS')]);
    } finally {
      await guarded.stop();
    }
  });

  it('reports what is wrong with an address, a login, a server and its rights', async () => {
    const silent = await NatsServer.start({ jetstream: false });
    const guarded = await NatsServer.start({
      settings:
        'authorization { users = [ { user: reader, password: secret, permissions: { publish: ["_INBOX.>"] } } ] }\n',
    });
    try {
      const error = async (address: string, env: Readonly<Record<string, string>> = {}) => {
        const { code, err } = await sluice(['worker', '--queue', address], { cwd: project, env });
        expect([code, err.includes('secret')]).toEqual([4, false]);
        return err;
      };
      expect(await error('http://127.0.0.1:1')).toContain('want an address such as "nats://127.0.0.1:4222"');
      expect(await error('nats://127.0.0.1:1')).toContain('Cannot reach the queue at "nats://127.0.0.1:1"');
      expect(await error(silent.address)).toContain('has no JetStream for this account');
      expect(await error(guarded.address)).toContain('refuses the login');
      const login = { SLUICE_NATS_USER: 'reader', SLUICE_NATS_PASSWORD: 'secret' };
      expect(await error(guarded.address, login)).toContain(
        'does not permit this user to publish to "$JS.API',
      );
      const jobs = await run('cross.yaml', '--set', 'fast=5', '--queue', server.address, '--jobs', '2');
      expect([jobs.code, jobs.err]).toEqual([2, expect.stringContaining('each worker has its own')]);
    } finally {
      await silent.stop();
      await guarded.stop();
    }
  });
});
