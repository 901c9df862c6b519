import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE_NAME } from '../../model/package-name.ts';
import { printable } from '../../model/printable.ts';
import { PLUGIN_KINDS, type PluginKind } from '../../plugins/kinds.ts';

/** Version of the interface between plugin packages and Sluice; increased when older packages can no longer run. */
const PLUGIN_API = 1;

/** A package of plugins in the project's `node_modules`. */
export interface PluginPackage {
  readonly name: string;
  /** Real path of its folder for each kind, links resolved; the folder may be missing. */
  readonly folders: Readonly<Record<PluginKind, string>>;
  /** Real path of the package; nothing outside it is imported by name. */
  readonly root: string;
}

/** A usable package, or one sentence why it is not. */
export type PackageReading =
  | { readonly kind: 'ok'; readonly plugin: PluginPackage }
  | { readonly kind: 'problem'; readonly message: string };

const PACKAGE = /^(?:@[a-z0-9][a-z0-9._-]*\/)?sluice-plugin-[a-z0-9][a-z0-9._-]*$/;
const NAMES_MAX = 1_000;

/** Splits `sluice-plugin-x/name` into package and plugin; undefined for another form of name. */
export function pluginParts(name: string): { readonly pack: string; readonly plugin: string } | undefined {
  const cut = name.lastIndexOf('/');
  const [pack, plugin] = [name.slice(0, cut), name.slice(cut + 1)];
  return cut > 0 && PACKAGE.test(pack) ? { pack, plugin } : undefined;
}

/** Names of all plugin packages in a project's `node_modules`, including scoped ones, sorted. */
export function pluginNames(project: string): readonly string[] {
  const modules = join(project, 'node_modules');
  return listed(modules)
    .flatMap((name) =>
      name.startsWith('@') ? listed(join(modules, name)).map((each) => `${name}/${each}`) : [name],
    )
    .filter((name) => PACKAGE.test(name))
    .toSorted()
    .slice(0, NAMES_MAX);
}

/**
 * Reads the plugin manifest of a package, `"sluice": { "api": 1, "strategies": "./strategies", "rules": "./rules" }`
 * in its package.json, without running its code. A kind without an entry uses its default folder. A package for
 * another version of the interface is a problem that names what to update.
 */
export function readPlugin(project: string, name: string): PackageReading {
  const folder = join(project, 'node_modules', name);
  const manifest = join(folder, 'package.json');
  if (!existsSync(manifest)) return problem(`Package "${name}" is not installed, run "npm install ${name}"`);
  const declared = saidIn(manifest);
  if (declared === undefined) {
    return problem(
      `Package "${name}" has no plugin manifest, want "sluice": { "api": ${PLUGIN_API} } in its package.json`,
    );
  }
  const { api } = declared;
  if (api !== PLUGIN_API) {
    const which =
      typeof api === 'number' && api > PLUGIN_API ? `update ${PACKAGE_NAME}` : 'update the package';
    const seen = api === undefined ? 'no plugin API that it names' : `plugin API ${printable(String(api))}`;
    return problem(`Package "${name}" is made for ${seen}, this Sluice has ${PLUGIN_API}: ${which}`);
  }
  const root = realpathSync(folder);
  const folders = { strategy: '', 'risk-rule': '', 'fill-model': '', notifier: '', objective: '' };
  for (const kind of Object.keys(folders) as PluginKind[]) {
    const key = PLUGIN_KINDS[kind].folder;
    const named = declared[key] ?? `./${key}`;
    if (typeof named !== 'string' || !INSIDE.test(named) || named.split('/').includes('..'))
      return problem(`Package "${name}" has no folder inside the package for ${key}, want "./${key}"`);
    folders[kind] = join(root, named);
  }
  return { kind: 'ok', plugin: { name, root, folders } };
}

const INSIDE = /^\.\/[A-Za-z0-9_./-]+$/;

function saidIn(manifest: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const content: unknown = JSON.parse(readFileSync(manifest, 'utf8'));
    const section =
      typeof content === 'object' && content !== null && 'sluice' in content ? content.sluice : undefined;
    return typeof section === 'object' && section !== null
      ? (section as Readonly<Record<string, unknown>>)
      : undefined;
  } catch {
    return undefined;
  }
}

function problem(message: string): PackageReading {
  return { kind: 'problem', message };
}

function listed(folder: string): readonly string[] {
  const there = statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
  return there ? readdirSync(folder) : [];
}
