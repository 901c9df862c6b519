import {
  type DenialsByRule,
  type FlowCounts,
  type LeftOutOrders,
  type RunRecord,
  SHORT_WARMUP,
} from '../events/run-record.ts';
import type { Millis } from '../model/time.ts';
import { countText } from './format.ts';

/** Sums up denials of the gate by rule, the most frequent first. */
export function denialsOf(
  record: Pick<RunRecord, 'flow' | 'decisions' | 'denials'>,
): readonly DenialsByRule[] {
  if (record.flow.denied === 0) return [];
  return (record.denials ?? denialsIn(record)).toSorted((one, other) => other.count - one.count);
}

function denialsIn(record: Pick<RunRecord, 'decisions'>): readonly DenialsByRule[] {
  const byRule = new Map<string, DenialsByRule>();
  for (const decision of record.decisions ?? []) {
    if (decision.kind !== 'intent-denied') continue;
    const { rule, at, reason } = decision;
    const before = byRule.get(rule) ?? { rule, count: 0, firstAt: at, reason };
    byRule.set(rule, { ...before, count: before.count + 1 });
  }
  return [...byRule.values()];
}

/** One sentence per rule; `firstAt` is a time or its ISO-8601 text. */
export function denialTexts(
  denials: readonly (Omit<DenialsByRule, 'firstAt'> & { readonly firstAt: Millis | string })[],
): readonly string[] {
  return denials.map(({ rule, count, firstAt, reason }) => {
    const limit = LIMIT_OF[rule];
    const where = limit === undefined ? '' : ` ("${limit}" under "risk:" sets it)`;
    return `${countText(count)} by ${rule}; first on ${dayText(firstAt)}: ${reason}${where}`;
  });
}

/** One sentence per reason; `firstAt` is a time or its ISO-8601 text. */
export function leftOutTexts(
  leftOut: readonly (Omit<LeftOutOrders, 'firstAt'> & { readonly firstAt: Millis | string })[],
): readonly string[] {
  return leftOut.map(({ strategy, reason, count, firstAt }) => {
    const ownerText = strategy === undefined ? '' : ` of "${strategy}"`;
    return `${countText(count)}${ownerText}; first on ${dayText(firstAt)}: ${reason}`;
  });
}

const dayText = (at: Millis | string): string => new Date(at).toISOString().slice(0, 10);

/**
 * Explains a run without an order: the strategy requested none, its requests could not be turned into orders, the
 * gate denied all, or the venue rejected all (`rejected`, `leftOut`: how many); otherwise undefined.
 * Too few bars of warm-up, one of `assumptions`, are named as the likely reason.
 */
export function nonePassedText(
  flow: Pick<FlowCounts, 'orders' | 'denied' | 'intents' | 'bars' | 'signals'>,
  {
    rejected = 0,
    leftOut = 0,
    assumptions = [],
  }: {
    readonly rejected?: number;
    readonly leftOut?: number;
    readonly assumptions?: readonly string[];
  } = {},
): string | undefined {
  if (flow.orders > 0) return undefined;
  if (flow.intents === 0 && leftOut > 0)
    return 'No order was sent: those that the strategy asked for could not be made, see "Why orders were left out" below';
  const short = assumptions.filter((text) => text.startsWith(SHORT_WARMUP));
  if (flow.intents === 0 && short.length > 0) return ['No order was sent', ...short].join('. ');
  if (flow.intents === 0)
    return `No order was sent: in ${countText(flow.bars)} bars and ${countText(flow.signals)} signals the strategy returned none, or none with anything to do (such as to close what is not held)`;
  if (rejected > 0)
    return 'No order was taken: what the risk gate let through the venue refused, see "Why the venue took no order" below';
  if (flow.denied === 0) return undefined;
  const all =
    flow.denied === 1 ? 'the one that the strategy wanted was' : `all ${countText(flow.denied)} were`;
  return `No order was sent: ${all} denied by the risk gate, see "Why orders were denied" below`;
}

/** The setting of each rule that compares an order with a limit. */
const LIMIT_OF: Readonly<Record<string, string>> = {
  'max-order-notional': 'maxOrderNotional',
  'max-order-quantity': 'maxOrderQuantity',
  'max-position-weight': 'maxPositionWeight',
  'max-position-quantity': 'maxPositionQuantity',
  'max-gross-exposure': 'maxGrossExposure',
  'max-net-exposure': 'maxNetExposure',
  'max-open-orders': 'maxOpenOrders',
  'order-rate': 'maxOrderRate',
  'duplicate-order': 'maxRepeats',
  'price-collar': 'priceCollar',
  'no-short': 'allowShort',
};
