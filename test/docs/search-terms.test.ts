import { describe, expect, it } from 'vitest';
import { searchTerms } from '../../docs/.vitepress/search-terms.ts';

describe('the terms of the search', () => {
  it.each([
    ['Trailing stop-loss 5%', ['trailing', 'stop', 'loss', '5']],
    ['移动止损单', ['移动', '动止', '止损', '损单']],
    ['股', ['股']],
    ['用TWAP拆单，分10次', ['用', 'twap', '拆单', '分', '10', '次']],
    ['', []],
  ])('of "%s" are words, and pairs of Chinese characters', (text, terms) => {
    expect(searchTerms(text)).toEqual(terms);
  });

  it('need nothing outside the function, as the browser gets only its source', () => {
    const alone: typeof searchTerms = new Function(`return (${searchTerms.toString()})`)();
    expect(alone('港股 lots')).toEqual(['港股', 'lots']);
  });
});
