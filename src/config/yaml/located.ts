import { removedOrderType } from '../../model/order.ts';
import { suggestSymbol } from '../../model/symbol.ts';
import { suggestDays } from '../../model/time.ts';
import {
  type ConfigPath,
  type ConfigProblem,
  type ConfigProblemCode,
  nameWithin,
  pathText,
  quotedValue,
  titleOf,
} from '../config-problem.ts';
import type { YamlTree } from './yaml-tree.ts';

/** A YAML tree with the name of its file. */
export interface LocatedTree {
  readonly file: string;
  readonly tree: YamlTree;
}

/** A mistake by its path; its place in the file is looked up. */
export interface ProblemFacts {
  readonly code: ConfigProblemCode;
  readonly path: ConfigPath;
  /** Whether the key or its value is wrong. */
  readonly at: 'key' | 'value';
  readonly value?: unknown;
  readonly wanted: string;
  readonly nearest?: string | undefined;
  /** The sentence after "Cannot read <section>: ". */
  readonly what: string;
}

/** Adds line, column and section to a mistake. */
export function located({ file, tree }: LocatedTree, facts: ProblemFacts): ConfigProblem {
  const place = facts.at === 'key' ? tree.keyPlace(facts.path) : tree.valuePlace(facts.path);
  const unknownTop = facts.code === 'unknown-key' && facts.path.length === 1;
  return {
    code: facts.code,
    file,
    ...place,
    path: pathText(facts.path),
    value: facts.value === undefined ? undefined : quotedValue(facts.value).replace(/^"(.*)"$/s, '$1'),
    wanted: facts.wanted,
    nearest: facts.nearest,
    message: `Cannot read ${unknownTop ? 'config' : titleOf(facts.path)}: ${facts.what}`,
  };
}

/** Describes an invalid value: `"maxOpenOrders" is "many", want a whole number`. */
export function badValue(
  where: LocatedTree,
  path: ConfigPath,
  value: unknown,
  wanted: string,
  more: { readonly code?: ConfigProblemCode; readonly nearest?: string | undefined } = {},
): ConfigProblem {
  const nearest = more.nearest === undefined ? hintFor(value, wanted) : `, did you mean "${more.nearest}"?`;
  const hint = typeof value === 'string' ? `${nearest}${foreignCharacter(value)}` : nearest;
  return located(where, {
    code: more.code ?? 'bad-value',
    path,
    at: 'value',
    value,
    wanted,
    nearest: more.nearest,
    what: `"${nameWithin(path)}" is ${quotedValue(value)}, want ${wanted}${hint}`,
  });
}

/** Names the first character that is not ASCII, which may look like another or like a space; empty if all are. */
function foreignCharacter(text: string): string {
  const [found] = /[^\0-\x7f]/u.exec(text) ?? [];
  if (found === undefined) return '';
  const code = (found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return `; it has the character U+${code}, which is not ASCII`;
}

const QUOTED_NUMBER = /^-?\d+(?:\.\d+)?$/;
const TWO_ENTRIES = /^(\S+) - (\S+)$/;

/** Describes what to write in place of a common mistake, as the end of a sentence; empty for other values. */
function hintFor(value: unknown, wanted: string): string {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string') return '';
  const removed = removedOrderType(text);
  if (removed !== undefined) return `; ${removed}`;
  if (wanted.startsWith('a symbol')) {
    const entries = TWO_ENTRIES.exec(text);
    if (entries !== null) return '; is this two list entries? Indent the second "-" like the first';
    const suggestion = suggestSymbol(text);
    return suggestion === undefined || suggestion === text ? '' : `, did you mean "${suggestion}"?`;
  }
  if (wanted.startsWith('a cron expression')) return cronHint(text);
  if (wanted.startsWith('a day')) {
    const days = suggestDays(text);
    return days.length === 0 ? '' : `, write ${days.join(' or ')}`;
  }
  if (typeof value === 'string' && QUOTED_NUMBER.test(text) && /\bnumber\b/.test(wanted))
    return `: remove the quotes around ${text}`;
  return '';
}

/** Signs of other cron dialects, outside of names such as JUL and WED. */
const OTHER_CRON = /(?<![A-Z])[LW](?![A-Z])|#/i;

/** Describes what is wrong with a cron expression, as the end of a sentence; empty if that is not known. */
function cronHint(text: string): string {
  const time = /^(\d{1,2}):(\d{2})$/.exec(text.trim());
  if (time !== null && Number(time[1]) < 24 && Number(time[2]) < 60)
    return `, write "${Number(time[2])} ${Number(time[1])} * * 1-5"`;
  const fields = text.trim().split(/\s+/);
  if (fields.length > 1 && fields.length !== 5)
    return `; it has ${fields.length}: minute, hour, day of the month, month, weekday`;
  const special = OTHER_CRON.exec(text)?.[0];
  return special === undefined ? '' : `; "${special}" is not supported`;
}
