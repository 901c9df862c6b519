import { EMPTY, expand, map, type Observable, reduce } from 'rxjs';
import type { Answer } from '../../ports/broker.ts';

/** One page of a listing. */
export interface Page<Row> {
  readonly rows: readonly Row[];
  readonly hasMore: boolean;
}

/** How a listing is read: a page by its number from 1, the maximum number of pages, and the identity of a row. */
export interface ListingRequest<Row> {
  readonly page: (number: number) => Observable<Answer<Page<Row>>>;
  readonly pagesMax: number;
  readonly keyOf: (row: Row) => string;
  /** Message if the listing does not end. */
  readonly tooLong: string;
}

/**
 * Reads every page of a listing before it emits; an incomplete listing is a failure. Repeated rows are emitted once.
 * Emits once. @see docs/reliability.md, F-B11
 */
export function allPages<Row>(request: ListingRequest<Row>): Observable<Answer<readonly Row[]>> {
  const readPage = (number: number) => request.page(number).pipe(map((answer) => ({ number, answer })));
  const more = (answer: Answer<Page<Row>>) => answer.kind === 'ok' && answer.value.hasMore;
  return readPage(1).pipe(
    expand(({ number, answer }) =>
      more(answer) && number < request.pagesMax ? readPage(number + 1) : EMPTY,
    ),
    reduce((before, { number, answer }) => gather(before, answer, number, request), noRows<Row>()),
    map((gathered) => gathered.answer),
  );
}

interface Gathered<Row> {
  readonly answer: Answer<readonly Row[]>;
  readonly seen: ReadonlySet<string>;
}

function noRows<Row>(): Gathered<Row> {
  return { answer: { kind: 'ok', value: [] }, seen: new Set() };
}

function gather<Row>(
  before: Gathered<Row>,
  answer: Answer<Page<Row>>,
  number: number,
  { pagesMax, keyOf, tooLong }: ListingRequest<Row>,
): Gathered<Row> {
  if (before.answer.kind !== 'ok') return before;
  if (answer.kind !== 'ok') return { ...before, answer };
  if (answer.value.hasMore && number >= pagesMax) {
    return { ...before, answer: { kind: 'failed', code: 0, message: tooLong, retryable: false } };
  }
  const seen = new Set(before.seen);
  const fresh = answer.value.rows.filter((row) => !seen.has(keyOf(row)) && seen.add(keyOf(row)));
  return { seen, answer: { kind: 'ok', value: [...before.answer.value, ...fresh] } };
}
