import type { OrderChange } from '../simulation/simulation.ts';
import { commandByCode, TRADE_COMMANDS } from '../wire/commands.ts';
import { encodeFrame, type RequestFrame } from '../wire/frame.ts';
import {
  NotificationSchema,
  SubResponseSchema,
  SubSchema,
  UnsubResponseSchema,
  UnsubSchema,
} from '../wire/gen/trade_pb.ts';
import { notificationOf, writeOrderEvent } from '../wire/mapper/order-event.ts';
import { decodeMessage, encodeMessage } from '../wire/message.ts';
import type { WireProfile } from '../wire/profiles.ts';
import { PRIVATE_TOPIC, SOCKET_REFUSALS } from '../wire/socket-status.ts';
import type { Desk } from './desk.ts';
import type { Faults } from './faults.ts';
import type { Line } from './line.ts';
import type { OrderFactsBook } from './order-facts.ts';

/** The trade socket's business: one topic, and order changes for whoever listens to it. */
export class TradeDesk implements Desk {
  readonly #facts: OrderFactsBook;
  readonly #profile: WireProfile;
  readonly #faults: Faults;
  readonly #listeners = new Set<Line>();
  /** A push that a fault holds back until the next one has gone. */
  #heldBack: (() => void) | undefined;

  constructor(facts: OrderFactsBook, profile: WireProfile, faults: Faults) {
    this.#facts = facts;
    this.#faults = faults;
    this.#profile = profile;
  }

  serve(line: Line, request: RequestFrame): void {
    const name = commandByCode(TRADE_COMMANDS, request.command)?.name;
    if (name === 'subscribe') this.#subscribe(line, request);
    else if (name === 'unsubscribe') this.#unsubscribe(line, request);
    else line.refuse(request, SOCKET_REFUSALS.invalidRequest);
  }

  drained(): void {}

  forget(line: Line): void {
    this.#listeners.delete(line);
  }

  /** Pushes one change of an order to the account's listening lines. Orders are never conflated. */
  announce(accountId: string, { detail, execution }: OrderChange): void {
    const lines = [...this.#listeners].filter((line) => line.session?.accountId === accountId);
    if (lines.length === 0) return;
    const facts = {
      ...this.#facts.of(detail, 'en'),
      accountNo: accountId,
      lastFill: execution,
    };
    const text = writeOrderEvent(detail, facts, this.#profile);
    const body = encodeMessage(NotificationSchema, notificationOf(text));
    const frame = encodeFrame({ kind: 'push', command: TRADE_COMMANDS.notify.code, body });
    this.#send(() => {
      for (const line of lines) line.push(frame);
    });
  }

  /** Sends one push, unless a fault drops it, doubles it, or lets the next one overtake it. */
  #send(push: () => void): void {
    const fault = this.#faults.onPush()?.knob;
    const late = this.#heldBack;
    this.#heldBack = fault === 'venue.push.shuffle' ? push : undefined;
    if (fault !== 'venue.push.shuffle' && fault !== 'venue.push.drop') push();
    if (fault === 'venue.push.dup') push();
    late?.();
  }

  #subscribe(line: Line, request: RequestFrame): void {
    const { topics } = decodeMessage(SubSchema, request.body);
    const success = topics.filter((topic) => topic === PRIVATE_TOPIC);
    const strangers = topics.filter((topic) => topic !== PRIVATE_TOPIC);
    const fail = strangers.map((topic) => ({ topic, reason: `no such topic, want "${PRIVATE_TOPIC}"` }));
    if (success.length > 0) this.#listeners.add(line);
    line.respond(request, encodeMessage(SubResponseSchema, { success, fail, current: this.#topicsOf(line) }));
  }

  #unsubscribe(line: Line, request: RequestFrame): void {
    const { topics } = decodeMessage(UnsubSchema, request.body);
    if (topics.includes(PRIVATE_TOPIC)) this.#listeners.delete(line);
    line.respond(request, encodeMessage(UnsubResponseSchema, { current: this.#topicsOf(line) }));
  }

  #topicsOf(line: Line): string[] {
    return this.#listeners.has(line) ? [PRIVATE_TOPIC] : [];
  }
}
