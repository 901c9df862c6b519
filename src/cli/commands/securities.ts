import type { CommandRegistration } from '../command-context.ts';
import { type BrokerFlags, httpOptions } from '../options/broker-options.ts';

/** `sluice securities`: a list of tradable securities. */
export const securitiesCommand: CommandRegistration = (program, context) => {
  httpOptions(program.command('securities').description('list securities of a market'))
    .option('--market <market>', 'which market', 'US')
    .option('--category <word>', 'which list; the broker has one', 'Overnight')
    .action(async (flags: BrokerFlags & { readonly market: string; readonly category: string }) => {
      const { withSession } = await import('../broker/broker-session.ts');
      const { securitiesText } = await import('../output/tables-lists.ts');
      await withSession(flags, context, { needs: 'http' }, async ({ api, ask, print }) => {
        const { market, category } = flags;
        const securities = await ask('list the securities', api.http.securityList({ market, category }));
        print({ json: () => securities, text: () => securitiesText(securities) });
      });
    });
};
