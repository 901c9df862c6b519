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

/** Rules that need no query of the venue; they run first. */
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
 * All rules in order; the first denial is the result. First the state of the gate, then the order itself, then its
 * facts and their ages, and last its effect on the account.
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
