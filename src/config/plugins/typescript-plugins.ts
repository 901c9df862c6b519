import { registerHooks } from 'node:module';
import { isOwnImport, refuseOldName } from '../../model/package-name.ts';

const TYPESCRIPT = /\.ts(?:\?[^#]*)?$/;

let registered = false;

/**
 * Loads a strategy's `.ts` file as an ES module regardless of the nearest package.json: a user's folder needs no
 * `"type"`. Files under `node_modules` keep the behaviour of Node.js. A folder without an installed
 * "@sluice-trading/sluice" uses the running copy.
 */
export function allowTypeScriptPlugins(): void {
  if (registered) return;
  registered = true;
  registerHooks({
    resolve: (specifier, context, next) => {
      refuseOldName(specifier);
      if (!isOwnImport(specifier)) return next(specifier, context);
      try {
        return next(specifier, context);
      } catch {
        return next(specifier, { ...context, parentURL: import.meta.url });
      }
    },
    load: (url, context, nextLoad) => {
      const isOurs = TYPESCRIPT.test(url) && url.startsWith('file:') && !url.includes('/node_modules/');
      return nextLoad(url, isOurs ? { ...context, format: 'module-typescript' } : context);
    },
  });
}
