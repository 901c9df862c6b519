import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { chargesMarkdown } from './charges-page.ts';

const PAGE = join(import.meta.dirname, '../../docs/charges.md');

describe('docs/charges.md', () => {
  it('lists the costs of orders from the charge tables ("npx vitest run test/docs/charges.test.ts -u" regenerates it)', async () => {
    await expect(chargesMarkdown()).toMatchFileSnapshot(PAGE);
  });
});
