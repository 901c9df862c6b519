import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';

/** Maximum gzipped size of the page before its charts are loaded, in bytes. */
const FIRST_BYTES_MAX = 110 * 1_024;

/** Bundles the dashboard's page into a folder: page, script, style, and chunks that are loaded on demand. */
export async function bundleDashboard({
  root,
  to,
}: {
  readonly root: string;
  readonly to: string;
}): Promise<void> {
  const page = join(root, 'src/dashboard/page');
  const build = await rolldown({
    input: { main: join(page, 'main.tsx') },
    cwd: root,
    platform: 'browser',
    transform: {
      target: 'es2022',
      jsx: { runtime: 'automatic', importSource: 'preact' },
      define: { 'process.env.NODE_ENV': '"production"' },
    },
  });
  const { output } = await build.write({
    dir: to,
    format: 'esm',
    minify: true,
    entryFileNames: '[name].js',
    chunkFileNames: 'chunk-[hash].js',
  });
  await build.close();
  const style = [
    readFileSync(join(page, 'style.css'), 'utf8'),
    readFileSync(join(root, 'node_modules/uplot/dist/uPlot.min.css'), 'utf8'),
  ].join('\n');
  const html = readFileSync(join(page, 'index.html'), 'utf8');
  writeFileSync(join(to, 'style.css'), style);
  writeFileSync(join(to, 'index.html'), html);
  const chunks = output.filter((file) => file.type === 'chunk');
  const isFirst = new Set([
    'main.js',
    ...(chunks.find(({ fileName }) => fileName === 'main.js')?.imports ?? []),
  ]);
  const first = [
    html,
    style,
    ...chunks.filter(({ fileName }) => isFirst.has(fileName)).map(({ code }) => code),
  ];
  const bytes = first.reduce((sum, text) => sum + gzipSync(text).length, 0);
  if (bytes > FIRST_BYTES_MAX)
    throw new Error(
      `The page weighs ${bytes} bytes gzipped before its charts, the most is ${FIRST_BYTES_MAX}`,
    );
}

const [, , to] = process.argv;
if (import.meta.main && to !== undefined)
  await bundleDashboard({ root: join(import.meta.dirname, '..'), to });
