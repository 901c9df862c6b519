/**
 * Ways in which a strategy tries to escape, each the body of an async function that returns what it gained access to.
 * `PORT` is a server that must receive nothing, `DIR` the project, `VICTIM` another process. `load` requires the
 * CommonJS file next to the strategy, which exports its `module`.
 */
export const ATTEMPTS: Readonly<Record<string, string>> = {
  'read the environment': `return process.env.SLUICE_APP_SECRET ?? (Object.keys(process.env).length > 0 ? 'names' : undefined);`,
  'read the environment from a CommonJS file': `return load().env().SLUICE_APP_SECRET;`,
  'read it from a report of the process': `return process.report.getReport().environmentVariables.SLUICE_APP_SECRET ?? 'a report';`,
  'write a report of the process': `return process.report.writeReport('DIR/report.json');`,
  'import the file system': `return (await import('node:fs')).readFileSync('DIR/.env', 'utf8');`,
  'import it without its prefix': `return (await import('fs/promises')).readFile('DIR/.env', 'utf8');`,
  'take it as a built-in': `return process.getBuiltinModule('node:fs').readFileSync('DIR/.env', 'utf8');`,
  'require it': `return load().require('node:fs').readFileSync('DIR/.env', 'utf8');`,
  'make a require': `return load().loader.createRequire('DIR/x.cjs')('fs').readFileSync('DIR/.env', 'utf8');`,
  'load it past require': `return load().loader._load('node:fs').readFileSync('DIR/.env', 'utf8');`,
  'load it past require as a main module': `return load().loader._load('fs', null, true).readFileSync('DIR/.env', 'utf8');`,
  'put hooks into the loader': `load().loader.registerHooks({ resolve: (name, context, next) => name === 'x:y' ? { url: 'node:child_process', shortCircuit: true } : next(name, context) }); return (await import('x:y')).execSync('id').toString();`,
  'register a loader': `return String(load().loader.register('data:text/javascript,'));`,
  'read a file as JSON of the loader': `const target = { exports: {} }; load().loader._extensions['.json'](target, 'DIR/secrets.json'); return JSON.stringify(target.exports);`,
  'run a file of the loader': `const target = new (load().loader)('DIR/.env'); load().loader._extensions['.js'](target, 'DIR/.env'); return 'ran';`,
  'load native code of the loader': `load().loader._extensions['.node']({ exports: {} }, 'DIR/native.node'); return 'loaded';`,
  'load native code': `process.dlopen({ exports: {} }, 'DIR/native.node'); return 'loaded';`,
  'load it in a module of text': `return (await import("data:text/javascript,export * from 'node:fs'")).readFileSync('DIR/.env', 'utf8');`,
  'take an inner binding': `return process.binding('fs');`,
  'take an inner binding past that': `return process._linkedBinding('fs');`,
  'import the secrets as TypeScript': `return String(Object.keys(await import('file://DIR/.env?.ts')));`,
  'import a script with a dot': `return (await import('../.secret.ts')).default;`,
  'import JSON of the project': `return (await import('../secrets.json', { with: { type: 'json' } })).default.key;`,
  'import JSON outside': `return JSON.stringify((await import('file://OUTSIDE/secrets.json', { with: { type: 'json' } })).default);`,
  'import code outside': `return (await import('file://OUTSIDE/secret.mjs')).default;`,
  'import code outside by a link': `return (await import('./link.mjs')).default;`,
  'import JSON outside by a linked folder': `return JSON.stringify((await import('./linked/secrets.json', { with: { type: 'json' } })).default);`,
  'require JSON outside by a linked package': `return JSON.stringify(load().require('linked/secrets.json'));`,
  'import the tokens of the bot': `return JSON.stringify((await import('../.sluice/tokens/a.json', { with: { type: 'json' } })).default);`,
  'write a file': `(await import('node:fs/promises')).writeFile('DIR/written', 'x'); return 'written';`,
  'write a database': `new (load().loader._load('node:sqlite').DatabaseSync)('DIR/written.db').exec('create table a (b)'); return 'written';`,
  'start a process': `return (await import('node:child_process')).execSync('id').toString();`,
  'start a process of the loader': `return load().loader._load('child_process').execSync('id').toString();`,
  'start a thread': `return new (await import('node:worker_threads')).Worker('1', { eval: true });`,
  'start a thread of the loader': `return new (load().loader._load('node:worker_threads').Worker)('1', { eval: true });`,
  'open an inspector': `return (await import('node:inspector')).open(0, '127.0.0.1', false);`,
  'open the inspector of the bot': `return String(process._debugProcess(process.ppid));`,
  'kill the bot': `return String(process.kill(VICTIM, 9));`,
  'kill it by the name of the module': `return String((await import('node:process'))._kill(VICTIM, 9));`,
  'open a socket': `return (await import('node:net')).connect(PORT, '127.0.0.1');`,
  'open a socket of its console': `const Socket = process.stdout.constructor; const socket = new Socket(); socket.connect(PORT, '127.0.0.1'); return 'connects';`,
  'open a socket by the handle of its console': `const { constructor: Handle } = process.stdout._handle; return String(new Handle(0));`,
  fetch: `return await fetch('http://127.0.0.1:PORT/');`,
  'open a web socket': `return new WebSocket('ws://127.0.0.1:PORT/');`,
  'look up a name': `return await load().loader._load('node:dns').promises.lookup('canary.invalid');`,
  'talk to other threads': `return new BroadcastChannel('sluice');`,
  'take the handles of its process': `return process._getActiveHandles().length;`,
  'forge an answer': `return process.send({ kind: 'answer', number: 1, drafts: [] }) && 'sent';`,
  'find the code behind a stack': `Error.prepareStackTrace = (_error, frames) => frames; const { stack } = new Error(); delete Error.prepareStackTrace; return stack.map((frame) => frame.getFunction?.() ?? frame.getThis?.()).find((each) => each?.require ?? each?.process)?.require('fs');`,
  'reach out of a function of text': `return new Function('return typeof require === "function" ? require("fs") : process.mainModule?.require("fs")')();`,
  'import code outside by a link in a package': `return (await import('hollow')).default;`,
  'require the secrets as the main file of a package': `return JSON.stringify(load().require('climber'));`,
  'import the secrets by a name of the project': `return (await import('#secrets', { with: { type: 'json' } })).default.key;`,
  'require JSON of the project': `return load().require('../secrets.json').key;`,
  'read a script with a dot by import.meta': `return (await import(import.meta.resolve('../.secret.ts'))).default;`,
  'read the secrets by import.meta': `return Object.keys(await import(import.meta.resolve('../.env') + '?.ts')).join();`,
  'take an inner binding of the prototype': `return Object.getPrototypeOf(process).binding?.call(process, 'fs') ?? process.constructor.prototype._linkedBinding?.call(process, 'fs');`,
  'take a module of Node from what was required': `return Object.values(load().require.cache ?? {}).map((each) => each.exports).find((each) => each?.readFileSync ?? each?.execSync);`,
  'require by the main module': `return load().require.main?.require('fs') ?? load().parent?.require('fs');`,
  'take a module of Node from the errors of the loader': `Error.prepareStackTrace = (_error, frames) => { for (const frame of frames) { const found = frame.getThis?.() ?? frame.getFunction?.(); if (found?.require ?? found?.binding ?? found?.process) throw found; } return ''; }; try { await import('./is-not-there.mjs'); } catch (error) { if (error.require) return 'a loader'; String(error.stack); } finally { delete Error.prepareStackTrace; }`,
  'put back what was taken': `delete process.report; delete process._kill; delete process.env; return process.report ?? process._kill ?? process.env.SLUICE_APP_SECRET;`,
};

/**
 * The file of a strategy that makes all attempts when it is loaded, and reports the results at once or in its first
 * hook.
 */
export function strategyOf(places: Readonly<Record<string, string>>, atLoad: boolean): string {
  return `import { defineStrategy, param } from '@sluice-trading/sluice';
${attempting(places)}
${atLoad ? 'tell();' : ''}
export default defineStrategy({ name: 'hostile', params: { n: param.int({ min: 0, max: 9, default: 0, doc: 'N' }) }, onBar: tell });
`;
}

/** The file of a fill model that does the same, and reports at its first order. */
export function fillModelOf(places: Readonly<Record<string, string>>): string {
  return `import { defineFillModel } from '@sluice-trading/sluice';
${attempting(places)}
export default defineFillModel({ name: 'hostile', doc: 'Tries to get out', slippage: tell });
`;
}

/** Makes all attempts in sequence; `tell` throws the results. */
function attempting(places: Readonly<Record<string, string>>): string {
  const filled = (text: string): string =>
    Object.entries(places).reduce((body, [name, value]) => body.replaceAll(name, value), text);
  const bodies = Object.entries(ATTEMPTS).map(
    ([name, body]) => `[${JSON.stringify(name)}, async () => { ${filled(body)} }]`,
  );
  return `const load = () => sibling;
let sibling;
const got = [];
try { sibling = (await import('./sibling.cjs')).default; } catch (error) { got.push('no sibling file: ' + error.message); }
for (const [name, attempt] of [${bodies.join(',\n')}]) {
  try { const value = await attempt(); if (value !== undefined) got.push(name + ': ' + String(value).slice(0, 60)); } catch {}
}
const tell = () => {
  Error.prepareStackTrace = (_error, frames) => frames;
  Error.stackTraceLimit = 100;
  const { stack } = new Error();
  delete Error.prepareStackTrace;
  for (const frame of stack)
    if (frame.getFunction?.() !== undefined || frame.getThis?.() !== undefined)
      got.push('a function of the host: ' + frame.getFileName());
  throw new Error('GOT' + JSON.stringify(got));
};`;
}

/** The CommonJS file next to it. */
export const BESIDE = `module.exports = { require, loader: module.constructor, parent: module.parent, env: () => process.env };`;
