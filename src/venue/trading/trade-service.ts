import type { Execution } from '../../model/order.ts';
import { millis } from '../../model/time.ts';
import type { Clock } from '../../ports/clock.ts';
import type { OrderChange } from '../../simulation/simulation.ts';
import { commandByCode, TRADE_COMMANDS } from '../../wire/commands.ts';
import { encodeFrame, type RequestFrame } from '../../wire/frame.ts';
import {
  NotificationSchema,
  SubResponseSchema,
  SubSchema,
  UnsubResponseSchema,
  UnsubSchema,
} from '../../wire/gen/trade_pb.ts';
import { notificationOf, writeOrderEvent } from '../../wire/mapper/order-event.ts';
import { decodeMessage, encodeMessage } from '../../wire/message.ts';
import { PRIVATE_TOPIC, SOCKET_REFUSALS } from '../../wire/socket-status.ts';
import type { PushFault } from '../faults/fault-specs.ts';
import type { Faults } from '../faults/faults.ts';
import { replaced } from '../faults/faulty-data.ts';
import type { SocketConnection } from '../server/socket-connection.ts';
import type { SocketService } from '../server/socket-service.ts';
import type { OrderFactsBook } from './order-facts.ts';

/** Share of fills that a venue without `push.complete` does not push. */
const UNPUSHED_SHARE = 0.5;

/** Serves the trade socket: one topic, with order changes for its subscribers. */
export class TradeService implements SocketService {
  readonly #facts: OrderFactsBook;
  readonly #faults: Faults;
  readonly #machine: Clock;
  readonly #listeners = new Set<SocketConnection>();
  /** A push that a fault delays until after the next one. */
  #delayedPush: (() => void) | undefined;

  constructor(parts: {
    readonly facts: OrderFactsBook;
    readonly faults: Faults;
    readonly machine: Clock;
  }) {
    this.#facts = parts.facts;
    this.#faults = parts.faults;
    this.#machine = parts.machine;
  }

  serve(connection: SocketConnection, request: RequestFrame): void {
    const name = commandByCode(TRADE_COMMANDS, request.command)?.name;
    if (name === 'subscribe') this.#subscribe(connection, request);
    else if (name === 'unsubscribe') this.#unsubscribe(connection, request);
    else connection.refuse(request, SOCKET_REFUSALS.invalidRequest);
  }

  onDrained(): void {}

  onClosed(connection: SocketConnection): void {
    this.#listeners.delete(connection);
  }

  /** Pushes an order change to the account's subscribed connections. Order changes are never conflated. */
  publish(accountId: string, { detail, execution }: OrderChange): void {
    const connections = [...this.#listeners].filter(
      (connection) => connection.session?.accountId === accountId,
    );
    if (connections.length === 0) return;
    const facts = {
      ...this.#facts.of(detail, 'en'),
      accountNo: accountId,
      lastFill: execution,
    };
    const text = writeOrderEvent(detail, facts);
    if (this.#isOmitted(detail.orderId, execution)) return;
    const carriesFill = execution !== undefined;
    const fault = this.#faults.onPush({ on: `${detail.orderId} ${detail.status}`, carriesFill });
    const frame = frameOf(fault?.knob === 'venue.push.garbage' ? corrupted(text, fault) : text);
    this.#send(fault, () => {
      for (const connection of connections) connection.push(frame);
    });
  }

  /** True for a fill that a venue without `push.complete` omits; other changes are always pushed. */
  #isOmitted(orderId: string, execution: Execution | undefined): boolean {
    if (!this.#faults.lacks('push.complete')) return false;
    return execution === undefined
      ? false
      : this.#faults.chance(execution.executionId + orderId) < UNPUSHED_SHARE;
  }

  /** Sends one push, unless a fault drops, duplicates, delays or reorders it. */
  #send(fault: PushFault | undefined, push: () => void): void {
    const late = this.#delayedPush;
    this.#delayedPush = undefined;
    switch (fault?.knob) {
      case 'venue.push.drop':
        break;
      case 'venue.push.shuffle':
        this.#delayedPush = push;
        break;
      case 'venue.push.late':
        this.#machine.at(millis(this.#machine.now() + fault.ms), 'venue', push);
        break;
      case 'venue.push.dup':
        push();
        push();
        break;
      case 'venue.push.garbage':
      case undefined:
        push();
    }
    late?.();
  }

  #subscribe(connection: SocketConnection, request: RequestFrame): void {
    const { topics } = decodeMessage(SubSchema, request.body);
    const known = this.#faults.lacks('push.private') ? [] : [PRIVATE_TOPIC];
    const success = topics.filter((topic) => known.includes(topic));
    const unknownTopics = topics.filter((topic) => !known.includes(topic));
    const fail = unknownTopics.map((topic) => ({ topic, reason: `no such topic, want "${PRIVATE_TOPIC}"` }));
    if (success.length > 0) this.#listeners.add(connection);
    connection.respond(
      request,
      encodeMessage(SubResponseSchema, { success, fail, current: this.#topicsOf(connection) }),
    );
  }

  #unsubscribe(connection: SocketConnection, request: RequestFrame): void {
    const { topics } = decodeMessage(UnsubSchema, request.body);
    if (topics.includes(PRIVATE_TOPIC)) this.#listeners.delete(connection);
    connection.respond(request, encodeMessage(UnsubResponseSchema, { current: this.#topicsOf(connection) }));
  }

  #topicsOf(connection: SocketConnection): string[] {
    return this.#listeners.has(connection) ? [PRIVATE_TOPIC] : [];
  }
}

function frameOf(text: string): Uint8Array {
  const body = encodeMessage(NotificationSchema, notificationOf(text));
  return encodeFrame({ kind: 'push', command: TRADE_COMMANDS.notify.code, body });
}

function corrupted(
  text: string,
  { field, value }: Extract<PushFault, { knob: 'venue.push.garbage' }>,
): string {
  return JSON.stringify(replaced(JSON.parse(text), (name, before) => (name === field ? value : before)));
}
