import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ranking } from '#src/strategy/ranking.ts';

const same = (score: number): number => score;

describe('a ranking', () => {
  it('has the highest first, including infinite ones, and leaves out symbols without a score', () => {
    const { NaN: none, POSITIVE_INFINITY: most, NEGATIVE_INFINITY: least } = Number;
    expect(ranking([1, none, least, 3, most, none, 2], same)).toEqual([most, 3, 2, 1, least]);
  });

  it('keeps the order of equal scores, including both zeros', () => {
    const items = ['a', 'b', 'c', 'd'];
    expect(ranking(items, (item) => (item === 'c' ? 1 : item === 'a' ? -0 : 0))).toEqual([
      'c',
      'a',
      'b',
      'd',
    ]);
  });

  it('loses nothing that has a score, and does not change its input', () => {
    fc.assert(
      fc.property(fc.array(fc.double()), (scores) => {
        const before = [...scores];
        const ranked = ranking(scores, same);
        expect(scores).toEqual(before);
        expect(ranked).toHaveLength(scores.filter((score) => !Number.isNaN(score)).length);
        for (const [place, score] of ranked.entries())
          expect(place === 0 || (ranked[place - 1] ?? 0) >= score).toBe(true);
      }),
    );
  });
});
