import type { SecurityDraft } from '../../market-data/security-draft.ts';
import type { SecurityKind } from '../../model/security.ts';

/** The flags that say what a security is. */
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

/** What the flags say of the security. */
export function draftOf(flags: FactFlags): SecurityDraft {
  const { name, kind, currency, lot: lotSize, board, tradable, source, license, generated } = flags;
  return { name, kind, currency, lotSize, board, tradable, source, license, generated };
}
