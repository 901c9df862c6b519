import { describe, expect, it } from 'vitest';
import { OutputFilter } from '#src/cli/output/output-filter.ts';

const ESC = '\u001b';

describe('text from a sandbox for a terminal', () => {
  it('keeps colours, and shows sequences that set a title, copy or clear as escapes', () => {
    const filter = new OutputFilter();
    expect(filter.take(`${ESC}[31mred${ESC}[0m\n`)).toBe(`${ESC}[31mred${ESC}[0m\n`);
    expect(filter.take(`${ESC}]0;title\u0007${ESC}]52;c;eA==\u0007${ESC}c\u009b2J`)).toBe(
      '\\u001b]0;title\\u0007\\u001b]52;c;eA==\\u0007\\u001bc\\u009b2J',
    );
  });

  it('waits for the rest of a sequence that arrives in pieces', () => {
    const filter = new OutputFilter();
    expect(filter.take(`a${ESC}[3`)).toBe('a');
    expect(filter.take('1mb')).toBe(`${ESC}[31mb`);
  });
});
