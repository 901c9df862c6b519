import type { z } from 'zod';
import * as asset from './schemas/asset.ts';
import * as queries from './schemas/order-queries.ts';
import * as requests from './schemas/order-requests.ts';
import * as orders from './schemas/order-responses.ts';
import type { WireParameters } from './schemas/parameter-fields.ts';
import * as quote from './schemas/quote.ts';
import * as session from './schemas/session.ts';
import * as watchlist from './schemas/watchlist.ts';

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** Published call limit of an endpoint; `none` for those that only set up a session. */
export type LimitGroup = 'trade' | 'quote' | 'none';

/**
 * Published limits per group: calls per window, minimum distance between two calls, concurrent calls.
 * @see docs/wire-protocol.md, "Calls"
 */
export const CALL_LIMITS = {
  trade: { calls: 30, windowMs: 30_000, spacingMs: 20, per: 'endpoint' },
  quote: { calls: 10, windowMs: 1_000, concurrent: 5, per: 'user' },
  historyCandlesticks: { calls: 60, windowMs: 30_000, per: 'user' },
} as const;

function row<Name extends string, Request extends z.ZodType, Answer extends z.ZodType>(
  name: Name,
  target: `${HttpMethod} /${string}`,
  limit: LimitGroup,
  shape: {
    /** Parses and validates the parameters into model types; used by the venue. */
    readonly request: Request;
    /** Converts a request to parameters; used by the client. */
    readonly write: (request: z.output<Request>) => WireParameters;
    /** Parses `data` of a success; used by the client. */
    readonly response: Answer;
  },
) {
  const [method, path] = target.split(' ') as [HttpMethod, string];
  return { name, method, path, limit, ...shape } as const;
}

const NOTHING = { request: session.none, write: session.writeNone };
const REFERENCE = { request: requests.orderReference, write: requests.writeOrderReference };
const EXECUTIONS = {
  request: queries.executions,
  write: queries.writeExecutions,
  response: orders.executionList,
};

/**
 * Every HTTP endpoint of interface A. GET sends its parameters in the query, POST and PUT in the JSON body, DELETE as
 * the profile specifies.
 * @see docs/wire-protocol.md, "Calls"
 */
export const ENDPOINTS = {
  connectivityTest: row('connectivityTest', 'GET /v1/test', 'none', {
    ...NOTHING,
    response: orders.emptyResponse,
  }),
  refreshToken: row('refreshToken', 'GET /v1/token/refresh', 'none', {
    request: session.refreshToken,
    write: session.writeRefreshToken,
    response: session.refreshResponse,
  }),
  socketToken: row('socketToken', 'GET /v1/socket/token', 'none', {
    ...NOTHING,
    response: session.socketTokenResponse,
  }),
  socketTokenV2: row('socketTokenV2', 'GET /v2/socket/token', 'none', {
    ...NOTHING,
    response: session.socketTokenResponse,
  }),
  submitOrder: row('submitOrder', 'POST /v1/trade/order', 'trade', {
    request: requests.submitOrder,
    write: requests.writeSubmitOrder,
    response: orders.submitResponse,
  }),
  replaceOrder: row('replaceOrder', 'PUT /v1/trade/order', 'trade', {
    request: requests.replaceOrder,
    write: requests.writeReplaceOrder,
    response: orders.emptyResponse,
  }),
  cancelOrder: row('cancelOrder', 'DELETE /v1/trade/order', 'trade', {
    ...REFERENCE,
    response: orders.emptyResponse,
  }),
  orderDetail: row('orderDetail', 'GET /v1/trade/order', 'trade', {
    ...REFERENCE,
    response: orders.wireOrderDetail,
  }),
  todayOrders: row('todayOrders', 'GET /v1/trade/order/today', 'trade', {
    request: queries.todayOrders,
    write: queries.writeTodayOrders,
    response: orders.orderList,
  }),
  historyOrders: row('historyOrders', 'GET /v1/trade/order/history', 'trade', {
    request: queries.historyOrders,
    write: queries.writeHistoryOrders,
    response: orders.orderList,
  }),
  todayExecutions: row('todayExecutions', 'GET /v1/trade/execution/today', 'trade', EXECUTIONS),
  historyExecutions: row('historyExecutions', 'GET /v1/trade/execution/history', 'trade', EXECUTIONS),
  allExecutions: row('allExecutions', 'GET /v3/trade/execution/all', 'trade', EXECUTIONS),
  buyLimit: row('buyLimit', 'GET /v1/trade/estimate/buy_limit', 'trade', {
    request: queries.buyLimit,
    write: queries.writeBuyLimit,
    response: orders.buyLimitResponse,
  }),
  /** Verifies a signature and echoes the id; creates nothing. */
  signatureSelfTest: row('signatureSelfTest', 'POST /v1/trade/order/submit', 'trade', {
    ...REFERENCE,
    response: session.selfTestResponse,
  }),
  account: row('account', 'GET /v1/asset/account', 'trade', {
    request: asset.account,
    write: asset.writeAccount,
    response: asset.accountResponse,
  }),
  cashFlow: row('cashFlow', 'GET /v1/asset/cashflow', 'trade', {
    request: asset.cashFlow,
    write: asset.writeCashFlow,
    response: asset.cashFlowResponse,
  }),
  positions: row('positions', 'GET /v1/asset/stock', 'trade', {
    request: asset.positions,
    write: asset.writePositionsQuery,
    response: asset.positionsResponse,
  }),
  funds: row('funds', 'GET /v1/asset/fund', 'trade', {
    request: asset.funds,
    write: asset.writeFunds,
    response: asset.fundsResponse,
  }),
  marginRatio: row('marginRatio', 'GET /v1/risk/margin-ratio', 'trade', {
    request: asset.marginRatio,
    write: asset.writeMarginRatio,
    response: asset.marginRatioResponse,
  }),
  watchlistGroups: row('watchlistGroups', 'GET /v1/watchlist/groups', 'quote', {
    ...NOTHING,
    response: watchlist.groupsResponse,
  }),
  createGroup: row('createGroup', 'POST /v1/watchlist/groups', 'quote', {
    request: watchlist.createGroup,
    write: watchlist.writeCreateGroup,
    response: watchlist.createGroupResponse,
  }),
  updateGroup: row('updateGroup', 'PUT /v1/watchlist/groups', 'quote', {
    request: watchlist.updateGroup,
    write: watchlist.writeUpdateGroup,
    response: orders.emptyResponse,
  }),
  deleteGroup: row('deleteGroup', 'DELETE /v1/watchlist/groups', 'quote', {
    request: watchlist.deleteGroup,
    write: watchlist.writeDeleteGroup,
    response: orders.emptyResponse,
  }),
  pinSymbols: row('pinSymbols', 'POST /v1/watchlist/pinned', 'quote', {
    request: watchlist.pinSymbols,
    write: watchlist.writePinSymbols,
    response: orders.emptyResponse,
  }),
  securityList: row('securityList', 'GET /v1/quote/get_security_list', 'quote', {
    request: quote.securityList,
    write: quote.writeSecurityList,
    response: quote.securityListResponse,
  }),
  marketTemperature: row('marketTemperature', 'GET /v1/quote/market_temperature', 'quote', {
    request: quote.marketTemperature,
    write: quote.writeMarketTemperature,
    response: quote.marketTemperatureResponse,
  }),
  historyMarketTemperature: row(
    'historyMarketTemperature',
    'GET /v1/quote/history_market_temperature',
    'quote',
    {
      request: quote.historyMarketTemperature,
      write: quote.writeHistoryMarketTemperature,
      response: quote.historyMarketTemperatureResponse,
    },
  ),
  marketStatus: row('marketStatus', 'GET /v1/quote/market-status', 'quote', {
    ...NOTHING,
    response: quote.marketStatusResponse,
  }),
} as const;

export type EndpointName = keyof typeof ENDPOINTS;

export type RequestOf<Name extends EndpointName> = z.output<(typeof ENDPOINTS)[Name]['request']>;

/** `data` of a success of that endpoint, as parsed by the client. */
export type ResponseOf<Name extends EndpointName> = z.output<(typeof ENDPOINTS)[Name]['response']>;

export type FoundEndpoint =
  | { readonly kind: 'found'; readonly name: EndpointName }
  | { readonly kind: 'unknown-path'; readonly code: 404000 }
  | { readonly kind: 'wrong-method'; readonly code: 405000 };

export function findEndpoint(method: string, path: string): FoundEndpoint {
  let pathExists = false;
  for (const endpoint of Object.values(ENDPOINTS)) {
    if (endpoint.path !== path) continue;
    if (endpoint.method === method) return { kind: 'found', name: endpoint.name };
    pathExists = true;
  }
  return pathExists ? { kind: 'wrong-method', code: 405000 } : { kind: 'unknown-path', code: 404000 };
}
