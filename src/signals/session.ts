import { dayOf, midnightOf } from '../markets/sessions.ts';
import { marketOf, type SecuritySymbol } from '../model/symbol.ts';
import { addDays, DAY_MS, dayToUtc, millis } from '../model/time.ts';

/** Returns a function that numbers the exchange's day of an instant; it asks the calendar once a day. */
export function sessionNumbers(): (symbol: SecuritySymbol, time: number) => number {
  let known = '';
  let begin = Number.NaN;
  let end = Number.NaN;
  let number = Number.NaN;
  return (symbol, time) => {
    if (symbol === known && time >= begin && time < end) return number;
    const market = marketOf(symbol);
    const day = dayOf(market, millis(time));
    known = symbol;
    begin = midnightOf(market, day);
    end = midnightOf(market, addDays(day, 1));
    number = dayToUtc(day) / DAY_MS;
    return number;
  };
}
