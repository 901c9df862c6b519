import { TEXT_COLUMNS, wrapped } from './format.ts';
import { PARITY_KINDS, type Parity, type ParityDifference, type ParityRow } from './parity.ts';

/** Formats the result of a parity check, ending in a newline. */
export function parityText(parity: Parity): string {
  if (parity.kind === 'equal') {
    // Only a strategy that declares a state has states, and few runs have interest or corporate actions.
    const isRare = (kind: string): boolean => kind === 'states' || kind === 'postings';
    const kinds = PARITY_KINDS.filter((kind) => !isRare(kind) || parity.counts[kind] > 0);
    const counts = kinds.map((kind) => `${parity.counts[kind]} ${kind}`).join(', ');
    return `${wrapped(`equal: backtest and paper agree on ${counts}`, TEXT_COLUMNS, 7)}\n`;
  }
  return differenceText(parity.difference);
}

function differenceText({ kind, place, left, right, fields }: ParityDifference): string {
  const where = kind === 'equity' ? `close ${place}` : `decision ${place}`;
  return [
    `different: ${where} (${kind}) differs in ${fields.join(', ')}`,
    ...side('backtest', left, fields),
    ...side('paper', right, fields),
    '',
  ].join('\n');
}

function side(name: string, row: ParityRow | undefined, differing: readonly string[]): readonly string[] {
  if (row === undefined) return [`  ${name}: nothing`];
  const marked = Object.entries(row.fields).map(
    ([field, value]) => `    ${differing.includes(field) ? '>' : ' '} ${field}: ${value}`,
  );
  return [`  ${name}: ${row.kind} at ${row.at}`, ...marked];
}
