import { map, type Observable } from 'rxjs';
import type { AccountBalance, BuyLimit, Position } from '../../model/account.ts';
import type { Execution, OrderDetail, OrderId } from '../../model/order.ts';
import type { MarginFactors } from '../../model/security.ts';
import type { Answer, ChangeAnswer, SubmitAnswer } from '../../ports/broker.ts';
import type { EndpointName, RequestOf, ResponseOf } from '../../wire/endpoints.ts';
import {
  readAccountBalances,
  readBuyLimit,
  readMarginFactors,
  readPositions,
} from '../../wire/mapper/account.ts';
import { readExecutions } from '../../wire/mapper/execution.ts';
import { readOrderDetail, readOrderList } from '../../wire/mapper/order.ts';
import type { ReadRows } from '../../wire/mapper/rows.ts';
import { readResponse } from '../../wire/request.ts';
import type { BrokerClient } from '../connect.ts';
import {
  type CashMovement,
  type FundPosition,
  type NamedSecurity,
  readCashFlow,
  readFunds,
  readSecurityList,
  readWatchGroups,
  type WatchGroup,
} from '../orders/account-answers.ts';
import { allPages } from '../orders/listings.ts';
import { createQuoteApi, type QuoteApi } from '../quotes/quote-api.ts';
import { DEFAULT_BROKER_SETTINGS } from '../settings.ts';
import { createTokenRenewal, type RenewedToken } from '../socket/token-renewal.ts';
import { callEndpoint, callEndpointOnce } from './call-endpoint.ts';
import { classifyChange, classifySubmit } from './submit-answer.ts';

/** The result of each endpoint. Listings contain all pages; one unreadable row makes the whole answer unreadable. */
interface Results {
  connectivityTest: Answer<true>;
  refreshToken: Answer<RenewedToken>;
  socketToken: Answer<ResponseOf<'socketToken'>>;
  socketTokenV2: Answer<ResponseOf<'socketTokenV2'>>;
  submitOrder: SubmitAnswer;
  replaceOrder: ChangeAnswer;
  cancelOrder: ChangeAnswer;
  orderDetail: Answer<OrderDetail>;
  todayOrders: Answer<readonly OrderDetail[]>;
  historyOrders: Answer<readonly OrderDetail[]>;
  todayExecutions: Answer<readonly Execution[]>;
  historyExecutions: Answer<readonly Execution[]>;
  allExecutions: Answer<readonly Execution[]>;
  buyLimit: Answer<BuyLimit>;
  signatureSelfTest: Answer<string>;
  account: Answer<readonly AccountBalance[]>;
  cashFlow: Answer<readonly CashMovement[]>;
  positions: Answer<readonly Position[]>;
  funds: Answer<readonly FundPosition[]>;
  marginRatio: Answer<MarginFactors>;
  watchlistGroups: Answer<readonly WatchGroup[]>;
  /** The new group's id. */
  createGroup: Answer<string>;
  updateGroup: ChangeAnswer;
  deleteGroup: ChangeAnswer;
  pinSymbols: ChangeAnswer;
  securityList: Answer<readonly NamedSecurity[]>;
  marketTemperature: Answer<ResponseOf<'marketTemperature'>>;
  historyMarketTemperature: Answer<ResponseOf<'historyMarketTemperature'>>;
  marketStatus: Answer<ResponseOf<'marketStatus'>>;
}

/** One method per endpoint of interface A. Cold; each emits once. */
export type HttpApi = {
  readonly [Name in EndpointName]: (request: RequestOf<Name>) => Observable<Results[Name]>;
};

/** Everything that the venue offers, for commands and tools; a bot trades through the ports. */
export interface Api {
  readonly http: HttpApi;
  readonly quotes: QuoteApi;
}

/** What the surface needs besides the client. */
export interface ApiOptions {
  /** Stores a renewed token: resolves after it is on disk, and before it is used. */
  readonly saveToken: (accessToken: string) => Promise<void>;
}

/**
 * The whole interface of a venue. `submitOrder` and `replaceOrder` bypass the risk gate: they execute what an
 * operator typed, never what a strategy requests.
 */
export function createApi(client: BrokerClient, { saveToken }: ApiOptions): Api {
  const { http } = client;
  const { pagesMax } = DEFAULT_BROKER_SETTINGS;
  const renew = createTokenRenewal({ http, save: saveToken, use: (token) => client.useToken(token) });
  const changed = <Name extends EndpointName>(name: Name) => {
    return (request: RequestOf<Name>) => http.call(name, request).pipe(map(classifyChange));
  };

  function orders<Name extends 'todayOrders' | 'historyOrders'>(name: Name, query: RequestOf<Name>) {
    return allPages<OrderDetail>({
      page: (page) =>
        callEndpoint(http, name, pageOf(query, page), (data) => {
          const read = readOrderList(data);
          return { rows: whole(read), hasMore: read.hasMore };
        }),
      pagesMax,
      keyOf: (order) => order.orderId,
      tooLong: `There are more orders after ${pagesMax} pages`,
    });
  }

  function executions<Name extends 'todayExecutions' | 'historyExecutions' | 'allExecutions'>(
    name: Name,
    query: RequestOf<Name>,
  ) {
    return allPages<Execution>({
      page: (page) =>
        callEndpoint(http, name, pageOf(query, page), (data) => {
          const read = readExecutions(data, noKnownOrder);
          return { rows: whole(read), hasMore: read.hasMore };
        }),
      pagesMax,
      keyOf: (row) => row.executionId,
      tooLong: `There are more executions after ${pagesMax} pages`,
    });
  }

  return {
    quotes: createQuoteApi(client.callQuotes, client.profile),
    http: {
      connectivityTest: (none) => callEndpoint(http, 'connectivityTest', none, () => true),
      refreshToken: ({ expiresAt }) => renew(expiresAt),
      socketToken: (none) =>
        callEndpointOnce(http, 'socketToken', none, (data) => readResponse('socketToken', data)),
      socketTokenV2: (none) =>
        callEndpointOnce(http, 'socketTokenV2', none, (data) => readResponse('socketTokenV2', data)),
      submitOrder: (order) => http.call('submitOrder', order).pipe(map(classifySubmit)),
      replaceOrder: changed('replaceOrder'),
      cancelOrder: changed('cancelOrder'),
      orderDetail: (reference) => callEndpoint(http, 'orderDetail', reference, readOrderDetail),
      todayOrders: (query) => orders('todayOrders', query),
      historyOrders: (query) => orders('historyOrders', query),
      todayExecutions: (query) => executions('todayExecutions', query),
      historyExecutions: (query) => executions('historyExecutions', query),
      allExecutions: (query) => executions('allExecutions', query),
      buyLimit: (query) => callEndpoint(http, 'buyLimit', query, readBuyLimit),
      signatureSelfTest: (reference) =>
        callEndpoint(
          http,
          'signatureSelfTest',
          reference,
          (data) => readResponse('signatureSelfTest', data).order_id,
        ),
      account: (query) => callEndpoint(http, 'account', query, readAccountBalances),
      cashFlow: (query) => callEndpoint(http, 'cashFlow', query, readCashFlow),
      positions: (query) => callEndpoint(http, 'positions', query, (data) => whole(readPositions(data))),
      funds: (query) => callEndpoint(http, 'funds', query, readFunds),
      marginRatio: (query) => callEndpoint(http, 'marginRatio', query, readMarginFactors),
      watchlistGroups: (none) => callEndpoint(http, 'watchlistGroups', none, readWatchGroups),
      createGroup: (group) =>
        callEndpointOnce(http, 'createGroup', group, (data) => readResponse('createGroup', data).id),
      updateGroup: changed('updateGroup'),
      deleteGroup: changed('deleteGroup'),
      pinSymbols: changed('pinSymbols'),
      securityList: (query) => callEndpoint(http, 'securityList', query, readSecurityList),
      marketTemperature: (query) =>
        callEndpoint(http, 'marketTemperature', query, (data) => readResponse('marketTemperature', data)),
      historyMarketTemperature: (query) =>
        callEndpoint(http, 'historyMarketTemperature', query, (data) =>
          readResponse('historyMarketTemperature', data),
        ),
      marketStatus: (none) =>
        callEndpoint(http, 'marketStatus', none, (data) => readResponse('marketStatus', data)),
    },
  };
}

/** The first page is requested without a number, because older services know none. */
function pageOf<Query extends { readonly page?: number }>(query: Query, page: number): Query {
  return page === 1 ? query : { ...query, page: (query.page ?? 1) + page - 1 };
}

function whole<Row>(read: ReadRows<Row>): readonly Row[] {
  const [first] = read.problems;
  if (first !== undefined) throw first;
  return read.rows;
}

/** Manual listings have no memory of orders from which executions without a side could get it. */
function noKnownOrder(_orderId: OrderId): undefined {
  return undefined;
}
