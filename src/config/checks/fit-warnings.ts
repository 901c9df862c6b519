import { unknownHolidayTexts } from '../../markets/known-holidays.ts';
import { sessionsOf } from '../../markets/sessions.ts';
import { plural } from '../../model/plural.ts';
import { type Market, marketOf, type SecuritySymbol } from '../../model/symbol.ts';
import { calendarDay } from '../../model/time.ts';
import { LIMITS } from '../../risk/limits.ts';
import type { BotConfig } from '../bot-config.ts';
import type { ConfigPath, ConfigProblem } from '../config-problem.ts';
import type { SecurityCatalogue } from '../lookups.ts';
import { type LocatedTree, located } from '../yaml/located.ts';

/**
 * Opening orders per minute for which an account has calls: each takes three (estimate, balance, submit). The call
 * budget allows at least 9 of these calls in 31 s, and more with pushes or few positions. @see docs/reliability.md,
 * I-17
 */
const OPENS_PER_MINUTE = 7;
const FULL_DAY = calendarDay('2024-06-05');

/**
 * Warns about valid settings that do not work together: lots that no limit allows, sessions that a market does not
 * have, an order rate beyond the broker's limits.
 */
export function fitWarnings(
  where: LocatedTree,
  config: BotConfig,
  securities: SecurityCatalogue,
): readonly ConfigProblem[] {
  return [
    ...config.symbols.flatMap((symbol) => lotWarnings(where, config, symbol, securities)),
    ...sessionWarnings(where, config),
    ...outsideWarnings(where, config),
    ...budgetWarnings(where, config),
    ...calendarWarnings(where, config),
  ];
}

function calendarWarnings(
  where: LocatedTree,
  { data, symbols, simulation }: BotConfig,
): readonly ConfigProblem[] {
  if (data === undefined || simulation.rules.fills.hours === 'bars') return [];
  return unknownHolidayTexts(symbols.map(marketOf), data).map((message) =>
    warning(where, ['data'], `${data.from} to ${data.to}`, 'days of which all holidays are known', message),
  );
}

function lotWarnings(
  where: LocatedTree,
  { risk }: BotConfig,
  symbol: SecuritySymbol,
  securities: SecurityCatalogue,
): readonly ConfigProblem[] {
  const lot = securities.find(symbol)?.lotSize ?? 1;
  return (['maxOrderQuantity', 'maxPositionQuantity'] as const).flatMap((limit) => {
    if (risk[limit].gte(lot)) return [];
    const message = `One lot of ${symbol} is ${plural(lot, 'share')}, "${limit}" lets through ${risk[limit]}: every order in it is denied`;
    return [
      warning(
        where,
        ['risk', limit],
        plural(risk[limit], 'share'),
        `at least ${plural(lot, 'share')}`,
        message,
      ),
    ];
  });
}

function sessionWarnings(where: LocatedTree, { risk, symbols }: BotConfig): readonly ConfigProblem[] {
  if (risk.maxSession === 'rth-only') return [];
  const markets = new Set(symbols.map(marketOf));
  const without = [...markets].filter((market) => !holdsOthers(market));
  if (without.length === 0) return [];
  const message = `"maxSession" is "${risk.maxSession}", ${without.join(' and ')} trades in regular sessions alone`;
  return [warning(where, ['risk', 'maxSession'], risk.maxSession, 'rth-only', message)];
}

const OTHERS: ReadonlySet<string> = new Set(['pre', 'post', 'overnight']);

const REACH: readonly string[] = ['rth-only', 'any-time', 'overnight'];

function outsideWarnings(
  where: LocatedTree,
  { risk, execution, sessions }: BotConfig,
): readonly ConfigProblem[] {
  const { outsideRth } = execution;
  if (outsideRth === undefined) return [];
  const sessionWarning = (message: string, wanted: string): ConfigProblem =>
    warning(where, ['execution', 'outsideRth'], outsideRth, wanted, message);
  const isDenied = REACH.indexOf(outsideRth) > REACH.indexOf(risk.maxSession);
  const isHeld = outsideRth === 'any-time' ? sessions !== 'regular' : sessions === 'all';
  return [
    ...(isDenied
      ? [
          sessionWarning(
            `Orders ask for "${outsideRth}", "risk.maxSession" is "${risk.maxSession}": all of them are denied`,
            risk.maxSession,
          ),
        ]
      : []),
    ...(isHeld
      ? []
      : [
          sessionWarning(
            `Orders ask for "${outsideRth}", "sessions" is "${sessions}": a simulated market has no prices for them then`,
            'rth-only, or other "sessions"',
          ),
        ]),
  ];
}

function holdsOthers(market: Market): boolean {
  return sessionsOf(market, FULL_DAY).some(({ kind }) => OTHERS.has(kind));
}

function budgetWarnings(where: LocatedTree, { risk, broker }: BotConfig): readonly ConfigProblem[] {
  const isCounted = broker !== undefined && broker.admin === undefined;
  // The default protects against runaway strategies; the user did not choose it.
  if (!isCounted || risk.maxOrderRate <= LIMITS.maxOrderRate.default) return [];
  const most = OPENS_PER_MINUTE;
  const message = `"maxOrderRate" is ${risk.maxOrderRate}/min; the account's 30 calls in 30 s suffice for about ${most} orders a minute that open, the others are denied`;
  return [
    warning(where, ['risk', 'maxOrderRate'], `${risk.maxOrderRate}/min`, `at most ${most}/min`, message),
  ];
}

function warning(
  where: LocatedTree,
  path: ConfigPath,
  value: string,
  wanted: string,
  message: string,
): ConfigProblem {
  return { ...located(where, { code: 'beyond-limit', path, at: 'value', value, wanted, what: '' }), message };
}
