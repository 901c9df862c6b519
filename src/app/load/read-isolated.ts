import { statSync } from 'node:fs';
import type { PluginReader, PluginReading } from '../../config/plugins/plugin-loader.ts';
import type { FactsOf } from '../../hosts/plugins/inspect-messages.ts';
import { inspectPlugin } from '../../hosts/plugins/inspect-plugin.ts';
import { printable } from '../../model/printable.ts';
import type { PluginKind } from '../../plugins/kinds.ts';
import { createSystemClock } from '../clock/system-clock.ts';

const WHAT_CHARS = 400;

type InspectionCache<K extends PluginKind> = Map<string, Promise<PluginReading<FactsOf[K]>>>;

/** A command that reads ten configs of one plugin inspects it once. */
const LOOKED: { readonly [K in PluginKind]: InspectionCache<K> } = {
  strategy: new Map(),
  'risk-rule': new Map(),
  'fill-model': new Map(),
  notifier: new Map(),
  objective: new Map(),
};
const LOOKED_MAX = 1_000;

/**
 * Reads a plugin's file in a temporary thread: top-level code that throws, loops, exits or exhausts memory is
 * reported and does not affect this process.
 */
export function isolated<K extends PluginKind>(kind: K): PluginReader<FactsOf[K]> {
  const looked: InspectionCache<K> = LOOKED[kind];
  return (file, shownPath) => {
    const { mtimeMs, size } = statSync(file);
    const version = [file, mtimeMs, size, shownPath].join(' ');
    const known = looked.get(version) ?? inspect(kind, file, shownPath);
    if (looked.size < LOOKED_MAX) looked.set(version, known);
    return known;
  };
}

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
