import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createSystemClock } from '#src/app/clock/system-clock.ts';
import { inspectPlugin } from '#src/hosts/plugins/inspect-plugin.ts';
import { countedListener } from '../fixtures/counted-listener.ts';

/**
 * Attacks of a hostile package when it is loaded, each as a function body that returns what it gained access to.
 * `PORT` and `DIR` are replaced.
 */
const ATTEMPTS: Readonly<Record<string, string>> = {
  'read the environment': `return process.env.SLUICE_APP_SECRET ?? (Object.keys(process.env).length > 0 ? 'names' : undefined);`,
  'read the environment of the process by its file': `return (await import('node:fs')).readFileSync('/proc/self/environ', 'utf8');`,
  'load the file system past the loader': `return process.getBuiltinModule('node:fs').readFileSync('/etc/hostname');`,
  'load it through require': `const { createRequire } = await import('node:module'); return createRequire(import.meta.url)('fs');`,
  'load it through a module in its address': `return (await import("data:text/javascript,export * from 'node:fs'")).readFileSync;`,
  'load it through an inner binding': `return process.binding('fs');`,
  'write a file': `(await import('node:fs/promises')).writeFile('DIR/written', 'x'); return 'written';`,
  spawn: `return (await import('node:child_process')).execSync('id').toString();`,
  'load native code': `const module = { exports: {} }; process.dlopen(module, 'DIR/native.node'); return 'loaded';`,
  'open a socket': `return (await import('node:net')).connect(PORT);`,
  fetch: `return await fetch('http://127.0.0.1:PORT/');`,
  'open a web socket': `return new WebSocket('ws://127.0.0.1:PORT/');`,
  'listen to an event source': `return new EventSource('http://127.0.0.1:PORT/');`,
  'start a thread': `return new (await import('node:worker_threads')).Worker('1', { eval: true });`,
  'talk to other threads': `return new BroadcastChannel('sluice');`,
  'signal its process': `return process.kill(process.pid, 0) ?? 'signalled';`,
  'signal it past that': `return String(process._kill(process.pid, 0));`,
  'load a binding past that': `return process._linkedBinding('fs');`,
  'signal it by a name of the module': `return String((await import('node:process'))._kill(process.pid, 0));`,
  'read a report by a name of the module': `return (await import('node:process')).report.getReport().cwd;`,
  'put back what was taken': `delete process.report; delete process._kill; return process.report ?? process._kill;`,
  'open its debugger': `return String(process._debugProcess(process.pid));`,
  'debug its process': `return (await import('node:inspector')).url;`,
  'read the environment in a report of the process': `return process.report.getReport().environmentVariables.SLUICE_APP_SECRET ?? 'a report';`,
  'write such a report': `return process.report.writeReport('DIR/report.json');`,
};

/** Attacks that succeed, with what they gained access to. */
async function through(names: readonly string[], folder: string, port: number): Promise<readonly string[]> {
  const bodies = names.map(
    (name) =>
      `[${JSON.stringify(name)}, async () => { ${ATTEMPTS[name]?.replaceAll('PORT', String(port)).replaceAll('DIR', folder)} }]`,
  );
  const file = join(folder, 'hostile.mjs');
  writeFileSync(
    file,
    `const got = [];
    for (const [name, attempt] of [${bodies.join(',\n')}]) {
      try { const value = await attempt(); if (value !== undefined) got.push(name + ': ' + String(value).slice(0, 40)); } catch {}
    }
    throw new Error('GOT' + JSON.stringify(got));`,
  );
  const look = await inspectPlugin({ file, kind: 'strategy', clock: createSystemClock() });
  const what = look.kind === 'fault' ? look.what : 'it was taken for a plugin';
  const got = /GOT(\[.*?\])(?:\n|$| \()/.exec(what)?.[1];
  return got === undefined ? [what] : JSON.parse(got);
}

describe('a hostile package that is loaded', () => {
  it('gains access to no environment, file, process, socket, thread or native code (S-06)', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-hostile-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    vi.stubEnv('SLUICE_APP_SECRET', 'canary');
    onTestFinished(() => void vi.unstubAllEnvs());
    const { port, connections } = await countedListener();
    expect(await through(Object.keys(ATTEMPTS), folder, port)).toEqual([]);
    expect(connections()).toBe(0);
    expect(readdirSync(folder)).toEqual(['hostile.mjs']);
    expect(existsSync(join(folder, 'written'))).toBe(false);
  });
});
