import { z } from 'zod';
import { ERROR_CODES } from '../../wire/error-codes.ts';
import { callFiring, decimalText, sideFiring, waitMs } from './fault-firing.ts';

const tableCode = z
  .int()
  .refine((code) => ERROR_CODES.has(code), { error: 'want a code of the error table' });
const bytes = z.int().min(0).max(65_536);

/** Faults of a call's bytes, regardless of the venue's answer. */
export const transportFault = z.discriminatedUnion('knob', [
  z.strictObject({ knob: z.literal('net.dropRequest'), ...callFiring }),
  z.strictObject({ knob: z.literal('net.dropResponse'), ...callFiring }),
  z.strictObject({ knob: z.literal('net.delayResponse'), ms: waitMs.min(1), ...callFiring }),
  z.strictObject({ knob: z.literal('net.resetResponseAfter'), bytes, ...callFiring }),
  z.strictObject({ knob: z.literal('net.halfClose'), ms: waitMs.optional(), ...callFiring }),
  z.strictObject({ knob: z.literal('net.duplicate'), ...callFiring }),
]);

/** Faults that stop reading a request. */
export const arrivalFault = z.discriminatedUnion('knob', [
  z.strictObject({ knob: z.literal('net.resetAfter'), bytes, ...callFiring }),
]);

/** Slow, limited or dead transport, of calls or, with `side`, of socket frames. */
export const connectionFault = z.discriminatedUnion('knob', [
  z.strictObject({
    knob: z.literal('net.bandwidth'),
    bytesPerS: z.int().min(1).max(100_000_000).default(1_000),
    endpoint: callFiring.endpoint,
    ...sideFiring,
  }),
  z.strictObject({
    knob: z.literal('net.slicer'),
    bytes: bytes.min(1).default(1),
    ms: waitMs.default(1_000),
    endpoint: callFiring.endpoint,
    ...sideFiring,
  }),
  z.strictObject({
    knob: z.literal('net.blackhole'),
    endpoint: callFiring.endpoint,
    ...sideFiring,
  }),
]);

/** Faults that refuse a call without serving it; `venue.lie` serves it first. */
export const refusalFault = z.discriminatedUnion('knob', [
  z.strictObject({ knob: z.literal('venue.fail'), code: tableCode.default(500000), ...callFiring }),
  z.strictObject({ knob: z.literal('venue.lie'), code: tableCode.default(500000), ...callFiring }),
  z.strictObject({
    knob: z.literal('venue.html'),
    status: z.int().min(300).max(599).default(502),
    ...callFiring,
  }),
  z.strictObject({
    knob: z.literal('venue.limit'),
    envelope: z.boolean().default(true),
    code: z.union([z.literal(429001), z.literal(429002)]).default(429002),
    ...callFiring,
  }),
  z.strictObject({ knob: z.literal('venue.dup'), ...callFiring }),
  z.strictObject({ knob: z.literal('venue.badsig'), ...callFiring }),
  z.strictObject({ knob: z.literal('venue.expireToken'), ...callFiring }),
  z.strictObject({ knob: z.literal('venue.cancelLie'), ...callFiring }),
  z.strictObject({
    knob: z.literal('venue.rules'),
    message: z.string().max(200).default('lot size, tick size or price band'),
    ...callFiring,
  }),
  z.strictObject({
    knob: z.literal('venue.fx'),
    currency: z.string().length(3).optional(),
    ...callFiring,
  }),
]);

/** Faults that corrupt a correct answer before it is sent. */
export const dataFault = z.discriminatedUnion('knob', [
  z.strictObject({ knob: z.literal('venue.numericId'), ...callFiring }),
  z.strictObject({
    knob: z.literal('venue.shape'),
    form: z.enum(['no-data', 'null-data', 'list-data', 'no-id', 'message-only', 'msg-only', 'more-fields']),
    ...callFiring,
  }),
  z.strictObject({ knob: z.literal('venue.listLag'), ms: waitMs.min(1), ...callFiring }),
  z.strictObject({ knob: z.literal('venue.emptyList'), ...callFiring }),
  z.strictObject({
    knob: z.literal('venue.pages'),
    rows: z.int().min(1).optional(),
    repeat: z.boolean().default(true),
    ...callFiring,
  }),
  z.strictObject({
    knob: z.literal('venue.garbage'),
    field: z.string().min(1).max(64),
    value: z.union([z.string().max(400), z.number(), z.null()]),
    ...callFiring,
  }),
  z.strictObject({
    knob: z.literal('venue.enum'),
    field: z.string().min(1).max(64).default('status'),
    value: z.string().max(64).default('QuantumStatus'),
    ...callFiring,
  }),
  z.strictObject({ knob: z.literal('venue.estimate'), value: z.string().max(64).default(''), ...callFiring }),
  z.strictObject({ knob: z.literal('venue.marginStep'), factor: decimalText.default('2'), ...callFiring }),
  z.strictObject({
    knob: z.literal('venue.date'),
    form: z.enum(['missing', 'absurd', 'shifted']).default('shifted'),
    ms: z.int().min(-86_400_000).max(86_400_000).default(60_000),
    ...callFiring,
  }),
]);

/** Faults of the order that a call concerns, applied right after the call was served. */
export const orderFault = z.discriminatedUnion('knob', [
  z.strictObject({ knob: z.literal('venue.fillRace'), quantity: decimalText.optional(), ...callFiring }),
  z.strictObject({
    knob: z.literal('venue.lateFill'),
    ms: waitMs,
    quantity: decimalText.optional(),
    ...callFiring,
  }),
  z.strictObject({
    knob: z.literal('venue.asyncReject'),
    ms: waitMs.default(0),
    message: z.string().max(200).default('Rejected by the exchange'),
    ...callFiring,
  }),
  z.strictObject({
    knob: z.literal('venue.replaceNewId'),
    form: z.enum(['new-id', 'blank-remark', 'both']).default('new-id'),
    ...callFiring,
  }),
]);
