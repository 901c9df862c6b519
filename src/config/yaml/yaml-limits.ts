import { type CST, Parser } from 'yaml';

/** Maximum size of a config in bytes, as UTF-8. */
export const BYTES_MAX = 256 * 1024;
/** Maximum depth of nested maps and lists. */
export const DEPTH_MAX = 32;
/** Maximum number of keys and list entries of a config. */
export const ENTRIES_MAX = 10_000;

/** A limit that a text exceeds: what was found, what is allowed, and where (offset in characters). */
export interface BrokenLimit {
  readonly seen: string;
  readonly wanted: string;
  readonly offset: number;
}

/** The syntax of a text within the limits, or the limit that it exceeds. */
export type Syntax =
  | { readonly kind: 'ok'; readonly tokens: readonly CST.Token[] }
  | { readonly kind: 'broken'; readonly limit: BrokenLimit };

/**
 * Checks size, depth and number of entries before anything is built from the text; calls `onNewLine` with the start
 * of each line.
 */
export function syntaxOf(text: string, onNewLine?: (offset: number) => void): Syntax {
  const bytes = new TextEncoder().encode(text).length;
  if (bytes > BYTES_MAX) {
    const seen = `the file has ${bytes} bytes`;
    return { kind: 'broken', limit: { seen, wanted: `at most ${BYTES_MAX} bytes`, offset: 0 } };
  }
  const tokens = [...new Parser(onNewLine).parse(text)];
  const limit = brokenNesting(tokens);
  return limit === undefined ? { kind: 'ok', tokens } : { kind: 'broken', limit };
}

/** Walks the syntax without recursion, so that no depth can exhaust the stack. */
function brokenNesting(roots: readonly CST.Token[]): BrokenLimit | undefined {
  const open: { readonly token: CST.Token; readonly depth: number }[] = [];
  for (const root of roots) {
    if (root.type === 'document' && root.value !== undefined) open.push({ token: root.value, depth: 1 });
  }
  let entries = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { token, depth } = next;
    if (!('items' in token)) continue;
    if (depth > DEPTH_MAX) {
      return { seen: 'it nests deeper', wanted: `at most ${DEPTH_MAX} levels`, offset: token.offset };
    }
    entries += token.items.length;
    if (entries > ENTRIES_MAX) {
      return { seen: 'it has more', wanted: `at most ${ENTRIES_MAX} entries`, offset: token.offset };
    }
    for (const item of token.items) {
      if (item.key != null) open.push({ token: item.key, depth: depth + 1 });
      if (item.value !== undefined) open.push({ token: item.value, depth: depth + 1 });
    }
  }
  return undefined;
}
