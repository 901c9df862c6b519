import type { RunSetup } from './setup.ts';

/** What the models assume and leave out, one sentence each; printed wherever a result is. */
export function assumptionsOf(setup: RunSetup): readonly string[] {
  const { charges, limits } = setup;
  const indexes = setup.securities.filter((security) => security.kind === 'index');
  const generated = setup.securities.filter((security) => security.origin.kind === 'generated');
  return [
    'Each bar is four prints (open, nearer extreme, other extreme, close); what happened between them is not known',
    'An order decided at a close fills at the next print at the earliest; resting orders fill at their own price, after a gap at the print',
    'No market impact, no queue position, no spread, no latency, full quantity at every fill, no call limits',
    charges.rows.length === 0
      ? 'No charges'
      : `Charges by the "${charges.name}" schedule, dated; the broker's own fees in it are estimates`,
    limits.useMargin
      ? 'Margin account: the venue lends up to its estimate, without interest'
      : 'Cash account: nothing is borrowed, nothing is sold short',
    'No dividends, splits or other corporate actions are applied',
    ...indexes.map(
      (security) =>
        `${security.symbol} is an index made tradable at its level: nobody can trade it like this`,
    ),
    ...generated.map((security) => `${security.symbol} is GENERATED data: it says nothing about any market`),
  ];
}
