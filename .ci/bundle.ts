import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { type OutputChunk, type Plugin, rolldown } from 'rolldown';

/** The folder of a package, and the folder of its bundle. */
export interface BundlePlaces {
  readonly root: string;
  readonly to: string;
}

/** Files that run by their path: the command, the four entry points of the package, and those of threads. */
const ENTRIES = [
  ...['cli/main', 'index', 'app/backtest-library', 'app/research-library', 'testing/testing'],
  ...[
    'hosts/worker-entry',
    'hosts/inspect-entry',
    'hosts/rule-entry',
    'hosts/fill-entry',
    'hosts/notifier-entry',
    'app/plugins/fill-thread-entry',
    'app/research/sweep-entry',
    'app/research/trial-thread-entry',
    'cli/sandbox/sandbox-entry',
  ],
];

/**
 * Files that are loaded together, by the entries that lead to them. Each group leaves out files of the groups before
 * it. A thread that runs a plugin loads the first group, a test of a strategy two, `sluice backtest` three.
 */
const TOGETHER: Readonly<Record<string, readonly string[]>> = {
  core: ['index', 'hosts/worker-entry', 'hosts/inspect-entry', 'hosts/rule-entry'],
  engine: ['testing/testing', 'backtest/run-backtest'],
  past: [
    ...['cli/sandbox/sandbox-entry', 'cli/output/print-backtest', 'reports/terminal'],
    ...[
      'app/clock/system-clock',
      'app/load/check-config',
      'app/storage/open-store',
      'app/backtest-library',
      'config/read-config',
    ],
  ],
};

/**
 * Packages in the bundle, because a backtest loads them and they consist of many small files. All stay dependencies:
 * declarations name them, and an audit sees the bundled version.
 */
const INSIDE = ['cli-progress', 'cli-table3', 'commander', 'decimal.js', 'rxjs', 'tinyqueue', 'yaml', 'zod'];

const CHUNKS = 'src/chunks';
const LICENSES = 'LICENSES-OF-OTHERS.md';

/** Files that the bundle adds to `src`. */
export const BUNDLE_FILES = [LICENSES] as const;

/**
 * Writes all of `src` as few files with source maps, so that a start loads only what it uses. Entries keep their
 * paths and share their chunks, so that a class is the same object through every entry. Throws if a file could no
 * longer resolve its own location.
 */
export async function bundle({ root, to }: BundlePlaces): Promise<void> {
  const src = join(root, 'src');
  const pathOf = (name: string): string => join(src, `${name}.ts`);
  const others = Object.keys(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).dependencies)
    .filter((name) => !INSIDE.includes(name))
    .concat('@sluice-trading/sluice');
  const build = await rolldown({
    input: Object.fromEntries(ENTRIES.map((name) => [`src/${name}`, pathOf(name)])),
    cwd: root,
    platform: 'node',
    transform: { target: 'node24' },
    external: (id) => others.some((name) => id === name || id.startsWith(`${name}/`)),
    plugins: [placesKept(src)],
    preserveEntrySignatures: 'allow-extension',
    onLog: (level, log, say) => {
      if (log.code !== 'INEFFECTIVE_DYNAMIC_IMPORT') say(level, log);
    },
  });
  const groupOf = grouping(pathOf);
  const { output } = await build.write({
    dir: to,
    format: 'esm',
    sourcemap: true,
    sourcemapExcludeSources: true,
    sourcemapIgnoreList: false,
    sourcemapPathTransform: (source, map) => `../../${nameIn(root, resolve(dirname(map), source))}`,
    entryFileNames: '[name].js',
    chunkFileNames: `${CHUNKS}/[name]-[hash].js`,
    codeSplitting: {
      groups: [{ name: groupOf, debugName: 'together' }],
      includeDependenciesRecursively: false,
    },
  });
  await build.close();
  const chunks = output.filter((file) => file.type === 'chunk');
  demandPlaces(chunks);
  writeFileSync(join(to, LICENSES), licensesOf(packagesIn(chunks)));
}

type Graph = Readonly<
  Record<'getModuleInfo', (id: string) => { readonly importedIds: readonly string[] } | null>
>;

function grouping(pathOf: (name: string) => string): (id: string, graph: Graph) => string | null {
  const entries = new Set(ENTRIES.map(pathOf));
  let groups: ReadonlyMap<string, string> | undefined;
  return (id, graph) => {
    groups ??= groupsOf(pathOf, graph);
    // A file that runs by its path is imported by no other.
    return entries.has(id) ? null : (groups.get(id) ?? null);
  };
}

/** The group of each file: the first group whose entries lead to it. */
function groupsOf(pathOf: (name: string) => string, graph: Graph): ReadonlyMap<string, string> {
  const groups = new Map<string, string>();
  for (const [group, names] of Object.entries(TOGETHER)) {
    const left = names.map(pathOf);
    for (let id = left.pop(); id !== undefined; id = left.pop()) {
      if (groups.has(id)) continue;
      groups.set(id, group);
      left.push(...(graph.getModuleInfo(id)?.importedIds ?? []));
    }
  }
  return groups;
}

/**
 * Makes code that resolves files relative to itself do so from its source path; every file of the bundle is at the
 * same depth.
 */
function placesKept(src: string): Plugin {
  return {
    name: 'places-kept',
    transform(code, id) {
      if (!id.startsWith(src + sep) || !code.includes('import.meta.')) return null;
      for (const [, name = ''] of code.matchAll(/new URL\('\.\/([\w-]+)\.ts', import\.meta\.url\)/g)) {
        const entry = relative(src, resolve(dirname(id), name)).replaceAll(sep, '/');
        if (!ENTRIES.includes(entry))
          throw new Error(`Cannot bundle: src/${entry}.ts is run by its path, make it an entry`);
      }
      const place = `../${relative(src, id).replaceAll(sep, '/').replace(/\.ts$/, '.js')}`;
      // Adds no line, so that the source map stays right.
      return {
        code: code.replaceAll('import.meta.url', `new URL('${place}', import.meta.url).href`),
        map: null,
      };
    },
  };
}

/** Name of a file in the repository, wherever packages are installed. */
function nameIn(root: string, file: string): string {
  const name = relative(root, file).replaceAll(sep, '/');
  return name.slice(Math.max(0, name.lastIndexOf('node_modules/')));
}

const TWO_DEEP = /^src\/[^/]+\/[^/]+$/;

function demandPlaces(chunks: readonly OutputChunk[]): void {
  const lost = chunks.filter(
    ({ fileName, code }) => code.includes('import.meta.') && !TWO_DEEP.test(fileName),
  );
  if (lost.length === 0) return;
  throw new Error(
    `Cannot bundle: ${lost.map(({ fileName }) => fileName).join(', ')} would look in another folder`,
  );
}

const PACKAGE_FOLDER = /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+(?=[\\/])/;

/** Folders of the packages whose code is in the bundle. */
function packagesIn(chunks: readonly OutputChunk[]): readonly string[] {
  const folders = chunks.flatMap(({ moduleIds }) => moduleIds.flatMap((id) => PACKAGE_FOLDER.exec(id) ?? []));
  return [...new Set(folders)].toSorted();
}

function licensesOf(folders: readonly string[]): string {
  const parts = folders.map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
    const path = join(folder, file ?? '');
    if (file === undefined || !existsSync(path))
      throw new Error(`Cannot bundle: ${name} comes without a license`);
    return `## ${name} ${version} (${license})\n\n${readFileSync(path, 'utf8').trim()}\n`;
  });
  return `# Licenses of what others wrote and this package contains\n\n${parts.join('\n')}`;
}
