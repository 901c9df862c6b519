import type { SecuritySymbol } from '../../model/symbol.ts';
import type { CommandRegistration } from '../command-context.ts';
import { type BrokerFlags, httpOptions } from '../options/broker-options.ts';
import { symbols } from '../options/option-values.ts';

/** `sluice positions`: positions of the account. */
export const positionsCommand: CommandRegistration = (program, context) => {
  httpOptions(program.command('positions').description('list what the account holds'))
    .argument('[symbols...]', 'only these, such as 700.HK (default: all)', symbols)
    .action(async (only: readonly SecuritySymbol[], flags: BrokerFlags) => {
      const { withSession } = await import('../broker/broker-session.ts');
      const { positionsText } = await import('../output/tables-account.ts');
      await withSession(flags, context, { needs: 'http' }, async ({ api, ask, print }) => {
        const positions = await ask('read the positions', api.http.positions({ symbols: [...only] }));
        print({ json: () => positions, text: () => positionsText(positions) });
      });
    });
};
