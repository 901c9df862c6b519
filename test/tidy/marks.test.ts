import { describe, expect, it } from 'vitest';
import { KEY_FILES } from './layers.ts';
import { lineAt } from './masks.ts';
import { FILES, isGenerated, sourceOf, textOf } from './tree.ts';

const BINARY = /\.(?:png|jpe?g|gif|ico|webp|woff2?|gz|parquet|bin|db)$/;
const TEXTS = FILES.filter((path) => !BINARY.test(path));

/** Every match of a pattern: `file:line: text`. */
function places(paths: readonly string[], pattern: RegExp, read: (path: string) => string = textOf) {
  return paths.flatMap((path) => {
    const text = read(path);
    return [...text.matchAll(pattern)].map(
      ({ index, 0: found }) => `${path}:${lineAt(text, index)}: ${found.trim()}`,
    );
  });
}

const SOURCES = FILES.filter((path) => /\.tsx?$/.test(path) && !isGenerated(path));
const THIS_FILE = 'test/tidy/marks.test.ts';

describe('tracked text', () => {
  it('names no path of one machine', () => {
    const pattern = /(?<![.a-z0-9_-])\/(?:work|farm|root|home\/[a-z]+|Users\/[a-z]+)\/[a-z.]/gi;
    expect(places(TEXTS, pattern)).toEqual([]);
  });

  it('names no registry, and no host of a private network', () => {
    const registry = /https?:\/\/[\w.-]*(?:registry|npmjs|npmmirror|artifactory|nexus|verdaccio)[\w.-]*/gi;
    const privately = /https?:\/\/(?:10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.)[\d.]+/g;
    expect([...places(TEXTS, registry), ...places(TEXTS, privately)]).toEqual([]);
  });

  it('contains nothing that looks like a secret', () => {
    const keys =
      /-----BEGIN [A-Z ]*PRIVATE KEY-----|\bnpm_[A-Za-z0-9]{36}\b|\bgh[pousr]_[A-Za-z0-9]{36}\b|\bAKIA[A-Z0-9]{16}\b/g;
    expect(
      places(
        TEXTS.filter((path) => !KEY_FILES.includes(path)),
        keys,
      ),
    ).toEqual([]);
  });

  it('describes the product, never how it came to be written', () => {
    const talk =
      /\b(?:language model|AI[- ](?:generated|written|assistant)|as an AI|chat ?bot|co-authored-by|as requested by|the brief (?:says|asks)|the lead (?:wants|asks|said))\b/gi;
    expect(
      places(
        TEXTS.filter((path) => path !== THIS_FILE),
        talk,
      ),
    ).toEqual([]);
  });
});

describe('sources', () => {
  it('contain no unfinished work', () => {
    const comments = /(?:\/\/|\*).*\b(?:TODO|FIXME|XXX|HACK)\b|\bnot (?:yet )?implemented\b/gi;
    expect(
      places(
        SOURCES.filter((path) => path !== THIS_FILE),
        comments,
      ),
    ).toEqual([]);
  });

  it('disable no checker without a reason', () => {
    const silenced =
      /@ts-(?:ignore|nocheck)\b|@ts-expect-error\s*$|biome-ignore [\w/]+:?\s*(?:<explanation>)?\s*$/gm;
    expect(
      places(
        SOURCES.filter((path) => path !== THIS_FILE),
        silenced,
      ),
    ).toEqual([]);
  });
});

describe('tests', () => {
  const TESTS = SOURCES.filter((path) => path.startsWith('test/'));

  it('are all run, and none exclusively', () => {
    const pattern = /(?<![.\w$])(?:it|test|describe)\s*\.\s*(?:only|skip|todo|fails)\b/g;
    expect(places(TESTS, pattern, (path) => sourceOf(path).bare)).toEqual([]);
  });

  it('can all fail', () => {
    const pattern =
      /\bexpect\s*\(\s*(true|false|1|0|null|undefined)\s*\)\s*\.\s*(?:toBe|toEqual)\s*\(\s*\1\s*\)/g;
    expect(places(TESTS, pattern, (path) => sourceOf(path).bare)).toEqual([]);
  });
});
