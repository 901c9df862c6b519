import { describe, expect, it } from 'vitest';
import { isForegroundPair, isForegroundStat } from '#src/cli/output/foreground.ts';

describe('a process in the foreground of its terminal', () => {
  it.each([
    ['the foreground group is its own', '4242 (node) S 4000 4242 4000 34816 4242 4194304 1', true],
    ['the shell has the terminal', '4242 (node) S 4000 4242 4000 34816 4000 4194304 1', false],
    ['it has no terminal', '4242 (node) S 4000 4242 4242 0 -1 4194304 1', false],
    ['its name has brackets and spaces', '4242 (a) S 1 1 (b) R 4000 4242 4000 34816 4242 4194304', true],
    ['the line is empty', '', false],
    ['the line is cut', '4242 (node) S 4000 4242', false],
  ])('is read from /proc/self/stat if %s', (_, line, expected) => {
    expect(isForegroundStat(line)).toBe(expected);
  });

  it.each([
    [' 4242  4242\n', true],
    [' 4242  4000\n', false],
    [' 4242     0\n', false],
    ['0 0\n', false],
    ['4242 -1\n', false],
    ['', false],
    ['ps: tpgid: keyword not found\n', false],
  ])('is read from the output of ps: %j', (text, expected) => {
    expect(isForegroundPair(text)).toBe(expected);
  });
});
