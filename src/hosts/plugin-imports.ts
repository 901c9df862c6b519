import { isBuiltin, registerHooks } from 'node:module';

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

const OWN_DOORS = /^sluice(?:\/|$)/;
const TYPESCRIPT = /\.ts(?:\?[^#]*)?$/;

/**
 * From now on, refuses to load any module of Node in this thread that does more than compute. A thread that waits inside
 * the operating system could not even be ended. Where "sluice" is not installed beside the strategy, it gets this very copy,
 * and its `.ts` files are ES modules whatever the nearest package.json says.
 */
export function refuseReachingModules(): void {
  registerHooks({
    resolve(specifier, context, next) {
      const name = specifier.replace(/^node:/, '');
      if (isBuiltin(specifier) && !COMPUTING.has(name)) {
        throw new Error(
          `A strategy cannot import "${specifier}", as it reaches beyond its thread; of Node's own modules it may import ${[...COMPUTING].join(', ')}`,
        );
      }
      if (!OWN_DOORS.test(specifier)) return next(specifier, context);
      try {
        return next(specifier, context);
      } catch {
        return next(specifier, { ...context, parentURL: import.meta.url });
      }
    },
    load(url, context, next) {
      const isTypeScript = TYPESCRIPT.test(url) && url.startsWith('file:') && !url.includes('/node_modules/');
      return next(url, isTypeScript ? { ...context, format: 'module-typescript' } : context);
    },
  });
}
