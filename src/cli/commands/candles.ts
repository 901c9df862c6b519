import { Option } from 'commander';
import type { Period } from '../../model/period.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import type { CalendarDay } from '../../model/time.ts';
import type { CommandRegistration } from '../command-context.ts';
import { symbol } from '../data/values.ts';
import { type BrokerFlags, quoteOptions } from '../options/broker-options.ts';
import { wholeBetween } from '../options/broker-values.ts';
import { day, period } from '../options/option-values.ts';

interface CandlesFlags extends BrokerFlags {
  readonly period: Period;
  readonly count: number;
  readonly from?: CalendarDay;
  readonly to?: CalendarDay;
  readonly adjust: 'none' | 'forward';
}

/** Maximum number of rows of one answer, and the default that fits on a screen. */
const COUNT_MAX = 1_000;
const COUNT_DEFAULT = 20;

/** `sluice candles`: bars of one security. */
export const candlesCommand: CommandRegistration = (program, context) => {
  quoteOptions(
    program
      .command('candles')
      .description('show bars of regular hours, oldest first; the newest may be open'),
  )
    .argument('<symbol>', 'such as 700.HK', symbol)
    .option('--period <period>', 'how long one bar is', period, '1d')
    .option('--count <bars>', 'the newest so many', wholeBetween(1, COUNT_MAX), COUNT_DEFAULT)
    .option('--from <day>', "first day of the exchange's calendar", day)
    .option('--to <day>', "last day of the exchange's calendar", day)
    .addOption(
      new Option('--adjust <how>', 'scale older prices by splits and dividends')
        .choices(['none', 'forward'])
        .default('none'),
    )
    .action(async (what: SecuritySymbol, flags: CandlesFlags) => {
      const { withSession } = await import('../broker/broker-session.ts');
      const { fetchCandles } = await import('../../app/broker/fetch-market-data.ts');
      const { candlesJson, candlesText } = await import('../output/tables-market.ts');
      await withSession(flags, context, { needs: 'quotes' }, async (session) => {
        const { period: length, count, from, to, adjust } = flags;
        const adjusted = adjust === 'forward';
        const candles = await fetchCandles(session, {
          symbol: what,
          period: length,
          count,
          from,
          to,
          adjusted,
        });
        session.print({ json: () => candlesJson(candles), text: () => candlesText(candles) });
      });
    });
};
