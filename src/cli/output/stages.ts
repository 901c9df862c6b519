import type { FlowCounts } from '../../events/run-record.ts';
import { printable } from '../../model/printable.ts';
import { TEXT_COLUMNS } from '../../reports/format.ts';

/** The stages of the pipeline in order, with the width of their counts in a plain line. */
export const STAGES: readonly { readonly name: keyof FlowCounts; readonly cells: number }[] = [
  { name: 'quotes', cells: 8 },
  { name: 'bars', cells: 7 },
  { name: 'signals', cells: 8 },
  { name: 'intents', cells: 8 },
  { name: 'denied', cells: 7 },
  { name: 'orders', cells: 7 },
  { name: 'fills', cells: 6 },
];

/** Name of a run, short enough to leave room for the origin of its prices. */
export function shortLabel(label: string): string {
  return printable(label, TEXT_COLUMNS - 30);
}
