import { realpathSync, statSync } from 'node:fs';
import { sep } from 'node:path';
import { packageRoot } from '../../config/plugins/package-root.ts';
import { shippedFolder } from '../../config/plugins/plugin-files.ts';
import {
  type FactsReader,
  factsHere,
  type PluginReader,
  type PluginReading,
} from '../../config/plugins/plugin-loader.ts';
import type { FactsOf } from '../../hosts/plugins/inspect-messages.ts';
import { inspectPlugin } from '../../hosts/plugins/inspect-plugin.ts';
import { printable } from '../../model/printable.ts';
import type { PluginKind } from '../../plugins/kinds.ts';
import { createSystemClock } from '../clock/system-clock.ts';

const WHAT_CHARS = 400;

type InspectionCache<K extends PluginKind> = Map<string, Promise<PluginReading<FactsOf[K]>>>;

/** A command that reads ten configs of one plugin inspects it once. */
const INSPECTIONS: { readonly [K in PluginKind]: InspectionCache<K> } = {
  strategy: new Map(),
  'risk-rule': new Map(),
  'fill-model': new Map(),
  notifier: new Map(),
  objective: new Map(),
};
const INSPECTIONS_MAX = 1_000;

/**
 * Reads a plugin's file in a temporary thread: top-level code that throws, loops, exits or exhausts memory is
 * reported and does not affect this process.
 */
export function isolated<K extends PluginKind>(kind: K): PluginReader<FactsOf[K]> {
  const looked: InspectionCache<K> = INSPECTIONS[kind];
  return (file, shownPath) => {
    const { mtimeMs, size } = statSync(file);
    const version = [file, mtimeMs, size, shownPath].join(' ');
    const known = looked.get(version) ?? inspect(kind, file, shownPath);
    if (looked.size < INSPECTIONS_MAX) looked.set(version, known);
    return known;
  };
}

/** True for a file of the package's own folder of this kind, whose code is trusted. */
export function isShipped(kind: PluginKind, file: string): boolean {
  return file.startsWith(`${shippedFolder(kind, { shipped: realpathSync(packageRoot()) })}${sep}`);
}

/** The same as `isolated`, but imports files of the package into this process, for commands that read all of them. */
export const isolatedUnlessShipped: FactsReader = (kind) => (file, shownPath) =>
  isShipped(kind, file) ? factsHere(kind)(file, shownPath) : isolated(kind)(file, shownPath);

/** The same for strategies. */
export const readIsolated = isolated('strategy');

async function inspect<K extends PluginKind>(
  kind: K,
  file: string,
  shownPath: string,
): Promise<PluginReading<FactsOf[K]>> {
  const found = await inspectPlugin({ file, kind, clock: createSystemClock() });
  if (found.kind === 'ok') return { kind: 'ok', plugin: found.facts };
  const { code, what } = found;
  return { kind: 'fault', code, what: printable(what.replaceAll(file, shownPath), WHAT_CHARS) };
}
