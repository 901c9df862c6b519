import { z } from 'zod';
import { nearestName } from '../../model/nearest-name.ts';
import { printable } from '../../model/printable.ts';
import { type ConfigPath, type ConfigProblem, suggestion } from '../config-problem.ts';
import { botSchema } from '../schema/bot-schema.ts';
import { badValue, type LocatedTree, located } from '../yaml/located.ts';
import { valueAt } from '../yaml/tree-value.ts';

/** Returns every place where a config does not have the declared shape, with line and column. */
export function shapeProblems(
  where: LocatedTree,
  parsed: z.ZodSafeParseResult<unknown>,
): readonly ConfigProblem[] {
  if (parsed.success) return [];
  return withoutMisspelled(parsed.error.issues.flatMap((issue) => problemsOf(where, issue)));
}

/** Leaves out keys that are missing only because they are misspelled; the unknown key is already reported. */
function withoutMisspelled(problems: readonly ConfigProblem[]): readonly ConfigProblem[] {
  const meant = new Set(
    problems.flatMap(({ code, path, nearest }) =>
      code === 'unknown-key' && nearest !== undefined
        ? [`${path.slice(0, path.lastIndexOf('.') + 1)}${nearest}`]
        : [],
    ),
  );
  return problems.filter(({ code, path }) => code !== 'missing' || !meant.has(path));
}

function problemsOf(where: LocatedTree, issue: z.core.$ZodIssue): readonly ConfigProblem[] {
  const path = issue.path.filter((part) => typeof part !== 'symbol');
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => unknownKey(where, path, key));
    case 'invalid_key':
      return [badKey(where, path, issue.issues[0]?.message ?? 'another key')];
    case 'invalid_value':
      return [unknownName(where, path, issue.values.map(String))];
    case 'invalid_union':
      return (
        intendedForm(issue.errors)?.flatMap((inner) => problemsOf(where, within(path, inner))) ?? [
          wrongValue(where, path, issue.message),
        ]
      );
    default:
      return [wrongValue(where, path, issue.message)];
  }
}

/** Returns the only form of several whose outer shape matches the value: the error is inside it. */
function intendedForm(
  forms: readonly (readonly z.core.$ZodIssue[])[],
): readonly z.core.$ZodIssue[] | undefined {
  const [meant, ...others] = forms.filter((issues) =>
    issues.every(({ code, path }) => path.length > 0 || code === 'unrecognized_keys'),
  );
  return others.length === 0 ? meant : undefined;
}

function within(outer: ConfigPath, issue: z.core.$ZodIssue): z.core.$ZodIssue {
  return { ...issue, path: [...outer, ...issue.path] };
}

function unknownKey(where: LocatedTree, parent: ConfigPath, key: string): ConfigProblem {
  const known = keysAt(parent);
  const ofBot = ofTheWholeBot(parent, key);
  if (ofBot !== undefined)
    return located(where, {
      code: 'unknown-key',
      path: [...parent, key],
      at: 'key',
      value: key,
      wanted: ofBot.wanted,
      what: `"${printable(key)}" ${ofBot.is}, want ${ofBot.wanted}`,
    });
  const nearest = nearestName(key, known);
  const noun = parent[0] === 'risk' && parent.length === 1 ? 'limit' : 'setting';
  return located(where, {
    code: 'unknown-key',
    path: [...parent, key],
    at: 'key',
    value: key,
    wanted: `a known ${noun} (${known.join(', ')})`,
    nearest,
    what: `"${printable(key)}" is not a known ${noun}, ${suggestion(nearest, known)}`,
  });
}

/** Reports a key of one strategy that applies to all strategies of the bot; undefined if it does not. */
function ofTheWholeBot(
  [first, , section, ...deeper]: ConfigPath,
  key: string,
): { readonly is: string; readonly wanted: string } | undefined {
  if (first !== 'strategies' || deeper.length > 0) return undefined;
  if (section === undefined && keysAt([]).includes(key))
    return { is: 'is one for all strategies of a bot', wanted: 'it at the top level, next to "strategies"' };
  if (section === 'risk' && keysAt(['risk']).includes(key))
    return {
      is: 'is a limit of the whole account',
      wanted: 'it in the top-level "risk", next to "strategies"',
    };
  return undefined;
}

function badKey(where: LocatedTree, path: ConfigPath, wanted: string): ConfigProblem {
  const key = String(path.at(-1));
  return located(where, {
    code: 'unknown-key',
    path,
    at: 'key',
    value: key,
    wanted,
    what: `"${printable(key)}" is used as a key, want ${wanted}`,
  });
}

function unknownName(where: LocatedTree, path: ConfigPath, names: readonly string[]): ConfigProblem {
  const value = valueAt(where.tree.value, path);
  const wanted = `one of ${names.join(', ')}`;
  if (value === undefined) return missing(where, path, wanted);
  const nearest = typeof value === 'string' ? nearestName(value, names) : undefined;
  return badValue(where, path, value, wanted, { nearest });
}

function wrongValue(where: LocatedTree, path: ConfigPath, wanted: string): ConfigProblem {
  const value = valueAt(where.tree.value, path);
  if (value !== undefined) return badValue(where, path, value, wanted);
  return missing(where, path, wanted);
}

function missing(where: LocatedTree, path: ConfigPath, wanted: string): ConfigProblem {
  return located(where, {
    code: 'missing',
    path,
    at: 'key',
    wanted,
    what: `"${String(path.at(-1) ?? 'config')}" is missing, want ${wanted}`,
  });
}

/** Returns the keys that the schema allows at a path. */
function keysAt(path: ConfigPath): readonly string[] {
  let schema: unknown = botSchema();
  for (const part of path) schema = partOf(schema, part);
  return Object.keys(shapeOf(schema));
}

function partOf(schema: unknown, part: string | number): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return partOf(schema.unwrap(), part);
  return schema instanceof z.ZodArray ? schema.element : shapeOf(schema)[part];
}

function shapeOf(schema: unknown): Readonly<Record<string | number, unknown>> {
  if (schema instanceof z.ZodObject) return schema.shape;
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return shapeOf(schema.unwrap());
  if (schema instanceof z.ZodUnion) return Object.assign({}, ...schema.options.map(shapeOf));
  return schema instanceof z.ZodPipe ? shapeOf(schema.in) : {};
}
