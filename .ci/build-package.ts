import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { BUNDLE_FILES, bundle } from './bundle.ts';
import { bundleDashboard } from './bundle-dashboard.ts';

/** The root of the repository. */
export const ROOT = join(import.meta.dirname, '..');

/** The folder of the published package. */
export const PACKAGE = join(ROOT, 'dist/package');

/** Contents of the package in addition to the compiled `src`, `strategies` and `notifiers`. */
const SHIPPED = [
  'bin',
  'README.md',
  'LICENSE',
  'CHANGELOG.md',
  'config',
  'backtest-data',
  'schema',
  'templates',
] as const;

/** Fields that the published package.json copies from the repository's. */
interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly type: string;
  readonly engines: Readonly<Record<string, string>>;
  readonly bin: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
}

/**
 * Builds the package: JavaScript and declarations of `src`, `strategies` and `notifiers`, the other shipped files, and
 * its own package.json. Declarations, plugins and files that run by their path keep their paths; the rest of `src` is
 * bundled. Throws if a shipped file is missing.
 */
export async function buildPackage(): Promise<void> {
  const missing = SHIPPED.filter((path) => !existsSync(join(ROOT, path)));
  if (missing.length > 0) throw new Error(`Cannot build the package: ${missing.join(', ')} is missing`);
  rmSync(PACKAGE, { recursive: true, force: true });
  mkdirSync(PACKAGE, { recursive: true });
  execFileSync(join(ROOT, 'node_modules/.bin/tsc'), ['-p', 'tsconfig.build.json'], {
    cwd: ROOT,
    stdio: 'inherit',
  });
  // The compiler emits declarations and plugins; JavaScript of `src` is bundled from its sources instead.
  for (const path of globSync('src/**/*.js', { cwd: PACKAGE })) rmSync(join(PACKAGE, path));
  await bundle({ root: ROOT, to: PACKAGE });
  await bundleDashboard({ root: ROOT, to: join(PACKAGE, 'dashboard') });
  for (const path of SHIPPED) cpSync(join(ROOT, path), join(PACKAGE, path), { recursive: true });
  // `sluice init` copies TypeScript sources as they are.
  cpSync(join(ROOT, 'strategies'), join(PACKAGE, 'templates/strategies'), { recursive: true });
  const manifest: Manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  writeFileSync(join(PACKAGE, 'package.json'), `${JSON.stringify(published(manifest), null, 2)}\n`);
  for (const path of Object.values(manifest.bin)) chmodSync(join(PACKAGE, built(path, 'js')), 0o755);
}

function published(manifest: Manifest): object {
  const { name, version, description, license, type, engines, dependencies } = manifest;
  const bin = Object.entries(manifest.bin).map(([command, path]) => [command, built(path, 'js')]);
  const doors = Object.entries(manifest.exports).map(([door, path]) => [
    door,
    { types: built(path, 'd.ts'), default: built(path, 'js') },
  ]);
  return {
    name,
    version,
    description,
    license,
    type,
    engines,
    bin: Object.fromEntries(bin),
    exports: Object.fromEntries(doors),
    files: ['src', 'strategies', 'notifiers', 'dashboard', ...BUNDLE_FILES, ...SHIPPED],
    dependencies,
  };
}

/** Path of a TypeScript file after the build. */
function built(path: string, extension: 'js' | 'd.ts'): string {
  return path.replace(/\.ts$/, `.${extension}`);
}

if (import.meta.main) await buildPackage();
