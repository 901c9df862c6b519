import { z } from 'zod';
import { ORDER_TYPES } from '../../model/order.ts';
import { CAPABILITIES } from '../calls/capabilities.ts';
import {
  arrivalFault,
  connectionFault,
  dataFault,
  orderFault,
  refusalFault,
  transportFault,
} from './call-faults.ts';
import { callFiring, decimalText, side, symbol, waitMs } from './fault-firing.ts';
import { frameFault, pushFault, quoteFault, replyFault } from './socket-faults.ts';

/** A capability that the venue lacks while the fault is active. */
const withoutFault = z.strictObject({
  knob: z.literal('venue.without'),
  capability: z.enum(CAPABILITIES),
});

const account = z.string().optional();
const orderId = z.string().optional();
/** Events of the venue or its market: immediate or, with `endpoint`, right before a call of that endpoint is served. */
const actionFault = z.discriminatedUnion('knob', [
  z.strictObject({
    knob: z.literal('venue.adjust'),
    account,
    symbol: symbol.optional(),
    quantity: decimalText.default('0'),
    currency: z.string().optional(),
    amount: decimalText.default('0'),
    ...callFiring,
  }),
  z.strictObject({
    knob: z.literal('venue.foreign'),
    account,
    symbol,
    side: z.enum(['buy', 'sell']),
    quantity: decimalText,
    price: decimalText.optional(),
    type: z.enum(ORDER_TYPES).optional(),
    remark: z.string().max(255).default(''),
    ...callFiring,
  }),
  z.strictObject({ knob: z.literal('venue.foreignCancel'), account, orderId, ...callFiring }),
  z.strictObject({
    knob: z.literal('venue.fillDuring'),
    account,
    orderId,
    quantity: decimalText.optional(),
    price: decimalText.optional(),
    ...callFiring,
  }),
  z.strictObject({
    knob: z.literal('venue.overfill'),
    account,
    orderId,
    extra: decimalText.default('100'),
    ...callFiring,
  }),
  z.strictObject({
    knob: z.literal('venue.session'),
    symbol,
    status: z.enum(['normal', 'halted', 'suspended']),
    ...callFiring,
  }),
  z.strictObject({ knob: z.literal('venue.split'), symbol, ratio: decimalText, ...callFiring }),
  z.strictObject({ knob: z.literal('venue.restart'), ...callFiring }),
  z.strictObject({
    knob: z.literal('venue.close'),
    side: side.optional(),
    code: z.int().min(0).max(6),
    ...callFiring,
  }),
  z.strictObject({
    knob: z.literal('net.cut'),
    side: side.optional(),
    ms: waitMs.default(0),
    ...callFiring,
  }),
  z.strictObject({ knob: z.literal('net.refuse'), ms: waitMs.min(1), ...callFiring }),
]);

/**
 * Faults that can be injected into the venue, named as in docs/reliability.md: `net.` concerns bytes, `venue.` the
 * venue's behaviour.
 */
const faultSpec = z.discriminatedUnion('knob', [
  transportFault,
  arrivalFault,
  connectionFault,
  refusalFault,
  dataFault,
  orderFault,
  pushFault,
  quoteFault,
  frameFault,
  replyFault,
  withoutFault,
  actionFault,
]);

export type TransportFault = z.output<typeof transportFault>;
export type ConnectionFault = z.output<typeof connectionFault>;
export type RefusalFault = z.output<typeof refusalFault>;
export type DataFault = z.output<typeof dataFault>;
export type OrderFault = z.output<typeof orderFault>;
export type CallFault = TransportFault | ConnectionFault | RefusalFault | DataFault | OrderFault;
export type ArrivalFault = z.output<typeof arrivalFault>;
export type PushFault = z.output<typeof pushFault>;
export type QuoteFault = z.output<typeof quoteFault>;
export type FrameFault = z.output<typeof frameFault> | ConnectionFault;
export type ReplyFault = z.output<typeof replyFault>;
export type WithoutFault = z.output<typeof withoutFault>;
export type ActionFault = z.output<typeof actionFault>;
export type FaultSpec =
  | CallFault
  | ArrivalFault
  | PushFault
  | QuoteFault
  | FrameFault
  | ReplyFault
  | WithoutFault
  | ActionFault;
export type FaultName = FaultSpec['knob'];

/**
 * Body of `POST /faults`: the faults replace the active ones or, with `keep`, are added to them. `seed` determines
 * all chances.
 */
export const faultRequest = z.strictObject({
  seed: z.int().default(1),
  keep: z.boolean().default(false),
  knobs: z.array(faultSpec).max(100),
});
export type FaultRequest = z.output<typeof faultRequest>;
