import type { Millis } from '../model/time.ts';

/**
 * What comes first at one instant. Answers to calls finish what began earlier; then the venue's own events; then bars
 * close (in the config's order of symbols) and timers fire; prints come last.
 */
export const PHASES = ['answer', 'venue', 'close', 'timer', 'print'] as const;
export type Phase = (typeof PHASES)[number];

/**
 * A source of time. Market time and machine time are two clocks of this one type.
 * There is no default clock; every user of time receives one.
 */
export interface Clock {
  /** Epoch milliseconds. Never goes back. */
  now(): Millis;
  /** Calls `action` once at `at` (at once, but never synchronously, when that has passed); the result cancels it. */
  at(at: Millis, phase: Phase, action: () => void): Cancel;
}

export type Cancel = () => void;
