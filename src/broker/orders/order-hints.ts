import { firstValueFrom, type Observable, Subject } from 'rxjs';
import type { IntentId } from '../../model/order.ts';
import type { OrderHint } from '../../ports/broker.ts';
import { TRADE_COMMANDS } from '../../wire/commands.ts';
import type { PushFrame } from '../../wire/frame.ts';
import { readNotification } from '../../wire/mapper/order-event.ts';
import { decodeMessage } from '../../wire/message.ts';
import { PRIVATE_TOPIC } from '../../wire/socket-status.ts';
import { WireError } from '../../wire/wire-error.ts';
import { BrokerError } from '../broker-error.ts';
import { createCountReporter } from '../count-reporter.ts';
import type { RaiseAlarm } from '../raise-alarm.ts';
import type { SocketCall } from '../socket/command-call.ts';

/** Order hints from the trade socket. */
export interface OrderHints {
  readonly hints$: Observable<OrderHint>;
  /** Receives a push; every order event becomes exactly one hint. */
  receive(push: PushFrame): void;
  /** Subscribes the topic; rejects with BrokerError if the venue does not grant it. */
  restore(call: SocketCall): Promise<void>;
  fail(error: BrokerError): void;
}

/** @see docs/wire-protocol.md, "The sockets" */
export function createOrderHints(
  intentOf: (remark: string) => IntentId | undefined,
  safe: (text: string) => string,
  raiseAlarm: RaiseAlarm,
): OrderHints {
  const hints$ = new Subject<OrderHint>();
  const unreadable = createCountReporter((count, example) =>
    raiseAlarm(
      'unreadable-order-event',
      `${count} order events could not be read; the next order query finds these changes`,
      {
        example: safe(example),
      },
    ),
  );

  function read(push: PushFrame): OrderHint | undefined {
    try {
      const event = readNotification(decodeMessage(TRADE_COMMANDS.notify.push, push.body));
      if (event.kind !== 'order-changed') return undefined;
      const { detail } = event;
      return { orderId: detail.orderId, intentId: intentOf(detail.remark), detail };
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      unreadable(error.message);
      return undefined;
    }
  }

  return {
    hints$: hints$.asObservable(),
    receive(push) {
      if (push.command !== TRADE_COMMANDS.notify.code) return;
      const hint = read(push);
      if (hint !== undefined) hints$.next(hint);
    },
    async restore(call) {
      const answer = await firstValueFrom(call(TRADE_COMMANDS.subscribe, { topics: [PRIVATE_TOPIC] }));
      if (answer.success.includes(PRIVATE_TOPIC) || answer.current.includes(PRIVATE_TOPIC)) return;
      const reason = answer.fail.map((each) => each.reason).join(', ');
      throw new BrokerError('socket-refused', `Cannot subscribe to order changes: ${safe(reason)}`, {
        endpoint: `trade socket, command ${TRADE_COMMANDS.subscribe.code}`,
        retryable: true,
      });
    },
    fail: (error) => hints$.error(error),
  };
}
