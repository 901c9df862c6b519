import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { chargesMarkdown } from './charges-page.ts';

const PAGE = join(import.meta.dirname, '../../docs/charges.md');

describe('docs/charges.md', () => {
  it('says what orders cost as the tables do; "npx vitest run test/docs/charges.test.ts -u" writes it anew', async () => {
    await expect(chargesMarkdown()).toMatchFileSnapshot(PAGE);
  });
});
