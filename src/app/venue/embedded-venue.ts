import type { BotConfig } from '../../config/bot-config.ts';
import type { BrokerFacts } from '../../ports/broker.ts';
import { venueFacts } from '../../simulation/rules.ts';

/** What a bot knows of a venue that it starts itself: its config says how orders are paid for there, and what they meet. */
export function embeddedVenueFacts({
  broker,
  simulation,
}: Pick<BotConfig, 'broker' | 'simulation'>): Pick<BrokerFacts, 'cover' | 'wholeBars'> {
  if (broker !== undefined) return {};
  const { cover, fills } = simulation.rules;
  return venueFacts(cover, fills);
}
