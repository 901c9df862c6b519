import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from './snippets.ts';

const WORDS_MAX = 30;

const PAGES = ['README.md', 'CONTRIBUTING.md', ...pagesIn('docs'), ...pagesIn('docs/adr')];

function pagesIn(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`);
}

/** Sentences of a page's prose: without code blocks, comments, headings and tables. */
function sentencesOf(text: string): readonly string[] {
  const prose = text
    .replaceAll(/^```[\s\S]*?^```$/gm, '')
    .replaceAll(/<!--[\s\S]*?-->/g, '')
    .replaceAll(/^[ \t]*(?:\||#).*$/gm, '')
    .replaceAll(/\]\([^)]*\)/g, ']')
    .replaceAll(/`[^`]*`/g, 'code');
  return prose
    .split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )/)
    .flatMap((paragraph) => paragraph.split(/(?<=[.:;?!·])\s+/))
    .map((sentence) => sentence.replaceAll(/\s+/g, ' ').trim())
    .filter((sentence) => sentence !== '');
}

const longIn = (text: string): readonly string[] =>
  sentencesOf(text).filter((sentence) => sentence.split(' ').length >= WORDS_MAX);

describe('sentences of the documentation', () => {
  it.each(PAGES)(`have fewer than ${WORDS_MAX} words in %s`, (page) => {
    expect(longIn(readFileSync(join(ROOT, page), 'utf8'))).toEqual([]);
  });

  it('are counted without code, tables and addresses', () => {
    const words = (count: number): string => Array.from({ length: count }, () => 'word').join(' ');
    expect(longIn(`${words(29)}.\n\n${words(30)}.\n\n| ${words(40)} |\n\n\`${words(40)}\``)).toEqual([
      `${words(30)}.`,
    ]);
  });
});
