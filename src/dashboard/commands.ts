import { z } from 'zod';
import { Decimal } from '../model/decimal.ts';
import { parseSymbol } from '../model/symbol.ts';
import { isCostKnown } from '../reports/unrealised-gain.ts';
import type { BotSnapshot } from './bot-follower.ts';
import type { BotCommand } from './bot-source.ts';

const text = z.string().min(1).max(100);
const figure = z.string().regex(/^\d{1,18}(\.\d{1,12})?$/);
const symbol = text.refine((written) => parseSymbol(written) !== undefined);
const symbols = z.array(symbol).max(100).optional();

/** A command from a browser; unknown fields are refused. */
export const commandSchema: z.ZodType<BotCommand> = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('halt') }),
  z.strictObject({ kind: z.literal('reduce-only') }),
  z.strictObject({ kind: z.literal('resume') }),
  z.strictObject({ kind: z.literal('cancel-all'), symbols }),
  z.strictObject({ kind: z.literal('flatten'), symbols }),
  z.strictObject({
    kind: z.literal('settle'),
    intentId: text,
    outcome: z.discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('dead') }),
      z.strictObject({ kind: z.literal('order'), orderId: text }),
      z.strictObject({ kind: z.literal('filled'), quantity: figure, price: figure }),
    ]),
  }),
]);

/** The reason of a command, which must not be empty. */
export const reasonSchema = z.string().trim().min(3).max(300);

/** One consequence of a command; the page has a sentence for each `key` and inserts the values. */
export interface Consequence {
  readonly key:
    | 'orders-cancelled'
    | 'order-cancelled'
    | 'order-may-fill-first'
    | 'exit-cancelled'
    | 'position-closed'
    | 'position-closed-cost-unknown'
    | 'position-kept'
    | 'nothing-held'
    | 'nothing-open'
    | 'stops-everything'
    | 'exits-stop-too'
    | 'orders-stay'
    | 'only-reduces'
    | 'opens-again'
    | 'cause-ends'
    | 'limit-left'
    | 'unknown-blocks'
    | 'settle-dead'
    | 'settle-order'
    | 'settle-filled'
    | 'not-unknown'
    | 'not-running';
  readonly values: readonly string[];
}

/** Returns the effects of a command on a bot in its present state, and the worst case. */
export function consequencesOf(command: BotCommand, bot: BotSnapshot): readonly Consequence[] {
  const offline = bot.state === 'running' ? [] : [consequence('not-running')];
  return [...offline, ...consequences(command, bot)];
}

function consequences(command: BotCommand, bot: BotSnapshot): readonly Consequence[] {
  switch (command.kind) {
    case 'halt':
      return [consequence('stops-everything'), consequence('exits-stop-too'), ...ordersThatStay(bot)];
    case 'reduce-only':
      return [consequence('only-reduces'), ...ordersThatStay(bot)];
    case 'resume':
      return [
        consequence('opens-again'),
        ...bot.restrictions.map(({ cause, state, reason }) =>
          consequence('cause-ends', cause, state, reason),
        ),
        ...bot.unknownOrders.map(({ intentId }) => consequence('unknown-blocks', intentId)),
        ...bot.limits.map(({ name, value, limit }) => consequence('limit-left', name, value, limit)),
      ];
    case 'cancel-all':
      return cancels(bot, command.symbols);
    case 'flatten':
      return [...cancels(bot, command.symbols), ...closings(bot, command.symbols)];
    case 'settle':
      return settleConsequences(command, bot);
  }
}

function ordersThatStay({ openOrders }: BotSnapshot): readonly Consequence[] {
  return openOrders.length === 0
    ? [consequence('nothing-open')]
    : openOrders.map(({ terms, open }) => consequence('orders-stay', terms, open));
}

function cancels(bot: BotSnapshot, symbols: readonly string[] | undefined): readonly Consequence[] {
  const orders = bot.openOrders.filter(({ terms }) => isAbout(terms, symbols));
  if (orders.length === 0) return [consequence('nothing-open')];
  return [
    consequence('orders-cancelled', String(orders.length)),
    ...orders.flatMap(({ terms, open }) => [
      consequence('order-cancelled', terms),
      consequence('order-may-fill-first', terms, open),
      ...(reduces(terms, bot) ? [consequence('exit-cancelled', terms)] : []),
    ]),
  ];
}

function closings({ positions }: BotSnapshot, symbols: readonly string[] | undefined) {
  if (positions.length === 0) return [consequence('nothing-held')];
  return positions.map((position) => {
    const { symbol, quantity } = position;
    if (symbols !== undefined && !symbols.includes(symbol))
      return consequence('position-kept', symbol, quantity);
    return isCostKnown(position)
      ? consequence(
          'position-closed',
          symbol,
          quantity,
          new Decimal(position.cost).toDecimalPlaces(4).toString(),
        )
      : consequence('position-closed-cost-unknown', symbol, quantity);
  });
}

function settleConsequences(
  { intentId, outcome }: Extract<BotCommand, { kind: 'settle' }>,
  bot: BotSnapshot,
) {
  if (!bot.unknownOrders.some((order) => order.intentId === intentId))
    return [consequence('not-unknown', intentId)];
  switch (outcome.kind) {
    case 'dead':
      return [consequence('settle-dead', intentId)];
    case 'order':
      return [consequence('settle-order', intentId, outcome.orderId)];
    case 'filled':
      return [consequence('settle-filled', intentId, outcome.quantity, outcome.price)];
  }
}

function isAbout(terms: string, symbols: readonly string[] | undefined): boolean {
  return symbols === undefined || terms.split(/\s+/).some((word) => symbols.includes(word));
}

/** True if an order closes part of a position, so that the position is unprotected without it. */
function reduces(terms: string, { positions }: BotSnapshot): boolean {
  const words = terms.toLowerCase().split(/\s+/);
  return positions.some(
    ({ symbol, quantity }) =>
      words.includes(symbol.toLowerCase()) && words.includes(quantity.startsWith('-') ? 'buy' : 'sell'),
  );
}

function consequence(key: Consequence['key'], ...values: readonly string[]): Consequence {
  return { key, values };
}
