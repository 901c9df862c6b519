import { firstValueFrom } from 'rxjs';
import { type BrokerClient, createBrokerClient, MINIMAL_FACTS } from '../../broker/connect.ts';
import { readOrigins } from '../../broker/orders/securities.ts';
import type { QuotePackage } from '../../broker/quotes/quote-packages.ts';
import { quotePackageText } from '../../broker/quotes/quote-packages.ts';
import type { BrokerSettings } from '../../broker/settings.ts';
import { socketAddress } from '../../broker/socket/addresses.ts';
import { barClose } from '../../markets/bar-span.ts';
import type { Bar } from '../../model/bar.ts';
import type { Alarm } from '../../model/notice.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';
import type { Security } from '../../model/security.ts';
import { marketOf } from '../../model/symbol.ts';
import { PROFILES } from '../../wire/profiles.ts';
import { explain } from '../broker/open-api.ts';
import { systemRandom } from '../clock/system-random.ts';
import { embeddedVenueFacts } from '../venue/embedded-venue.ts';
import type { BotContext } from './bot-context.ts';
import type { TradingDependencies } from './trading-dependencies.ts';

/**
 * Limits of quote calls for a replaying venue, which enforces none: limits count in market time, which does not
 * advance within a step.
 */
const REPLAY_QUOTE_LIMITS: Partial<BrokerSettings> = { quoteCallsMax: 1_000, quoteWindowMs: 1_000 };

/** A bot that starts right after another waits until the venue accepts calls again, which it counts in 30 s. */
const PATIENT_START: Partial<BrokerSettings> = { connectRetryMs: 40_000 };

/** Calls that the venue allows in 30 s; undefined in simulated market time, where calls are not limited. */
export function callsPer30s(live: boolean): number | undefined {
  return live ? MINIMAL_FACTS.callsPer30s : undefined;
}

/** Creates the broker client of a bot; it sends nothing before it connects. */
export function createBotClient(
  context: Omit<BotContext, 'hosts' | 'killMark' | 'limits' | 'policy'>,
): BrokerClient {
  const { options, dependencies, market, stops, budget } = context;
  const { config, setup } = options;
  const { ready } = dependencies;
  return createBrokerClient({
    httpUrl: ready.http,
    quoteWsUrl: ready.quoteWs,
    tradeWsUrl: ready.tradeWs,
    onlyDocumented: config.onlyDocumented === true,
    credentials: { appKey: ready.appKey, appSecret: ready.appSecret, accessToken: ready.accessToken },
    profile: PROFILES[dependencies.profile],
    machine: dependencies.machine,
    market: () => market.clock.now(),
    random: systemRandom,
    deployment: dependencies.deployment,
    facts: {
      pushComplete: market.stepped,
      callsPer30s: callsPer30s(market.live),
      requestKey: dependencies.requestKey,
      ...embeddedVenueFacts(config),
    },
    alarms: {
      raise: (alarm: Alarm) => {
        options.onAlarm?.(alarm);
        stops.take(alarm);
      },
    },
    closeOf: (bar: Bar) => barClose(marketOf(bar.symbol), bar.period, bar.time),
    paperOnly: config.mode === 'paper',
    withDepth: market.live,
    freeDescriptors: stops.freeDescriptors,
    ...omitUndefined({
      quoteJump: setup.limits.maxQuoteJump,
      budget,
      timestamps: dependencies.timestamps,
      newerToken: dependencies.newerToken,
      settings: market.live ? PATIENT_START : REPLAY_QUOTE_LIMITS,
      onQuotePackages:
        config.broker === undefined
          ? undefined
          : (opened: readonly QuotePackage[]) => options.onQuotePackages?.(opened.map(quotePackageText)),
    }),
  });
}

/** Connects a client. Rejects with an error that names the host and the operation. `interrupted` ends a wait. */
export async function connectClient(
  client: BrokerClient,
  address: string,
  interrupted: AbortSignal | undefined,
): Promise<void> {
  try {
    await client.connect(interrupted);
  } catch (error) {
    throw explain(error, 'connect', new URL(address).host, client);
  }
}

/**
 * Returns the securities of a run with the origin of the venue's quotes: a bot with `data` trades at the venue's
 * prices, not at those of its data.
 */
export async function quotedSecurities(
  { callQuotes: call }: BrokerClient,
  securities: readonly Security[],
  { ownVenue, ready }: TradingDependencies,
): Promise<readonly Security[]> {
  if (ownVenue) return securities;
  const address = socketAddress(ready.quoteWs);
  const symbols = securities.map(({ symbol }) => symbol);
  const origins = await firstValueFrom(readOrigins(symbols, { call, address }));
  const unlisted = { kind: 'unknown', source: address.host } as const;
  return securities.map((each) => ({ ...each, origin: origins.get(each.symbol) ?? unlisted }));
}
