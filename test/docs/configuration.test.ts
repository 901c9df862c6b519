import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { configurationPage } from './configuration-page.ts';

const root = resolve(import.meta.dirname, '../..');

describe('docs/configuration.md', () => {
  const schema = JSON.parse(readFileSync(join(root, 'schema/bot.json'), 'utf8'));

  it('documents every key of the schema ("npx vitest run test/docs -u" regenerates it)', async () => {
    await expect(configurationPage(schema)).toMatchFileSnapshot(join(root, 'docs/configuration.md'));
  });

  it('explains every setting', () => {
    expect(configurationPage(schema)).not.toMatch(/\| +\|$/m);
  });
});
