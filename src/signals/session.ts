import { sessionDay } from '../markets/trading-sessions.ts';
import { marketOf, type SecuritySymbol } from '../model/symbol.ts';
import { DAY_MS, dayToUtc, millis } from '../model/time.ts';

/**
 * Returns a function that numbers the exchange's day of an instant. The evening part of an overnight session belongs
 * to the next day. The calendar is read once or twice a day.
 */
export function sessionNumbers(): (symbol: SecuritySymbol, time: number) => number {
  let known = '';
  let begin = Number.NaN;
  let end = Number.NaN;
  let number = Number.NaN;
  return (symbol, time) => {
    if (symbol === known && time >= begin && time < end) return number;
    const { date, open, close } = sessionDay(marketOf(symbol), millis(time));
    known = symbol;
    begin = open;
    end = close;
    number = dayToUtc(date) / DAY_MS;
    return number;
  };
}
