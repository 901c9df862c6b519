import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/operations.md'), 'utf8');

/** Every code of an alarm that the source raises. */
function alarmCodes(): ReadonlySet<string> {
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  const codes = files.flatMap((file) => {
    const text = readFileSync(join(root, 'src', file), 'utf8');
    const reported = [...text.matchAll(/\b(?:tell|alarm)\(\s*'([a-z-]+)'/g)].map(([, code = '']) => code);
    const raised = [...text.matchAll(/raise\(\{\s*code: '([a-z-]+)'/g)].map(([, code = '']) => code);
    const wished = [...text.matchAll(/onAlarm\?\.\(\{\s*code: '([a-z-]+)'/g)].map(([, code = '']) => code);
    return [...reported, ...raised, ...wished];
  });
  return new Set(codes);
}

describe('the page of operations', () => {
  it('names every alarm, its cause and what to do', () => {
    const codes = [...alarmCodes()];
    expect(codes.length).toBeGreaterThan(30);
    expect(codes.filter((code) => !page.includes(`\`${code}\``))).toEqual([]);
  });

  it('names only existing commands', () => {
    const reference = readFileSync(join(root, 'docs/cli.md'), 'utf8');
    const named = new Set([...page.matchAll(/sluice ([a-z]+)/g)].map(([, command = '']) => command));
    expect([...named].filter((command) => !reference.includes(`sluice ${command}`))).toEqual([]);
  });
});
