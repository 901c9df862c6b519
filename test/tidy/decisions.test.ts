import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const FOLDER = join(import.meta.dirname, '../../docs/adr');

describe('decisions', () => {
  const files = readdirSync(FOLDER).toSorted();

  it('are numbered from one on, each number once', () => {
    const numbers = files.map((file) => Number(file.slice(0, 4)));
    expect(numbers).toEqual(files.map((_, place) => place + 1));
  });

  it('say their number in the first line', () => {
    const wrong = files.filter(
      (file) => !readFileSync(join(FOLDER, file), 'utf8').startsWith(`# ${file.slice(0, 4)}: `),
    );
    expect(wrong).toEqual([]);
  });
});
