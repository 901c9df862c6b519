import type { SecuritySymbol } from '../../model/symbol.ts';
import type { CommandRegistration } from '../command-context.ts';
import { type BrokerFlags, quoteOptions } from '../options/broker-options.ts';
import { symbols } from '../options/option-values.ts';

/** `sluice static`: static information of securities. */
export const staticCommand: CommandRegistration = (program, context) => {
  quoteOptions(program.command('static').description('show name, exchange, currency, lot size and shares'))
    .argument('<symbols...>', 'such as 700.HK', symbols)
    .action(async (wanted: readonly SecuritySymbol[], flags: BrokerFlags) => {
      const { withSession } = await import('../broker/broker-session.ts');
      const { fetchStaticInfo } = await import('../../app/broker/fetch-market-data.ts');
      const { staticText } = await import('../output/tables-market.ts');
      await withSession(flags, context, { needs: 'quotes' }, async (session) => {
        const securities = await fetchStaticInfo(session, wanted);
        session.print({ json: () => securities, text: () => staticText(securities, flags.language) });
      });
    });
};
