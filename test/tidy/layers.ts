/** A module of `src/`: one folder. */
export type Module = string;

/** Rooms without I/O, clock, chance and streams. */
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

/** Rooms of the engine: no platform; what they need of the world comes through ports. */
export const ENGINE_MODULES: readonly Module[] = ['ports', 'execution', 'engine'];

/** Files of the engine and the hosts that import rxjs: the shell, the sources of market data, and the ports of adapters that are streams. */
export const RXJS_FILES: readonly string[] = [
  ...['engine-parts', 'engine', 'live-signal-source', 'pipeline', 'serial-executor', 'timer-batches'].map(
    (name) => `src/engine/${name}.ts`,
  ),
  ...[
    'broker',
    'budgeted',
    'clock-scheduler',
    'observed',
    'only-documented',
    'quote-feed',
    'signal-source',
  ].map((name) => `src/ports/${name}.ts`),
];

/** Rooms whose files import each other in no circle, type imports included. */
export const ACYCLIC_MODULES: readonly Module[] = [
  ...['app', 'broker', 'catalogue', 'cli', 'config', 'journal', 'testing', 'venue', 'wire'],
];

/** Everything that `app`, which composes the rest, may import: all modules below it. */
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

/** Which module may import which; every module may import itself, and nothing else may be imported. */
export const ALLOWED_IMPORTS: Readonly<Record<Module, readonly Module[]>> = {
  model: [],
  markets: ['model'],
  wire: ['model'],
  signals: ['model', 'markets'],
  risk: ['model', 'markets'],
  simulation: ['model', 'markets'],
  strategy: ['model', 'signals'],
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
 * Folders inside a module, and which of them may import which. Files in the module's own folder compose them: it may import them all,
 * they take its types alone.
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

/** What the plugin author's door, `src/index.ts`, hands on: values of the first list, types alone of the second. */
export const ENTRY_VALUES: readonly Module[] = ['model', 'signals', 'strategy', 'plugins'];
export const ENTRY_TYPES: readonly Module[] = ['risk', 'simulation', 'ports'];

/** Packages that a pure module may import; none of them does I/O or reads a clock unasked. */
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

/** Rooms that may read the machine's clock, wait on it and draw from its chance. */
export const AMBIENT_MODULES: readonly Module[] = ['app'];

/** Folders whose code runs in a browser, which has no clock but the machine's. */
export const BROWSER_FOLDERS: readonly string[] = ['src/dashboard/page/'];

/** Files that nothing imports and that run all the same, and what runs them. */
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

/** Files finished before the command that leads to them; a line here goes when its command comes. */
export const AWAITED_FILES: Readonly<Record<string, string>> = {
  'src/catalogue/standalone.ts': 'sluice catalogue',
};

/** Dependencies taken before the first file that imports them; a line here goes when that file comes. */
export const AWAITED_PACKAGES: Readonly<Record<string, string>> = {};

/** Dependencies whose files are read, not imported, and what for. */
export const READ_PACKAGES: Readonly<Record<string, string>> = {};

/** Files that hold a private key on purpose, made for tests and good for nothing else. */
export const KEY_FILES: readonly string[] = ['test/venue/self-signed.ts'];
