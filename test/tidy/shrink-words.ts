import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './tree.ts';
import { areaOf, retiredUses, retiredWords, WORDS_FILE } from './words.ts';

/** Removes unused allowances from the data file and adds none. Usage: `node test/tidy/shrink-words.ts` */
const words = retiredWords();
const used = new Set(retiredUses(words).map(({ path, word }) => `${areaOf(path)}: ${word}`));
const file = join(ROOT, WORDS_FILE);
const [head] = readFileSync(file, 'utf8').split(/^allowed:.*\n/m);
const lists = Object.entries(words.allowed).flatMap(([area, allowed]) => {
  const left = allowed.filter((word) => used.has(`${area}: ${word}`));
  return left.length === 0 ? [] : [`  ${area}: [${wrapped(left)}]\n`];
});
writeFileSync(file, `${head}allowed:${lists.length === 0 ? ' {}' : ''}\n${lists.join('')}`);

/** Words separated by commas, in lines of about 100 characters. */
function wrapped(list: readonly string[]): string {
  let width = 0;
  return list
    .map((word, at) => {
      width += word.length + 2;
      if (at === list.length - 1) return word;
      if (width < 100) return `${word}, `;
      width = 0;
      return `${word},\n    `;
    })
    .join('');
}
