import { Option } from 'commander';
import { omitUndefined } from '../../model/omit-undefined.ts';
import { type Side, VENUE_STATUSES, type VenueStatus } from '../../model/order.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import { type CalendarDay, DAY_MS, dayToUtc, millis } from '../../model/time.ts';
import type { CommandRegistration } from '../command-context.ts';
import { symbol } from '../data/values.ts';
import { type BrokerFlags, httpOptions } from '../options/broker-options.ts';
import { day } from '../options/option-values.ts';

interface OrdersFlags extends BrokerFlags {
  readonly symbol?: SecuritySymbol;
  readonly status?: readonly VenueStatus[];
  readonly side?: Side;
  readonly market?: string;
  readonly from?: CalendarDay;
  readonly to?: CalendarDay;
  readonly unknown?: boolean;
  readonly bot?: string;
}

/** `sluice orders`: today's orders, or older ones by day of submission. */
export const ordersCommand: CommandRegistration = (program, context) => {
  httpOptions(
    program
      .command('orders')
      .description(
        "list today's orders, or older ones with --from; orders of the bot apart from foreign ones",
      ),
  )
    .option('--symbol <symbol>', 'only this symbol', symbol)
    .addOption(new Option('--status <statuses...>', 'only in these states').choices(VENUE_STATUSES))
    .addOption(new Option('--side <side>', 'only this side').choices(['buy', 'sell']))
    .option('--market <market>', 'only of this market, such as HK')
    .option('--from <day>', 'older orders: first day of submission, UTC', day)
    .option('--to <day>', 'older orders: last day of submission, UTC', day)
    .option('--unknown', 'only orders of a bot in this folder whose outcome at the venue is unknown')
    .option('--bot <name>', 'with --unknown: name or folder of the bot (default: the one that runs here)')
    .action(async (flags: OrdersFlags) => {
      if (flags.unknown === true) {
        const { showUnknown } = await import('../bots/show-status.ts');
        await showUnknown(flags, context);
        return;
      }
      const { withSession } = await import('../broker/broker-session.ts');
      const { orderJson, ordersText } = await import('../output/tables-orders.ts');
      await withSession(flags, context, { needs: 'http' }, async ({ api, ask, print }) => {
        const { symbol: only, status: statuses, side, market, from, to } = flags;
        const filter = omitUndefined({ symbol: only, statuses, side, market });
        const span = omitUndefined({
          from: from === undefined ? undefined : dayToUtc(from),
          to: to === undefined ? undefined : millis(dayToUtc(to) + DAY_MS - 1),
        });
        const isOlder = from !== undefined || to !== undefined;
        const listing = isOlder
          ? api.http.historyOrders({ ...filter, ...span })
          : api.http.todayOrders(filter);
        const orders = await ask('list the orders', listing);
        print({ json: () => orders.map(orderJson), text: () => ordersText(orders) });
      });
    });
};
