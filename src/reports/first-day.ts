/**
 * The first day of a saved run: that of its first close. A run starts at midnight of its exchange, which in Hong Kong
 * is the day before in UTC. If the first days were not saved, the UTC day on which it started.
 */
export function firstDay({
  from,
  equity,
  omitted,
}: {
  readonly from: string;
  readonly equity?: readonly unknown[] | null | undefined;
  readonly omitted?: { readonly equity?: number | undefined } | null | undefined;
}): string {
  const first = (omitted?.equity ?? 0) > 0 ? undefined : equity?.[0];
  const close: unknown = Array.isArray(first) ? first[0] : undefined;
  return (typeof close === 'string' ? close : from).slice(0, 10);
}
