import type { SecuritySymbol } from '../../model/symbol.ts';
import type { CommandRegistration } from '../command-context.ts';
import { type BrokerFlags, quoteOptions } from '../options/broker-options.ts';
import { symbols } from '../options/option-values.ts';

/** `sluice quote`: current prices of securities. */
export const quoteCommand: CommandRegistration = (program, context) => {
  quoteOptions(program.command('quote').description('show quotes, with those outside of regular hours'))
    .argument('<symbols...>', 'such as 700.HK', symbols)
    .option('--watch', 'show a line for every push, until Ctrl-C')
    .action(async (wanted: readonly SecuritySymbol[], flags: BrokerFlags & { readonly watch?: true }) => {
      const { withSession } = await import('../broker/broker-session.ts');
      const { fetchQuotes } = await import('../../app/broker/fetch-market-data.ts');
      const { pushedQuoteJson, pushedQuoteText, quotesJson, quotesText } = await import(
        '../output/tables-market.ts'
      );
      if (flags.watch === true) {
        const { watchStream } = await import('../bots/watch-stream.ts');
        await watchStream(flags, context, {
          tried: `watch the quotes of ${wanted.join(', ')}`,
          pushed: ({ feed }) => feed.quotes(wanted),
          json: pushedQuoteJson,
          text: pushedQuoteText,
        });
        return;
      }
      await withSession(flags, context, { needs: 'quotes' }, async (session) => {
        const quotes = await fetchQuotes(session, wanted);
        session.print({ json: () => quotesJson(quotes), text: () => quotesText(quotes) });
      });
    });
};
