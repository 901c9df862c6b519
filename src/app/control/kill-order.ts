import type { CommandOutcome, OpenOrder } from '../../ports/operator.ts';

/** The bots to kill, and how. */
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
  /** The bot did it. */
  | ({ readonly kind: 'by-bot' } & Pick<
      Extract<CommandOutcome, { kind: 'done' }>,
      'message' | 'open' | 'unread'
    >)
  /** The bot does not answer, or does not run, and its orders were cancelled past it. */
  | {
      readonly kind: 'past-bot';
      /** Ids of orders that ended without being filled, as the venue lists them. */
      readonly cancelled: readonly string[];
      /** Ids of orders that were filled before their cancel. */
      readonly filled: readonly string[];
      /** Orders whose cancel the venue accepted and whose end it does not list yet: they may still be executed. */
      readonly accepted: readonly OpenOrder[];
      /** Orders whose cancel was refused, not answered or not sent. */
      readonly failed: readonly OpenOrder[];
      readonly why: string;
    }
  /** Nothing but the mark holds it; `left` when orders may be open that could not be cancelled. */
  | { readonly kind: 'marked'; readonly why: string; readonly left: boolean };

/** Whether an order may still be executed after a kill, or it is not known whether one may. */
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

/** What came of the orders of a bot that was passed by; each order that may still be executed by its id, symbol and state. */
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
