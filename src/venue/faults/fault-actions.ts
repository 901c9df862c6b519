import type { FastifyRequest } from 'fastify';
import { marketRecord } from '../../markets/market-records.ts';
import { Decimal, decimal } from '../../model/decimal.ts';
import {
  isTerminalStatus,
  type OrderDetail,
  type OrderId,
  type OrderTerms,
  orderId,
} from '../../model/order.ts';
import { marketOf, securitySymbol } from '../../model/symbol.ts';
import { type Millis, millis } from '../../model/time.ts';
import { unreachable } from '../../model/unreachable.ts';
import type { ExogenousEvent } from '../../simulation/processes/exogenous-events.ts';
import type { SimulatedAccount } from '../../simulation/simulation.ts';
import type { Close_Code } from '../../wire/gen/control_pb.ts';
import type { CallResult } from '../calls/call.ts';
import type { PublishEvents } from '../market/market.ts';
import type { RestartableSimulation } from '../market/restartable-simulation.ts';
import type { ConnectionGate } from '../server/connection-gate.ts';
import { targetOf } from '../server/http-target.ts';
import type { SocketServer } from '../server/socket-server.ts';
import type { SocketSessions } from '../server/socket-sessions.ts';
import type { ActionFault, OrderFault } from './fault-specs.ts';

export interface FaultActionParts {
  readonly simulation: RestartableSimulation;
  readonly publish: PublishEvents;
  readonly sessions: Pick<SocketSessions, 'clear'>;
  readonly sockets: () => Pick<SocketServer, 'cut' | 'closeAll'>;
  readonly connectionGate: () => Pick<ConnectionGate, 'refuseFor' | 'closePortFor'>;
  /** The default account of actions, and all accounts. */
  readonly accountId: string;
  readonly accountIds: readonly string[];
  /** Records an action that changed the simulation, as text for `replay`. */
  readonly record: (text: string) => void;
  /** Runs before and after an action: the market catches up, then reschedules its next event. */
  readonly marketSync: () => { readonly before: () => void; readonly after: () => void };
}

interface OrderReference {
  readonly account: string;
  readonly orderId: OrderId;
}

/** An action as stored in the state file; the field names are part of that format. */
type RecordedAction =
  | { readonly action: ActionFault }
  | { readonly knob: OrderFault; readonly place: OrderReference };

export class FaultActions {
  readonly #parts: FaultActionParts;

  constructor(parts: FaultActionParts) {
    this.#parts = parts;
  }

  /** Performs and records an action; ignores one about an order or account that does not exist. */
  perform(action: ActionFault): void {
    const { marketSync, record } = this.#parts;
    marketSync().before();
    this.#execute(action);
    if (!isConnectionAction(action)) record(JSON.stringify({ action } satisfies RecordedAction));
    marketSync().after();
  }

  afterCall(fault: OrderFault, request: FastifyRequest, outcome: CallResult): void {
    if (outcome.kind !== 'ok') return;
    const { marketSync, record } = this.#parts;
    const named = 'order_id' in outcome.data ? String(outcome.data.order_id) : orderIdOf(request);
    const place = this.#find(named);
    if (place === undefined) return;
    this.#applyOrderFault(fault, place);
    record(JSON.stringify({ knob: fault, place } satisfies RecordedAction));
    marketSync().after();
  }

  replay(text: string): void {
    const recorded = JSON.parse(text) as RecordedAction;
    if ('action' in recorded) this.#execute(recorded.action);
    else this.#applyOrderFault(recorded.knob, recorded.place);
  }

  #execute(action: ActionFault): void {
    const { sessions, sockets, connectionGate } = this.#parts;
    switch (action.knob) {
      case 'venue.adjust':
        this.#adjust(action);
        return;
      case 'venue.foreign':
        this.#foreign(action);
        return;
      case 'venue.foreignCancel':
        this.#foreignCancel(action);
        return;
      case 'venue.fillDuring': {
        const { quantity, price } = action;
        const figures = { ...decimals({ quantity, price }) };
        this.#onOrder(action, (place) => this.#inject({ kind: 'fill', ...place, ...figures }));
        return;
      }
      case 'venue.overfill':
        this.#onOrder(action, (place, { terms, executedQuantity }) => {
          const quantity = terms.quantity.minus(executedQuantity).plus(action.extra);
          this.#inject({ kind: 'fill', ...place, quantity });
        });
        return;
      case 'venue.session':
        this.#inject({ kind: 'status', symbol: securitySymbol(action.symbol), status: action.status });
        return;
      case 'venue.split':
        this.#inject({
          kind: 'split',
          symbol: securitySymbol(action.symbol),
          ratio: decimal(action.ratio),
        });
        return;
      case 'venue.restart':
        sessions.clear();
        sockets().cut(undefined);
        return;
      case 'venue.close':
        sockets().closeAll(action.side, action.code as Close_Code);
        return;
      case 'net.cut':
        connectionGate().refuseFor(action.side, action.ms);
        sockets().cut(action.side);
        return;
      case 'net.refuse':
        connectionGate().closePortFor(action.ms);
        sockets().cut(undefined);
        return;
      default:
        unreachable(action);
    }
  }

  #applyOrderFault(fault: OrderFault, place: OrderReference): void {
    switch (fault.knob) {
      case 'venue.fillRace':
        this.#inject({ kind: 'fill', ...place, ...decimals({ quantity: fault.quantity }) });
        return;
      case 'venue.lateFill':
        this.#inject(
          { kind: 'fill', ...place, ...decimals({ quantity: fault.quantity }) },
          this.#delayed(fault.ms),
        );
        return;
      case 'venue.asyncReject':
        this.#inject({ kind: 'reject', ...place, message: fault.message }, this.#delayed(fault.ms));
        return;
      case 'venue.replaceNewId': {
        const { form } = fault;
        const what = { id: form !== 'blank-remark', remark: form !== 'new-id' };
        this.#inject({ kind: 'rename', ...place, ...what }, this.#delayed(0));
        return;
      }
      default:
        unreachable(fault);
    }
  }

  #inject(what: ExogenousEvent, at?: Millis): void {
    const { simulation, publish } = this.#parts;
    publish(simulation.inject(what, at));
  }

  /** Returns a time after everything that is due now. */
  #delayed(ms: number): Millis {
    return millis(this.#parts.simulation.now() + Math.max(1, ms));
  }

  #adjust(action: Extract<ActionFault, { knob: 'venue.adjust' }>): void {
    const { account = this.#parts.accountId, symbol, quantity, currency, amount } = action;
    if (symbol !== undefined) {
      this.#inject({
        kind: 'adjust',
        account,
        symbol: securitySymbol(symbol),
        quantity: decimal(quantity),
      });
    }
    if (currency !== undefined) this.#parts.simulation.account(account)?.deposit(currency, decimal(amount));
  }

  #foreign(action: Extract<ActionFault, { knob: 'venue.foreign' }>): void {
    const { account = this.#parts.accountId, symbol, side, quantity, price, remark } = action;
    const market = marketOf(securitySymbol(symbol));
    const type =
      action.type ?? (price === undefined ? 'MO' : marketRecord(market)?.orderTypes === 'all' ? 'ELO' : 'LO');
    const terms: OrderTerms = {
      symbol: securitySymbol(symbol),
      side,
      type,
      quantity: decimal(quantity),
      ...decimals({ price }),
      timeInForce: 'day',
    };
    this.#parts.simulation.account(account)?.submit(terms, remark);
  }

  #foreignCancel({
    account = this.#parts.accountId,
    orderId: id,
  }: Extract<ActionFault, { knob: 'venue.foreignCancel' }>): void {
    const owner = this.#parts.simulation.account(account);
    if (owner === undefined) return;
    const wanted = id === undefined ? liveOrders(owner).map((order) => order.orderId) : [orderId(id)];
    for (const each of wanted) owner.cancel(each);
  }

  /** Calls `work` with the order that an action names, otherwise with the newest open order of its account. */
  #onOrder(
    {
      account = this.#parts.accountId,
      orderId: id,
    }: { account?: string | undefined; orderId?: string | undefined },
    work: (place: OrderReference, detail: OrderDetail) => void,
  ): void {
    const owner = this.#parts.simulation.account(account);
    const detail = id === undefined ? owner && liveOrders(owner)[0] : owner?.order(orderId(id));
    if (detail !== undefined) work({ account, orderId: detail.orderId }, detail);
  }

  #find(id: string): OrderReference | undefined {
    const found = this.#parts.accountIds.find((account) => {
      return this.#parts.simulation.account(account)?.order(orderId(id)) !== undefined;
    });
    return found === undefined ? undefined : { account: found, orderId: orderId(id) };
  }
}

const CONNECTION_ACTIONS: ReadonlySet<ActionFault['knob']> = new Set<ActionFault['knob']>([
  'venue.restart',
  'venue.close',
  'net.cut',
  'net.refuse',
]);

/** True for actions on connections; they are not recorded, as they change no state. */
function isConnectionAction({ knob }: ActionFault): boolean {
  return CONNECTION_ACTIONS.has(knob);
}

function liveOrders(account: SimulatedAccount): readonly OrderDetail[] {
  return account.ordersToday().filter(({ status }) => !isTerminalStatus(status));
}

/** Returns the order id in a request's query or body; '' if there is none. */
function orderIdOf(request: FastifyRequest): string {
  const inQuery = new URLSearchParams(targetOf(request).query).get('order_id');
  if (inQuery !== null) return inQuery;
  const body = Buffer.isBuffer(request.body) ? request.body.toString('utf8') : '';
  return /"order_id"\s*:\s*"?(\d+)/.exec(body)?.[1] ?? '';
}

function decimals<Name extends string>(
  texts: Readonly<Record<Name, string | undefined>>,
): { readonly [name in Name]?: Decimal } {
  const read: { [name in Name]?: Decimal } = {};
  for (const name of Object.keys(texts) as Name[]) {
    const text = texts[name];
    if (text !== undefined) read[name] = new Decimal(text);
  }
  return read;
}
