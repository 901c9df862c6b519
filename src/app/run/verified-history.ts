import { tap } from 'rxjs';
import { missingDaysText } from '../../market-data/check-times.ts';
import { barSpan } from '../../markets/bar-span.ts';
import { findGaps } from '../../markets/coverage.ts';
import type { Bar } from '../../model/bar.ts';
import type { Alarm } from '../../model/notice.ts';
import { intradayMs } from '../../model/period.ts';
import { plural } from '../../model/plural.ts';
import { marketOf } from '../../model/symbol.ts';
import { MINUTE_MS, type Millis } from '../../model/time.ts';
import type { HistoryRequest, QuoteFeed } from '../../ports/quote-feed.ts';

/** Minimum gap in open minutes that is reported: an illiquid security has minutes without a trade. */
const GAP_MINUTES = 30;

/** Returns the history, with an alarm for gaps by the market's calendar, and for conflicting bars. */
export function verifiedHistory(
  history: QuoteFeed['history'],
  now: () => Millis,
  raise: (alarm: Alarm) => void,
): QuoteFeed['history'] {
  return (request) => {
    const conflicts: Millis[] = [];
    return history({ ...request, onConflict: (time) => conflicts.push(time) }).pipe(
      tap((bars) => {
        const found = [...gapsIn(bars, request), ...conflicts.map(conflictText)];
        if (found.length === 0) return;
        raise({
          code: 'history-incomplete',
          message: `History of ${request.symbol} (${request.period}) is incomplete, and signals are computed from what there is: ${found.join('; ')}`,
          at: now(),
          facts: { symbol: request.symbol, bars: String(bars.length) },
        });
      }),
    );
  };
}

const conflictText = (time: Millis): string =>
  `two different bars of ${new Date(time).toISOString()}, the one with the greater volume is used`;

function gapsIn(bars: readonly Bar[], { symbol, period, before }: HistoryRequest): readonly string[] {
  const [first] = bars;
  const length = intradayMs(period);
  if (first === undefined || (length === undefined && period !== '1d')) return [];
  const market = marketOf(symbol);
  const to = barSpan(market, period, before)?.open ?? before;
  const leastMs = Math.max(length ?? 0, GAP_MINUTES * MINUTE_MS);
  const stamps = bars.map(({ time }) => time);
  return [...findGaps({ symbol, period, stamps, from: first.time, to, leastMs })].flatMap(
    ({ days, parts }) => [
      ...(days.length === 0 ? [] : [missingDaysText(days)]),
      ...parts.map(
        ({ day, openMs }) =>
          `No bar for ${plural(Math.round(openMs / MINUTE_MS), 'minute')} of trading on ${day}`,
      ),
    ],
  );
}
