import type { SecuritySymbol } from '../../model/symbol.ts';
import type { CommandRegistration } from '../command-context.ts';
import { symbol } from '../data/values.ts';
import { type BrokerFlags, httpOptions } from '../options/broker-options.ts';

/** `sluice margin-ratio`: margin factors of a security. */
export const marginRatioCommand: CommandRegistration = (program, context) => {
  httpOptions(program.command('margin-ratio').description('show the margin factors of a security'))
    .argument('<symbol>', 'such as 700.HK', symbol)
    .action(async (what: SecuritySymbol, flags: BrokerFlags) => {
      const { withSession } = await import('../broker/broker-session.ts');
      const { marginText } = await import('../output/tables-account.ts');
      await withSession(flags, context, { needs: 'http' }, async ({ api, ask, print }) => {
        const factors = await ask(`read the margin ratio of ${what}`, api.http.marginRatio({ symbol: what }));
        print({ json: () => ({ symbol: what, ...factors }), text: () => marginText(what, factors) });
      });
    });
};
