import type { ConfigChange } from '../app/load-run.ts';

/** What `--param` puts in place of the YAML's parameters, checked like those; nothing when it was not given. */
export async function withParams(
  params: Readonly<Record<string, number | boolean | string>> | undefined,
): Promise<ConfigChange | undefined> {
  if (params === undefined) return undefined;
  const { changedConfig } = await import('../app/config-changes.ts');
  return (config, strategy, members) => changedConfig(config, { strategy, members }, { params });
}
