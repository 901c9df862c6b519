import { grossExposure, netExposure, positionQuantity, positionWeight } from './exposure-rules.ts';
import {
  ages,
  booksAgree,
  crossedBook,
  estimateFits,
  knownFacts,
  quoteJump,
  unheardQuote,
} from './fact-rules.ts';
import { closeRate, duplicateOrder, openOrders, orderRate } from './flow-rules.ts';
import { dailyLoss, drawdown, runaway } from './loss-rules.ts';
import { buyLimit, marginHeadroom } from './money-rules.ts';
import {
  knownSecurity,
  lotAndTick,
  noShort,
  orderNotional,
  orderQuantity,
  priceCollar,
  restricted,
  session,
} from './order-rules.ts';
import type { RiskRule } from './rule.ts';
import { gateState, openingHours, symbolHalt, unknownBefore } from './state-rules.ts';

/** Rules that look at nothing that the venue would have to be asked for; they come before all others. */
export const RULES_BEFORE_FACTS: readonly RiskRule[] = [
  gateState,
  symbolHalt,
  openingHours,
  knownSecurity,
  lotAndTick,
  restricted,
  noShort,
  session,
  unknownBefore,
  orderRate,
  closeRate,
  duplicateOrder,
  booksAgree,
  unheardQuote,
];

/**
 * All rules in the order in which they run; the first denial counts. The state of the gate comes first, then
 * the order by itself, then whether its facts are there and young, and last what it would make of the account.
 */
export const RULES: readonly RiskRule[] = [
  ...RULES_BEFORE_FACTS,
  knownFacts,
  ...ages,
  estimateFits,
  crossedBook,
  quoteJump,
  dailyLoss,
  drawdown,
  runaway,
  priceCollar,
  orderNotional,
  orderQuantity,
  positionWeight,
  positionQuantity,
  grossExposure,
  netExposure,
  openOrders,
  buyLimit,
  marginHeadroom,
];
