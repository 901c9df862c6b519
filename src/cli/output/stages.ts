import type { FlowCounts } from '../../events/run-record.ts';
import { printable } from '../../model/printable.ts';
import { TEXT_COLUMNS } from '../../reports/format.ts';

/** The stages that a quote's consequences go through, in their order, and how wide their counts stand in a plain line. */
export const STAGES: readonly { readonly name: keyof FlowCounts; readonly cells: number }[] = [
  { name: 'quotes', cells: 8 },
  { name: 'bars', cells: 7 },
  { name: 'signals', cells: 8 },
  { name: 'intents', cells: 8 },
  { name: 'denied', cells: 7 },
  { name: 'orders', cells: 7 },
  { name: 'fills', cells: 6 },
];

/** What runs, short enough to leave room for where its prices come from. */
export function shortLabel(label: string): string {
  return printable(label, TEXT_COLUMNS - 30);
}
