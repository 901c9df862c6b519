import { hash } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { canonicalText, signatureOf } from '../../src/wire/signature.ts';
import { wireProtocolPage } from './wire-page.ts';

describe('docs/wire-protocol.md', () => {
  it('is generated from the tables of the code ("npx vitest run test/docs -u" regenerates it)', async () => {
    const path = join(import.meta.dirname, '../../docs/wire-protocol.md');
    await expect(wireProtocolPage()).toMatchFileSnapshot(path);
  });

  it('describes the signature as the code computes it', () => {
    const parts = {
      method: 'POST',
      path: '/v1/trade/order',
      query: '',
      body: '{}',
      timestamp: '1.000000',
      appKey: 'k',
      accessToken: 't',
    };
    const headers = 'authorization:t\nx-api-key:k\nx-timestamp:1.000000\n';
    const canonical = [
      'POST',
      '/v1/trade/order',
      '',
      headers,
      'authorization;x-api-key;x-timestamp',
      hash('sha1', '{}'),
    ].join('|');
    expect(canonicalText(parts)).toBe(canonical);
    expect(signatureOf(parts, 's')).toMatch(/^[0-9a-f]{64}$/);
  });
});
