/** A module of `src/`: one folder. */
export type Module = string;

/** Modules without I/O, clock, random numbers and streams. */
export const PURE_MODULES: readonly Module[] = [
  'model',
  'markets',
  'signals',
  'strategy',
  'risk',
  'events',
  'simulation',
  'wire',
  'plugins',
];

/** Modules of the engine: they use no platform API; ports provide what they need. */
export const ENGINE_MODULES: readonly Module[] = ['ports', 'execution', 'engine'];

/**
 * Files of the engine and the hosts that may import rxjs: the shell, the sources of market data, and the ports of
 * adapters that are streams.
 */
export const RXJS_FILES: readonly string[] = [
  ...['engine-parts', 'engine', 'live-signal-source', 'pipeline', 'serial-executor', 'timer-batches'].map(
    (name) => `src/engine/${name}.ts`,
  ),
  ...[
    'broker',
    'budgeted',
    'clock-scheduler',
    'only-documented',
    'quote-feed',
    'signal-source',
    'to-observable',
  ].map((name) => `src/ports/${name}.ts`),
];

/** Modules without import cycles between files, type imports included. */
export const ACYCLIC_MODULES: readonly Module[] = [
  ...['app', 'broker', 'catalogue', 'cli', 'config', 'journal', 'testing', 'venue', 'wire'],
];

/** Everything that `app` may import, which composes all other modules. */
const BELOW_APP: readonly Module[] = [
  ...PURE_MODULES,
  ...ENGINE_MODULES,
  'broker',
  'hosts',
  'venue',
  'catalogue',
  'market-data',
  'journal',
  'config',
  'backtest',
  'reports',
  'dashboard',
  'research',
];

/** Modules that each module may import. Every module may import itself. */
export const ALLOWED_IMPORTS: Readonly<Record<Module, readonly Module[]>> = {
  model: [],
  markets: ['model'],
  wire: ['model'],
  signals: ['model', 'markets'],
  risk: ['model', 'markets'],
  simulation: ['model', 'markets'],
  strategy: ['model', 'markets', 'signals'],
  events: ['model', 'markets', 'signals'],
  plugins: ['model', 'risk', 'simulation', 'strategy'],
  ports: ['model', 'events', 'signals', 'strategy', 'risk'],
  execution: ['model', 'markets', 'strategy', 'events', 'risk', 'ports'],
  engine: ['model', 'markets', 'signals', 'strategy', 'risk', 'events', 'ports', 'execution'],
  broker: ['model', 'wire', 'ports'],
  hosts: ['model', 'signals', 'strategy', 'risk', 'simulation', 'plugins', 'ports'],
  catalogue: ['model'],
  venue: ['model', 'markets', 'wire', 'simulation', 'ports', 'catalogue', 'market-data'],
  'market-data': ['model', 'markets', 'ports'],
  journal: ['model', 'events', 'ports'],
  config: ['model', 'markets', 'signals', 'strategy', 'risk', 'simulation', 'plugins', 'execution'],
  backtest: [
    ...['model', 'markets', 'signals', 'strategy', 'risk', 'events', 'simulation', 'plugins'],
    ...['ports', 'execution', 'engine', 'hosts', 'journal', 'market-data'],
  ],
  reports: ['model', 'events'],
  dashboard: ['model', 'markets', 'events', 'ports', 'reports'],
  research: ['model', 'events', 'strategy', 'config', 'reports'],
  app: BELOW_APP,
  testing: [
    ...['model', 'markets', 'signals', 'strategy', 'risk', 'events', 'simulation', 'ports', 'execution'],
    ...['journal', 'backtest'],
  ],
  cli: ['model', 'events', 'app', 'config', 'reports', 'research', 'market-data', 'journal', 'testing'],
};

/**
 * Folders inside a module, and which of them may import which. Files in the module's own folder compose them and may
 * import them all; the folders may only import types from those files.
 */
export const INNER_IMPORTS: Readonly<Record<Module, Readonly<Record<string, readonly string[]>>>> = {
  simulation: {
    market: [],
    books: [],
    orders: ['market'],
    'buying-power': ['market', 'orders', 'books'],
    matching: ['market', 'orders', 'buying-power'],
    'bar-matching': ['market', 'orders', 'books', 'buying-power', 'matching'],
    processes: ['market', 'orders', 'books', 'buying-power', 'matching', 'bar-matching'],
  },
};

/**
 * Re-exports of `src/index.ts`, the entry point of plugin authors: values of the first list, types only of the
 * second.
 */
export const ENTRY_VALUES: readonly Module[] = ['model', 'signals', 'strategy', 'plugins'];
export const ENTRY_TYPES: readonly Module[] = ['risk', 'simulation', 'ports'];

/** Packages that a pure module may import; none of them does I/O or reads a clock by itself. */
export const PURE_PACKAGES: Readonly<Record<Module, readonly string[]>> = {
  model: ['decimal.js'],
  markets: ['decimal.js'],
  signals: [],
  strategy: ['decimal.js', 'zod'],
  risk: ['decimal.js'],
  events: ['decimal.js', 'zod'],
  simulation: ['decimal.js', 'tinyqueue'],
  wire: ['decimal.js', 'zod', '@bufbuild/protobuf', 'node:crypto', 'node:zlib'],
  plugins: [],
};

/** Modules that may read the machine's clock, wait on it and use its random numbers. */
export const AMBIENT_MODULES: readonly Module[] = ['app'];

/** Folders whose code runs in a browser, where the machine's clock is the only one. */
export const BROWSER_FOLDERS: readonly string[] = ['src/dashboard/page/'];

/** Files that are run without being imported, and what runs them. */
export const ENTRY_FILES: Readonly<Record<string, string>> = {
  'src/dashboard/page/main.tsx': 'the browser that shows the dashboard',
  'src/index.ts': 'strategy files, as "@sluice-trading/sluice"',
  'src/cli/main.ts': 'the user',
  'src/market-data/generate-demo.ts': 'us, by hand, to write the generated series that ships',
  'src/market-data/generate-templates.ts': 'us, by hand, to write the generated daily series that ship',
  'src/cli/reference.ts': 'the test that holds docs/cli.md fresh',
  'src/signals/catalogue/catalogue.ts':
    'the test that holds docs/indicators.md fresh, and those that try every indicator',
};

/** Files that are finished before the command that uses them. Remove a line when its command is added. */
export const AWAITED_FILES: Readonly<Record<string, string>> = {
  'src/catalogue/standalone.ts': 'sluice catalogue',
};

/** Dependencies that are installed before a file imports them. Remove a line when that file is added. */
export const AWAITED_PACKAGES: Readonly<Record<string, string>> = {};

/** Dependencies whose files are read, not imported, and the purpose. */
export const READ_PACKAGES: Readonly<Record<string, string>> = {};

/** Files that contain a private key on purpose, made for tests only. */
export const KEY_FILES: readonly string[] = ['test/venue/self-signed.ts'];
