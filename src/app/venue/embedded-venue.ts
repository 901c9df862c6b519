import type { BotConfig } from '../../config/bot-config.ts';
import type { BrokerFacts } from '../../ports/broker.ts';
import { venueFacts } from '../../simulation/rules.ts';

/** Facts of a venue that the bot starts itself, from its config: how orders are paid for, and how they match bars. */
export function embeddedVenueFacts({
  broker,
  simulation,
}: Pick<BotConfig, 'broker' | 'simulation'>): Pick<BrokerFacts, 'cover' | 'wholeBars'> {
  if (broker !== undefined) return {};
  const { cover, fills } = simulation.rules;
  return venueFacts(cover, fills);
}
