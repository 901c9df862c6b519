import type { BotConfig } from '../config/bot-config.ts';
import type { BrokerFacts } from '../ports/broker.ts';
import { coverFact } from '../simulation/rules.ts';

/** What a bot knows of a venue that it starts itself: its config says how orders are paid for there. */
export function ownVenueFacts({
  broker,
  simulation,
}: Pick<BotConfig, 'broker' | 'simulation'>): Partial<Pick<BrokerFacts, 'cover'>> {
  const cover = broker === undefined ? coverFact(simulation.rules.cover) : undefined;
  return cover === undefined ? {} : { cover };
}
