import { registerHooks } from 'node:module';

const TYPESCRIPT = /\.ts(?:\?[^#]*)?$/;
let registered = false;

/**
 * Lets a strategy's `.ts` file be an ES module whatever the nearest package.json says, or whether there is one: a user's folder
 * needs no `"type"`. Files under `node_modules` stay as Node has them.
 */
export function allowTypeScriptPlugins(): void {
  if (registered) return;
  registered = true;
  registerHooks({
    load: (url, context, nextLoad) => {
      const isOurs = TYPESCRIPT.test(url) && url.startsWith('file:') && !url.includes('/node_modules/');
      return nextLoad(url, isOurs ? { ...context, format: 'module-typescript' } : context);
    },
  });
}
