import { printable } from '../model/printable.ts';
import type { DataOrigin, Security } from '../model/security.ts';
import { TEXT_COLUMNS, wrapped } from './format.ts';
import type { Ink } from './ink.ts';

/** Whether a run's prices are real, made up, or both, which no figure may hide. */
export type OriginKind = DataOrigin['kind'] | 'mixed';

/** The origin of all prices of a run together. */
export function originOf(securities: readonly Pick<Security, 'origin'>[]): OriginKind {
  const kinds = new Set(securities.map((security) => security.origin.kind));
  if (kinds.size > 1) return 'mixed';
  return kinds.has('generated') ? 'generated' : 'real';
}

/** What stands beside every figure of a run: in capitals, and marked where prices are not real. */
export function originLabel(kind: OriginKind, ink: Ink): string {
  switch (kind) {
    case 'real':
      return ink.bold('REAL PRICES');
    case 'generated':
      return ink.warning('GENERATED PRICES');
    case 'mixed':
      return ink.warning('REAL AND GENERATED PRICES');
  }
}

const TEXT_CHARS = 160;

/** On which prices a security runs and what it stands for: an indented note of lines within 80 columns. */
export function securityNote(security: Security): string {
  return `  ${wrapped(securityText({ ...security, name: security.names.en }), TEXT_COLUMNS - 2, 4)}`;
}

/** The same as one sentence. */
export function securityText(security: SecurityFacts): string {
  const name = printable(security.name, TEXT_CHARS);
  return `${security.symbol} (${name}): ${originText(security.origin)}${indexNote(security)}`;
}

/** What a note says of a security. */
type SecurityFacts = Pick<Security, 'symbol' | 'kind' | 'tradable' | 'origin'> & { readonly name: string };

function originText(origin: DataOrigin): string {
  if (origin.kind === 'real')
    return `real prices from ${printable(origin.source, TEXT_CHARS)}; licence: ${printable(origin.license, TEXT_CHARS)}`;
  const seed = origin.seed === undefined ? '' : `seed ${origin.seed}, `;
  return `GENERATED, no market ever had these prices; ${seed}${printable(origin.method, TEXT_CHARS)}`;
}

function indexNote(security: Pick<Security, 'kind' | 'tradable'>): string {
  if (security.kind !== 'index' || !security.tradable) return '';
  return '; an INDEX MADE TRADABLE: whole units at its level, no dividends';
}
