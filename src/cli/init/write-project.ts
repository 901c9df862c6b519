import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { writeProjectSchema } from '../../app/load/project-schema.ts';
import { packageRoot, packageVersion } from '../../config/plugins/package-root.ts';
import { PACKAGE_NAME } from '../../model/package-name.ts';
import { UsageError } from '../usage-error.ts';
import { projectFiles } from './project-files.ts';
import { TEMPLATES, type TemplateName } from './templates.ts';

/** Files that a folder may have and still count as empty. */
const HARMLESS: ReadonlySet<string> = new Set(['.git', '.DS_Store', '.gitkeep']);

/** Request of `sluice init`. */
export interface InitPlan {
  /** Target folder of the project, relative to the current folder. */
  readonly folder: string;
  readonly template: TemplateName;
  /** The dependency on Sluice in package.json; determined automatically if absent. */
  readonly sluice?: string;
}

/** A new project. */
export interface NewProject {
  readonly folder: string;
  readonly config: string;
  readonly strategy: string;
  readonly sluice: string;
}

/**
 * Writes a whole project into a new or empty folder. Throws UsageError, without changing anything, if the folder is
 * not empty.
 */
export async function writeProject(plan: InitPlan, project: string): Promise<NewProject> {
  if (plan.folder.trim() === '')
    throw new UsageError('Cannot make a project in "": name a folder, or "." for this one');
  const folder = resolve(project, plan.folder);
  checkFree(folder, plan.folder);
  const { strategy, ships, data } = TEMPLATES[plan.template];
  const sluice = plan.sluice ?? sluiceFor(folder);
  makeFolder(folder, plan.folder);
  cpSync(join(packageRoot(), 'templates', plan.template), folder, {
    recursive: true,
    filter: (path) => !path.endsWith(`${sep}.sluice`),
  });
  const shipped = ships ? [`strategies/${strategy}.ts`, `config/${strategy}.yaml`] : [];
  for (const path of [...shipped, ...data.map((symbol) => `backtest-data/${symbol}`)])
    cpSync(shippedAt(path), join(folder, path), { recursive: true });
  if (ships) pointAtProject(join(folder, 'test', `${strategy}.test.ts`));
  const files = projectFiles({ name: packageName(basename(folder)), template: plan.template, sluice });
  for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, path), text);
  await writeProjectSchema(folder);
  return { folder: relative(project, folder) || '.', config: `config/${strategy}.yaml`, strategy, sluice };
}

/**
 * The package has its strategies as JavaScript, which Node.js can run there, and as TypeScript in the folder of the
 * templates.
 */
function shippedAt(path: string): string {
  const own = join(packageRoot(), path);
  return existsSync(own) ? own : join(packageRoot(), 'templates', path);
}

/**
 * In the package the included strategies are in the folder of the templates; in a project they are next to the test
 * folder.
 */
function pointAtProject(test: string): void {
  const text = readFileSync(test, 'utf8');
  writeFileSync(test, text.replace("'../../../strategies/", "'../strategies/"));
}

/** Creates folders one by one: creating them recursively never returns where the system forbids it. */
function makeFolder(folder: string, shownPath: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return;
  const above = dirname(folder);
  if (above !== folder) makeFolder(above, shownPath);
  try {
    mkdirSync(folder);
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new UsageError(
      `Cannot make a project in "${shownPath}": no folder can be made there (${why}), name another`,
    );
  }
}

function checkFree(folder: string, shownPath: string): void {
  const stat = existsSync(folder) ? statSync(folder) : undefined;
  if (stat === undefined) return;
  if (!stat.isDirectory()) {
    throw new UsageError(
      `Cannot make a project in "${shownPath}": there is a file of that name, name another folder`,
    );
  }
  const there = readdirSync(folder).filter((name) => !HARMLESS.has(name));
  if (there.length === 0) return;
  const few = there.slice(0, 3).join(', ');
  const more = there.length > 3 ? `, and ${there.length - 3} more` : '';
  throw new UsageError(
    `Cannot make a project in "${shownPath}": the folder is not empty (${few}${more}), name a new one; nothing was written`,
  );
}

/** Converts a folder's name to a valid npm name. */
function packageName(folder: string): string {
  const name = folder
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replaceAll(/^[._-]+|[._-]+$/g, '');
  return name === '' ? 'my-bot' : name;
}

/**
 * How a project depends on the running copy of Sluice: the installed tarball or git commit, a clone, or the version
 * from the registry.
 */
function sluiceFor(folder: string): string {
  const root = packageRoot();
  const installed = root.split(sep).lastIndexOf('node_modules');
  if (installed < 0) return fileSpec(folder, root);
  const modules = root
    .split(sep)
    .slice(0, installed + 1)
    .join(sep);
  const source = sourceOf(modules);
  if (source === undefined) return `^${packageVersion()}`;
  const tarball = /^file:(.+)$/.exec(source)?.[1];
  return tarball === undefined ? source : fileSpec(folder, resolve(dirname(modules), tarball));
}

function fileSpec(folder: string, path: string): string {
  return `file:${relative(folder, path).split(sep).join('/')}`;
}

/**
 * Source from which npm installed Sluice: `file:` and a tarball, relative to the folder of `node_modules`, or the
 * address of a git repository with its commit; undefined if it came from a registry.
 */
function sourceOf(modules: string): string | undefined {
  const lock = join(modules, '.package-lock.json');
  if (!existsSync(lock)) return undefined;
  const { packages }: { readonly packages?: Readonly<Record<string, { readonly resolved?: string }>> } =
    JSON.parse(readFileSync(lock, 'utf8'));
  const resolved = packages?.[`node_modules/${PACKAGE_NAME}`]?.resolved;
  return resolved !== undefined && /^(?:file:|git\+)/.test(resolved) ? resolved : undefined;
}
