import type { BarColumns } from '#src/model/bar.ts';
import { isTerminalStatus, type OrderId } from '#src/model/order.ts';
import type { SecuritySymbol } from '#src/model/symbol.ts';
import { cancellations } from './cancellations.ts';
import { corporateActionsOf } from './corporate-events.ts';
import { engineOf, factorsOf, fillsInSameBar, type Manner, modelsOf } from './engines.ts';
import { closesAtEnd, isMetAgain, onceMore } from './last-bar.ts';
import { clockWithCloses, closesOf, withCloses } from './meetings.ts';
import { clockOf, oracleBars } from './oracle-bars.ts';
import type { Oracle, OracleOrder } from './oracle-file.ts';
import { type Clock, closedBy, extrasOf, termsOf } from './recorded-orders.ts';
import { sentAfterBars } from './sent-before-bar.ts';
import { Stage } from './stage.ts';

/** The simulation's result for an oracle's orders. */
export interface Replayed {
  readonly bars: readonly BarColumns[];
  readonly stage: Stage;
  /** Our ids of the recorded orders. */
  readonly sent: ReadonlyMap<number, OrderId>;
}

/**
 * Sends the orders of an oracle's strategy, each at the end of its bar, and cancels those that it cancelled;
 * everything else (fills, exits, charges, books) is the result of our simulation. Throws RangeError for what cannot
 * be replayed.
 */
export function replayOracle(
  reported: Oracle,
  dataFolder: string,
  manner: Manner = { meets: 'bars' },
): Replayed {
  const { meets } = manner;
  const bars = oracleBars(dataFolder, reported.data);
  const [first] = bars;
  if (first === undefined) throw new RangeError(`Cannot replay "${reported.id}", it names no data`);
  if (first.length === 0)
    throw new RangeError(`Cannot replay "${reported.id}", its data has no row in its days`);
  const oracle = meets === 'bars' ? sentAfterBars(reported, bars) : reported;
  const begin = first.time[0] ?? 0;
  const clock = meets === 'bars-and-closes' ? clockWithCloses(first, begin) : clockOf(oracle.data, begin);
  const actions = corporateActionsOf(oracle, dataFolder);
  const again = meets === 'bars' && isMetAgain(oracle);
  const stage = new Stage({
    bars: bars.map((columns) => {
      if (meets === 'bars-and-closes') return withCloses(columns, begin);
      const clocked = { ...columns, time: columns.time.map(clock) };
      if (meets === 'closes') return closesOf(clocked);
      return again ? onceMore(clocked) : clocked;
    }),
    ...{ actions, cash: oracle.account.cash },
    ...{ models: modelsOf(oracle, manner), factors: factorsOf(oracle, manner) },
    fillsInSameBar: meets === 'bars' && fillsInSameBar(oracle),
  });
  const sent = new Map<number, OrderId>();
  const sentAt = Map.groupBy(
    oracle.orders.filter((order) => order.by !== 'engine' || closesAtEnd(order, oracle)),
    (order) => order.bar,
  );
  const endedAt = Map.groupBy(cancellations(oracle, engineOf(oracle)), ({ bar }) => bar);
  const parts = meets === 'bars-and-closes' ? 2 : 1;
  for (let bar = 0; bar < first.length; bar += 1) {
    stage.play(bar, parts * bar);
    const ended = endedAt.get(bar) ?? [];
    // An order may be cancelled at the close at which it was sent: by the next one, if orders exclude each other.
    const bornHere = ended.filter(({ order }) => order.by !== 'engine' && order.bar === bar);
    for (const { order } of ended)
      if (order.by === 'engine' || order.bar < bar) cancel(order, oracle, stage, sent);
    stage.settle(bar);
    for (const order of sentAt.get(bar) ?? [])
      send(order, oracle, stage, sent, { only: first.symbol, clock });
    stage.settle(bar);
    for (const { order } of bornHere) cancel(order, oracle, stage, sent);
    stage.settle(bar);
    if (parts === 2) stage.playOn(bar, parts * bar + 1);
  }
  if (again) stage.playOn(first.length - 1, first.length);
  return { bars, stage, sent };
}

function send(
  order: OracleOrder,
  oracle: Oracle,
  stage: Stage,
  sent: Map<number, OrderId>,
  { only, clock }: { readonly only: SecuritySymbol; readonly clock: Clock },
): void {
  const extras = extrasOf(order, oracle.fills, sent, clock);
  if (order.closes_trade != null && extras.closes === undefined) return;
  sent.set(order.id, stage.send(order.id, termsOf(order, only), extras));
}

/** Cancels an order that the strategy cancelled, if it is still open. */
function cancel(order: OracleOrder, oracle: Oracle, stage: Stage, sent: ReadonlyMap<number, OrderId>): void {
  const ids = order.by === 'engine' ? exitsAt(order, oracle, stage, sent) : [sent.get(order.id)];
  for (const id of ids) {
    const detail = id === undefined ? undefined : stage.account.order(id);
    if (detail !== undefined && !isTerminalStatus(detail.status)) stage.account.cancel(detail.orderId);
  }
}

/** Our exit that corresponds to one of the other program: of the same trade, at the same price. */
function exitsAt(
  order: OracleOrder,
  oracle: Oracle,
  stage: Stage,
  sent: ReadonlyMap<number, OrderId>,
): readonly OrderId[] {
  const closes = closedBy(order, oracle.fills, sent);
  const made = [...stage.exits.values()].filter(({ detail: { terms }, entry }) => {
    const price = order.type === 'limit' ? terms.price : terms.triggerPrice;
    return entry === closes && price !== undefined && price.eq(order.limit ?? order.stop ?? 0);
  });
  return made.map(({ detail }) => detail.orderId);
}
