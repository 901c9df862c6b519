import type { Millis } from '../model/time.ts';

/**
 * Order of events at one time. Answers to calls come first, then the venue's own events, bar closes (in the config's
 * order of symbols), timers, and prints.
 */
export const PHASES = ['answer', 'venue', 'close', 'timer', 'print'] as const;
export type Phase = (typeof PHASES)[number];

/** A source of time: market time or machine time. There is no default clock; every user of time receives one. */
export interface Clock {
  /** Epoch milliseconds. Never goes back. */
  now(): Millis;
  /**
   * Calls `action` once at `at` (as soon as possible, but never synchronously, if that has passed); the returned
   * function cancels it.
   */
  at(at: Millis, phase: Phase, action: () => void): Cancel;
}

export type Cancel = () => void;
