import { Option } from 'commander';
import type { Decimal } from '../../model/decimal.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';
import { ORDER_TYPES, type OrderId, type OrderType, type Side } from '../../model/order.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import type { CommandRegistration } from '../command-context.ts';
import { symbol } from '../data/values.ts';
import { type BrokerFlags, httpOptions } from '../options/broker-options.ts';
import { currency, orderIdText, positiveDecimal } from '../options/broker-values.ts';
import { orderType } from '../options/option-values.ts';

interface EstimateFlags extends BrokerFlags {
  readonly side: Side;
  readonly type: OrderType;
  readonly price?: Decimal;
  readonly currency?: string;
  readonly order?: OrderId;
  readonly fractional?: boolean;
}

/** `sluice estimate`: the largest quantity that the venue lets the account buy. */
export const estimateCommand: CommandRegistration = (program, context) => {
  httpOptions(program.command('estimate').description('show the maximum quantity that can be bought now'))
    .argument('<symbol>', 'what to trade, such as 700.HK', symbol)
    .addOption(new Option('--side <side>', 'direction').choices(['buy', 'sell']).default('buy'))
    .addOption(
      new Option('--type <type>', 'order type').choices(ORDER_TYPES).default('LO').argParser(orderType),
    )
    .option('--price <price>', 'limit price', positiveDecimal)
    .option('--currency <currency>', 'currency to settle in', currency)
    .option('--order <order>', 'id of the order that it would replace', orderIdText)
    .option('--fractional', 'count fractions of a share')
    .action(async (what: SecuritySymbol, flags: EstimateFlags) => {
      const { withSession } = await import('../broker/broker-session.ts');
      const { buyLimitText } = await import('../output/tables-account.ts');
      await withSession(flags, context, { needs: 'http' }, async ({ api, ask, print }) => {
        const { side, type, price, currency: settled, order, fractional } = flags;
        const question = omitUndefined({
          price,
          currency: settled,
          orderId: order,
          fractionalShares: fractional,
        });
        const limit = await ask(
          `estimate the buy limit of ${what}`,
          api.http.buyLimit({ symbol: what, side, type, ...question }),
        );
        print({ json: () => limit, text: () => buyLimitText(what, limit) });
      });
    });
};
