import type { SecuritySymbol } from '../../model/symbol.ts';
import type { CommandRegistration } from '../command-context.ts';
import { symbol } from '../data/values.ts';
import { type BrokerFlags, quoteOptions } from '../options/broker-options.ts';
import { wholeBetween } from '../options/broker-values.ts';

const POINTS_MAX = 1_000;
const POINTS_DEFAULT = 10;

/** `sluice capital-flow`: the day's inflow and outflow of a security. */
export const capitalFlowCommand: CommandRegistration = (program, context) => {
  quoteOptions(
    program.command('capital-flow').description('show the capital flow by order size, and over the day'),
  )
    .argument('<symbol>', 'such as 700.HK', symbol)
    .option(
      '--last <points>',
      'so many points of the flow; JSON has all',
      wholeBetween(0, POINTS_MAX),
      POINTS_DEFAULT,
    )
    .action(async (what: SecuritySymbol, flags: BrokerFlags & { readonly last: number }) => {
      const { withSession } = await import('../broker/broker-session.ts');
      const { fetchCapitalFlow } = await import('../../app/broker/fetch-market-data.ts');
      const { capitalJson, capitalText } = await import('../output/tables-market.ts');
      await withSession(flags, context, { needs: 'quotes' }, async (session) => {
        const capital = await fetchCapitalFlow(session, what);
        session.print({ json: () => capitalJson(capital), text: () => capitalText(capital, flags.last) });
      });
    });
};
