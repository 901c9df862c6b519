import { existsSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { packageRoot } from '../../config/plugins/package-root.ts';
import { remembered, remembersReads } from '../../config/remembered.ts';
import { type BarStore, barsWithin, openBarStore } from '../../market-data/store.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';

/** Folder inside the project for everything that runs create. */
export const WORK_DIR = '.sluice';

/**
 * Opens a folder of bars by its name in a config: the project's own, or the one in the package, so that the included
 * configs run anywhere. Parsed bars are cached in the project.
 */
export function openStore(project: string, dir: string): BarStore {
  return remembered(`store ${project} ${dir}`, () => memoizedStore(opened(project, dir)));
}

function opened(project: string, dir: string): BarStore {
  const own = resolve(project, dir);
  const shipped = join(packageRoot(), dir);
  const found = !existsSync(own) && !isAbsolute(dir) && existsSync(shipped) ? shipped : own;
  const cacheDir = join(project, WORK_DIR, 'cache');
  return openBarStore({ dir: found, cacheDir, keepsOpen: remembersReads() });
}

/** A store that reads everything once, for a process that is about to lose the permission to read files. */
function memoizedStore(store: BarStore): BarStore {
  const { dir } = store;
  return {
    ...store,
    symbols: () => remembered(`symbols ${dir}`, () => store.symbols()),
    security: (symbol) => remembered(`security ${dir} ${symbol}`, () => store.security(symbol)),
    bidAsk: (symbol) => remembered(`bid and ask ${dir} ${symbol}`, () => store.bidAsk(symbol)),
    corporateActions: (symbol) =>
      remembered(`actions ${dir} ${symbol}`, () => store.corporateActions(symbol)),
    outline: (symbol, period) =>
      remembered(`outline ${dir} ${symbol} ${period}`, () => store.outline(symbol, period)),
    bars: (symbol, period, { variant, ...range } = {}) =>
      barsWithin(
        remembered(`bars ${dir} ${symbol} ${period} ${variant ?? ''}`, () =>
          store.bars(symbol, period, omitUndefined({ variant })),
        ),
        range,
      ),
  };
}
