/** Page size for all rows: the official SDKs request today's orders without a page. */
export const WHOLE = Number.MAX_SAFE_INTEGER;

/** Maximum and default number of rows per answer. @see docs/wire-protocol.md, "Calls" */
const PAGE_ROWS = 1_000;

/** Returns one page of a listing, and whether more rows follow. Pages count from 1. */
export function pageOf<Row>(
  rows: readonly Row[],
  page: number | undefined,
  size: number | undefined,
): { readonly rows: readonly Row[]; readonly hasMore: boolean } {
  const length = size ?? PAGE_ROWS;
  const from = ((page ?? 1) - 1) * length;
  return { rows: rows.slice(from, from + length), hasMore: rows.length > from + length };
}
