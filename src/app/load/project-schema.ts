import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { namesOfKind, strategyNames } from '../../config/plugins/plugin-files.ts';
import {
  type DeclaredStrategy,
  importStrategy,
  type PluginReader,
  readPluginFacts,
  readStrategy,
  usualRoots,
} from '../../config/plugins/plugin-loader.ts';
import { botJsonSchema, type DescribedPlugin } from '../../config/schema/json-schema.ts';
import type { OtherKind } from '../../plugins/plugin-facts.ts';
import type { StrategyFacts } from '../../strategy/strategy-facts.ts';
import { assertInsideProject } from '../storage/inside-project.ts';
import { isolatedUnlessShipped, isShipped, readIsolated } from './read-isolated.ts';

const OTHER_KINDS = ['risk-rule', 'fill-model', 'notifier', 'objective'] as const;

/** Path of a project's JSON Schema, relative to its folder. */
export const SCHEMA_FILE = 'schema/bot.json';

/** A JSON Schema, and what could not be included. */
export interface ProjectSchema {
  readonly text: string;
  /** Names of the strategies whose parameters it has. */
  readonly strategies: readonly string[];
  /** Why other strategies are missing, one sentence each. */
  readonly left: readonly string[];
}

/**
 * Creates the JSON Schema of strategy YAMLs in a project: the core, and the parameters of every plugin in the project
 * or the package.
 */
export async function projectSchema(project: string): Promise<ProjectSchema> {
  const roots = usualRoots(project);
  // Files of the package are trusted; all others are inspected in a sandboxed thread.
  const readStrategyFile: PluginReader<DeclaredStrategy & Pick<StrategyFacts, 'doc'>> = (file, shownPath) =>
    isShipped('strategy', file) ? importStrategy(file, shownPath) : readIsolated(file, shownPath);
  const found: DescribedPlugin[] = [];
  const left: string[] = [];
  for (const name of strategyNames(roots)) {
    const loaded = await readStrategy(readStrategyFile, name, roots);
    // A plugin of a package is named with its package.
    if (loaded.kind === 'ok') found.push({ ...loaded.strategy, name });
    else left.push(loaded.message);
  }
  const others: Record<OtherKind, DescribedPlugin[]> = {
    'risk-rule': [],
    'fill-model': [],
    notifier: [],
    objective: [],
  };
  for (const kind of OTHER_KINDS) {
    for (const name of namesOfKind(kind, roots)) {
      const loaded = await readPluginFacts(isolatedUnlessShipped, kind, name, roots);
      if (loaded.kind === 'ok') others[kind].push({ ...loaded.plugin, name });
      else left.push(loaded.message);
    }
  }
  return { text: botJsonSchema(found, others), strategies: found.map((strategy) => strategy.name), left };
}

/** Writes the schema into the project; returns whether the file changed. */
export async function writeProjectSchema(
  project: string,
): Promise<ProjectSchema & { readonly changed: boolean }> {
  const schema = await projectSchema(project);
  const file = join(project, SCHEMA_FILE);
  const changed = textAt(file) !== schema.text;
  if (changed) {
    assertInsideProject(project, file, 'the schema');
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, schema.text);
  }
  return { ...schema, changed };
}

function textAt(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
