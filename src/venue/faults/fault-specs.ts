import { z } from 'zod';
import { ORDER_TYPES } from '../../model/order.ts';
import { CAPABILITIES } from '../calls/capabilities.ts';
import { arrivalKnob, dataKnob, eitherKnob, orderKnob, refusalKnob, transportKnob } from './call-faults.ts';
import { callFiring, figure, side, symbol, waitMs } from './fault-firing.ts';
import { frameKnob, pushKnob, quoteKnob, replyKnob } from './socket-faults.ts';

/** A service of interface A that this venue does not have while the knob is on. */
const withoutKnob = z.strictObject({
  knob: z.literal('venue.without'),
  capability: z.enum(CAPABILITIES),
});

/**
 * Something that happens to the venue or its market: at once, or with `endpoint` whenever that is called, right before the
 * call is served.
 */
const account = z.string().optional();
const orderId = z.string().optional();
const deedKnob = z.discriminatedUnion('knob', [
  z.strictObject({
    knob: z.literal('venue.adjust'),
    ...{ account, symbol: symbol.optional(), quantity: figure.default('0') },
    ...{ currency: z.string().optional(), amount: figure.default('0') },
    ...callFiring,
  }),
  z.strictObject({
    knob: z.literal('venue.foreign'),
    ...{ account, symbol, side: z.enum(['buy', 'sell']), quantity: figure, price: figure.optional() },
    ...{ type: z.enum(ORDER_TYPES).optional(), remark: z.string().max(255).default('') },
    ...callFiring,
  }),
  z.strictObject({ knob: z.literal('venue.foreignCancel'), account, orderId, ...callFiring }),
  z.strictObject({
    knob: z.literal('venue.fillDuring'),
    ...{ account, orderId, quantity: figure.optional(), price: figure.optional() },
    ...callFiring,
  }),
  z.strictObject({
    knob: z.literal('venue.overfill'),
    ...{ account, orderId, extra: figure.default('100') },
    ...callFiring,
  }),
  z.strictObject({
    knob: z.literal('venue.session'),
    symbol,
    status: z.enum(['normal', 'halted', 'suspended']),
    ...callFiring,
  }),
  z.strictObject({ knob: z.literal('venue.split'), symbol, ratio: figure, ...callFiring }),
  z.strictObject({ knob: z.literal('venue.restart'), ...callFiring }),
  z.strictObject({
    knob: z.literal('venue.close'),
    side: side.optional(),
    code: z.int().min(0).max(6),
    ...callFiring,
  }),
  z.strictObject({
    knob: z.literal('net.cut'),
    ...{ side: side.optional(), ms: waitMs.default(0) },
    ...callFiring,
  }),
  z.strictObject({ knob: z.literal('net.refuse'), ms: waitMs.min(1), ...callFiring }),
]);

/**
 * The faults that the venue can be told to have, by the names of docs/reliability.md. Those of `net.` happen to bytes,
 * those of `venue.` are the venue's own doing.
 */
const faultKnob = z.discriminatedUnion('knob', [
  transportKnob,
  arrivalKnob,
  eitherKnob,
  refusalKnob,
  dataKnob,
  orderKnob,
  pushKnob,
  quoteKnob,
  frameKnob,
  replyKnob,
  withoutKnob,
  deedKnob,
]);

export type TransportKnob = z.output<typeof transportKnob>;
export type EitherKnob = z.output<typeof eitherKnob>;
export type RefusalKnob = z.output<typeof refusalKnob>;
export type DataKnob = z.output<typeof dataKnob>;
export type OrderKnob = z.output<typeof orderKnob>;
export type CallKnob = TransportKnob | EitherKnob | RefusalKnob | DataKnob | OrderKnob;
export type ArrivalKnob = z.output<typeof arrivalKnob>;
export type PushKnob = z.output<typeof pushKnob>;
export type QuoteKnob = z.output<typeof quoteKnob>;
export type FrameKnob = z.output<typeof frameKnob> | EitherKnob;
export type ReplyKnob = z.output<typeof replyKnob>;
export type WithoutKnob = z.output<typeof withoutKnob>;
export type DeedKnob = z.output<typeof deedKnob>;
export type FaultKnob =
  | CallKnob
  | ArrivalKnob
  | PushKnob
  | QuoteKnob
  | FrameKnob
  | ReplyKnob
  | WithoutKnob
  | DeedKnob;
export type KnobName = FaultKnob['knob'];

/**
 * `POST /faults`: the knobs that are on from now on, instead of those before or (`keep`) besides them, and the seed of their
 * chance.
 */
export const faultRequest = z.strictObject({
  seed: z.int().default(1),
  keep: z.boolean().default(false),
  knobs: z.array(faultKnob).max(100),
});
export type FaultRequest = z.output<typeof faultRequest>;
