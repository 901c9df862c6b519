import { describe, expect, it } from 'vitest';
import { languageOf } from '#src/venue/calls/language.ts';
import { call } from '../a-client.ts';
import { aVenue } from '../a-venue.ts';

describe('the language of an accept-language header', () => {
  it.each([
    [undefined, 'en'],
    ['', 'en'],
    ['fr', 'en'],
    ['*', 'en'],
    ['zh-CN', 'zh-CN'],
    ['ZH-hk', 'zh-HK'],
    ['zh-Hant-TW', 'zh-HK'],
    ['zh-CN,zh;q=0.9,en;q=0.5', 'zh-CN'],
    ['en;q=0.2, zh-HK;q=0.9', 'zh-HK'],
    ['fr, zh-HK;q=0.5, zh-CN;q=0.5', 'zh-HK'],
    ['zh-CN;q=0, en;q=0.1', 'en'],
    ['zh-CN;q=much', 'zh-CN'],
  ] as const)('of "%s" is %s', (header, language) => {
    expect(languageOf(header)).toBe(language);
  });

  it('selects the one name in the security list; the other two are empty', async () => {
    const { venue } = await aVenue();
    const headers = { 'accept-language': 'en;q=0.1, zh-HK' };
    const { data } = await call(venue, 'GET', '/v1/quote/get_security_list?market=HK', { headers });
    expect(data.list[0]).toMatchObject({ symbol: '700.HK', name_en: '', name_cn: '' });
    expect(data.list[0].name_hk).not.toBe('');
  });
});
