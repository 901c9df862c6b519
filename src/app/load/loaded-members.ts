import type { RunSetup } from '../../backtest/setup.ts';
import type { BotConfig } from '../../config/bot-config.ts';
import type { LoadedMember } from '../../config/load-config.ts';
import type { DeclaredStrategy } from '../../config/plugins/plugin-loader.ts';

/** The strategies of a bot with several, each with its own settings; empty for a bot with one. */
export function membersOf<S extends DeclaredStrategy>(
  { members }: BotConfig,
  loaded: readonly LoadedMember<S>[],
): Pick<RunSetup<S>, 'members'> {
  if (members.length === 0) return {};
  return {
    members: members.flatMap(({ execution: policy, ...own }, at) => {
      const strategy = loaded[at]?.strategy;
      return strategy === undefined ? [] : [{ ...own, policy, strategy }];
    }),
  };
}
