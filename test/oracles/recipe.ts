/** A published run in figures: its cash, and one order at the end of the first bar, held to the end. */
export interface Recipe {
  readonly cash: number;
  /** Units to buy at this ask price. */
  readonly units: (price: number) => number;
  readonly feePerShare: number;
  readonly minimumFee: number;
  /** Dividends are whole cents, half to even. */
  readonly inCents: boolean;
  /** The day at whose close the order is decided, if given. */
  readonly decided: string | undefined;
}

/** Parses the recipe from a run's `how`; throws RangeError that names what is missing. */
export function recipeOf({ id, how = '' }: { readonly id: string; readonly how?: string }): Recipe {
  const cash = CASH.exec(how);
  const fee = FEE.exec(how);
  const share = SHARE.exec(how);
  const fixed = UNITS.exec(how);
  const missing =
    cash === null
      ? 'cash N'
      : fee === null
        ? 'fee N x units'
        : share === null && fixed === null
          ? 'N units'
          : '';
  if (missing !== '') throw new RangeError(`Cannot replay "${id}": its "how" does not say "${missing}"`);
  const [, of = '', part = ''] = share ?? [];
  const [, count = ''] = fixed ?? [];
  const [, minimum = '0', perShare = ''] = fee ?? [];
  return {
    cash: numberOf(cash?.[1]),
    units: (price) =>
      share === null ? numberOf(count) : Math.floor((numberOf(of) * numberOf(part)) / price),
    feePerShare: numberOf(perShare),
    minimumFee: numberOf(minimum),
    inCents: how.includes('rounded to cents'),
    decided: DECIDED.exec(how)?.[1],
  };
}

const CASH = /\bcash (\d[\d,]*(?:\.\d+)?)/;
const FEE = /\bfee (?:max\((\d+(?:\.\d+)?), )?(\d+(?:\.\d+)?) x units/;
const SHARE = /\bfloor\((\d[\d,]*(?:\.\d+)?)\s*\*\s*(\d+(?:\.\d+)?)\s*\/\s*price\)/;
const UNITS = /\b(\d[\d,]*) units at\b/;
const DECIDED = /\bdecided at the close of (\d{4}-\d\d-\d\d)/;

function numberOf(text = ''): number {
  return Number(text.replaceAll(',', ''));
}
