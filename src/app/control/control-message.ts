import { z } from 'zod';
import { parseDecimal } from '../../model/decimal.ts';
import { intentId, orderId } from '../../model/order.ts';
import { parseSymbol, securitySymbol } from '../../model/symbol.ts';
import type { OperatorCommand } from '../../ports/operator.ts';

const text = z.string().max(500);
const symbols = z
  .array(text.refine((written) => parseSymbol(written) !== undefined).transform(securitySymbol))
  .max(500)
  .optional();
const figure = text.transform((written, context) => {
  const read = parseDecimal(written);
  if (read !== undefined) return read;
  context.addIssue({ code: 'custom', message: `"${written}" is not a number` });
  return z.NEVER;
});

const outcome = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('dead') }),
  z.strictObject({ kind: z.literal('order'), orderId: text.transform(orderId) }),
  z.strictObject({ kind: z.literal('filled'), quantity: figure, price: figure }),
]);

/** A command as sent over the socket; numbers are texts. */
const commandSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('kill'), flatten: z.boolean(), foreign: z.boolean() }),
  z.strictObject({ kind: z.literal('halt') }),
  z.strictObject({ kind: z.literal('reduce-only') }),
  z.strictObject({ kind: z.literal('resume') }),
  z.strictObject({ kind: z.literal('cancel-all'), symbols }),
  z.strictObject({ kind: z.literal('flatten'), symbols }),
  z.strictObject({ kind: z.literal('settle'), intentId: text.transform(intentId), outcome }),
  z.strictObject({ kind: z.literal('adopt-books') }),
  z.strictObject({ kind: z.literal('stop-opening') }),
  z.strictObject({ kind: z.literal('start-opening') }),
]);

/** A request to a running bot over its control socket: one line of JSON, answered by one line. */
const requestSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('status') }),
  z.strictObject({ kind: z.literal('pipeline') }),
  z.strictObject({ kind: z.literal('prices'), symbol: text.optional(), series: z.boolean().optional() }),
  z.strictObject({
    kind: z.literal('command'),
    command: commandSchema,
    by: text,
    reason: text,
  }),
]);

export interface PricesRequest {
  readonly kind: 'prices';
  /** Symbol of the bars; undefined for the bot's first symbol. */
  readonly symbol: string | undefined;
  /** Whether to include the series of its strategies, which requires a request to their process. */
  readonly series: boolean;
}

export type ControlRequest =
  | { readonly kind: 'status' }
  | { readonly kind: 'pipeline' }
  | PricesRequest
  | {
      readonly kind: 'command';
      readonly command: OperatorCommand;
      readonly by: string;
      readonly reason: string;
    };

/** A command as sent over the socket; numbers are texts. */
export type SocketCommand =
  | Exclude<OperatorCommand, { kind: 'settle' | 'kill' }>
  | {
      readonly kind: 'settle';
      readonly intentId: string;
      readonly outcome:
        | { readonly kind: 'dead' }
        | { readonly kind: 'order'; readonly orderId: string }
        | { readonly kind: 'filled'; readonly quantity: string; readonly price: string };
    };

/** Parses one line; returns undefined if it is not a valid request. */
export function readControlRequest(line: string): ControlRequest | undefined {
  try {
    const read = requestSchema.safeParse(JSON.parse(line));
    if (!read.success) return undefined;
    if (read.data.kind === 'status' || read.data.kind === 'pipeline') return read.data;
    if (read.data.kind === 'prices') {
      const { kind, symbol, series = false } = read.data;
      return { kind, symbol, series };
    }
    const { command } = read.data;
    const isSome =
      (command.kind === 'cancel-all' || command.kind === 'flatten') && command.symbols !== undefined;
    if (command.kind !== 'cancel-all' && command.kind !== 'flatten') return { ...read.data, command };
    const which = isSome ? { symbols: command.symbols ?? [] } : {};
    return { ...read.data, command: { kind: command.kind, ...which } };
  } catch {
    return undefined;
  }
}
