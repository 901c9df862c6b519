import { defer, map, type Observable, Subject, tap } from 'rxjs';
import { omitUndefined } from '../../model/omit-undefined.ts';
import {
  type Execution,
  type IntentId,
  isTerminalStatus,
  type OrderDetail,
  type OrderId,
  VENUE_STATUSES,
} from '../../model/order.ts';
import { plural } from '../../model/plural.ts';
import { replaceableFigures } from '../../model/replaceable-figures.ts';
import type {
  Answer,
  Broker,
  BrokerFacts,
  BuyLimitRequest,
  LateAnswer,
  ListedOrder,
  OrderHint,
  OrderToSend,
  SubmitAnswer,
  UnreadOrder,
} from '../../ports/broker.ts';
import {
  readAccountBalances,
  readBuyLimit,
  readMarginFactors,
  readPositions,
} from '../../wire/mapper/account.ts';
import { readExecutions } from '../../wire/mapper/execution.ts';
import { type ParsedRows, readOrderDetail, readOrderList, type UnreadRow } from '../../wire/mapper/order.ts';
import type { ReadRows } from '../../wire/mapper/rows.ts';
import { makeTag, tagOfRemark } from '../../wire/tag.ts';
import { WireError } from '../../wire/wire-error.ts';
import { callEndpoint } from '../http/call-endpoint.ts';
import type { CallOutcome, HttpClient } from '../http/http-client.ts';
import { classifyChange, classifySubmit } from '../http/submit-answer.ts';
import type { RaiseAlarm } from '../raise-alarm.ts';
import type { BrokerSettings } from '../settings.ts';
import { readCashPostings } from './account-answers.ts';
import { allPages, type Page } from './listings.ts';
import { createOrderSides } from './order-sides.ts';

/** Dependencies of a live Broker. */
export interface LiveBrokerParts {
  readonly http: HttpClient;
  readonly hints$: Observable<OrderHint>;
  readonly pushes$?: Observable<'down' | 'up'>;
  readonly facts: BrokerFacts;
  /** Four characters of `A-Z`, `2-7` that distinguish our orders from those of other installations. */
  readonly deployment: string;
  readonly settings: BrokerSettings;
  readonly raiseAlarm: RaiseAlarm;
}

/** The Broker port over interface A. @see docs/wire-protocol.md, "Calls" */
export function createLiveBroker({
  http,
  hints$,
  pushes$,
  facts,
  deployment,
  settings,
  raiseAlarm,
}: LiveBrokerParts): Broker {
  const sides = createOrderSides();
  const late$ = new Subject<LateAnswer>();
  const intentOf = intentIdReader(deployment);
  const toListedOrder = (detail: OrderDetail): ListedOrder => {
    sides.add(detail.orderId, detail.terms.side);
    return { ...detail, intentId: intentOf(detail.remark) };
  };

  function submit({
    intentId,
    terms,
    blockedReason,
    purpose,
    beforeSend,
  }: OrderToSend): Observable<SubmitAnswer> {
    return defer(() => {
      const remark = makeTag({ deployment, intentId });
      const key = facts.requestKey ? { clientRequestId: intentId } : {};
      const onLate = (outcome: CallOutcome) => late$.next({ intentId, answer: classified(outcome) });
      return http
        .call('submitOrder', { terms, remark, ...key }, { onLate, blockedReason, purpose, beforeSend })
        .pipe(map(classified));
    });

    function classified(outcome: CallOutcome): SubmitAnswer {
      const answer = classifySubmit(outcome);
      if (answer.kind === 'accepted') sides.add(answer.orderId, terms.side);
      return answer;
    }
  }

  /** Unreadable rows are reported and left out; the others count. */
  function reportInvalidRows<Row>(read: ReadRows<Row>, what: string): readonly Row[] {
    const [first] = read.problems;
    if (first !== undefined) {
      raiseAlarm(
        'unreadable-rows',
        `${plural(read.problems.length, 'row')} of ${what} could not be read and ${read.problems.length === 1 ? 'was' : 'were'} skipped`,
        {
          first: http.safe(first.message),
          read: String(read.rows.length),
        },
      );
    }
    return read.rows;
  }

  /** Rows of the previous listing, and of the current one: a day's orders are repeated at each reading. */
  let before: ParsedRows = new Map();
  let seen: ParsedRows = new Map();

  function rowsToday(number: number) {
    if (number === 1) [before, seen] = [seen, new Map()];
    return { before, seen };
  }

  /** Every page of a listing of orders, whose first page is requested without a number. */
  function orders(
    what: string,
    page: (
      number: { readonly page?: number },
      read: (data: unknown) => Page<ListedOrder>,
    ) => PageAnswer<ListedOrder>,
    {
      rows,
      onUnread,
    }: {
      readonly rows?: (number: number) => { readonly before: ParsedRows; readonly seen: ParsedRows };
      /**
       * Receives orders that could not be read; if absent, and for ended orders, they are reported like any other bad
       * row.
       */
      readonly onUnread?: (row: UnreadRow) => void;
    } = {},
  ): Observable<Answer<readonly ListedOrder[]>> {
    return allPages({
      page: (number) =>
        page(number === 1 ? {} : { page: number }, (data) => {
          const read = readOrderList(data, rows?.(number));
          for (const row of read.unread) onUnread?.(row);
          const kept =
            onUnread === undefined ? [] : read.unread.filter(({ status }) => !isTerminalStatus(status));
          const problems = read.problems.filter((each) => kept.every(({ problem }) => problem !== each));
          const { hasMore } = read;
          return { rows: reportInvalidRows({ rows: read.rows, problems }, what).map(toListedOrder), hasMore };
        }),
      pagesMax: settings.pagesMax,
      keyOf: (order) => order.orderId,
      tooLong: `${capitalized(what)} continue after ${settings.pagesMax} pages`,
    });
  }

  /** Orders that could not be read, in the newest complete list of the day or in a later one of open orders. */
  let unread: ReadonlyMap<OrderId, UnreadOrder> = new Map();

  /** Orders of the day; the venue may omit those that have ended. */
  function today(
    scope: 'all' | 'open',
    ...[what, page, options]: Parameters<typeof orders>
  ): ReturnType<typeof orders> {
    return defer(() => {
      const found = new Map<OrderId, UnreadOrder>();
      const onUnread = (row: UnreadRow): void => void found.set(row.orderId, unreadOrder(row));
      return orders(what, page, { ...options, onUnread }).pipe(
        tap((answer) => {
          if (answer.kind !== 'ok') return;
          for (const [orderId, order] of found)
            if (!unread.has(orderId) && !isTerminalStatus(order.status)) reportUnread(order);
          unread = scope === 'all' ? found : new Map([...unread, ...found]);
        }),
      );
    });
  }

  function unreadOrder(row: UnreadRow): UnreadOrder {
    const { orderId, symbol, status, rawStatus, remark, executedQuantity, submittedAt, problem } = row;
    const why = http.safe(`its status is "${rawStatus}", and it cannot be read: ${problem.message}`);
    const known = { orderId, symbol, intentId: intentOf(remark), status, rawStatus, executedQuantity };
    return { ...known, why, since: submittedAt };
  }

  function reportUnread({ orderId, symbol, why }: UnreadOrder): void {
    const where = symbol ?? 'any symbol';
    raiseAlarm(
      'unread-order',
      `Order "${orderId}"${symbol === undefined ? '' : ` of ${symbol}`} may be executed: ${why}. No order opens a position in ${where} while it is open`,
      { orderId, ...omitUndefined({ symbol }) },
    );
  }

  function executions(
    what: string,
    page: (
      number: { readonly page?: number },
      read: (data: unknown) => Page<Execution>,
    ) => PageAnswer<Execution>,
  ): Observable<Answer<readonly Execution[]>> {
    const rows = allPages({
      page: (number) =>
        page(number === 1 ? {} : { page: number }, (data) => {
          const read = readExecutions(data, sides.of);
          return { rows: reportInvalidRows(read, what), hasMore: read.hasMore };
        }),
      pagesMax: settings.pagesMax,
      keyOf: (row) => row.executionId,
      tooLong: `${capitalized(what)} continue after ${settings.pagesMax} pages`,
    });
    return rows.pipe(
      map((answer) => (answer.kind === 'ok' ? { ...answer, value: oldestFirst(answer.value) } : answer)),
    );
  }

  return {
    facts,
    hints$,
    late$: late$.asObservable(),
    ...(pushes$ === undefined ? {} : { pushes$ }),
    submit,
    replace: ({ orderId, intentId, terms, purpose, beforeSend, blockedReason }) =>
      defer(() => {
        const remark = makeTag({ deployment, intentId });
        const request = { orderId, ...replaceableFigures(terms), remark };
        return http.call('replaceOrder', request, { purpose, beforeSend, blockedReason });
      }).pipe(map(classifyChange)),
    cancel: (orderId) => http.call('cancelOrder', { orderId }).pipe(map(classifyChange)),
    orderDetail: (orderId, purpose) =>
      callEndpoint(
        http,
        'orderDetail',
        { orderId },
        (data) => sameOrder(orderId, toListedOrder(readOrderDetail(data))),
        purpose,
      ),
    ordersToday: (purpose, scope = 'all') =>
      scope === 'all'
        ? today(
            scope,
            "today's orders",
            (number, read) => callEndpoint(http, 'todayOrders', number, read, purpose),
            {
              rows: rowsToday,
            },
          )
        : today(scope, "today's open orders", (number, read) =>
            callEndpoint(http, 'todayOrders', { ...number, statuses: OPEN_STATUSES }, read, purpose),
          ),
    unread: () => [...unread.values()],
    ordersBefore: (from) =>
      orders('orders of earlier days', (number, read) =>
        callEndpoint(http, 'historyOrders', { from, ...number }, read),
      ),
    executionsToday: (orderId, purpose) =>
      executions("today's executions", (number, read) => {
        const one = omitUndefined({ orderId });
        return callEndpoint(http, 'todayExecutions', { ...one, ...number }, read, purpose);
      }),
    executionsBefore: (from) =>
      executions('executions of earlier days', (number, read) =>
        callEndpoint(http, 'historyExecutions', { from, ...number }, read),
      ),
    buyLimit: (request) => callEndpoint(http, 'buyLimit', buyLimitQuery(request), readBuyLimit),
    marginFactors: (symbol) => callEndpoint(http, 'marginRatio', { symbol }, readMarginFactors),
    balance: (currency, purpose) =>
      callEndpoint(
        http,
        'account',
        omitUndefined({ currency }),
        (data) => {
          const balances = readAccountBalances(data);
          const balance = balances.find((each) => currency === undefined || each.currency === currency);
          if (balance !== undefined) return balance;
          throw new WireError(
            'bad-answer',
            `Cannot read the account: no balance in ${currency ?? 'any currency'}`,
          );
        },
        purpose,
      ),
    cashPostings: (span) =>
      callEndpoint(
        http,
        'cashFlow',
        { ...span, businessType: CASH_BUSINESS, size: CASH_POSTINGS_MAX },
        readCashPostings,
      ),
    positions: (purpose) =>
      callEndpoint(http, 'positions', { symbols: [] }, (data) => allRows(readPositions(data)), purpose),
  };
}

/** Statuses of orders that the venue may still execute. */
const OPEN_STATUSES = VENUE_STATUSES.filter((status) => !isTerminalStatus(status));
/** The kind of business that interest is. @see docs/wire-protocol.md, "Calls" */
const CASH_BUSINESS = 1;
/** Maximum number of rows of one page. */
const CASH_POSTINGS_MAX = 10_000;

type PageAnswer<Row> = Observable<Answer<Page<Row>>>;

function capitalized(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The intent that a remark names; a tag of another installation is a foreign order. */
export function intentIdReader(deployment: string): (remark: string) => IntentId | undefined {
  return (remark) => {
    const tag = tagOfRemark(remark);
    return tag?.deployment === deployment ? tag.intentId : undefined;
  };
}

function buyLimitQuery({ symbol, side, type, price }: BuyLimitRequest) {
  return { symbol, side, type, ...omitUndefined({ price }) };
}

/** An answer about another order would book its fills on this one. */
function sameOrder(requestedId: OrderId, order: ListedOrder): ListedOrder {
  if (order.orderId === requestedId) return order;
  throw new WireError(
    'bad-answer',
    `Cannot read order "${requestedId}": the answer is about "${order.orderId}"`,
  );
}

/** Without one position the books would differ wrongly, so an unreadable row invalidates the answer. */
function allRows<Row>(read: ReadRows<Row>): readonly Row[] {
  const [first] = read.problems;
  if (first !== undefined) throw first;
  return read.rows;
}

/** Rows are sorted by time, whichever end the venue starts with; rows of one second keep the venue's order. */
function oldestFirst(rows: readonly Execution[]): readonly Execution[] {
  const [first, last] = [rows[0], rows.at(-1)];
  const newestFirst = first !== undefined && last !== undefined && first.time > last.time;
  const ascending = newestFirst ? rows.toReversed() : rows;
  return ascending.toSorted((a, b) => a.time - b.time);
}
