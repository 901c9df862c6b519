import { s1Cross } from './s1-cross.ts';
import { s2Exits } from './s2-exits.ts';
import { s3Costs } from './s3-costs.ts';
import { s4Hooks } from './s4-hooks.ts';
import { s5Limits } from './s5-limits.ts';
import { s6Portfolio } from './s6-portfolio.ts';
import { s7HongKong } from './s7-hong-kong.ts';
import { s8Trailing } from './s8-trailing.ts';
import type { Shape } from './shape.ts';

/** The shapes of `npm run bench -- strategies`, in the order of the table. All others are compared with the first. */
export const SHAPES: readonly Shape[] = [
  s1Cross,
  s2Exits,
  s3Costs,
  s4Hooks,
  s5Limits,
  s6Portfolio,
  s7HongKong,
  s8Trailing,
];
