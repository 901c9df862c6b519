import Module, { isBuiltin, registerHooks } from 'node:module';
import { isOwnImport, refuseOldName } from '../../model/package-name.ts';
import type { ModuleClient } from './module-client.ts';

/** Node modules that only compute. All others reach files, network, processes, threads, the clock or randomness. */
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

/** Node modules for notifiers: the network and what its clients need, but no files, processes or threads. */
export const NETWORK_MODULES: ReadonlySet<string> = new Set([
  ...COMPUTING,
  ...['async_hooks', 'crypto', 'diagnostics_channel', 'dns', 'dns/promises', 'http', 'http2', 'https', 'net'],
  ...['perf_hooks', 'stream', 'stream/promises', 'stream/web', 'timers', 'timers/promises', 'tls', 'zlib'],
]);

const TYPESCRIPT = /\.ts(?:\?[^#]*)?$/;

/**
 * Refuses all Node modules in this thread except the `allowed`; a thread that blocks in the operating system could
 * not be terminated. Other modules come from `modules` if given. Otherwise `.ts` files are ES modules regardless of
 * the nearest package.json, and "@sluice-trading/sluice" is this copy if none is installed next to the strategy.
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

/**
 * Blocks the module loader, which CommonJS code reaches as `module.constructor`, from other hooks and Node modules.
 */
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
