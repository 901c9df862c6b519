import type { Import } from './imports.ts';
import { ALLOWED_IMPORTS, ENTRY_TYPES, ENTRY_VALUES, INNER_IMPORTS, type Module } from './layers.ts';
import { innerOf, moduleOf, type Source, targetOf } from './tree.ts';

const DOOR = 'src/index.ts';

/** Reports every import that the table does not allow: `file:line: from -> to, may import ...`. */
export function forbiddenImports(source: Source): readonly string[] {
  return source.imports.flatMap((drawn) => {
    const problem = problemOf(source.path, drawn);
    return problem === undefined ? [] : [`${source.path}:${drawn.line}: ${problem}`];
  });
}

function problemOf(path: string, drawn: Import): string | undefined {
  const { specifier } = drawn;
  if (path.startsWith('strategies/')) {
    return specifier === '@sluice-trading/sluice'
      ? undefined
      : `strategies -> "${specifier}", may import "@sluice-trading/sluice" alone`;
  }
  if (specifier === undefined) return computedProblem(path);
  if (specifier === '@sluice-trading/sluice' || specifier.startsWith('@sluice-trading/sluice/'))
    return `"${specifier}" is the door for plugins, inside src/ import the file that defines the thing`;
  const target = targetOf(path, specifier);
  if (target === undefined) return undefined;
  if (target === DOOR) return `${DOOR} is the door for plugins, import the file that defines the thing`;
  const to = moduleOf(target);
  if (to === undefined) return `"${specifier}" is in no module of src/`;
  if (path === DOOR) return entryProblem(to, drawn);
  return moduleOf(path) === to ? innerProblem({ path, target, module: to, drawn }) : moduleProblem(path, to);
}

function moduleProblem(path: string, to: Module): string | undefined {
  const from = moduleOf(path);
  if (from === undefined) return `${path} is in no module of src/`;
  if (from === to) return undefined;
  const allowed = ALLOWED_IMPORTS[from];
  if (allowed === undefined) return `module "${from}" is not in test/tidy/layers.ts`;
  if (allowed.includes(to)) return undefined;
  return `${from} -> ${to}, may import ${allowed.length === 0 ? 'no other module' : allowed.join(', ')}`;
}

/** Checks an import within a module whose folders have their own table. */
function innerProblem(rule: {
  readonly path: string;
  readonly target: string;
  readonly module: Module;
  readonly drawn: Import;
}): string | undefined {
  const { module, drawn } = rule;
  const inner = INNER_IMPORTS[module];
  const [from, to] = [innerOf(rule.path), innerOf(rule.target)];
  if (inner === undefined || from === undefined || from === to) return undefined;
  const allowed = inner[from];
  if (allowed === undefined) return `folder "${module}/${from}" is not in test/tidy/layers.ts`;
  if (to === undefined)
    return drawn.kind === 'type' ? undefined : `${module}/${from} -> ${module}, may import its types alone`;
  if (allowed.includes(to)) return undefined;
  return `${module}/${from} -> ${module}/${to}, may import ${allowed.length === 0 ? 'no other folder' : allowed.join(', ')}`;
}

function entryProblem(to: Module, drawn: Import): string | undefined {
  if (ENTRY_VALUES.includes(to)) return undefined;
  if (ENTRY_TYPES.includes(to) && (drawn.kind === 'type' || drawn.kind === 'export-type')) return undefined;
  return `index.ts -> ${to}, may hand on ${ENTRY_VALUES.join(', ')}, and types of ${ENTRY_TYPES.join(', ')}`;
}

/** A computed import can lead anywhere: only the plugin loader needs one. */
function computedProblem(path: string): string | undefined {
  return path === 'src/config/plugins/plugin-loader.ts' || moduleOf(path) === 'hosts'
    ? undefined
    : 'imports a computed path, which cannot be checked';
}

/**
 * Groups of files of one module that import each other in a cycle, including type imports, without the entry files of
 * threads and processes.
 */
export function circlesIn(sources: readonly Source[]): readonly string[] {
  const edges = new Map(
    sources.map(({ path, imports }) => [
      path,
      imports.flatMap(({ specifier, kind }) =>
        specifier === undefined || kind === 'url' ? [] : (targetOf(path, specifier) ?? []),
      ),
    ]),
  );
  const finished = new Set<string>();
  const circles: string[] = [];
  const visit = (path: string, above: readonly string[]): void => {
    const start = above.indexOf(path);
    if (start >= 0) circles.push([...above.slice(start), path].join(' -> '));
    if (start >= 0 || finished.has(path)) return;
    for (const next of edges.get(path) ?? []) if (edges.has(next)) visit(next, [...above, path]);
    finished.add(path);
  };
  for (const path of edges.keys()) visit(path, []);
  return circles;
}
