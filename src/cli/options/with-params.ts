import type { ConfigChange } from '../../app/load/load-run.ts';

/** Help of the option that reduces a bot's venue to the source document. */
export const ONLY_DOCUMENTED =
  'trade through what the source document describes and nothing more: orders read by id, no cancels, no pushes, bars read when they close';

/**
 * Values of `--param` and `--only-documented` that replace those of the YAML; parameters are checked like those.
 * Undefined without either.
 */
export async function withParams(
  params: Readonly<Record<string, number | boolean | string>> | undefined,
  onlyDocumented = false,
): Promise<ConfigChange | undefined> {
  if (params === undefined && !onlyDocumented) return undefined;
  const { changedConfig } = await import('../../app/research/config-changes.ts');
  return (config, strategy, members) => ({
    ...(params === undefined ? config : changedConfig(config, { strategy, members }, { params })),
    ...(onlyDocumented ? { onlyDocumented } : {}),
  });
}
