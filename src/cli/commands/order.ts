import { type Command, Option } from 'commander';
import { ORDER_TYPES, type OrderId } from '../../model/order.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import type { FigureFlags, PermitFlags, SubmitFlags } from '../broker/manual-order.ts';
import type { CommandContext, CommandRegistration } from '../command-context.ts';
import { symbol } from '../data/values.ts';
import { type BrokerFlags, httpOptions, quoteOptions } from '../options/broker-options.ts';
import { orderIdText, plainDecimal, positiveDecimal, wholeBetween } from '../options/broker-values.ts';
import { day, orderType } from '../options/option-values.ts';

const DEPTH_LEVEL = 5;
const TRIGGER_COUNT = 3;

/** `sluice order ...`: a manual order, without a strategy or the risk gate. */
export const orderCommand: CommandRegistration = (program, context) => {
  const order = program
    .command('order')
    .description('place, replace, cancel or show one order manually, without strategy and risk gate');
  addSubmit(order, context);
  addReplace(order, context);
  addCancel(order, context);
  addShow(order, context);
};

function addSubmit(order: Command, context: CommandContext): void {
  const command = order
    .command('submit')
    .description('send one order, once')
    .argument('<symbol>', 'what to trade, such as 700.HK', symbol)
    .addOption(new Option('--side <side>', 'direction').choices(['buy', 'sell']).makeOptionMandatory())
    .requiredOption('--quantity <shares>', 'how many', positiveDecimal)
    .addOption(
      new Option('--type <type>', 'order type').choices(ORDER_TYPES).default('LO').argParser(orderType),
    )
    .addOption(
      new Option('--time-in-force <time>', 'how long it lives').choices(['day', 'gtc', 'gtd']).default('day'),
    )
    .option('--expire-date <day>', 'with gtd: its last day', day)
    .addOption(
      new Option('--outside-rth <session>', 'US: sessions it may trade in').choices([
        'rth-only',
        'any-time',
        'overnight',
      ]),
    )
    .option(
      '--remark <words>',
      'your own words in printable ASCII, behind our tag; as many as fit into 64 characters',
    );
  permitOptions(figureOptions(quoteOptions(command))).action(
    async (what: SecuritySymbol, flags: SubmitFlags) => {
      const { submitOrder } = await import('../broker/manual-order.ts');
      await submitOrder(what, flags, context);
    },
  );
}

function addReplace(order: Command, context: CommandContext): void {
  const command = order
    .command('replace')
    .description('replace price or quantity of a working order; what is left out stays')
    .argument('<order>', 'id of the order', orderIdText)
    .option('--quantity <shares>', 'new total quantity, not the rest', positiveDecimal);
  permitOptions(figureOptions(quoteOptions(command))).action(
    async (id: OrderId, flags: BrokerFlags & FigureFlags & PermitFlags) => {
      const { replaceOrder } = await import('../broker/manual-order.ts');
      await replaceOrder(id, flags, context);
    },
  );
}

function addCancel(order: Command, context: CommandContext): void {
  const command = order
    .command('cancel')
    .description('cancel an order')
    .argument('<order>', 'id of the order', orderIdText);
  permitOptions(quoteOptions(command)).action(async (id: OrderId, flags: BrokerFlags & PermitFlags) => {
    const { cancelOrder } = await import('../broker/manual-order.ts');
    await cancelOrder(id, flags, context);
  });
}

function addShow(order: Command, context: CommandContext): void {
  httpOptions(order.command('show').description('show one order with its charges'))
    .argument('<order>', 'id of the order', orderIdText)
    .action(async (id: OrderId, flags: BrokerFlags) => {
      const { showOrder } = await import('../broker/manual-order.ts');
      await showOrder(id, flags, context);
    });
}

function figureOptions(command: Command): Command {
  return command
    .option('--price <price>', 'limit price', positiveDecimal)
    .option('--trigger-price <price>', 'price that wakes it (LIT, MIT)', positiveDecimal)
    .option(
      '--limit-offset <offset>',
      'distance of its limit from the market (TSLPAMT, TSLPPCT)',
      plainDecimal,
    )
    .option('--trailing-amount <amount>', 'distance that it trails by (TSLPAMT)', positiveDecimal)
    .option('--trailing-percent <percent>', 'distance that it trails by, 1 is 1% (TSLPPCT)', positiveDecimal)
    .option(
      '--limit-depth-level <level>',
      'price level that its limit is taken from (TSLPAMT, TSLPPCT)',
      wholeBetween(-DEPTH_LEVEL, DEPTH_LEVEL),
    )
    .option('--monitor-price <price>', 'price from which it begins to trail', positiveDecimal)
    .option('--trigger-count <count>', 'how often it may wake', wholeBetween(0, TRIGGER_COUNT));
}

function permitOptions(command: Command): Command {
  return command
    .option('--live', 'real money may be at stake; needed for whatever is not this machine')
    .option('--account <id>', 'number of the account that it is meant for; the venue must say the same');
}
