/** Entry point of "@sluice-trading/sluice/testing": market situations in virtual time, for tests of strategies. */

export type { Finding, FindingKind } from './findings.ts';
export type { Given, Setting } from './given.ts';
export { given } from './given.ts';
export type { Move } from './moves.ts';
export { closes, fall, flat, gap, halt, rise, volume, waves } from './moves.ts';
export type { SituationName } from './situations.ts';
export { SITUATIONS } from './situations.ts';
export type {
  FillRecord as FillSeen,
  ObservedOrder as OrderSeen,
  OrderFate,
  StrategyOutcome,
} from './strategy-outcome.ts';
export type { Trouble } from './trouble.ts';
export type { Trial, TrialSetting } from './try-strategy.ts';
export { tryStrategy } from './try-strategy.ts';
