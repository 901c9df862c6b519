import { appendFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DataError } from '../../src/market-data/data-error.ts';
import { type DownloadRequest, downloadBars } from '../../src/market-data/download-bars.ts';
import { openBarStore } from '../../src/market-data/store.ts';
import type { Bar } from '../../src/model/bar.ts';
import { securitySymbol } from '../../src/model/symbol.ts';
import { calendarDay, millis } from '../../src/model/time.ts';
import { aSecurity, put, temporaryFolder } from './fixtures.ts';

const SYMBOL = securitySymbol('SOME.CRYPTO');
const START = Date.parse('2024-01-02T00:00:00Z');

function barAt(minute: number): Bar {
  const time = millis(START + minute * 60_000);
  return { symbol: SYMBOL, period: '1m', time, open: 10, high: 12, low: 9, close: 11, volume: minute };
}

/** A venue with this number of minutes, which fails at the request of that number. */
function venueOf(minutes: number, failAt = Number.POSITIVE_INFINITY) {
  const bars = Array.from({ length: minutes }, (_, minute) => barAt(minute));
  const asked: number[] = [];
  const history: DownloadRequest['history'] = async ({ before, count }) => {
    asked.push(before);
    if (asked.length === failAt) throw new Error('the line went dead');
    return bars.filter(({ time }) => time < before).slice(-count);
  };
  return { history, asked };
}

function request(dir: string, options: Partial<DownloadRequest>): DownloadRequest {
  return {
    symbol: SYMBOL,
    period: '1m',
    from: calendarDay('2024-01-02'),
    to: calendarDay('2024-01-05'),
    today: calendarDay('2024-06-28'),
    now: millis(Date.parse('2024-06-28T20:00:00Z')),
    expectsNewest: true,
    dir,
    venue: 'venue.test',
    history: venueOf(0).history,
    facts: async () => aSecurity(SYMBOL),
    draft: {},
    replace: false,
    interrupted: new AbortController().signal,
    ...options,
  };
}

const PARTIAL = join(SYMBOL, '.1m.csv.partial');

function stored(dir: string): readonly number[] {
  return [...openBarStore({ dir }).bars(SYMBOL, '1m').volume];
}

const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at);

describe('downloadBars', () => {
  it('puts all pages together, oldest first, with the facts of the venue', async () => {
    const dir = temporaryFolder();
    const { history, asked } = venueOf(2_500);
    const outcome = await downloadBars(request(dir, { history }));
    expect(outcome).toMatchObject({ kind: 'done', rows: 2_500, resumedFrom: 0 });
    expect(asked).toHaveLength(3);
    expect(stored(dir)).toEqual(upTo(2_500));
    expect(readdirSync(join(dir, SYMBOL)).sort()).toEqual(['1m.csv', 'security.json']);
  });

  it('leaves out bars before the first day and after the last', async () => {
    const dir = temporaryFolder();
    const day = calendarDay('2024-01-03');
    await downloadBars(request(dir, { history: venueOf(4_320).history, from: day, to: day }));
    expect(stored(dir)).toEqual(upTo(4_320).slice(1_440, 2_880));
  });

  it('continues where it was interrupted, and requests no page twice', async () => {
    const dir = temporaryFolder();
    await expect(downloadBars(request(dir, { history: venueOf(3_500, 3).history }))).rejects.toThrow(
      'line went dead',
    );
    expect(existsSync(join(dir, SYMBOL, '1m.csv'))).toBe(false);
    const { history, asked } = venueOf(3_500);
    expect(await downloadBars(request(dir, { history }))).toMatchObject({ rows: 3_500, resumedFrom: 2_000 });
    expect(asked[0]).toBe(barAt(1_500).time);
    expect(stored(dir)).toEqual(upTo(3_500));
  });

  it('produces the same file wherever an earlier attempt was interrupted, and whatever half line it left', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.string({ maxLength: 30 }), async (failAt, torn) => {
        const dir = temporaryFolder();
        await downloadBars(request(dir, { history: venueOf(3_200, failAt).history })).catch(() => undefined);
        if (existsSync(join(dir, PARTIAL))) appendFileSync(join(dir, PARTIAL), torn.replaceAll('\n', ''));
        await downloadBars(request(dir, { history: venueOf(3_200).history, replace: true }));
        expect(stored(dir)).toEqual(upTo(3_200));
      }),
      { numRuns: 12 },
    );
  });

  it('stops cleanly on an interrupt', async () => {
    const dir = temporaryFolder();
    const controller = new AbortController();
    const { history } = venueOf(2_500);
    const outcome = await downloadBars(
      request(dir, { history, interrupted: controller.signal, onPage: () => controller.abort() }),
    );
    expect(outcome).toMatchObject({ kind: 'interrupted', rows: 1_000 });
    expect(await downloadBars(request(dir, { history }))).toMatchObject({ rows: 2_500, resumedFrom: 1_000 });
  });

  it.each([
    ['venue', { venue: 'another.test' }],
    ['first day', { from: calendarDay('2024-01-01') }],
    ['last day', { to: calendarDay('2024-01-04') }],
  ] as const)('starts again for another %s', async (_, options) => {
    const dir = temporaryFolder();
    await downloadBars(request(dir, { history: venueOf(2_500, 2).history })).catch(() => undefined);
    const { history } = venueOf(2_500);
    expect(await downloadBars(request(dir, { history, ...options }))).toMatchObject({
      rows: 2_500,
      resumedFrom: 0,
    });
  });

  it('ends after the last day of the earlier attempt if no end is given', async () => {
    const dir = temporaryFolder();
    const today = calendarDay('2024-01-05');
    await downloadBars(request(dir, { history: venueOf(2_500, 2).history, to: undefined, today })).catch(
      () => undefined,
    );
    const { history } = venueOf(2_500);
    const later = request(dir, { history, to: undefined, today: calendarDay('2024-01-09') });
    expect(await downloadBars(later)).toMatchObject({ rows: 2_500, resumedFrom: 1_000 });
  });

  it('keeps stored facts, and requires an origin if the venue states none', async () => {
    const dir = temporaryFolder();
    const { history } = venueOf(10);
    const facts = async () => ({ ...aSecurity(SYMBOL), origin: undefined });
    await expect(downloadBars(request(dir, { history, facts }))).rejects.toMatchObject({
      code: 'missing-facts',
    });
    await downloadBars(request(dir, { history, facts, draft: { generated: 'by a test' } }));
    expect(openBarStore({ dir }).security(SYMBOL).origin).toMatchObject({
      kind: 'generated',
      method: 'by a test',
    });
    const before = readFileSync(join(dir, SYMBOL, 'security.json'), 'utf8');
    await downloadBars(request(dir, { history, replace: true }));
    expect(readFileSync(join(dir, SYMBOL, 'security.json'), 'utf8')).toBe(before);
    await expect(downloadBars(request(dir, { history }))).rejects.toMatchObject({ code: 'exists' });
  });

  it('refuses invalid bars, and a venue without any', async () => {
    const dir = temporaryFolder();
    const bad = async (): Promise<readonly Bar[]> => [{ ...barAt(1), high: 1 }];
    await expect(downloadBars(request(dir, { history: bad }))).rejects.toMatchObject({
      code: 'inconsistent-bar',
    });
    const unsorted = async (): Promise<readonly Bar[]> => [barAt(2), barAt(1)];
    await expect(downloadBars(request(dir, { history: unsorted }))).rejects.toMatchObject({
      code: 'unsorted',
    });
    await expect(downloadBars(request(dir, {}))).rejects.toMatchObject({ code: 'empty-file' });
    expect(existsSync(join(dir, SYMBOL, '1m.csv'))).toBe(false);
  });

  it('refuses to combine what two downloads wrote at once', async () => {
    const dir = temporaryFolder();
    const { history } = venueOf(2_500);
    const meddling: DownloadRequest['history'] = async (question) => {
      const bars = await history(question);
      if (bars.length < 1_000) appendFileSync(join(dir, PARTIAL), '2024-01-02T23:00:00Z,10,12,9,11,1\n');
      return bars;
    };
    await expect(downloadBars(request(dir, { history: meddling }))).rejects.toThrowError(DataError);
    expect(existsSync(join(dir, SYMBOL, '1m.csv'))).toBe(false);
  });

  it('does not mistake a file that is no plan for an earlier attempt', async () => {
    const dir = temporaryFolder();
    put(dir, PARTIAL, '{"symbol":"SOME.CRYPTO"}\n2024-01-02T23:00:00Z,1,1,1,1,1\n');
    await downloadBars(request(dir, { history: venueOf(10).history }));
    expect(stored(dir)).toEqual(upTo(10));
  });

  const AAPL = securitySymbol('AAPL.US');
  const monday = Date.parse('2025-09-22T13:30:00Z');

  /** Minutes of the regular sessions of 22 to 24 September 2025, except those in `without`. */
  function threeDays(without: (time: number) => boolean): readonly Bar[] {
    const stamps = [0, 1, 2].flatMap((day) =>
      Array.from({ length: 390 }, (_, minute) => monday + day * 86_400_000 + minute * 60_000),
    );
    return stamps
      .filter((time) => !without(time))
      .map((time) => ({ ...barAt(0), symbol: AAPL, time: millis(time) }));
  }

  function ofApple(dir: string, bars: readonly Bar[], more: Partial<DownloadRequest> = {}): DownloadRequest {
    return request(dir, {
      symbol: AAPL,
      from: calendarDay('2025-09-22'),
      to: calendarDay('2025-09-24'),
      now: millis(Date.parse('2025-10-01T00:00:00Z')),
      facts: async () => aSecurity(AAPL),
      history: async ({ before, count }) => bars.filter(({ time }) => time < before).slice(-count),
      ...more,
    });
  }

  it('finds nothing missing if the bars cover every session of the requested days', async () => {
    const outcome = await downloadBars(
      ofApple(
        temporaryFolder(),
        threeDays(() => false),
      ),
    );
    expect(outcome).toMatchObject({
      kind: 'done',
      rows: 1_170,
      isVerified: true,
      missing: [],
      conflicts: [],
    });
  });

  it('names the days and the parts of days that have no bar', async () => {
    const hole = (time: number) =>
      (time >= monday + 86_400_000 && time < monday + 2 * 86_400_000) || time < monday + 20 * 60_000;
    const outcome = await downloadBars(ofApple(temporaryFolder(), threeDays(hole)));
    if (outcome.kind !== 'done') throw new Error('interrupted');
    expect(outcome.missing.flatMap(({ days }) => days)).toEqual(['2025-09-23']);
    expect(outcome.missing.flatMap(({ parts }) => parts)).toEqual([
      { day: '2025-09-22', open: monday, close: monday + 20 * 60_000, openMs: 20 * 60_000 },
    ]);
  });

  it('reports the newest days as missing if they were requested, or if the venue does not replay a past', async () => {
    const upToTuesday = threeDays((time) => time >= monday + 2 * 86_400_000);
    const missing = async (more: Partial<DownloadRequest>) => {
      const outcome = await downloadBars(ofApple(temporaryFolder(), upToTuesday, more));
      return outcome.kind === 'done' ? outcome.missing.flatMap(({ days }) => days) : ['interrupted'];
    };
    const today = calendarDay('2025-09-24');
    expect(await missing({})).toEqual(['2025-09-24']);
    expect(await missing({ to: undefined, today })).toEqual(['2025-09-24']);
    expect(await missing({ to: undefined, today, expectsNewest: false })).toEqual([]);
    expect(await missing({ now: millis(monday + 2 * 86_400_000) })).toEqual([]);
  });

  it('reports the days after the end of a resumed attempt as missing', async () => {
    const dir = temporaryFolder();
    const controller = new AbortController();
    const day = (today: string) => ({ to: undefined, today: calendarDay(today) });
    const bars = threeDays(() => false);
    const { signal: interrupted } = controller;
    const onPage = () => controller.abort();
    const first = ofApple(dir, bars, { ...day('2025-09-24'), interrupted, onPage });
    expect(await downloadBars(first)).toMatchObject({ kind: 'interrupted' });
    const outcome = await downloadBars(ofApple(dir, bars, day('2025-09-26')));
    if (outcome.kind !== 'done') throw new Error('interrupted');
    expect(outcome.missing.flatMap(({ days }) => days)).toEqual(['2025-09-25', '2025-09-26']);
  });

  it('reports two different bars with one stamp, and stores one of them', async () => {
    const bars = threeDays(() => false);
    const history: DownloadRequest['history'] = async ({ before, count, onConflict }) => {
      if (before > monday + 2 * 86_400_000) onConflict?.(millis(monday));
      return bars.filter(({ time }) => time < before).slice(-count);
    };
    const outcome = await downloadBars(ofApple(temporaryFolder(), bars, { history }));
    expect(outcome).toMatchObject({ rows: 1_170, conflicts: [monday], missing: [] });
  });
});
