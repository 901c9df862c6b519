import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitepress';
import { searchTerms } from './search-terms.ts';

const ROOT = join(import.meta.dirname, '../..');

/** One group of the sidebar: pages as `[text, link]`. */
const group = (text: string, pages: readonly (readonly [text: string, link: string])[]) => ({
  text,
  items: pages.map(([name, link]) => ({ text: name, link })),
});

const ENGLISH = [
  group('Start', [
    ['Getting started', '/docs/getting-started'],
    ['Cookbook', '/docs/cookbook'],
    ['Strategy guide', '/docs/strategy-guide'],
    ['Testing', '/docs/testing'],
    ['Questions', '/docs/faq'],
  ]),
  group('Reference', [
    ['Command line', '/docs/cli'],
    ['Configuration', '/docs/configuration'],
    ['Risk limits', '/docs/risk'],
    ['Indicators', '/docs/indicators'],
    ['Data', '/docs/data'],
    ['Backtesting', '/docs/backtesting'],
    ['Research', '/docs/research'],
    ['Charges', '/docs/charges'],
    ['Plugins', '/docs/plugins'],
    ['Errors', '/docs/errors'],
    ['JSON', '/docs/json'],
  ]),
  group('Operate', [
    ['Operations', '/docs/operations'],
    ['Recovery', '/docs/recovery'],
    ['Venue', '/docs/venue'],
    ['Faults', '/docs/faults'],
  ]),
  group('Internals', [
    ['Architecture', '/docs/architecture'],
    ['Reliability', '/docs/reliability'],
    ['Wire protocol', '/docs/wire-protocol'],
    ['Speed', '/docs/performance'],
    ['Changelog', '/CHANGELOG'],
  ]),
];

/** The documentation site, from the same Markdown that the repository shows; `npm run docs` builds it into `dist/site`. */
export default defineConfig({
  title: 'Sluice',
  description: 'A TypeScript framework for bots that execute stock orders automatically',
  srcDir: ROOT,
  outDir: join(ROOT, 'dist/site'),
  cacheDir: join(ROOT, 'node_modules/.cache/vitepress'),
  srcExclude: [
    '**/{node_modules,dist,backtest-data,bench,test,templates,create-sluice,src}/**',
    'docs/cookbook/**',
  ],
  rewrites: { 'README.md': 'index.md' },
  // Links to sources, licences and folders are for readers of the repository.
  ignoreDeadLinks: [
    /^\.{0,2}\/?(?:.*\/)?(?:LICENSE|adr\/|src\/|cookbook\/|backtest-data\/)/,
    /create-sluice/,
  ],
  metaChunk: true,
  // Sources that pages link to are shown as they are.
  buildEnd: ({ outDir }) =>
    cpSync(join(ROOT, 'docs/cookbook'), join(outDir, 'docs/cookbook'), {
      recursive: true,
      filter: (path) => !path.includes('.sluice'),
    }),
  themeConfig: {
    outline: [2, 3],
    search: {
      provider: 'local',
      options: {
        miniSearch: {
          options: { tokenize: searchTerms },
          searchOptions: { prefix: true, fuzzy: false, combineWith: 'AND' },
        },
      },
    },
  },
  locales: {
    root: { label: 'English', lang: 'en', themeConfig: { sidebar: ENGLISH } },
  },
});
