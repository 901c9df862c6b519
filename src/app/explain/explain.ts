import type { BotConfig, PluginUse } from '../../config/bot-config.ts';
import { ConfigError } from '../../config/config-error.ts';
import type { LoadedPlugins } from '../../config/plugins/used-plugins.ts';
import { durationText } from '../../config/schema/units.ts';
import { sessionsOf } from '../../markets/sessions.ts';
import { Decimal } from '../../model/decimal.ts';
import { rateBetween } from '../../model/fx.ts';
import { intradayMs } from '../../model/period.ts';
import { plural } from '../../model/plural.ts';
import { type Market, marketOf } from '../../model/symbol.ts';
import { calendarDay } from '../../model/time.ts';
import { NOTICE_HOOKS, NOTIFIER_EVENTS, type NotifierEvent } from '../../plugins/define-notifier.ts';
import { lendingText, ratesText } from '../../simulation/books/interest-text.ts';
import type { FillModel } from '../../simulation/models.ts';
import type { StrategyFacts } from '../../strategy/strategy-facts.ts';
import { shownAccount } from '../../wire/account-number.ts';
import { checkConfig } from '../load/check-config.ts';
import { warmupOf } from '../load/warmup.ts';
import { explainMembers, ownWorstCases, paramTexts } from './explain-members.ts';
import { amountText, andText, type Explanation, lower, percent } from './explain-words.ts';

/** Explains in plain words what a bot does under a config, and its worst case. Throws ConfigError. */
export async function explain(path: string, project: string): Promise<readonly Explanation[]> {
  const loaded = await checkConfig(path, project);
  if (loaded.kind === 'problems') throw new ConfigError(loaded.problems);
  const { config, strategy, plugins, warnings } = loaded;
  const warmup = await warmupOf(config, loaded);
  const blocks = [
    { title: 'What it does', sentences: whatItDoes(config, strategy) },
    ...explainMembers(config, loaded.members, { whenAsked: triggerText, howOrdersLook }),
    { title: 'When it decides', sentences: whenItDecides(config, strategy) },
    { title: 'How it orders', sentences: [...howItOrders(config), ...howItFills(config, plugins)] },
    { title: 'The worst case', sentences: [...ownWorstCases(config), ...worstCase(config)] },
    { title: 'What stops it', sentences: [...whatStopsIt(config), ...ownRules(config, plugins)] },
    ...(config.notify.length === 0
      ? []
      : [{ title: 'Whom it notifies', sentences: notifierTexts(config, plugins) }]),
    { title: 'What it needs', sentences: whatItNeeds(config, hooksOfAll(loaded), warmup) },
  ];
  if (warnings.length === 0) return blocks;
  return [...blocks, { title: 'What does not fit', sentences: warnings.map(({ message }) => message) }];
}

function whatItDoes(
  { symbols, params, strategy: name, members, broker }: BotConfig,
  strategy: StrategyFacts,
): readonly string[] {
  const names = members.map((each) => `"${each.name}"`).join(', ');
  const own =
    members.length === 0
      ? [`"${name}": ${describedBy(strategy.doc)}`]
      : [`${members.length} strategies share one account, asked in this order: ${names}`];
  return [
    ...own,
    `It trades ${symbols.join(', ')}${symbols.length > 1 && members.length === 0 ? ', asked in this order' : ''}`,
    ...(members.length === 0 ? paramTexts(strategy, params) : []),
    broker === undefined
      ? 'Run on paper, it starts its own venue on this machine; no real money can be reached'
      : `Run on paper, it trades the account "${shownAccount(broker.account)}" (${broker.profile} wire)`,
  ];
}

const FULL_DAY = calendarDay('2024-06-05');

function whenItDecides({ period, symbols, members }: BotConfig, strategy: StrategyFacts): readonly string[] {
  const bars = [...new Set(symbols.map(marketOf))].map(
    (market) => `${market} closes ${barsADay(market, period)} of ${period} on a full day`,
  );
  return [...(members.length === 0 ? [`It is called ${triggerText(strategy)}`] : []), ...bars];
}

function triggerText({ listensTo }: Pick<StrategyFacts, 'listensTo'>): string {
  const receives = [
    ...(listensTo.has('signal') ? ['when one of its signals is raised, at the close of a bar'] : []),
    ...(listensTo.has('bar') ? ['at the close of every bar'] : []),
    ...(listensTo.has('bars') ? ['once for all bars that close together'] : []),
    ...(listensTo.has('quote') ? ['at every quote'] : []),
    ...(listensTo.has('start') ? ['when the run begins'] : []),
    ...(listensTo.has('fill') ? ['at every fill of its orders'] : []),
    ...(listensTo.has('order') ? ['whenever one of its orders changes'] : []),
  ];
  return receives.join('; ');
}

/** The hooks of all strategies of a bot. */
function hooksOfAll({
  strategy,
  members,
}: {
  readonly strategy: StrategyFacts;
  readonly members: readonly { readonly strategy: StrategyFacts }[];
}): Pick<StrategyFacts, 'listensTo'> {
  const all = [strategy, ...members.map((each) => each.strategy)];
  return { listensTo: new Set(all.flatMap(({ listensTo }) => [...listensTo])) };
}

function barsADay(market: Market, period: BotConfig['period']): string {
  const length = intradayMs(period);
  if (length === undefined) return 'at most one bar';
  const bars = sessionsOf(market, FULL_DAY)
    .filter(({ kind }) => kind === 'regular')
    .reduce((sum, { open, close }) => sum + Math.ceil((close - open) / length), 0);
  return plural(bars, 'bar');
}

function howItOrders({ execution, members, charges, account, broker }: BotConfig): readonly string[] {
  return [
    ...(members.length === 0 ? howOrdersLook(execution) : []),
    charges === 'none'
      ? 'Nothing is charged, which no broker does'
      : "Each market's own charges are reckoned in",
    cashText(account, broker),
  ];
}

function howOrdersLook(execution: BotConfig['execution']): readonly string[] {
  const { orderType, offsetTicks, cancelAfterMs } = execution;
  const beyond =
    offsetTicks === 0 ? 'at the last price' : `${plural(offsetTicks, 'tick')} beyond the last price`;
  return [
    orderType === 'MO'
      ? 'Orders are market orders: they take what the market gives'
      : `Orders are limit orders ${beyond}`,
    cancelAfterMs === undefined
      ? 'What is not filled stays until its day is over'
      : `What is not filled ${durationText(cancelAfterMs)} after the venue took it is cancelled`,
  ];
}

function cashText({ cash }: BotConfig['account'], broker: BotConfig['broker']): string {
  const amounts = Object.entries(cash).map(([currency, amount]) => amountText(amount, currency));
  const opening = amounts.join(' and ');
  if (broker === undefined) return `It begins with ${opening}`;
  return `It begins with what the account holds${opening === '' ? '' : `; a backtest of it with ${opening}`}`;
}

/** Calls that one opening order may need: buy limit, margin ratio, balance, the submit itself, and one read. */
const CALLS_PER_ORDER = 5;
const CALLS_PER_MINUTE = 60;

function worstCase({ risk, symbols, account, simulation, broker }: BotConfig): readonly string[] {
  // A bot on an account trades what the account has; the config's cash is for its backtests.
  const equity = broker === undefined ? openingEquity(account) : new Decimal(0);
  const inAll = Decimal.min(risk.maxGrossExposure, risk.maxPositionWeight.times(symbols.length));
  const short = risk.allowShort ? ', long or short' : ', long only';
  const calls = risk.maxOrderRate * CALLS_PER_ORDER;
  return [
    `At most ${risk.maxOrderRate} opening orders a minute, each worth at most ${amountText(risk.maxOrderNotional.amount, risk.maxOrderNotional.currency)}: ${amountText(risk.maxOrderNotional.amount.times(risk.maxOrderRate), account.currency)} a minute before another limit speaks`,
    `At most ${percent(risk.maxPositionWeight)} of equity in one symbol and ${percent(inAll)} in all${short}${equity.isZero() ? '' : `: ${amountText(inAll.times(equity).round(), account.currency)} of the opening equity of ${amountText(equity.round(), account.currency)}`}`,
    risk.useMargin
      ? `It may use the venue's credit${broker === undefined ? `, lent ${lendingText(simulation.rules.interest)}` : ''}`
      : 'It uses its own cash alone',
    ...(risk.allowShort && broker === undefined
      ? [
          `Shares sold short cost ${ratesText(simulation.rules.interest.borrow)} of their value, and can always be borrowed`,
        ]
      : []),
    `At most ${plural(risk.maxOpenOrders, 'order')} ${risk.maxOpenOrders === 1 ? 'is' : 'are'} open at once`,
    `That rate takes up to ${plural(calls, 'call')} a minute of the ${CALLS_PER_MINUTE} that the broker allows${calls > CALLS_PER_MINUTE ? '; orders beyond it wait their turn' : ''}`,
  ];
}

function whatStopsIt({ risk }: BotConfig): readonly string[] {
  return [
    `A day's loss of ${percent(risk.maxDailyLoss)}, or a fall of ${percent(risk.maxDrawdown)} from the highest equity, ends opening orders`,
    `So do ${plural(risk.maxUnattendedFills, 'fill')} in a day without a command of the operator, and ${plural(risk.maxBreaches, 'denial')} within ${durationText(risk.breachWindow)}`,
    `A price farther than ${percent(risk.priceCollar)} from the quote, or a quote older than ${durationText(risk.maxQuoteAge)}, denies an order`,
    ...(risk.restricted.length === 0 ? [] : [`Nothing is opened in ${risk.restricted.join(', ')}`]),
  ];
}

function ownRules({ rules }: BotConfig, plugins: LoadedPlugins): readonly string[] {
  return rules.map((used) => {
    const { doc } = plugins.get('risk-rule', used.use).facts;
    return `The risk rule ${usedText(used)} may deny what all limits let through: ${describedBy(doc)}; should it fail, nothing opens`;
  });
}

function howItFills({ simulation }: BotConfig, plugins: LoadedPlugins): readonly string[] {
  const { fills, rules } = simulation;
  const resting = restingText(rules.fills.limitFills);
  if (fills === undefined) return resting;
  const { doc = '' } = plugins.get('fill-model', fills.use).facts;
  return [...resting, `Simulated, it fills by the model ${usedText(fills)}: ${lower(doc)}`];
}

function restingText(limitFills: FillModel['limitFills'] = 'touch'): readonly string[] {
  if (limitFills === 'touch') return [];
  if (limitFills === 'through')
    return ['Simulated, a working limit order fills only when the price trades beyond its limit'];
  return [
    `Simulated, a working limit order fills when the price trades beyond its limit, and with a chance of ${percent(new Decimal(limitFills.chance))} when the price touches it`,
  ];
}

const EVENT_TEXTS: Readonly<Record<NotifierEvent, string>> = {
  alarms: 'every alarm',
  fills: 'fills',
  denials: 'denials',
  gate: 'changes of the gate',
  days: 'the figures of each day',
  runs: 'the start and the end of the bot',
};

function notifierTexts({ notify }: BotConfig, plugins: LoadedPlugins): readonly string[] {
  return notify.map((used) => {
    const { doc, hooks } = plugins.get('notifier', used.use).facts;
    const events = used.events.flatMap((event) =>
      NOTIFIER_EVENTS[event].some((kind) => hooks.includes(NOTICE_HOOKS[kind])) ? [EVENT_TEXTS[event]] : [],
    );
    const variables = Object.values(used.secrets);
    const needs = variables.length === 0 ? '' : `; it needs ${variables.join(', ')} in the environment`;
    return `The notifier ${usedText(used)} receives ${andText(events)}: ${describedBy(doc)}${needs}`;
  });
}

function usedText({ use, params }: PluginUse): string {
  const assignments = Object.entries(params).map(([name, value]) => `${name} = ${String(value)}`);
  return assignments.length === 0 ? `"${use}"` : `"${use}" (${assignments.join(', ')})`;
}

function describedBy(doc: string | undefined): string {
  return lower(doc ?? 'its author does not describe it');
}

function whatItNeeds(
  { symbols, period, data, broker }: BotConfig,
  strategy: Pick<StrategyFacts, 'listensTo'>,
  warmup: number,
): readonly string[] {
  const bars = `of ${period} of ${symbols.join(', ')}`;
  const past = data === undefined ? bars : `${bars} from ${data.from} to ${data.to}, in "${data.dir}"`;
  const replayed = broker === undefined ? data : undefined;
  return [
    ...(replayed === undefined
      ? [`Securities and bars ${bars}, which it asks the broker for`]
      : [`Bars ${past}`]),
    ...(replayed === data ? [] : [`A backtest of it needs bars ${past}`]),
    warmup === 0
      ? 'It needs no bars before the first day'
      : `${plural(warmup, 'bar')} before ${replayed?.from ?? 'it starts'} warm it up; nothing is decided on them`,
    ...(strategy.listensTo.has('quote')
      ? ['Live, it needs quotes of every trade: a quote package of each market']
      : []),
  ];
}

function openingEquity({ cash, currency, fx }: BotConfig['account']): Decimal {
  return Object.entries(cash).reduce(
    (sum, [held, amount]) => sum.plus(amount.times(rateBetween(held, currency, fx) ?? 0)),
    new Decimal(0),
  );
}
