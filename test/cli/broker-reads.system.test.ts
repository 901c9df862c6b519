import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { columnsOf } from '#src/cli/output/tables.ts';
import { type CommandLine, startCommandLine } from './a-command-line.ts';

let line: CommandLine;

beforeAll(async () => {
  line = await startCommandLine();
});
afterAll(() => line.close());

const DECIMAL = expect.stringMatching(/^-?\d+(\.\d+)?$/);
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describe('commands that read the account', () => {
  it('print JSON whose decimals are texts', async () => {
    const [account, positions, estimate, margin, ping] = await Promise.all([
      line.json(['account', '--currency', 'HKD']),
      line.json(['positions', '700.HK']),
      line.json(['estimate', '700.HK', '--price', '500']),
      line.json(['margin-ratio', '700.HK']),
      line.json(['ping']),
    ]);
    expect(account).toMatchObject([
      { currency: 'HKD', equity: DECIMAL, buyPower: DECIMAL, cash: [{ available: DECIMAL }, {}] },
    ]);
    expect(positions).toEqual([]);
    expect(estimate).toEqual({ cash: DECIMAL, margin: DECIMAL });
    expect(margin).toEqual({ symbol: '700.HK', initial: DECIMAL, maintenance: DECIMAL, forced: DECIMAL });
    expect(ping).toEqual({ venue: expect.stringMatching(/^127\.0\.0\.1:\d+$/), ms: expect.any(Number) });
  });

  it('print tables of at most 80 columns', async () => {
    const pages = await Promise.all([
      line.sluice(['account']),
      line.sluice(['positions']),
      line.sluice(['orders']),
      line.sluice(['securities', '--market', 'HK', '--language', 'zh-HK']),
      line.sluice(['quote', '700.HK', 'AAPL.US']),
      line.sluice(['static', '700.HK']),
    ]);
    for (const page of pages) {
      expect(page).toMatchObject({ code: 0, err: '' });
      expect(Math.max(...page.out.split('\n').map(columnsOf))).toBeLessThanOrEqual(80);
    }
    expect(pages[0]?.out).toMatch(/^Equity +[\d,]+\.\d\d HKD$/m);
    expect(pages[2]?.out).toBe('Ours, by their tag: none\n\nForeign: none\n');
    expect(pages[3]?.out).toContain('騰訊');
  });
});

describe('commands that read the market', () => {
  it('print quotes, depth, bars, facts and the flow of money as JSON', async () => {
    const [quote, depth, candles, span, facts, flow] = await Promise.all([
      line.json(['quote', '700.HK', 'AAPL.US']),
      line.json(['depth', '700.HK']),
      line.json(['candles', '700.HK', '--period', '1m', '--count', '2']),
      line.json(['candles', '700.HK', '--from', '2020-01-01', '--count', '3']),
      line.json(['static', '700.HK']),
      line.json(['capital-flow', '700.HK']),
    ]);
    expect(quote).toMatchObject([
      { symbol: '700.HK', last: DECIMAL, volume: DECIMAL, time: TIME, status: 'normal' },
      { symbol: 'AAPL.US' },
    ]);
    const level = { level: 1, price: DECIMAL, volume: DECIMAL, orders: expect.any(Number) };
    expect(depth).toMatchObject({ symbol: '700.HK' });
    expect(depth).toHaveProperty('bids[0]', level);
    expect(depth).toHaveProperty('asks[0]', level);
    expect(candles).toMatchObject([{ time: TIME, open: DECIMAL, close: DECIMAL }, { volume: DECIMAL }]);
    expect(span).toHaveLength(3);
    expect(facts).toMatchObject([{ symbol: '700.HK', currency: 'HKD', lotSize: 100, exchange: 'SEHK' }]);
    expect(flow).toMatchObject({ symbol: '700.HK', in: {}, out: {}, flow: expect.any(Array) });
  });

  it('support the other profile, in which two commands have their numbers swapped', async () => {
    const other = await startCommandLine(['--profile', 'longbridge']);
    try {
      const flow = await other.json(['capital-flow', '700.HK', '--profile', 'longbridge']);
      expect(flow).toMatchObject({ symbol: '700.HK' });
      const without = await other.sluice(['capital-flow', '700.HK']);
      expect([without.code, without.out]).toEqual([4, '']);
      expect(without.err).toContain('may use another profile than the one given: see "--profile"');
    } finally {
      await other.close();
    }
  });

  it('end with 4 and state what was tried when the venue refuses', async () => {
    const ended = await line.sluice(['depth', 'MISSING.HK']);
    expect(ended).toMatchObject({ code: 4, out: '' });
    expect(ended.err).toMatch(
      /^Cannot read the depth of MISSING\.HK at 127\.0\.0\.1:\d+: .*symbol not found/,
    );
    expect(ended.err).toContain('\n  Check the symbol');
  });
});

describe('a command without its settings', () => {
  it('ends with 3 and names every variable that is missing, and none that it would not use', async () => {
    const without = { SLUICE_APP_SECRET: undefined, SLUICE_QUOTE_WS_URL: undefined };
    const quote = await line.sluice(['quote', '700.HK'], without);
    expect(quote).toMatchObject({ code: 3, out: '' });
    expect(quote.err).toContain('SLUICE_QUOTE_WS_URL, SLUICE_APP_SECRET not set in the environment');
    const ping = await line.sluice(['ping'], without);
    expect(ping.code).toBe(3);
    expect(ping.err).not.toContain('WS_URL');
  });

  it('also accepts the names of the broker SDK', async () => {
    const { SLUICE_APP_KEY, SLUICE_APP_SECRET, SLUICE_ACCESS_TOKEN, SLUICE_HTTP_URL } = line.environment;
    const ended = await line.sluice(['ping'], {
      SLUICE_APP_KEY: undefined,
      SLUICE_APP_SECRET: undefined,
      SLUICE_ACCESS_TOKEN: undefined,
      SLUICE_HTTP_URL: undefined,
      LONGPORT_APP_KEY: SLUICE_APP_KEY,
      LONGPORT_APP_SECRET: SLUICE_APP_SECRET,
      LONGPORT_ACCESS_TOKEN: SLUICE_ACCESS_TOKEN,
      LONGPORT_HTTP_URL: SLUICE_HTTP_URL,
    });
    expect(ended).toMatchObject({ code: 0, err: '' });
  });

  it('ends with 3 before it sends credentials unencrypted to another machine', async () => {
    const ended = await line.sluice(['account', '--url', 'http://broker.example']);
    expect(ended.code).toBe(3);
    expect(ended.err).toContain('unencrypted');
  });

  it('ends with 4 when no server listens, and with 2 for a flag that cannot be read', async () => {
    const nobody = await line.sluice(['ping', '--url', 'http://127.0.0.1:9']);
    expect(nobody.code).toBe(4);
    expect(nobody.err).toContain('Check the address');
    const typed = await line.sluice(['candles', '700.HK', '--count', '1001']);
    expect(typed).toMatchObject({ code: 2, out: '' });
    expect(typed.err).toContain('Want a whole number from 1 to 1000.');
  });

  it('prints no secret, whichever of the three is wrong (I-20)', async () => {
    const canary = 'canary_Zk7Qp2';
    const names = ['SLUICE_APP_KEY', 'SLUICE_APP_SECRET', 'SLUICE_ACCESS_TOKEN'];
    const ends = await Promise.all(
      names.flatMap((name) => [
        line.sluice(['ping'], { [name]: canary }),
        line.sluice(['quote', '700.HK', '--json'], { [name]: `${canary}\n` }),
      ]),
    );
    for (const { code, out, err } of ends) {
      expect(code).toBe(4);
      expect(`${out}${err}`).not.toContain(canary);
      for (const secret of names.map((name) => line.environment[name] ?? '')) {
        expect(`${out}${err}`).not.toContain(secret);
      }
    }
  });
});
