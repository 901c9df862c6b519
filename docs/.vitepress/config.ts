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
    ['Going live', '/docs/going-live'],
    ['Questions', '/docs/faq'],
    ['Glossary', '/docs/glossary'],
  ]),
  group('Coming from', [
    ['backtrader', '/docs/from-backtrader'],
    ['backtesting.py', '/docs/from-backtesting-py'],
    ['freqtrade', '/docs/from-freqtrade'],
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
    ['Dashboard', '/docs/dashboard'],
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
    ['Contributing', '/CONTRIBUTING'],
  ]),
];

/** The pages that exist in Chinese. */
const chinese = (folder: 'zh-cn' | 'zh-hk', title: string, names: readonly string[]) => [
  group(
    title,
    ['README', 'getting-started', 'cookbook', 'going-live', 'faq'].map((page, at) => [
      names[at] ?? page,
      `/docs/${folder}/${page}`,
    ]),
  ),
];

/** Texts of the search in one language. */
const searchTexts = (button: string, none: string) => ({
  translations: {
    button: { buttonText: button, buttonAriaLabel: button },
    modal: { noResultsText: none },
  },
});

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
        locales: {
          'docs/zh-cn': searchTexts('搜索', '没有找到'),
          'docs/zh-hk': searchTexts('搜尋', '沒有找到'),
        },
        miniSearch: {
          options: { tokenize: searchTerms },
          searchOptions: { prefix: true, fuzzy: false, combineWith: 'AND' },
        },
      },
    },
  },
  locales: {
    root: { label: 'English', lang: 'en', themeConfig: { sidebar: ENGLISH } },
    'docs/zh-cn': {
      label: '简体中文',
      lang: 'zh-CN',
      link: '/docs/zh-cn/README',
      themeConfig: {
        sidebar: chinese('zh-cn', '开始', ['简介', '快速入门', '策略示例', '实盘清单', '常见问题']),
        outline: { level: [2, 3], label: '本页内容' },
      },
    },
    'docs/zh-hk': {
      label: '繁體中文（香港）',
      lang: 'zh-HK',
      link: '/docs/zh-hk/README',
      themeConfig: {
        sidebar: chinese('zh-hk', '開始', ['簡介', '快速入門', '策略示例', '實盤清單', '常見問題']),
        outline: { level: [2, 3], label: '本頁內容' },
      },
    },
  },
});
