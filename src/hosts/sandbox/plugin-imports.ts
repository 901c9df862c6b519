import Module, { isBuiltin, registerHooks } from 'node:module';
import { isOwnImport, refuseOldName } from '../../model/package-name.ts';
import type { ModuleClient } from './module-client.ts';

/** Modules of Node that only compute. Every other one reaches files, network, processes, threads, the clock or chance. */
const COMPUTING: ReadonlySet<string> = new Set([
  'assert',
  'assert/strict',
  'buffer',
  'events',
  'path',
  'path/posix',
  'path/win32',
  'process',
  'punycode',
  'querystring',
  'string_decoder',
  'url',
  'util',
  'util/types',
]);

/** What a notifier may load in addition: the network modules and those that clients need. No files, processes or threads. */
export const NETWORK_MODULES: ReadonlySet<string> = new Set([
  ...COMPUTING,
  ...['async_hooks', 'crypto', 'diagnostics_channel', 'dns', 'dns/promises', 'http', 'http2', 'https', 'net'],
  ...['perf_hooks', 'stream', 'stream/promises', 'stream/web', 'timers', 'timers/promises', 'tls', 'zlib'],
]);

const TYPESCRIPT = /\.ts(?:\?[^#]*)?$/;

/**
 * From now on, refuses to load any module of Node in this thread but the `allowed`, which only compute. A thread that waits inside
 * the operating system could not even be ended. All other modules come from `modules` where it is given; otherwise they are read here:
 * where "@sluice-trading/sluice" is not installed next to the strategy, it gets this very copy, and its `.ts` files are ES modules regardless of
 * the nearest package.json.
 */
export function restrictModules(
  noun: string,
  allowed: ReadonlySet<string> = COMPUTING,
  modules?: ModuleClient,
): void {
  const refuse = (specifier: string): never => {
    throw new Error(
      `A ${noun} cannot import "${specifier}", as it reaches beyond its thread; of Node's own modules it may import ${[...allowed].join(', ')}`,
    );
  };
  const isRefused = (specifier: string): boolean =>
    isBuiltin(specifier) && !allowed.has(specifier.replace(/^node:/, ''));
  registerHooks({
    resolve(specifier, context, next) {
      if (isRefused(specifier)) refuse(specifier);
      refuseOldName(specifier);
      if (modules !== undefined && !isBuiltin(specifier) && !specifier.startsWith('data:')) {
        const { parentURL = import.meta.url, conditions } = context;
        return { url: modules.resolve(specifier, parentURL, conditions), shortCircuit: true };
      }
      if (!isOwnImport(specifier)) return next(specifier, context);
      try {
        return next(specifier, context);
      } catch {
        return next(specifier, { ...context, parentURL: import.meta.url });
      }
    },
    load(url, context, next) {
      if (isRefused(url)) refuse(url);
      if (modules !== undefined && url.startsWith('file:'))
        return { ...modules.load(url), shortCircuit: true };
      const isTypeScript = TYPESCRIPT.test(url) && url.startsWith('file:') && !url.includes('/node_modules/');
      return next(url, isTypeScript ? { ...context, format: 'module-typescript' } : context);
    },
  });
  closeLoader(noun, (specifier) => {
    if (isRefused(specifier)) refuse(specifier);
  });
}

/** A CommonJS file finds the loader itself as `module.constructor`, and with it other hooks, other paths and modules of Node. */
function closeLoader(noun: string, check: (specifier: string) => void): void {
  const loader = Module as unknown as Record<string, unknown>;
  for (const name of [
    'registerHooks',
    'register',
    'runMain',
    'syncBuiltinESMExports',
    'enableCompileCache',
  ]) {
    fix(loader, name, () => {
      throw new Error(`A ${noun} cannot use ${name} of the module loader`);
    });
  }
  const load = loader['_load'];
  if (typeof load === 'function') {
    fix(loader, '_load', function loadChecked(this: unknown, specifier: unknown, ...rest: unknown[]) {
      check(String(specifier));
      return Reflect.apply(load, this, [specifier, ...rest]);
    });
  }
}

function fix(owner: object, name: string, value: unknown): void {
  Object.defineProperty(owner, name, { value, configurable: false, writable: false, enumerable: false });
}
