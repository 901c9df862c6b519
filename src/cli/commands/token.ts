import type { CommandRegistration } from '../command-context.ts';
import { type BrokerFlags, httpOptions } from '../options/broker-options.ts';
import { wholeBetween } from '../options/broker-values.ts';

/** Default and maximum lifetime of a token. */
const DAYS_DEFAULT = 90;
const DAYS_MAX = 365;

/** `sluice token ...`: the access token. */
export const tokenCommand: CommandRegistration = (program, context) => {
  const token = program.command('token').description('renew the access token');
  httpOptions(
    token
      .command('refresh')
      .description(
        'renew the access token: the new one is saved in a private file, the old one becomes invalid',
      ),
  )
    .option('--days <days>', 'lifetime of the new token', wholeBetween(1, DAYS_MAX), DAYS_DEFAULT)
    .action(async (flags: BrokerFlags & { readonly days: number }) => {
      const { apiRequest, withExplainedErrors, printAnswer } = await import('../broker/broker-session.ts');
      const { renewToken } = await import('../../app/credentials/renew-token.ts');
      const { tokenText } = await import('../output/tables-lists.ts');
      await withExplainedErrors(context, async () => {
        const renewed = await renewToken(await apiRequest(flags, context, { needs: 'http' }), flags.days);
        printAnswer(flags, context, { json: () => renewed, text: () => tokenText(renewed) });
      });
    });
};
