import { firstValueFrom, of } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { verifiedHistory } from '#src/app/run/verified-history.ts';
import type { Bar } from '#src/model/bar.ts';
import type { Alarm } from '#src/model/notice.ts';
import { securitySymbol } from '#src/model/symbol.ts';
import { DAY_MS, MINUTE_MS, millis } from '#src/model/time.ts';
import type { QuoteFeed } from '#src/ports/quote-feed.ts';

const AAPL = securitySymbol('AAPL.US');
const MONDAY = Date.parse('2025-09-22T13:30:00Z');

/** Minutes of the regular sessions of 22 to 24 September 2025, except those in `without`. */
function minutes(without: (time: number) => boolean = () => false): readonly Bar[] {
  return [0, 1, 2]
    .flatMap((day) => Array.from({ length: 390 }, (_, at) => MONDAY + day * DAY_MS + at * MINUTE_MS))
    .filter((time) => !without(time))
    .map((time) => ({
      ...{ symbol: AAPL, period: '1m', time: millis(time) },
      ...{ open: 10, high: 12, low: 9, close: 11, volume: 1 },
    }));
}

async function alarmsOf(bars: readonly Bar[], conflicts: readonly number[] = []): Promise<readonly Alarm[]> {
  const alarms: Alarm[] = [];
  const history: QuoteFeed['history'] = ({ onConflict }) => {
    for (const time of conflicts) onConflict?.(millis(time));
    return of(bars);
  };
  const before = millis(MONDAY + 2 * DAY_MS + 390 * MINUTE_MS);
  const verified = verifiedHistory(
    history,
    () => before,
    (alarm) => alarms.push(alarm),
  );
  const request = { symbol: AAPL, period: '1m', before, count: 1_000 } as const;
  expect(await firstValueFrom(verified(request))).toBe(bars);
  return alarms;
}

describe('the history of a warm-up', () => {
  it('raises no alarm if it is complete from its first bar to now', async () => {
    expect(await alarmsOf(minutes())).toEqual([]);
    expect(await alarmsOf(minutes((time) => time < MONDAY + 200 * MINUTE_MS))).toEqual([]);
    expect(await alarmsOf([])).toEqual([]);
  });

  it('raises an alarm that names a missing day, a missing end, and bars that differ', async () => {
    const isTuesday = (time: number): boolean => time > MONDAY + DAY_MS / 2 && time < MONDAY + 1.5 * DAY_MS;
    const [day] = await alarmsOf(minutes(isTuesday));
    expect(day).toMatchObject({ code: 'history-incomplete', facts: { symbol: 'AAPL.US', bars: '780' } });
    expect(day?.message).toContain('No bar on the trading day 2025-09-23');
    const [end] = await alarmsOf(minutes((time) => time >= MONDAY + 2 * DAY_MS + 300 * MINUTE_MS));
    expect(end?.message).toContain('No bar for 90 minutes of trading on 2025-09-24');
    const [twice] = await alarmsOf(minutes(), [MONDAY]);
    expect(twice?.message).toContain('two different bars of 2025-09-22T13:30:00.000Z');
  });
});
