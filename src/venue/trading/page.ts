/** Every row of a listing, where a client that knows no pages asks: the official SDKs send none for today's orders. */
export const WHOLE = Number.MAX_SAFE_INTEGER;

/** Rows in one answer of a listing, at most and when the client does not say. @see docs/wire-protocol.md, "Calls" */
const PAGE_ROWS = 1_000;

/** One page of a listing, and whether more rows follow. Pages count from 1. */
export function pageOf<Row>(
  rows: readonly Row[],
  page: number | undefined,
  size: number | undefined,
): { readonly rows: readonly Row[]; readonly hasMore: boolean } {
  const length = size ?? PAGE_ROWS;
  const from = ((page ?? 1) - 1) * length;
  return { rows: rows.slice(from, from + length), hasMore: rows.length > from + length };
}
