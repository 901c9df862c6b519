import type { Import } from './imports.ts';
import { ARROWS, DOOR_TYPES, DOOR_VALUES, INNER_ARROWS, type Room } from './layers.ts';
import { innerOf, roomOf, type Source, targetOf } from './tree.ts';

const DOOR = 'src/index.ts';

/** Says what is wrong with every arrow of a file that the table does not list: `file:line: from -> to, may import ...`. */
export function forbiddenArrows(source: Source): readonly string[] {
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
  const to = roomOf(target);
  if (to === undefined) return `"${specifier}" lies in no room of src/`;
  if (path === DOOR) return doorProblem(to, drawn);
  return roomOf(path) === to ? innerProblem({ path, target, room: to, drawn }) : roomProblem(path, to);
}

function roomProblem(path: string, to: Room): string | undefined {
  const from = roomOf(path);
  if (from === undefined) return `${path} stands in no room of src/`;
  if (from === to) return undefined;
  const allowed = ARROWS[from];
  if (allowed === undefined) return `room "${from}" is not in test/tidy/layers.ts`;
  if (allowed.includes(to)) return undefined;
  return `${from} -> ${to}, may import ${allowed.length === 0 ? 'no other room' : allowed.join(', ')}`;
}

/** Inside a room whose folders have arrows of their own. */
function innerProblem(arrow: {
  readonly path: string;
  readonly target: string;
  readonly room: Room;
  readonly drawn: Import;
}): string | undefined {
  const { room, drawn } = arrow;
  const inner = INNER_ARROWS[room];
  const [from, to] = [innerOf(arrow.path), innerOf(arrow.target)];
  if (inner === undefined || from === undefined || from === to) return undefined;
  const allowed = inner[from];
  if (allowed === undefined) return `folder "${room}/${from}" is not in test/tidy/layers.ts`;
  if (to === undefined)
    return drawn.kind === 'type' ? undefined : `${room}/${from} -> ${room}, may import its types alone`;
  if (allowed.includes(to)) return undefined;
  return `${room}/${from} -> ${room}/${to}, may import ${allowed.length === 0 ? 'no other folder' : allowed.join(', ')}`;
}

function doorProblem(to: Room, drawn: Import): string | undefined {
  if (DOOR_VALUES.includes(to)) return undefined;
  if (DOOR_TYPES.includes(to) && (drawn.kind === 'type' || drawn.kind === 'export-type')) return undefined;
  return `index.ts -> ${to}, may hand on ${DOOR_VALUES.join(', ')}, and types of ${DOOR_TYPES.join(', ')}`;
}

/** A computed import can lead anywhere: only the loader of plugins needs one. */
function computedProblem(path: string): string | undefined {
  return path === 'src/config/plugins/plugin-loader.ts' || roomOf(path) === 'hosts'
    ? undefined
    : 'imports a computed path, so that nobody can say where it leads';
}

/** Groups of files of one room that import each other in a circle, type imports included, entry files of threads and processes not. */
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
