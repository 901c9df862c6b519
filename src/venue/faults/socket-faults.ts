import { z } from 'zod';
import { decimalText, firing, sideFiring, symbolFiring, waitMs } from './fault-firing.ts';

/** Faults of order pushes. `only: fill` spares pushes without a fill. */
const push = { only: z.literal('fill').optional(), ...firing };
export const pushFault = z.discriminatedUnion('knob', [
  z.strictObject({ knob: z.literal('venue.push.drop'), ...push }),
  z.strictObject({ knob: z.literal('venue.push.dup'), ...push }),
  z.strictObject({ knob: z.literal('venue.push.shuffle'), ...push }),
  z.strictObject({ knob: z.literal('venue.push.late'), ms: waitMs.min(1), ...push }),
  z.strictObject({
    knob: z.literal('venue.push.garbage'),
    field: z.string().min(1).max(64),
    value: z.string().max(400),
    ...push,
  }),
]);

/** Faults of a symbol's quotes. */
export const quoteFault = z.discriminatedUnion('knob', [
  z.strictObject({ knob: z.literal('venue.freeze'), pulls: z.boolean().default(true), ...symbolFiring }),
  z.strictObject({
    knob: z.literal('venue.spike'),
    factor: decimalText.default('10'),
    price: z.string().max(64).optional(),
    ...symbolFiring,
  }),
  z.strictObject({
    knob: z.literal('venue.cross'),
    form: z.enum(['crossed', 'locked']).default('crossed'),
    ...symbolFiring,
  }),
  z.strictObject({
    knob: z.literal('venue.seq'),
    form: z.enum(['back', 'gap', 'duplicate']),
    ...symbolFiring,
  }),
  z.strictObject({
    knob: z.literal('venue.flood'),
    copies: z.int().min(1).max(100_000).default(1_000),
    ...symbolFiring,
  }),
  z.strictObject({ knob: z.literal('net.stall'), ms: waitMs.min(1), ...symbolFiring }),
]);

/** Faults of outgoing frames. */
export const frameFault = z.discriminatedUnion('knob', [
  z.strictObject({
    knob: z.literal('venue.frame'),
    form: z.enum([
      'reserved-bits',
      'trailer',
      'short-length',
      'long-length',
      'big',
      'bomb',
      'bad-gzip',
      'noise',
      'empty',
      'text',
    ] as const),
    kind: z.enum(['response', 'push']).optional(),
    ...sideFiring,
  }),
  z.strictObject({
    knob: z.literal('venue.reqid'),
    form: z.enum(['unknown', 'twice', 'silent']),
    ...sideFiring,
  }),
]);

/** Faults of certain socket answers. */
export const replyFault = z.discriminatedUnion('knob', [
  z.strictObject({
    knob: z.literal('venue.expires'),
    form: z.enum(['absolute-s', 'relative-ms', 'relative-s', 'zero', 'far']),
    ...sideFiring,
  }),
  z.strictObject({ knob: z.literal('venue.subPartial'), keep: z.int().min(0).default(0), ...firing }),
  z.strictObject({
    knob: z.literal('venue.bars'),
    form: z.enum(['changed', 'missing', 'overlap', 'shuffled']),
    ...symbolFiring,
  }),
]);
