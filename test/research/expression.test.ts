import { describe, expect, it } from 'vitest';
import { readExpression } from '#src/research/expression.ts';

const VALUES: Readonly<Record<string, number | string | null>> = {
  sharpe: 1.5,
  maxDrawdown: 0.2,
  fast: 10,
  slow: 30,
  mode: 'quick',
  'trend-2.fast': 7,
  calmar: null,
};
const resultOf = (text: string) =>
  readExpression(text, Object.keys(VALUES), 'the objective').valueOf((name) => VALUES[name] ?? null);

describe('an expression', () => {
  it.each([
    ['sharpe', 1.5],
    ['sharpe - 2 * maxDrawdown', 1.1],
    ['-maxDrawdown', -0.2],
    ['2 + 3 * 4 - 6 / 2', 11],
    ['10 - 4 - 3', 3],
    ['16 / 4 / 2', 2],
    ['(2 + 3) * 4', 20],
    ['-(2 - 5)', 3],
    ['min(sharpe, 1) + max(1, 2, 3) + abs(-2) + sqrt(9)', 9],
    ['log(exp(2))', 2],
    ['1e-3 * 2', 0.002],
    ['trend-2.fast - 2', 5],
    ['fast < slow', true],
    ['fast >= slow', false],
    ['fast == 10 and slow != 10', true],
    ['fast > 20 or slow > 20', true],
    ['fast > 20 || slow > 20 && fast > 20', false],
    ['not (fast < slow)', false],
    ["mode == 'quick'", true],
    ["mode != 'quick'", false],
  ])('%s', (text, wanted) => {
    const value = resultOf(text);
    if (typeof wanted === 'number') expect(value).toBeCloseTo(wanted, 12);
    else expect(value).toBe(wanted);
  });

  it('has no value if a figure in it has none, or by a division by 0', () => {
    expect(resultOf('calmar + 1')).toBeNull();
    expect(resultOf('calmar > 1')).toBeNull();
    expect(resultOf('calmar > 1 or fast < slow')).toBe(true);
    expect(resultOf('calmar > 1 and fast > slow')).toBe(false);
    expect(resultOf('1 / 0')).toBeNull();
    expect(resultOf('log(0)')).toBeNull();
  });

  it.each([
    ['sharp', '"sharp" is not known, did you mean "sharpe"?'],
    ['sharpe +', 'it ends too early'],
    ['(sharpe', 'a ")" is missing'],
    ['sharpe sharpe', '"sharpe" at character 8 is unexpected'],
    ['fast = 3', '"=" at character 6 is unexpected, write "==" to compare'],
    ['1 < fast < 3', 'two comparisons in a row: write "a < b and b < c"'],
    ['abs(1, 2)', '"abs" takes one value'],
    ['constructor', '"constructor" is not known'],
    ['process.exit()', '"process.exit" is not known'],
    ['`x`', '"`" at character 1 is unexpected'],
    ['('.repeat(60), 'it is nested deeper than 50'],
    ['-'.repeat(60), 'it is nested deeper than 50'],
  ])('is refused with what is wrong: %s', (text, why) => {
    expect(() => resultOf(text)).toThrow(`Cannot read the objective`);
    expect(() => resultOf(text)).toThrow(why);
  });
});
