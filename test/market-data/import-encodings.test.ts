import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Encoding } from '../../src/market-data/text-encoding.ts';
import { securitySymbol } from '../../src/model/symbol.ts';
import { FACTS, faultOf, imported } from './importing.ts';

const HONG_KONG = {
  symbol: securitySymbol('700.HK'),
  security: { ...FACTS, currency: 'HKD', lotSize: 100 },
};

/** Bytes of a text in an encoding of two bytes per character, found by decoding all pairs. */
function encoded(text: string, encoding: Encoding): Uint8Array {
  const bytes = new Map<string, readonly number[]>();
  const decoder = new TextDecoder(encoding);
  for (let lead = 0x81; lead <= 0xfe; lead++) {
    for (let trail = 0x40; trail <= 0xfe; trail++) {
      const char = decoder.decode(Uint8Array.of(lead, trail));
      if ([...char].length === 1 && char !== '\ufffd' && !bytes.has(char)) bytes.set(char, [lead, trail]);
    }
  }
  return Uint8Array.from(
    [...text].flatMap((char) => (char.charCodeAt(0) < 0x80 ? [char.charCodeAt(0)] : (bytes.get(char) ?? []))),
  );
}

const ROWS = ['2024-01-02,290,295,300,289,1000', '2024-01-03,296,297,299,295,1100'];
const READ = ['2024-01-01T16:00:00Z,290,300,289,295,1000', '2024-01-02T16:00:00Z,296,299,295,297,1100'];
const SIMPLIFIED = ['日期,开盘,收盘,最高,最低,成交量', ...ROWS].join('\n');
const TRADITIONAL = ['日期,開盤,收盤,最高,最低,成交量', ...ROWS].join('\n');

describe('files of Chinese vendors', () => {
  it.each([
    [SIMPLIFIED],
    [TRADITIONAL],
    [
      SIMPLIFIED.replace(
        '日期,开盘,收盘,最高,最低,成交量',
        '交易日期,开盘价,收盘价,最高价,最低价,成交量(股)',
      ),
    ],
    [TRADITIONAL.replace('日期,開盤,收盤,最高,最低,成交量', '日期,開市價,收市價,最高價,最低價,成交股數')],
    [SIMPLIFIED.replace('日期,开盘,收盘,最高,最低', '时间,今开,最新价,最高,最低')],
    [SIMPLIFIED.replaceAll(/(\d{4})-(\d\d)-(\d\d)/g, '$1年$2月$3日')],
  ])('name their columns in Chinese: %s', async (text) => {
    expect((await imported(text, HONG_KONG)).lines).toEqual(READ);
  });

  it.each([
    [SIMPLIFIED, 'gbk'],
    [SIMPLIFIED, 'gb18030'],
    [TRADITIONAL, 'big5'],
  ] as const)('are read in the given encoding', async (text, encoding) => {
    const bytes = encoded(text, encoding);
    expect((await imported(bytes, { ...HONG_KONG, encoding })).lines).toEqual(READ);
    expect((await imported(gzipSync(bytes), { ...HONG_KONG, encoding })).lines).toEqual(READ);
  });

  it.each([
    [SIMPLIFIED, 'gbk', 'gbk'],
    [SIMPLIFIED.replace('日期', 'Date'), 'gb18030', 'gbk'],
    [TRADITIONAL, 'big5', 'big5'],
  ] as const)('name that encoding if none is given', async (text, encoding, likely) => {
    const bytes = encoded(text, encoding);
    for (const content of [bytes, gzipSync(bytes)])
      expect((await faultOf(imported(content, HONG_KONG))).message).toContain(
        `the file is not UTF-8 text: it looks like ${likely}, use --encoding ${likely}`,
      );
  });

  it('are refused if the bytes are invalid in the given encoding', async () => {
    const bytes = Uint8Array.of(...Buffer.from(`${SIMPLIFIED}\n`), 0xff, 0xff, 0x0a);
    const fault = await faultOf(imported(bytes, { ...HONG_KONG, encoding: 'big5' }));
    expect([fault.code, fault.message]).toEqual([
      'unreadable',
      expect.stringContaining('it has bytes that are not valid big5'),
    ]);
  });

  it('of Western Europe are read and named in the same way', async () => {
    const text = ['Datum,Eröffnung,Hoch,Tief,Schluss,Stück', '2024-01-02,290,300,289,295,1000'].join('\n');
    const bytes = Buffer.from(text, 'latin1');
    expect((await imported(bytes, { ...HONG_KONG, encoding: 'windows-1252' })).lines).toEqual([READ[0]]);
    expect((await faultOf(imported(bytes, HONG_KONG))).message).toContain('use --encoding windows-1252');
  });
});
