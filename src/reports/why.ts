import type { Cause } from '../events/cause.ts';
import type { SluiceEvent } from '../events/event.ts';
import type { AlgorithmId } from '../model/algorithm.ts';
import type { IntentId } from '../model/order.ts';
import { eventText } from './event-text.ts';
import { stampText, TEXT_COLUMNS, wrapped } from './format.ts';
import { termsText } from './terms-text.ts';

/** A journaled event with its record. */
export interface PlacedEvent {
  readonly seq: number;
  readonly event: SluiceEvent;
}

/** The causal chain of one order, or the orders that may have been meant. */
export type Why =
  | { readonly kind: 'chain'; readonly intentId: IntentId; readonly links: readonly PlacedEvent[] }
  | { readonly kind: 'unknown'; readonly orders: number; readonly latest: readonly string[] };

/** Number of orders that are suggested if the requested one does not exist. */
const OFFERED = 5;

/**
 * Finds everything that happened to one order, from the decision to the venue's last answer. `asked` is the venue's
 * order id, our intent id, or `#n` for the n-th intent of the journal.
 */
export function whyOf(records: Iterable<PlacedEvent>, orderName: string): Why {
  const links = new Map<IntentId, PlacedEvent[]>();
  const names = new Map<string, IntentId>();
  const algorithms = new Map<AlgorithmId, PlacedEvent[]>();
  for (const record of records) {
    const { event } = record;
    if ('algorithmId' in event) {
      if (event.kind === 'algorithm-started') algorithms.set(event.algorithmId, []);
      algorithms.get(event.algorithmId)?.push(record);
    }
    if (!('intentId' in event)) continue;
    if (event.kind === 'intent-drafted') {
      links.set(event.intentId, parentOf(event, algorithms));
      names.set(`#${links.size}`, event.intentId).set(event.intentId, event.intentId);
    }
    if (event.kind === 'submit-acked') names.set(event.orderId, event.intentId);
    links.get(event.intentId)?.push(record);
  }
  const intentId = names.get(orderName);
  const chain = intentId === undefined ? undefined : links.get(intentId);
  if (intentId !== undefined && chain !== undefined) return { kind: 'chain', intentId, links: chain };
  const latest = [...links.values()].slice(-OFFERED).flatMap((link, at, all) => {
    const drafted = link.find(({ event }) => event.kind === 'intent-drafted')?.event;
    const place = links.size - all.length + at + 1;
    return drafted?.kind === 'intent-drafted' ? [`#${place} ${termsText(drafted.terms)}`] : [];
  });
  return { kind: 'unknown', orders: links.size, latest };
}

/** The request of the algorithm that an order belongs to: the first links of the order's chain. */
function parentOf(
  { link }: Extract<SluiceEvent, { kind: 'intent-drafted' }>,
  algorithms: ReadonlyMap<AlgorithmId, readonly PlacedEvent[]>,
): PlacedEvent[] {
  const parent = link === undefined ? undefined : algorithms.get(link.algorithm);
  return parent === undefined ? [] : parent.filter(({ event }) => event.kind === 'algorithm-started');
}

/** The chain as JSON: each link with its record's number, its time in ISO 8601 and the journaled event. */
export function whyJson(why: Why): object {
  if (why.kind === 'unknown') return why;
  const links = why.links.map(({ seq, event }) => ({
    record: seq,
    time: new Date(event.at).toISOString(),
    event,
  }));
  return { ...why, links };
}

/** The chain as text, one line per link with its record's number, ending in a newline. */
export function whyText(why: Why, orderName: string): string {
  if (why.kind === 'unknown') {
    const offer =
      why.latest.length === 0 ? [] : ['The latest are:', ...why.latest.map((line) => `  ${line}`)];
    return [`No order "${orderName}" among the ${why.orders} of this journal.`, ...offer, ''].join('\n');
  }
  const lines = why.links.flatMap(({ seq, event }) => {
    const entry = { at: stampText(event.at), text: eventText(event), record: `[record ${seq}]` };
    const decides = event.kind === 'algorithm-started' || (event.kind === 'intent-drafted' && !event.link);
    return decides ? [...causeLines(event.cause), entry] : [entry];
  });
  return [`Order ${why.intentId}`, ...lines.map(shownLine), ''].join('\n');
}

/**
 * Formats one link within 80 columns: each of its parts starts a line, and the last line ends with the record's
 * number.
 */
function shownLine({ at, text, record }: WhyLine): string {
  const lead = ' '.repeat(STAMP_COLUMNS + 2);
  const columns = TEXT_COLUMNS - lead.length;
  const lines = text.split('; ').flatMap((part) => wrapped(part, columns).split('\n'));
  const last = lines[lines.length - 1] ?? '';
  if (record !== '' && last.length + record.length < columns) lines.splice(-1, 1, `${last} ${record}`);
  else if (record !== '') lines.push(record);
  return [`  ${at}  ${lines[0] ?? ''}`, ...lines.slice(1).map((line) => `${lead}${line}`)].join('\n');
}

interface WhyLine {
  readonly at: string;
  readonly text: string;
  /** Empty if there is no separate record. */
  readonly record: string;
}

/** Width of a time and the gap after it. */
const STAMP_COLUMNS = 25;

/** Formats an estimate with its significant digits; journal and JSON have all of them. */
function estimateShown(value: number): string {
  return String(Number(value.toPrecision(10)));
}

function causeLines(cause: Cause): readonly WhyLine[] {
  const about = cause.symbol === undefined ? '' : ` of ${cause.symbol}`;
  const inputs = Object.entries(cause.inputs).map(([name, value]) => `${name} = ${estimateShown(value)}`);
  const text = `${cause.kind} "${cause.name}"${about}: ${inputs.join(', ')}`;
  return [{ at: stampText(cause.time), text, record: '' }];
}
