import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const FOLDER = join(import.meta.dirname, '../../docs/adr');
const INDEX = 'README.md';

describe('decisions', () => {
  const records = readdirSync(FOLDER)
    .filter((file) => file !== INDEX)
    .toSorted();
  const index = readFileSync(join(FOLDER, INDEX), 'utf8');
  const listed = [...index.matchAll(/^- \[(\d{4})\]\((\S+)\): (.+)$/gm)];
  const superseded = [...index.matchAll(/^\| (\d{4}) \| \[(\d{4})\]/gm)];

  it('have their number and title in the first line, as the index has them', () => {
    const titles = records.map((file) => readFileSync(join(FOLDER, file), 'utf8').split('\n', 1)[0]);
    const expected = listed
      .toSorted(([, a = ''], [, b = '']) => a.localeCompare(b))
      .map(([, number, file, title]) => [file, `# ${number}: ${title}`]);
    expect(records.map((file, at) => [file, titles[at]])).toEqual(expected);
  });

  it('are numbered from one on, each number once, in the index as a record or as superseded', () => {
    const numbers = [...listed, ...superseded].map(([, number]) => Number(number)).toSorted((a, b) => a - b);
    expect(numbers).toEqual(numbers.map((_, at) => at + 1));
  });

  it('are superseded by existing records', () => {
    const kept = new Set(listed.map(([, number]) => number));
    expect(superseded.filter(([, , by]) => !kept.has(by))).toEqual([]);
  });
});
