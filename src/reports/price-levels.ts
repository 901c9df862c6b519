import { EXIT_KINDS, type ExitColumns, type ExitKind } from '../events/curve/exit-columns.ts';
import type { Decision, RunRecord } from '../events/run-record.ts';
import { type IntentId, isTerminalStatus } from '../model/order.ts';
import type { SecuritySymbol } from '../model/symbol.ts';

/** A stop or target while it worked: from and to in epoch milliseconds, price, and role. */
export type PriceLevel = readonly [from: number, to: number, price: number, kind: ExitKind];

/** Maximum number of drawn levels of one symbol, the newest of a run. */
const LEVELS_MAX = 2_000;

/**
 * Working exits of brackets in a run, by symbol: stops at their trigger, targets at their limit, as sent. Trailing
 * stops have no fixed level, and orders that a strategy sends itself have no role.
 */
export function priceLevels(
  record: Pick<RunRecord, 'decisions' | 'exitColumns' | 'securities' | 'to'>,
): ReadonlyMap<SecuritySymbol, readonly PriceLevel[]> {
  const levels =
    record.exitColumns === undefined
      ? levelsAmong(record.decisions ?? [], record.to)
      : levelsOf(record.exitColumns, record);
  return new Map([...levels].map(([symbol, own]) => [symbol, own.toSorted(byTime).slice(-LEVELS_MAX)]));
}

function byTime(one: PriceLevel, other: PriceLevel): number {
  return one[0] - other[0] || one[1] - other[1] || one[2] - other[2];
}

function levelsOf(
  { length, security, kind, price, from, to }: ExitColumns,
  record: Pick<RunRecord, 'securities' | 'to'>,
): ReadonlyMap<SecuritySymbol, readonly PriceLevel[]> {
  const rows = Array.from({ length }, (_, row) => row);
  const bySecurity = Map.groupBy(rows, (row) => record.securities[security[row] as number]?.symbol);
  return new Map(
    [...bySecurity].flatMap(([symbol, own]) =>
      symbol === undefined
        ? []
        : [
            [
              symbol,
              own.map((row): PriceLevel => {
                const end = Math.min(to[row] as number, record.to);
                return [
                  from[row] as number,
                  end,
                  price[row] as number,
                  EXIT_KINDS[kind[row] as number] as ExitKind,
                ];
              }),
            ] as const,
          ],
    ),
  );
}

function levelsAmong(
  decisions: readonly Decision[],
  until: number,
): ReadonlyMap<SecuritySymbol, readonly PriceLevel[]> {
  const drafted = new Map<IntentId, Exit>();
  const working = new Map<IntentId, Exit & { readonly from: number }>();
  const levels = new Map<SecuritySymbol, PriceLevel[]>();
  const end = (intentId: IntentId, at: number): void => {
    const exit = working.get(intentId);
    if (exit === undefined) return;
    working.delete(intentId);
    const own = levels.get(exit.symbol) ?? [];
    own.push([exit.from, Math.min(at, until), exit.price, exit.kind]);
    levels.set(exit.symbol, own);
  };
  for (const decision of decisions) {
    switch (decision.kind) {
      case 'intent-drafted': {
        const { link, terms, intentId } = decision;
        const kind = link?.exit === true ? EXIT_KINDS.find((each) => each === link.slot) : undefined;
        const price = kind === 'stop' ? terms.triggerPrice : terms.price;
        if (kind !== undefined && price !== undefined)
          drafted.set(intentId, { kind, price: price.toNumber(), symbol: terms.symbol });
        break;
      }
      case 'intent-armed': {
        const exit = drafted.get(decision.intentId);
        if (exit !== undefined) working.set(decision.intentId, { ...exit, from: decision.at });
        break;
      }
      case 'submit-refused':
        end(decision.intentId, decision.at);
        break;
      case 'order-moved':
        if (isTerminalStatus(decision.status)) end(decision.intentId, decision.at);
        break;
      default:
        break;
    }
  }
  for (const intentId of [...working.keys()]) end(intentId, until);
  return levels;
}

interface Exit {
  readonly kind: PriceLevel[3];
  readonly price: number;
  readonly symbol: SecuritySymbol;
}
