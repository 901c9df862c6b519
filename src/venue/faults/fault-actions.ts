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
import type { Announce } from '../market/market.ts';
import type { RestartableSimulation } from '../market/restartable-simulation.ts';
import type { ConnectionGate } from '../server/connection-gate.ts';
import { targetOf } from '../server/http-target.ts';
import type { SocketServer } from '../server/socket-server.ts';
import type { SocketSessions } from '../server/socket-sessions.ts';
import type { ActionFault, OrderFault } from './fault-specs.ts';

/** What fault actions act on. */
export interface FaultActionParts {
  readonly simulation: RestartableSimulation;
  readonly announce: Announce;
  readonly sessions: Pick<SocketSessions, 'forget'>;
  readonly sockets: () => Pick<SocketServer, 'cut' | 'hangUpAll'>;
  readonly connectionGate: () => Pick<ConnectionGate, 'bar' | 'shut'>;
  /** The default account of actions, and all accounts. */
  readonly accountId: string;
  readonly accountIds: readonly string[];
  /** Writes down a deed that touched the simulation, as text that `repeat` reads. */
  readonly record: (text: string) => void;
  /** Lets the market know that what comes next may have changed. */
  readonly around: () => { readonly before: () => void; readonly after: () => void };
}

interface OrderPlace {
  readonly account: string;
  readonly orderId: OrderId;
}

type Remembered = { readonly deed: ActionFault } | { readonly knob: OrderFault; readonly place: OrderPlace };

/** Does what the operator's knobs say that happens to the venue, its market and its orders. */
export class FaultActions {
  readonly #parts: FaultActionParts;

  constructor(parts: FaultActionParts) {
    this.#parts = parts;
  }

  /** Lets one deed happen now, and remembers it. A deed about something that is not there does nothing. */
  perform(deed: ActionFault): void {
    const { around, record } = this.#parts;
    around().before();
    this.#do(deed);
    if (!isAboutSockets(deed)) record(JSON.stringify({ deed } satisfies Remembered));
    around().after();
  }

  /** Lets something happen to the order that a call was about, once it was served, and remembers it. */
  afterCall(knob: OrderFault, request: FastifyRequest, outcome: CallResult): void {
    if (outcome.kind !== 'ok') return;
    const { around, record } = this.#parts;
    const named = 'order_id' in outcome.data ? String(outcome.data.order_id) : namedOrder(request);
    const place = this.#find(named);
    if (place === undefined) return;
    this.#applyOrderFault(knob, place);
    record(JSON.stringify({ knob, place } satisfies Remembered));
    around().after();
  }

  /** Does again what was remembered. */
  repeat(text: string): void {
    const remembered = JSON.parse(text) as Remembered;
    if ('deed' in remembered) this.#do(remembered.deed);
    else this.#applyOrderFault(remembered.knob, remembered.place);
  }

  #do(deed: ActionFault): void {
    const { sessions, sockets, connectionGate: doors } = this.#parts;
    switch (deed.knob) {
      case 'venue.adjust':
        this.#adjust(deed);
        return;
      case 'venue.foreign':
        this.#foreign(deed);
        return;
      case 'venue.foreignCancel':
        this.#foreignCancel(deed);
        return;
      case 'venue.fillDuring': {
        const { quantity, price } = deed;
        const figures = { ...decimals({ quantity, price }) };
        this.#onOrder(deed, (place) => this.#interfere({ kind: 'fill', ...place, ...figures }));
        return;
      }
      case 'venue.overfill':
        this.#onOrder(deed, (place, { terms, executedQuantity }) => {
          const quantity = terms.quantity.minus(executedQuantity).plus(deed.extra);
          this.#interfere({ kind: 'fill', ...place, quantity });
        });
        return;
      case 'venue.session':
        this.#interfere({ kind: 'status', symbol: securitySymbol(deed.symbol), status: deed.status });
        return;
      case 'venue.split':
        this.#interfere({
          kind: 'split',
          symbol: securitySymbol(deed.symbol),
          ratio: decimal(deed.ratio),
        });
        return;
      case 'venue.restart':
        sessions.forget();
        sockets().cut(undefined);
        return;
      case 'venue.close':
        sockets().hangUpAll(deed.side, deed.code as Close_Code);
        return;
      case 'net.cut':
        doors().bar(deed.side, deed.ms);
        sockets().cut(deed.side);
        return;
      case 'net.refuse':
        doors().shut(deed.ms);
        sockets().cut(undefined);
        return;
      default:
        unreachable(deed);
    }
  }

  #applyOrderFault(knob: OrderFault, place: OrderPlace): void {
    switch (knob.knob) {
      case 'venue.fillRace':
        this.#interfere({ kind: 'fill', ...place, ...decimals({ quantity: knob.quantity }) });
        return;
      case 'venue.lateFill':
        this.#interfere(
          { kind: 'fill', ...place, ...decimals({ quantity: knob.quantity }) },
          this.#later(knob.ms),
        );
        return;
      case 'venue.asyncReject':
        this.#interfere({ kind: 'reject', ...place, message: knob.message }, this.#later(knob.ms));
        return;
      case 'venue.replaceNewId': {
        const { form } = knob;
        const what = { id: form !== 'blank-remark', remark: form !== 'new-id' };
        this.#interfere({ kind: 'rename', ...place, ...what }, this.#later(0));
        return;
      }
      default:
        unreachable(knob);
    }
  }

  #interfere(what: ExogenousEvent, at?: Millis): void {
    const { simulation, announce } = this.#parts;
    announce(simulation.interfere(what, at));
  }

  /** A time that comes after everything that is due now. */
  #later(ms: number): Millis {
    return millis(this.#parts.simulation.now() + Math.max(1, ms));
  }

  #adjust(deed: Extract<ActionFault, { knob: 'venue.adjust' }>): void {
    const { account = this.#parts.accountId, symbol, quantity, currency, amount } = deed;
    if (symbol !== undefined) {
      this.#interfere({
        kind: 'adjust',
        account,
        symbol: securitySymbol(symbol),
        quantity: decimal(quantity),
      });
    }
    if (currency !== undefined) this.#parts.simulation.account(account)?.deposit(currency, decimal(amount));
  }

  #foreign(deed: Extract<ActionFault, { knob: 'venue.foreign' }>): void {
    const { account = this.#parts.accountId, symbol, side, quantity, price, remark } = deed;
    const market = marketOf(securitySymbol(symbol));
    const type =
      deed.type ?? (price === undefined ? 'MO' : marketRecord(market)?.orderTypes === 'all' ? 'ELO' : 'LO');
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

  /** Works on the order that a deed names, else on the newest live one of its account. */
  #onOrder(
    {
      account = this.#parts.accountId,
      orderId: id,
    }: { account?: string | undefined; orderId?: string | undefined },
    work: (place: OrderPlace, detail: OrderDetail) => void,
  ): void {
    const owner = this.#parts.simulation.account(account);
    const detail = id === undefined ? owner && liveOrders(owner)[0] : owner?.order(orderId(id));
    if (detail !== undefined) work({ account, orderId: detail.orderId }, detail);
  }

  #find(id: string): OrderPlace | undefined {
    const found = this.#parts.accountIds.find((account) => {
      return this.#parts.simulation.account(account)?.order(orderId(id)) !== undefined;
    });
    return found === undefined ? undefined : { account: found, orderId: orderId(id) };
  }
}

const CONNECTIONS: ReadonlySet<ActionFault['knob']> = new Set([
  ...(['venue.restart', 'venue.close', 'net.cut', 'net.refuse'] as const),
]);

/** True for actions on connections; they need no memory. */
function isAboutSockets({ knob }: ActionFault): boolean {
  return CONNECTIONS.has(knob);
}

function liveOrders(account: SimulatedAccount): readonly OrderDetail[] {
  return account.ordersToday().filter(({ status }) => !isTerminalStatus(status));
}

/** The order that a request names, in its query or its body; '' when it names none. */
function namedOrder(request: FastifyRequest): string {
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
