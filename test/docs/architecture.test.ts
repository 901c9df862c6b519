import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PAGES, pageText, ROOT } from './snippets.ts';

const page = pageText('docs/architecture.md');

describe('the page of the architecture', () => {
  it('names every existing module, and no other', () => {
    const rows = page.split('\n').filter((line) => /^\| \d, /.test(line));
    const named = rows.flatMap((row) => [...row.matchAll(/`([a-z-]+)`/g)].map(([, module = '']) => module));
    const modules = readdirSync(join(ROOT, 'src'), { withFileTypes: true }).filter((each) =>
      each.isDirectory(),
    );
    expect(named.toSorted()).toEqual(modules.map(({ name }) => name).toSorted());
  });

  it('names existing files, as every other page does', () => {
    const wrong = PAGES.flatMap((each) =>
      [...pageText(each).matchAll(/`((?:[a-z-]+\/)+[a-z.-]+\.ts)`/g)]
        .map(([, file = '']) => file)
        .filter((file) => !['', 'src'].some((folder) => existsSync(join(ROOT, folder, file))))
        .map((file) => `${each}: ${file}`),
    );
    expect(wrong).toEqual([]);
  });
});
