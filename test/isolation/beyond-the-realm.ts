/**
 * A program that closes off its process as every sandbox does, then acts as code that has escaped all restrictions
 * within JavaScript: it has Node's modules. Prints what it gained access to.
 */
import childProcess from 'node:child_process';
import dgram from 'node:dgram';
import dns from 'node:dns';
import fs from 'node:fs';
import inspector from 'node:inspector';
import module from 'node:module';
import net from 'node:net';
import v8 from 'node:v8';
import { WASI } from 'node:wasi';
import { isMainThread, Worker, workerData } from 'node:worker_threads';
import { dropPermissions, PERMISSIONS_DROPPED, startWatchdog } from '#src/hosts/sandbox/host-link.ts';

const [dir = '', port = '0'] = isMainThread ? process.argv.slice(2) : workerData.job.args;
const file = (name: string): string => `${dir}/${name}`;

/** Refused by Node's permissions on every system. */
const REFUSED: Readonly<Record<string, () => unknown>> = {
  'read a file': () => fs.readFileSync(file('secret'), 'utf8'),
  'read it in pieces': () => fs.readSync(fs.openSync(file('secret'), 'r'), Buffer.alloc(6)),
  'read its size': () => fs.statSync(file('secret')).size,
  'list a folder': () => fs.readdirSync(dir).join(),
  'read its own environment': () => fs.readFileSync('/proc/self/environ', 'utf8'),
  'read a link': () => fs.readlinkSync('/proc/self/exe'),
  'write a file': () => fs.writeFileSync(file('written'), 'x') ?? 'written',
  'write into the cache of compiled code': () =>
    fs.writeFileSync(`${module.getCompileCacheDir() ?? dir}/written`, 'x') ?? 'written',
  'make a link': () => fs.symlinkSync(file('secret'), file('link')) ?? 'linked',
  'remove a file': () => fs.rmSync(file('secret')) ?? 'removed',
  'start a process': () => childProcess.execFileSync('id').toString(),
  'start a thread': () => new Worker('1', { eval: true }),
  'open an inspector': () => inspector.open(0) ?? 'opened',
  'connect an inspector to itself': () => new inspector.Session().connect() ?? 'connected',
  'load native code': () => process.dlopen({ exports: {} }, file('native.node')) ?? 'loaded',
  'make a system interface': () => new WASI({ version: 'preview1', preopens: { '/': '/' } }),
  'load the database': () => module.createRequire(import.meta.url)('node:sqlite'),
  'write a heap snapshot': () => v8.writeHeapSnapshot(file('heap')),
  'write a report': () => process.report.writeReport(file('report')),
  'cancel its permissions': () =>
    process.permission.has('fs.read') || process.permission.has('worker') || undefined,
};

/** Refused by the limit of open files on Linux only: Node's permissions do not cover them. */
const REFUSED_ON_LINUX: Readonly<Record<string, () => unknown>> = {
  'open a socket': () =>
    waited((done) =>
      net
        .connect(Number(port), '127.0.0.1')
        .on('connect', () => done('connected'))
        .on('error', () => done()),
    ),
  'listen on a socket': () =>
    waited((done) =>
      net
        .createServer()
        .on('error', () => done())
        .listen(0, () => done('listens')),
    ),
  'listen in a folder': () =>
    waited((done) =>
      net
        .createServer()
        .on('error', () => done())
        .listen(file('socket'), () => done('listens')),
    ),
  'send a datagram': () =>
    waited((done) =>
      dgram
        .createSocket('udp4')
        .on('error', () => done())
        .send('x', Number(port), '127.0.0.1', (error) => done(error === null ? 'sent' : undefined)),
    ),
  'look up a name': () =>
    waited((done) =>
      dns.lookup('localhost', { family: 4 }, (error) => done(error === null ? 'found' : undefined)),
    ),
  'ask a name server': () =>
    waited((done) =>
      dns.resolve4('canary.invalid', (error) => done(error?.code === 'ENOTFOUND' ? 'asked' : undefined)),
    ),
  fetch: () =>
    fetch(`http://127.0.0.1:${port}/`).then(
      () => 'fetched',
      () => undefined,
    ),
  'write a trace': async () => {
    const trace = await import('node:trace_events');
    trace.createTracing({ categories: ['node'] }).enable();
  },
  'make V8 write files': () => {
    v8.setFlagsFromString('--trace-turbo');
    v8.setFlagsFromString(`--trace-turbo-path=${dir}`);
    let sum = 0;
    for (let count = 0; count < 1e6; count += 1) sum += spin(count);
    if (sum < 0) throw new Error('never');
  },
};

function spin(count: number): number {
  return (count * 31) % 7;
}

function waited(work: (done: (got?: string) => void) => unknown): Promise<string | undefined> {
  return new Promise((resolve) => work(resolve));
}

async function gotOf(attempts: Readonly<Record<string, () => unknown>>): Promise<readonly string[]> {
  const got: string[] = [];
  for (const [name, attempt] of Object.entries(attempts)) {
    try {
      const value = await attempt();
      if (value !== undefined) got.push(`${name}: ${String(value).slice(0, 60)}`);
    } catch {
      // Refused, as expected.
    }
  }
  return got;
}

/** Makes all attempts, once this process or thread is closed off and its host has used up the descriptors. */
async function attempt(send: (message: object) => void, go: () => Promise<unknown>): Promise<void> {
  dropPermissions();
  const going = go();
  send({ kind: PERMISSIONS_DROPPED });
  await going;
  const got = await gotOf(REFUSED);
  const gotOnLinux = await gotOf(REFUSED_ON_LINUX);
  const tried = Object.keys(REFUSED).length + Object.keys(REFUSED_ON_LINUX).length;
  send({ kind: 'tried', got, gotOnLinux, tried });
}

if (isMainThread) {
  await startWatchdog();
  await attempt(
    (message) => process.send?.(message),
    () => new Promise((resolve) => process.once('message', resolve)),
  );
  process.disconnect();
} else {
  const { port: outside } = workerData;
  // A thread that ends frees the descriptors of its event loop, which others could use. It stays until the process
  // ends.
  outside.on('message', () => undefined);
  await attempt(
    (message) => outside.postMessage(message),
    () => new Promise((resolve) => outside.once('message', resolve)),
  );
}
