import type { CommandOutcome, OpenOrder } from '../../ports/operator.ts';

export interface KillOrder {
  readonly reason: string;
  readonly flatten: boolean;
  readonly foreign: boolean;
  readonly by: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly project: string;
}

/** How a bot and its orders were stopped. */
export type Stopped =
  | ({ readonly kind: 'by-bot' } & Pick<
      Extract<CommandOutcome, { kind: 'done' }>,
      'message' | 'open' | 'unread'
    >)
  /** The bot does not respond or does not run; its orders were cancelled without it. */
  | {
      readonly kind: 'past-bot';
      /** Ids of orders that ended without a fill, as the venue lists them. */
      readonly cancelled: readonly string[];
      /** Ids of orders that filled before their cancel. */
      readonly filled: readonly string[];
      /** Orders with an accepted cancel that the venue does not list as ended yet: they may still execute. */
      readonly accepted: readonly OpenOrder[];
      /** Orders whose cancel was refused, not answered or not sent. */
      readonly failed: readonly OpenOrder[];
      readonly why: string;
    }
  /** Only the mark stops the bot; `left` if orders may be open that could not be cancelled. */
  | { readonly kind: 'marked'; readonly why: string; readonly left: boolean };

/** Whether an order may still execute after a kill, or this is unknown. */
export function mayTrade(stopped: Stopped): boolean {
  switch (stopped.kind) {
    case 'by-bot':
      return (stopped.open ?? []).length > 0 || stopped.unread !== undefined;
    case 'past-bot':
      return stopped.accepted.length + stopped.failed.length > 0;
    case 'marked':
      return stopped.left;
  }
}

/** Formats the result of cancels without the bot; orders that may still execute with id, symbol and state. */
export function cancelsText({
  cancelled,
  filled,
  accepted,
  failed,
}: Extract<Stopped, { kind: 'past-bot' }>): string {
  return [
    `Orders cancelled from here: ${countOf(cancelled)}`,
    ...(filled.length === 0 ? [] : [`filled before their cancel: ${countOf(filled)}`]),
    ...(accepted.length === 0
      ? []
      : [
          `cancel accepted but NOT confirmed, so that they may still be executed: ${countOf(openTexts(accepted))}`,
        ]),
    `failed: ${countOf(openTexts(failed))}`,
  ].join('; ');
}

function openTexts(orders: readonly OpenOrder[]): readonly string[] {
  return orders.map(({ id, symbol, state }) => `${id} of ${symbol}, ${state}`);
}

function countOf(orders: readonly string[]): string {
  return orders.length === 0 ? 'none' : `${orders.length} (${orders.join('; ')})`;
}
