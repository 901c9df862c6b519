import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { corporateActionsIn } from '#src/market-data/corporate-actions.ts';
import { securitySymbol } from '#src/model/symbol.ts';

const dir = mkdtempSync(join(tmpdir(), 'sluice-events-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));
const AAPL = securitySymbol('AAPL.US');
mkdirSync(join(dir, 'AAPL.US'));

function read(text: string) {
  writeFileSync(join(dir, 'AAPL.US', 'events.csv'), text);
  return corporateActionsIn(dir, AAPL).map((action) => JSON.stringify(action));
}

describe('events.csv', () => {
  it('lists dividends and splits, with further columns or without', () => {
    expect(
      read(
        'ex_date,type,value,reference_close\r\n2014-06-09,split,7,645.57\r\n2014-08-07,dividend,0.47,94.96\r\n',
      ),
    ).toEqual([
      '{"kind":"split","symbol":"AAPL.US","exDay":"2014-06-09","ratio":"7"}',
      '{"kind":"dividend","symbol":"AAPL.US","exDay":"2014-08-07","perShare":"0.47"}',
    ]);
    expect(read('ex_date,type,value\n')).toEqual([]);
    expect(corporateActionsIn(dir, securitySymbol('NONE.US'))).toEqual([]);
  });

  it('states when a dividend is paid, and what a delisting pays', () => {
    expect(
      read(
        'ex_date,type,value,pay_date\n2014-08-07,dividend,0.47,2014-08-14\n2015-01-02,dividend,1,\n2016-01-04,delisting,0.12\n2016-01-05,delisting,\n',
      ),
    ).toEqual([
      '{"kind":"dividend","symbol":"AAPL.US","exDay":"2014-08-07","perShare":"0.47","payDay":"2014-08-14"}',
      '{"kind":"dividend","symbol":"AAPL.US","exDay":"2015-01-02","perShare":"1"}',
      '{"kind":"delisting","symbol":"AAPL.US","exDay":"2016-01-04","price":"0.12"}',
      '{"kind":"delisting","symbol":"AAPL.US","exDay":"2016-01-05"}',
    ]);
  });

  it.each([
    [
      'ex_date,type,value,pay_date\n2014-08-07,dividend,1,2014-08-06\n',
      /pay date is "2014-08-06", want a day on or after/,
    ],
    ['ex_date,type,value\n2014-08-07,delisting,-1\n', /want the amount per share, or an empty value/],
    ['date,type,value\n', /the header is "date,type,value", want "ex_date,type,value"[\s\S]*events.csv:1/],
    ['ex_date,type,value\n2014-06-31,split,7\n', /the ex-day is "2014-06-31", want a day[\s\S]*events.csv:2/],
    [
      'ex_date,type,value\n2014-06-09,split,0\n',
      /the value is "0", want a number above 0[\s\S]*events.csv:2/,
    ],
    ['ex_date,type,value\n2014-06-09,split,seven\n', /the value is "seven"/],
    [
      'ex_date,type,value\n\n2014-06-09,merger,7\n',
      /the type is "merger", want "dividend", "split" or "delisting"[\s\S]*events.csv:3/,
    ],
  ])('is distinguished from %j', (text, said) => {
    expect(() => read(text)).toThrow(said);
  });
});
