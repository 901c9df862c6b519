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

/** What a notifier may load besides: the network, and what clients of it are made of. No files, processes or threads. */
export const REACHING_OUT: ReadonlySet<string> = new Set([
  ...COMPUTING,
  ...['async_hooks', 'crypto', 'diagnostics_channel', 'dns', 'dns/promises', 'http', 'http2', 'https', 'net'],
  ...['perf_hooks', 'stream', 'stream/promises', 'stream/web', 'timers', 'timers/promises', 'tls', 'zlib'],
]);

const OWN_DOORS = /^sluice(?:\/|$)/;
const TYPESCRIPT = /\.ts(?:\?[^#]*)?$/;

/**
 * From now on, refuses to load any module of Node in this thread but the `allowed`, which only compute. A thread that waits inside
 * the operating system could not even be ended. Where "sluice" is not installed beside the strategy, it gets this very copy,
 * and its `.ts` files are ES modules whatever the nearest package.json says.
 */
export function refuseReachingModules(noun: string, allowed: ReadonlySet<string> = COMPUTING): void {
  registerHooks({
    resolve(specifier, context, next) {
      const name = specifier.replace(/^node:/, '');
      if (isBuiltin(specifier) && !allowed.has(name)) {
        throw new Error(
          `A ${noun} cannot import "${specifier}", as it reaches beyond its thread; of Node's own modules it may import ${[...allowed].join(', ')}`,
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
