import type { CommandRegistration } from '../command-context.ts';
import { type BotFlags, botOptions } from '../options/bot-options.ts';
import { UsageError } from '../usage-error.ts';

/**
 * `sluice settle ORDER dead | filled QTY PRICE | order ID`, `sluice settle books`: an operator decides what the venue
 * does not state.
 */
export const settleCommand: CommandRegistration = (program, context) => {
  botOptions(
    program
      .command('settle')
      .description('record the outcome of an unknown order, or adopt the positions and cash of the venue'),
  )
    .argument('<order>', 'our intent id, as "sluice orders --unknown" shows it; or "books"')
    .argument('[outcome]', '"dead", "filled" with quantity and price, or "order" with the venue\'s order id')
    .argument('[quantity]', 'shares executed beyond what is booked, or the order id')
    .argument('[price]', 'price per share')
    .requiredOption('--reason <text>', 'how you know, for the journal')
    .action(
      async (
        order: string,
        outcome: string | undefined,
        quantity: string | undefined,
        price: string | undefined,
        flags: BotFlags,
      ) => {
        const { commandBot } = await import('../bots/command-bot.ts');
        if (order === 'books' && outcome === undefined) {
          await commandBot({ kind: 'adopt-books' }, flags, context);
        } else if (outcome === 'dead' && quantity === undefined) {
          await commandBot({ kind: 'settle', intentId: order, outcome: { kind: 'dead' } }, flags, context);
        } else if (outcome === 'order' && quantity !== undefined && price === undefined) {
          const found = { kind: 'order' as const, orderId: quantity };
          await commandBot({ kind: 'settle', intentId: order, outcome: found }, flags, context);
        } else if (outcome === 'filled' && quantity !== undefined && price !== undefined) {
          const filled = { kind: 'filled' as const, quantity, price };
          await commandBot({ kind: 'settle', intentId: order, outcome: filled }, flags, context);
        } else {
          throw new UsageError(
            `Cannot settle that: want "settle ${order} dead", "settle ${order} filled QUANTITY PRICE", "settle ${order} order ID", or "settle books"`,
          );
        }
      },
    );
};
