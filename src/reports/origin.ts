import { printable } from '../model/printable.ts';
import type { DataOrigin, Security } from '../model/security.ts';
import { TEXT_COLUMNS, wrapped } from './format.ts';
import type { Ink } from './ink.ts';

/** Whether a run's prices are real, generated, of unknown origin, or of several origins. */
export const ORIGIN_KINDS = ['real', 'generated', 'unknown', 'mixed', 'partly-unknown'] as const;
export type OriginKind = (typeof ORIGIN_KINDS)[number];

/** Returns the origin of all prices of a run together. */
export function originOf(securities: readonly { readonly origin: Pick<DataOrigin, 'kind'> }[]): OriginKind {
  const kinds = new Set(securities.map((security) => security.origin.kind));
  const [first = 'unknown', ...others] = kinds;
  if (others.length === 0) return first;
  return kinds.has('unknown') ? 'partly-unknown' : 'mixed';
}

/** True for prices of several origins, which must not share a line. */
export function isMixedOrigin(kind: OriginKind): boolean {
  return kind === 'mixed' || kind === 'partly-unknown';
}

/** Label of every figure of a run, in capitals. */
export const ORIGIN_LABELS: Readonly<Record<OriginKind, string>> = {
  real: 'REAL PRICES',
  generated: 'GENERATED PRICES',
  unknown: 'PRICES OF UNKNOWN ORIGIN',
  mixed: 'REAL AND GENERATED PRICES',
  'partly-unknown': 'PRICES OF PARTLY UNKNOWN ORIGIN',
};

/** The same for a terminal, highlighted unless prices are known to be real. */
export function originLabel(kind: OriginKind, ink: Ink): string {
  return kind === 'real' ? ink.bold(ORIGIN_LABELS.real) : ink.warning(ORIGIN_LABELS[kind]);
}

const TEXT_CHARS = 160;

/** Describes the source of a security's prices and what it represents: an indented note within 80 columns. */
export function securityNote(security: Security): string {
  return `  ${wrapped(securityText({ ...security, name: security.names.en }), TEXT_COLUMNS - 2, 4)}`;
}

/** The same as one sentence. */
export function securityText(security: SecurityFacts): string {
  const name = printable(security.name, TEXT_CHARS);
  return `${security.symbol} (${name}): ${originText(security.origin)}${indexNote(security)}`;
}

/** The facts of a security that the note uses. */
type SecurityFacts = Pick<Security, 'symbol' | 'kind' | 'tradable' | 'origin'> & { readonly name: string };

function originText(origin: DataOrigin): string {
  if (origin.kind === 'unknown')
    return `prices of ${printable(origin.source, TEXT_CHARS)}, which does not state where they come from`;
  if (origin.kind === 'real')
    return `real prices from ${printable(origin.source, TEXT_CHARS)}; licence: ${printable(origin.license, TEXT_CHARS)}`;
  const seed = origin.seed === undefined ? '' : `seed ${origin.seed}, `;
  return `GENERATED, no market ever had these prices; ${seed}${printable(origin.method, TEXT_CHARS)}`;
}

/** True for an index whose bars are traded as if it were a share. */
export function isTradableIndex(security: Pick<Security, 'kind' | 'tradable'>): boolean {
  return security.kind === 'index' && security.tradable;
}

function indexNote(security: Pick<Security, 'kind' | 'tradable'>): string {
  if (!isTradableIndex(security)) return '';
  return '; an INDEX MADE TRADABLE: whole units at its level, no dividends';
}
