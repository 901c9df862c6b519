import type { SecurityDraft } from '../../market-data/security-draft.ts';
import type { SecurityKind } from '../../model/security.ts';

/** Flags that describe a security. */
export interface FactFlags {
  readonly name?: string;
  readonly kind?: SecurityKind;
  readonly currency?: string;
  readonly lot?: number;
  readonly board?: string;
  readonly tradable?: boolean;
  readonly source?: string;
  readonly license?: string;
  readonly generated?: string;
}

/** Returns the description of the security from the flags. */
export function draftOf(flags: FactFlags): SecurityDraft {
  const { name, kind, currency, lot: lotSize, board, tradable, source, license, generated } = flags;
  return { name, kind, currency, lotSize, board, tradable, source, license, generated };
}
