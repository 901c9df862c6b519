import { statSync } from 'node:fs';
import type { PluginReader, PluginReading } from '../config/plugin-loader.ts';
import { lookAtPlugin } from '../hosts/look-at-plugin.ts';
import { printable } from '../model/printable.ts';
import type { StrategyFacts } from '../strategy/strategy-facts.ts';
import { createSystemTimers } from './system-timers.ts';

const WHAT_CHARS = 400;

/**
 * Reads a strategy's file in a thread that lives no longer than that: a top level that throws, loops, exits or takes all the
 * memory it can get ends in a fault, and costs this process nothing.
 */
export const readApart: PluginReader<StrategyFacts> = (file, said) => {
  const { mtimeMs, size } = statSync(file);
  const version = [file, mtimeMs, size, said].join(' ');
  const known = looked.get(version) ?? look(file, said);
  if (looked.size < LOOKED_MAX) looked.set(version, known);
  return known;
};

/** A command that reads ten configs of one strategy looks at it once. */
const looked = new Map<string, ReturnType<PluginReader<StrategyFacts>>>();
const LOOKED_MAX = 1_000;

async function look(file: string, said: string): Promise<PluginReading<StrategyFacts>> {
  const found = await lookAtPlugin({ file, clock: createSystemTimers() });
  if (found.kind === 'ok') return { kind: 'ok', plugin: found.facts };
  const { code, what } = found;
  return { kind: 'fault', code, what: printable(what.replaceAll(file, said), WHAT_CHARS) };
}
