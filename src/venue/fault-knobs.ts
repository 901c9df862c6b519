import { z } from 'zod';
import { ENDPOINTS } from '../wire/endpoints.ts';

const endpointName = z.string().refine((name) => Object.hasOwn(ENDPOINTS, name), {
  error: `want the name of an endpoint: ${Object.keys(ENDPOINTS).join(', ')}`,
});

/** When a knob fires: on the calls of one endpoint or of all, after `skip` of them, `times` in all, else by chance. */
const firing = {
  endpoint: endpointName.optional(),
  chance: z.number().min(0).max(1).default(1),
  skip: z.int().min(0).default(0),
  times: z.int().min(1).optional(),
};
const pushFiring = { chance: firing.chance, skip: firing.skip, times: firing.times };
const waitMs = z.int().min(1).max(3_600_000);

/**
 * The faults that the venue can be told to have, by the names of reliability.md, section 3. Those of `net.` happen to bytes,
 * those of `venue.` are the venue's own doing.
 */
export const faultKnob = z.discriminatedUnion('knob', [
  z.strictObject({ knob: z.literal('net.dropRequest'), ...firing }),
  z.strictObject({ knob: z.literal('net.dropResponse'), ...firing }),
  z.strictObject({ knob: z.literal('net.delayResponse'), ms: waitMs, ...firing }),
  z.strictObject({ knob: z.literal('venue.fail'), ...firing }),
  z.strictObject({ knob: z.literal('venue.lie'), ...firing }),
  z.strictObject({ knob: z.literal('venue.html'), ...firing }),
  z.strictObject({ knob: z.literal('venue.limit'), envelope: z.boolean().default(true), ...firing }),
  z.strictObject({ knob: z.literal('venue.dup'), ...firing }),
  z.strictObject({ knob: z.literal('venue.badsig'), ...firing }),
  z.strictObject({ knob: z.literal('venue.expireToken'), ...firing }),
  z.strictObject({ knob: z.literal('venue.cancelLie'), ...firing }),
  z.strictObject({ knob: z.literal('venue.numericId'), ...firing }),
  z.strictObject({ knob: z.literal('venue.listLag'), ms: waitMs, ...firing }),
  z.strictObject({ knob: z.literal('venue.emptyList'), ...firing }),
  z.strictObject({ knob: z.literal('venue.push.drop'), ...pushFiring }),
  z.strictObject({ knob: z.literal('venue.push.dup'), ...pushFiring }),
  z.strictObject({ knob: z.literal('venue.push.shuffle'), ...pushFiring }),
]);

export type FaultKnob = z.output<typeof faultKnob>;
export type PushKnob = Extract<FaultKnob, { knob: `venue.push.${string}` }>;
export type CallKnob = Exclude<FaultKnob, PushKnob>;

/** `POST /faults`: the knobs that are on from now on, instead of those before, and the seed of their chance. */
export const faultRequest = z.strictObject({
  seed: z.int().default(1),
  knobs: z.array(faultKnob).max(100),
});
export type FaultRequest = z.output<typeof faultRequest>;
