import { omitUndefined } from '../../model/omit-undefined.ts';
import type { CommandRegistration } from '../command-context.ts';
import { type BrokerFlags, httpOptions } from '../options/broker-options.ts';
import { currency } from '../options/broker-values.ts';

/** `sluice account`: value and buying power. */
export const accountCommand: CommandRegistration = (program, context) => {
  httpOptions(program.command('account').description('show equity, margin, buy power and cash'))
    .option('--currency <currency>', "currency of the sums (default: the account's own)", currency)
    .action(async (flags: BrokerFlags & { readonly currency?: string }) => {
      const { withSession } = await import('../broker/broker-session.ts');
      const { accountText } = await import('../output/tables-account.ts');
      const query = omitUndefined({ currency: flags.currency });
      await withSession(flags, context, { needs: 'http' }, async ({ api, ask, print }) => {
        const balances = await ask('read the account', api.http.account(query));
        print({ json: () => balances, text: () => accountText(balances) });
      });
    });
};
