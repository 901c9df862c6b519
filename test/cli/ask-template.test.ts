import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { askTemplate } from '#src/cli/init/ask-template.ts';

/** A terminal on which each answer is typed as soon as the question is shown. */
function typing(...answers: readonly string[]) {
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
  const output = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
  const left = [...answers];
  let [shown, asked] = ['', 0];
  output.on('data', (text) => {
    shown += text;
    const questions = shown.split('Which one?').length - 1;
    if (questions > asked) {
      asked = questions;
      input.write(left.shift() ?? '\r');
    }
  });
  const template = askTemplate(
    input as unknown as NodeJS.ReadStream,
    output as unknown as NodeJS.WriteStream,
  );
  return { template, shown: () => shown };
}

describe('the prompt for a template', () => {
  it('repeats until the number or name of one is typed', async () => {
    const { template, shown } = typing('9\r', 'pears\r', 'pairs\r');
    expect(await template).toBe('pairs');
    expect(shown()).toContain('"9" is none of them');
    expect(shown()).toContain('"pears" is none of them');
  });

  it('returns the first when nothing is typed', async () => {
    expect(await typing('\r').template).toBe('momentum');
    expect(await typing('2\r').template).toBe('mean-reversion');
  });

  it.each([
    ['Ctrl-C', '\u0003'],
    ['Ctrl-D', '\u0004'],
  ])('returns none after %s', async (_, key) => {
    expect(await typing(key).template).toBeUndefined();
  });

  it('is printed in lines of 80 columns', async () => {
    const { template, shown } = typing('1\r');
    await template;
    const list = shown().split('\u001b')[0] ?? '';
    expect(list.split('\n').length).toBeGreaterThan(6);
    expect(list.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(list).toMatch(/^ {2}1 {2}momentum /);
  });
});
