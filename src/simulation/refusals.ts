import type { Acceptance } from './simulation.ts';

/** A request that the venue turns down at once. */
export type Refusal = Extract<Acceptance, { kind: 'refused' }>;

/** The venue's codes for trade requests. @see reference: HTTP API 8.2 */
export const REFUSAL_CODES = {
  cancelled: 601011,
  filled: 601012,
  rejected: 601013,
  parameters: 602001,
  typeNotReplaceable: 602012,
  statusNotReplaceable: 602013,
  notFound: 603001,
} as const;

export function refused(reason: keyof typeof REFUSAL_CODES, message: string): Refusal {
  return { kind: 'refused', code: REFUSAL_CODES[reason], message };
}
