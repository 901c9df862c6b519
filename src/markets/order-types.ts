import type { OrderTerms } from '../model/order.ts';
import { type OrderTypeRule, orderTypeRules, TYPED_FIELDS } from '../model/order-type-rules.ts';
import type { Market } from '../model/symbol.ts';
import { hasTable, marketRecord } from './market-records.ts';

/**
 * Returns the problems of an order's terms at a market; empty if there are none. Lots, ticks and funds are checked
 * elsewhere. `outsideRth` is ignored outside the US.
 * @see docs/wire-protocol.md, "Calls"; https://open.longbridge.com/docs, "Trade definition"; docs/venue.md, "The
 * market"
 */
export function checkTerms(terms: OrderTerms, market: Market): readonly string[] {
  const rule = orderTypeRules[terms.type];
  const problems: string[] = [];
  if (rule.hongKongOnly && marketRecord(market)?.orderTypes !== 'all') {
    const where = hasTable(market) ? `"${market}"` : `"${market}", a market without a table`;
    problems.push(`Order type ${terms.type} (${rule.name}) exists at HK only, not at ${where}`);
  }
  if (!rule.timeInForce.includes(terms.timeInForce)) {
    const taken = rule.timeInForce.join(', ');
    problems.push(`Time in force "${terms.timeInForce}" is not taken for ${terms.type}, want ${taken}`);
  }
  return [...problems, ...checkFields(terms, rule), ...checkFigures(terms), ...checkDates(terms, market)];
}

function checkFields(terms: OrderTerms, rule: OrderTypeRule): readonly string[] {
  const problems: string[] = [];
  for (const field of TYPED_FIELDS) {
    const wanted = rule.fields[field] ?? 'forbidden';
    const present = terms[field] !== undefined;
    if (wanted === 'required' && !present) problems.push(`${terms.type} (${rule.name}) wants "${field}"`);
    if (wanted === 'forbidden' && present) problems.push(`${terms.type} (${rule.name}) takes no "${field}"`);
  }
  const byLevel = rule.fields.limitOffset === 'unless-level';
  if (byLevel && (terms.limitDepthLevel ?? 0) === 0 && terms.limitOffset === undefined) {
    problems.push(`${terms.type} wants "limitOffset" when "limitDepthLevel" is 0 or absent`);
  }
  return problems;
}

const POSITIVE = [
  'quantity',
  'price',
  'triggerPrice',
  'trailingAmount',
  'trailingPercent',
  'monitorPrice',
] as const;

/** Deepest book level that a trailing order may use, on either side. */
const DEPTH_LEVEL_MAX = 5;

/** Most trigger hits that an order may require. */
const TRIGGER_COUNT_MAX = 3;

function checkFigures(terms: OrderTerms): readonly string[] {
  const problems: string[] = [];
  for (const field of POSITIVE) {
    const value = terms[field];
    if (value !== undefined && !(value.isFinite() && value.gt(0))) {
      problems.push(`"${field}" is ${value}, want a number above 0`);
    }
  }
  const { limitOffset, trailingPercent, limitDepthLevel: level, triggerCount: count } = terms;
  if (limitOffset !== undefined && !(limitOffset.isFinite() && limitOffset.gte(0))) {
    problems.push(`"limitOffset" is ${limitOffset}, want a number of at least 0`);
  }
  if (trailingPercent?.gte(100)) problems.push(`"trailingPercent" is ${trailingPercent}, want less than 100`);
  if (level !== undefined && !(Number.isInteger(level) && Math.abs(level) <= DEPTH_LEVEL_MAX)) {
    problems.push(
      `"limitDepthLevel" is ${level}, want a whole number from -${DEPTH_LEVEL_MAX} to ${DEPTH_LEVEL_MAX}`,
    );
  }
  if (count !== undefined && !(Number.isInteger(count) && count >= 0 && count <= TRIGGER_COUNT_MAX)) {
    problems.push(`"triggerCount" is ${count}, want a whole number from 0 to ${TRIGGER_COUNT_MAX}`);
  }
  return problems;
}

function checkDates(terms: OrderTerms, market: Market): readonly string[] {
  const problems: string[] = [];
  const dated = terms.expireDate !== undefined;
  if (terms.timeInForce === 'gtd' && !dated) problems.push('Time in force "gtd" wants "expireDate"');
  if (terms.timeInForce !== 'gtd' && dated) {
    problems.push(`Time in force "${terms.timeInForce}" takes no "expireDate", only "gtd" does`);
  }
  if (
    marketRecord(market)?.hasExtendedHours === true &&
    terms.outsideRth === 'overnight' &&
    terms.type !== 'LO'
  ) {
    problems.push(`The overnight session takes limit orders (LO) only, not ${terms.type}`);
  }
  return problems;
}
