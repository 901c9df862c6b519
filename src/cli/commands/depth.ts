import type { SecuritySymbol } from '../../model/symbol.ts';
import type { CommandRegistration } from '../command-context.ts';
import { symbol } from '../data/values.ts';
import { type BrokerFlags, quoteOptions } from '../options/broker-options.ts';

/** `sluice depth`: price levels on both sides. */
export const depthCommand: CommandRegistration = (program, context) => {
  quoteOptions(program.command('depth').description('show price levels on both sides'))
    .argument('<symbol>', 'such as 700.HK', symbol)
    .option('--watch', 'show the book again after every push, until Ctrl-C')
    .action(async (what: SecuritySymbol, flags: BrokerFlags & { readonly watch?: true }) => {
      const { withSession } = await import('../broker/broker-session.ts');
      const { fetchDepth } = await import('../../app/broker/fetch-market-data.ts');
      const { depthText } = await import('../output/tables-market.ts');
      if (flags.watch === true) {
        const { watchStream } = await import('../bots/watch-stream.ts');
        await watchStream(flags, context, {
          tried: `watch the depth of ${what}`,
          pushed: ({ pushes }) => pushes.depth([what]),
          json: (depth) => depth,
          text: (depth) => `${depthText(depth)}\n`,
        });
        return;
      }
      await withSession(flags, context, { needs: 'quotes' }, async (session) => {
        const depth = await fetchDepth(session, what);
        session.print({ json: () => depth, text: () => depthText(depth) });
      });
    });
};
