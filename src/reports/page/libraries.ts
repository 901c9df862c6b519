import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The two chart libraries: code for a plain script element, and a style sheet. */
export interface ChartLibraries {
  readonly script: string;
  readonly style: string;
}

/** Reads the installed chart libraries; throws the file system's error when they are not installed. */
export function chartLibraries(): ChartLibraries {
  const require = createRequire(import.meta.url);
  const uplot = dirname(require.resolve('uplot/package.json'));
  const price = dirname(require.resolve('lightweight-charts/package.json'));
  return {
    script: [
      readFileSync(join(uplot, 'dist/uPlot.iife.min.js'), 'utf8'),
      readFileSync(join(price, 'dist/lightweight-charts.standalone.production.js'), 'utf8'),
    ].join('\n;\n'),
    style: readFileSync(join(uplot, 'dist/uPlot.min.css'), 'utf8'),
  };
}
