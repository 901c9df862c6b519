/**
 * Splits a text into the terms of the local search: words of letters and digits in lower case, and pairs of neighbours in a run of
 * Chinese characters, as Chinese has no spaces. A single character finds the pairs that it begins, by prefix.
 * VitePress sends this function to the browser as its source, so it uses nothing outside of itself.
 */
export function searchTerms(text: string): string[] {
  const terms: string[] = [];
  for (const [run] of text.toLowerCase().matchAll(/\p{Script=Han}+|(?:(?!\p{Script=Han})[\p{L}\p{N}])+/gu)) {
    const characters = [...run];
    if (characters.length === 1 || !/^\p{Script=Han}/u.test(run)) terms.push(run);
    else
      for (let at = 0; at + 1 < characters.length; at += 1)
        terms.push(`${characters[at]}${characters[at + 1]}`);
  }
  return terms;
}
