import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { lineAt, mask } from './masks.ts';
import { FILES, isGenerated, ROOT, textOf } from './tree.ts';

/** The data file with the retired words, as a path from the root. */
export const WORDS_FILE = 'test/tidy/retired-words.yaml';

/**
 * Retired words with their replacements, by where they may not occur, and the uses that are still allowed, by area.
 */
export interface RetiredWords {
  readonly everywhere: Readonly<Record<string, string>>;
  readonly names: Readonly<Record<string, string>>;
  readonly parts: Readonly<Record<string, string>>;
  readonly sentences: Readonly<Record<string, string>>;
  readonly allowed: Readonly<Record<string, readonly string[]>>;
}

/** One use of a retired word. */
export interface RetiredUse {
  readonly path: string;
  readonly line: number;
  readonly word: string;
  readonly instead: string;
}

/** Reads the data file. */
export function retiredWords(): RetiredWords {
  return parse(readFileSync(join(ROOT, WORDS_FILE), 'utf8'));
}

const TEXT = /\.(?:tsx?|mjs|js|md|ya?ml)$/;
/** The files of the word test contain the words; names in data, schemas and generated code come from their source. */
const EXCLUDED = /^(?:test\/tidy\/(?:retired-words\.yaml|words(?:\.test)?\.ts)|schema\/|backtest-data\/)/;

/** Files that the word test reads, as paths from the root. */
export const READ: readonly string[] = FILES.filter(
  (path) => TEXT.test(path) && !EXCLUDED.test(path) && !isGenerated(path),
);

/** The area that a file belongs to: `src/app`, `test/app`, `docs/adr`, or its first folder or file name. */
export function areaOf(path: string): string {
  return /^(?:(?:src|test|docs)\/[^/.]+(?=\/)|[^/]+)/.exec(path)?.[0] ?? path;
}

/** Searches files for retired words; the returned function takes a path and the text of the file. */
export function wordSearch(words: RetiredWords): (path: string, text: string) => readonly RetiredUse[] {
  const everywhere = anyOf(Object.keys(words.everywhere), 'g');
  const sentences = anyOf(Object.keys(words.sentences), 'gi');
  const fileNames = new Map(
    Object.entries(words.names).map(([name, instead]) => [kebab(name), { name, instead }]),
  );
  return (path, text) => {
    const uses: RetiredUse[] = [];
    const add = (index: number, word: string, instead: string | undefined): void => {
      if (instead !== undefined) uses.push({ path, line: lineAt(text, index), word, instead });
    };
    const file = (path.split('/').at(-1) ?? '').replace(/\..*$/, '');
    const retiredFile = fileNames.get(file);
    if (retiredFile !== undefined) add(0, retiredFile.name, retiredFile.instead);
    for (const part of file.split('-')) add(0, part, words.parts[part]);
    if (Object.hasOwn(words.everywhere, file)) add(0, file, words.everywhere[file]);
    for (const { index, 0: word } of text.matchAll(everywhere)) add(index, word, words.everywhere[word]);
    for (const { index, name } of exportsIn(path, text)) {
      if (Object.hasOwn(words.names, name)) add(index, name, words.names[name]);
      for (const part of kebab(name).split('-')) {
        if (Object.hasOwn(words.parts, part)) add(index, part, words.parts[part]);
      }
    }
    for (const { index, 0: found } of proseOf(path, text).matchAll(sentences)) {
      const word = found.toLowerCase().replaceAll(/[\s*/]+/g, ' ');
      add(index, word, words.sentences[word]);
    }
    return uses;
  };
}

export function retiredUses(words: RetiredWords): readonly RetiredUse[] {
  const search = wordSearch(words);
  return READ.flatMap((path) => search(path, textOf(path)));
}

/** A pattern for any of the words, each as a whole word. A space also matches a line break within a comment. */
function anyOf(words: readonly string[], flags: string): RegExp {
  const sources = words.map((word) => word.replaceAll(' ', '[\\s*/]+'));
  return new RegExp(`(?<![\\w$-])(?:${sources.join('|')})(?![\\w$]|-[a-z])`, flags);
}

/** `HOUSE_LIMITS` and `houseLimits` as `house-limits`. */
function kebab(name: string): string {
  const spaced = name.includes('_')
    ? name.replaceAll('_', '-')
    : name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '-');
  return spaced.toLowerCase();
}

const EXPORT =
  /^export\s+(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?:function\*?|const|let|class|interface|type)\s+(\w+)/gm;

function exportsIn(path: string, text: string): readonly { readonly index: number; readonly name: string }[] {
  if (!/\.tsx?$/.test(path)) return [];
  return [...mask(text).bare.matchAll(EXPORT)].flatMap(({ index, 1: name }) =>
    name === undefined ? [] : [{ index, name }],
  );
}

/** The text with everything but prose blanked. Prose is comments and literals of code, and Markdown outside code. */
function proseOf(path: string, text: string): string {
  if (/\.(?:tsx?|mjs|js)$/.test(path)) {
    const { bare } = mask(text);
    return [...text.split('')].map((char, at) => (bare[at] === char && char !== '\n' ? ' ' : char)).join('');
  }
  if (path.endsWith('.md')) return text.replaceAll(/^```[\s\S]*?^```|`[^`\n]*`/gm, blanked);
  return text.replaceAll(/^(?:[^#\n]|(?<=\S)#)*/gm, blanked);
}

const blanked = (text: string): string => text.replaceAll(/[^\n]/g, ' ');
