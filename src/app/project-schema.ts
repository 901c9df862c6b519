import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { botJsonSchema, type DescribedPlugin } from '../config/json-schema.ts';
import { namesOfKind, strategyNames } from '../config/plugin-files.ts';
import { loadPlugin, loadStrategy, usualRoots } from '../config/plugin-loader.ts';
import type { Strategy } from '../strategy/define-strategy.ts';

const OTHER_KINDS = ['risk-rule', 'fill-model', 'notifier'] as const;
type OtherKind = (typeof OTHER_KINDS)[number];

/** Where a project's JSON Schema lies, from its folder. */
export const SCHEMA_FILE = 'schema/bot.json';

/** A JSON Schema that was made, and what could not be part of it. */
export interface ProjectSchema {
  readonly text: string;
  /** Names of the strategies whose parameters it knows. */
  readonly strategies: readonly string[];
  /** Why other strategies are not in it, one sentence each. */
  readonly left: readonly string[];
}

/** The JSON Schema of strategy YAMLs in a project: the core, and the parameters of every plugin found there or shipped. */
export async function projectSchema(project: string): Promise<ProjectSchema> {
  const roots = usualRoots(project);
  const found: Strategy[] = [];
  const left: string[] = [];
  for (const name of strategyNames(roots)) {
    const loaded = await loadStrategy(name, roots);
    // One from a package is asked for by more than its own name.
    if (loaded.kind === 'ok') found.push({ ...loaded.strategy, name });
    else left.push(loaded.message);
  }
  const others: Record<OtherKind, DescribedPlugin[]> = { 'risk-rule': [], 'fill-model': [], notifier: [] };
  for (const kind of OTHER_KINDS) {
    for (const name of namesOfKind(kind, roots)) {
      const loaded = await loadPlugin(kind, name, roots);
      if (loaded.kind === 'ok') others[kind].push({ ...loaded.plugin, name });
      else left.push(loaded.message);
    }
  }
  return { text: botJsonSchema(found, others), strategies: found.map((strategy) => strategy.name), left };
}

/** Writes that schema into the project; the answer says whether the file changed. */
export async function writeProjectSchema(
  project: string,
): Promise<ProjectSchema & { readonly changed: boolean }> {
  const schema = await projectSchema(project);
  const file = join(project, SCHEMA_FILE);
  const changed = textAt(file) !== schema.text;
  if (changed) {
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
