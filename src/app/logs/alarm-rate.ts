import type { Alarm } from '../../model/notice.ts';
import { MINUTE_MS } from '../../model/time.ts';
import type { Clock } from '../../ports/clock.ts';

/** Number of equal alarms that are passed on, and the interval after that, with a count of the omitted ones. */
const FORWARDED_AT_FIRST = 3;
const PAUSE_MS = 5 * MINUTE_MS;
/** Maximum number of remembered texts; the oldest is dropped first. */
const TEXTS_MAX = 500;

/** Passes on alarms, limiting repeated ones. */
export interface RateLimitedAlarms {
  raise(alarm: Alarm): void;
  /** Reports alarms that were omitted since the last of their kind. */
  end(): void;
}

interface Seen {
  passed: number;
  passedAt: number;
  leftOut: number;
  last: Alarm;
}

/**
 * Rates alarms by machine time: those with one code, the same symbols and one text, whatever its figures. Symbols and
 * order ids make texts different: the code of a Hong Kong symbol is a figure.
 */
export function limitAlarmRate(pass: (alarm: Alarm) => void, machine: Pick<Clock, 'now'>): RateLimitedAlarms {
  const seen = new Map<string, Seen>();

  function forward(one: Seen): void {
    const { leftOut, last } = one;
    const more = leftOut === 0 ? '' : ` (${leftOut} more like it were left out)`;
    one.leftOut = 0;
    one.passed += 1;
    one.passedAt = machine.now();
    pass(more === '' ? last : { ...last, message: `${last.message}${more}` });
  }

  return {
    raise(alarm) {
      const key = keyOf(alarm);
      const one = seen.get(key) ?? { passed: 0, passedAt: machine.now(), leftOut: 0, last: alarm };
      const [oldest] = seen.size < TEXTS_MAX ? [] : seen.keys();
      if (oldest !== undefined) seen.delete(oldest);
      seen.set(key, one);
      one.last = alarm;
      if (one.passed < FORWARDED_AT_FIRST || machine.now() - one.passedAt >= PAUSE_MS) forward(one);
      else one.leftOut += 1;
    },
    end() {
      for (const one of seen.values()) if (one.leftOut > 0) forward(one);
    },
  };
}

function keyOf({ code, message, facts }: Alarm): string {
  const { symbol = '', symbols = '' } = facts;
  return `${code} ${symbol} ${symbols} ${message.replaceAll(FIGURE, '#')}`;
}

/** A number of up to eight digits: an amount, a time or a count. Ids are longer, and 700.HK is a symbol. */
const FIGURE = /(?<![A-Za-z0-9])\d{1,8}(?:[.,:]\d{1,8})*(?!\.?[A-Za-z0-9])/g;
