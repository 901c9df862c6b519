import type { ChargeRow } from '../markets/charge-row.ts';
import { COMMISSION_SOURCE } from '../markets/charge-schedules.ts';
import type { ChargeSchedule } from '../markets/charges.ts';
import type { Market } from '../model/symbol.ts';
import type { CalendarDay } from '../model/time.ts';

/** Markets and first day of a charged run. */
interface ChargedRun {
  readonly from: CalendarDay;
  readonly markets: readonly Market[];
}

/**
 * Returns the charges of orders as sentences: the schedule, substitutes for unknown past rates, and the figures of
 * each configured commission.
 */
export function chargeTexts({ name, rows }: ChargeSchedule, run: ChargedRun): readonly string[] {
  if (rows.length === 0) return ['No charges'];
  const own = rows.filter(({ source }) => source === COMMISSION_SOURCE);
  const others = rows.length > own.length;
  return [
    ...(others
      ? [
          `Charges by the "${name}" schedule, dated${rows.some(isPlatformFee) ? "; the broker's own fees in it are estimates" : ''}`,
        ]
      : ['No charges but the commission']),
    ...substituteTexts(rows, run),
    ...own.map((row) => `Commission${row.market === undefined ? '' : ` in ${row.market}`}: ${rowText(row)}`),
  ];
}

function isPlatformFee({ category, source }: ChargeRow): boolean {
  return category === 'broker' && source !== COMMISSION_SOURCE;
}

/**
 * Lists authorities' rates that are estimated for the start of the run, because the oldest known rate replaces
 * earlier ones.
 */
function substituteTexts(rows: readonly ChargeRow[], { from, markets }: ChargedRun): readonly string[] {
  return [...new Set(markets)].flatMap((market) => {
    const guessed = rows.filter(
      (row) =>
        row.category === 'third-party' &&
        row.confidence === 'low' &&
        row.market === market &&
        row.from === undefined &&
        row.until !== undefined &&
        row.until >= from,
    );
    if (guessed.length === 0) return [];
    const names = guessed.map((row) => `${row.name} to ${row.until}`);
    return [
      `Charges in ${market} whose rates of then are not known, the oldest known in their place: ${names.join(', ')}`,
    ];
  });
}

function rowText({ basis, minimum, maximum, maximumRatio, rounding }: ChargeRow): string {
  const bounds = [
    ...(minimum === undefined ? [] : [`at least ${minimum}`]),
    ...(maximum === undefined ? [] : [`at most ${maximum}`]),
    ...(maximumRatio === undefined ? [] : [`at most ${maximumRatio.times(100)}% of what is traded`]),
  ];
  return [
    `${basisText(basis)} of each order and day`,
    ...bounds,
    rounding === 'exact' ? 'not rounded' : 'to the cent; no tiers by volume',
  ].join(', ');
}

/** Formats the rate of a charge; a charge per order as its amount. */
export function basisText(basis: ChargeRow['basis']): string {
  switch (basis.kind) {
    case 'percent':
      return `${basis.rate.times(100)}%`;
    case 'per-share':
      return `${basis.perShare} a share`;
    case 'per-order':
      return `${basis.amount}`;
  }
}
