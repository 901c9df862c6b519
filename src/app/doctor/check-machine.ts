import { accessSync, constants, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageVersion } from '../../config/plugins/package-root.ts';
import { PACKAGE_NAME } from '../../model/package-name.ts';
import { projectSchema, SCHEMA_FILE } from '../load/project-schema.ts';
import { WORK_DIR } from '../storage/open-store.ts';
import { type Diagnosis, fault, type Installation, note } from './diagnosis.ts';

const NODE_MAJOR_MIN = 24;
const FREE_BYTES_MIN = 200 * 1_048_576;

/** Checks Node.js, the disk, and whether the folder is writable. */
export function checkMachine({ project, nodeVersion, freeBytes }: Installation): readonly Diagnosis[] {
  const found: Diagnosis[] = [];
  if (Number(nodeVersion.split('.')[0]) < NODE_MAJOR_MIN) {
    const fix = `npm install --save-dev node@${NODE_MAJOR_MIN}, and run through npx`;
    found.push(
      fault('machine', 'node-too-old', `Node.js is ${nodeVersion}, Sluice needs ${NODE_MAJOR_MIN}`, fix),
    );
  }
  if (!writable(project)) {
    const fix = 'grant yourself write permission, or run in another folder';
    found.push(fault('machine', 'not-writable', 'The project or its work folder is not writable', fix));
  }
  const free = freeBytes(project);
  if (free < FREE_BYTES_MIN) {
    const message = `${Math.floor(free / 1_048_576)} MiB are free on this disk; a journal that cannot be written stops its bot`;
    found.push(fault('machine', 'disk-full', message, 'free at least 200 MiB'));
  }
  return found;
}

function writable(project: string): boolean {
  const work = join(project, WORK_DIR);
  try {
    accessSync(project, constants.W_OK);
    if (existsSync(work)) accessSync(work, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Checks a project's configs, the installed package, and whether the JSON Schema is up to date. */
export async function checkProject({ project }: Installation): Promise<readonly Diagnosis[]> {
  const found: Diagnosis[] = [];
  if (configFiles(project).length === 0) {
    const fix = 'npx sluice init my-bot makes a project; or write config/my-bot.yaml here';
    found.push(fault('project', 'no-config', 'There is no YAML file in config/ of this folder', fix));
  }
  const installed = installedVersion(project);
  if (installed !== undefined && installed !== packageVersion()) {
    const message = `node_modules has ${PACKAGE_NAME} ${installed}, this is ${packageVersion()}: strategies and command would be of two versions`;
    found.push(fault('project', 'two-versions', message, 'npm install, and run through npx'));
  }
  const file = join(project, SCHEMA_FILE);
  const schema = existsSync(file) ? await projectSchema(project) : undefined;
  // A schema without some strategies is out of date for a reason that is reported with these strategies.
  if (schema?.left.length === 0 && readFileSync(file, 'utf8') !== schema.text) {
    const message = `${SCHEMA_FILE} is out of date: your editor completes the parameters of earlier strategies`;
    found.push(note('project', 'schema-stale', message, 'npx sluice schema'));
  }
  return found;
}

/** Strategy YAMLs of a project, relative to its folder, sorted. */
export function configFiles(project: string): readonly string[] {
  const folder = join(project, 'config');
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => /\.ya?ml$/.test(name))
    .toSorted()
    .map((name) => `config/${name}`);
}

function installedVersion(project: string): string | undefined {
  const manifest = join(project, 'node_modules', PACKAGE_NAME, 'package.json');
  if (!existsSync(manifest)) return undefined;
  try {
    const { version }: { readonly version?: unknown } = JSON.parse(readFileSync(manifest, 'utf8'));
    return typeof version === 'string' ? version : undefined;
  } catch {
    return 'that cannot be read';
  }
}
