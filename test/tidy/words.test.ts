import { describe, expect, it } from 'vitest';
import { areaOf, retiredUses, retiredWords, WORDS_FILE, wordSearch } from './words.ts';

const WORDS = retiredWords();
const USES = retiredUses(WORDS);
const allowedIn = (area: string): readonly string[] => WORDS.allowed[area] ?? [];

const search = wordSearch({
  everywhere: { 'one-lane': 'serial-executor', goOn: 'drain' },
  names: { Line: 'SocketConnection' },
  parts: { desk: 'service' },
  sentences: { nobody: 'no caller', 'at an end': 'finished' },
  allowed: {},
});
const found = (path: string, text: string): readonly string[] =>
  search(path, text).map(({ line, word }) => `${line}: ${word}`);

describe('retired words', () => {
  it('are used only in the areas that still allow them', () => {
    const wrong = USES.filter(({ path, word }) => !allowedIn(areaOf(path)).includes(word));
    expect(
      wrong.map(({ path, line, word, instead }) => `${path}:${line}: "${word}", use: ${instead}`),
    ).toEqual([]);
  });

  it(`are allowed only where they still occur; otherwise remove them from "allowed" with: node test/tidy/shrink-words.ts`, () => {
    const used = new Set(USES.map(({ path, word }) => `${areaOf(path)}: ${word}`));
    const allowed = Object.entries(WORDS.allowed).flatMap(([area, words]) =>
      words.map((word) => `${area}: ${word}`),
    );
    expect(allowed.filter((entry) => !used.has(entry))).toEqual([]);
  });

  it(`are each listed once in ${WORDS_FILE}`, () => {
    const { everywhere, names, parts } = WORDS;
    const all = [everywhere, names, parts].flatMap((words) => Object.keys(words));
    expect(all.filter((word, at) => all.indexOf(word) !== at)).toEqual([]);
  });
});

describe('the search for retired words', () => {
  it('finds a name that is retired everywhere in code, comments, literals, Markdown and file names', () => {
    expect(found('src/a/b.ts', 'x.goOn();\n// one-lane\n')).toEqual(['1: goOn', '2: one-lane']);
    expect(found('docs/a.md', 'See `goOn`.')).toEqual(['1: goOn']);
    expect(found('src/a/one-lane.ts', '')).toEqual(['1: one-lane']);
    expect(found('src/a/b.ts', 'x.goOnward(); x.letsgoOn();')).toEqual([]);
  });

  it('finds ordinary words only as exported names and file names', () => {
    expect(found('src/a/b.ts', '\nexport class Line {}')).toEqual(['2: Line']);
    expect(found('src/a/line.ts', '// a line\nconst line = 1;')).toEqual(['1: Line']);
    expect(found('src/a/line.test.ts', '')).toEqual(['1: Line']);
  });

  it('finds parts of exported names and of file names', () => {
    expect(found('src/a/b.ts', 'export const ORDER_DESK = 1;\nexport type DeskParts = 1;')).toEqual([
      '1: desk',
      '2: desk',
    ]);
    expect(found('src/a/order-desk.ts', 'const desktop = 1;')).toEqual(['1: desk']);
  });

  it('finds words in comments, literals and Markdown, across line breaks, but not in code', () => {
    expect(found('src/a/b.ts', 'const nobody = 1; f(`Nobody reads`, "at an end");')).toEqual([
      '1: nobody',
      '1: at an end',
    ]);
    expect(found('src/a/b.ts', '/**\n * It is at an\n * end. */')).toEqual(['2: at an end']);
    expect(found('docs/a.md', 'Nobody.\n\n```ts\nnobody\n```\n`nobody`')).toEqual(['1: nobody']);
    expect(found('config/a.yaml', 'user: nobody # nobody')).toEqual(['1: nobody']);
  });
});
