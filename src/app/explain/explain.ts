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
import { maskedAccount } from '../../wire/account-number.ts';
import { checkConfig } from '../load/check-config.ts';
import { warmupOf } from '../load/warmup.ts';
import { explainMembers, ownWorstCases, paramTexts } from './explain-members.ts';
import { amountText, andText, type Explanation, lower, percent } from './explanation-text.ts';

/** Explains in plain words what a bot does under a config, and its worst case. Throws ConfigError. */
export async function explain(path: string, project: string): Promise<readonly Explanation[]> {
  const loaded = await checkConfig(path, project);
  if (loaded.kind === 'problems') throw new ConfigError(loaded.problems);
  const { config, strategy, plugins, warnings } = loaded;
  const warmup = await warmupOf(config, loaded);
  const blocks = [
    { title: 'What it does', sentences: whatItDoes(config, strategy) },
    ...explainMembers(config, loaded.members, { triggerText, orderText }),
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
      : [`${members.length} strategies share one account, called in this order: ${names}`];
  return [
    ...own,
    `It trades ${symbols.join(', ')}${symbols.length > 1 && members.length === 0 ? '; they are called in this order' : ''}`,
    ...(members.length === 0 ? paramTexts(strategy, params) : []),
    broker === undefined
      ? 'On paper it starts its own venue on this machine; no real money can be reached'
      : `On paper it trades the account "${maskedAccount(broker.account)}" (${broker.profile} wire)`,
  ];
}

const FULL_DAY = calendarDay('2024-06-05');

function whenItDecides({ period, symbols, members }: BotConfig, strategy: StrategyFacts): readonly string[] {
  const bars = [...new Set(symbols.map(marketOf))].map(
    (market) => `A full trading day in ${market} has ${barsPerDay(market, period)} of ${period}`,
  );
  return [...(members.length === 0 ? [`It is called ${triggerText(strategy)}`] : []), ...bars];
}

function triggerText({ listensTo }: Pick<StrategyFacts, 'listensTo'>): string {
  const receives = [
    ...(listensTo.has('signal') ? ['for each of its signals, at the close of a bar'] : []),
    ...(listensTo.has('bar') ? ['at the close of every bar'] : []),
    ...(listensTo.has('bars') ? ['once for all bars that close at the same time'] : []),
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

function barsPerDay(market: Market, period: BotConfig['period']): string {
  const length = intradayMs(period);
  if (length === undefined) return 'at most one bar';
  const bars = sessionsOf(market, FULL_DAY)
    .filter(({ kind }) => kind === 'regular')
    .reduce((sum, { open, close }) => sum + Math.ceil((close - open) / length), 0);
  return plural(bars, 'bar');
}

function howItOrders({ execution, members, charges, account, broker }: BotConfig): readonly string[] {
  return [
    ...(members.length === 0 ? orderText(execution) : []),
    charges === 'none'
      ? 'No charges are deducted, unlike at any broker'
      : 'Charges of each market are deducted',
    cashText(account, broker),
  ];
}

function orderText(execution: BotConfig['execution']): readonly string[] {
  const { orderType, offsetTicks, cancelAfterMs } = execution;
  const beyond =
    offsetTicks === 0 ? 'at the last price' : `${plural(offsetTicks, 'tick')} beyond the last price`;
  return [
    orderType === 'MO'
      ? 'Orders are market orders: they fill at the best available price'
      : `Orders are limit orders ${beyond}`,
    cancelAfterMs === undefined
      ? 'Unfilled orders expire at the end of the trading day'
      : `Orders that are unfilled ${durationText(cancelAfterMs)} after the venue accepted them are cancelled`,
  ];
}

function cashText({ cash }: BotConfig['account'], broker: BotConfig['broker']): string {
  const amounts = Object.entries(cash).map(([currency, amount]) => amountText(amount, currency));
  const opening = amounts.join(' and ');
  if (broker === undefined) return `It starts with ${opening}`;
  return `It starts with what the account holds${opening === '' ? '' : `; a backtest starts with ${opening}`}`;
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
    `At most ${risk.maxOrderRate} opening orders a minute, each worth at most ${amountText(risk.maxOrderNotional.amount, risk.maxOrderNotional.currency)}: ${amountText(risk.maxOrderNotional.amount.times(risk.maxOrderRate), account.currency)} a minute, unless another limit applies`,
    `At most ${percent(risk.maxPositionWeight)} of equity in one symbol and ${percent(inAll)} in all${short}${equity.isZero() ? '' : `: ${amountText(inAll.times(equity).round(), account.currency)} of the opening equity of ${amountText(equity.round(), account.currency)}`}`,
    risk.useMargin
      ? `It may borrow from the broker (margin)${broker === undefined ? `, ${lendingText(simulation.rules.interest)}` : ''}`
      : 'It uses only its cash, no margin',
    ...(risk.allowShort && broker === undefined
      ? [
          `Shares sold short cost ${ratesText(simulation.rules.interest.borrow)} of their value, and can always be borrowed`,
        ]
      : []),
    `At most ${plural(risk.maxOpenOrders, 'order')} ${risk.maxOpenOrders === 1 ? 'is' : 'are'} open at once`,
    `That order rate uses up to ${plural(calls, 'call')} a minute of the ${CALLS_PER_MINUTE} that the broker allows${calls > CALLS_PER_MINUTE ? '; further orders wait' : ''}`,
  ];
}

function whatStopsIt({ risk }: BotConfig): readonly string[] {
  return [
    `A daily loss of ${percent(risk.maxDailyLoss)}, or a drawdown of ${percent(risk.maxDrawdown)}, stops all opening orders`,
    `So do ${plural(risk.maxUnattendedFills, 'fill')} in a day without an operator command, and ${plural(risk.maxBreaches, 'denial')} within ${durationText(risk.breachWindow)}`,
    `An order is denied if its price is farther than ${percent(risk.priceCollar)} from the quote, or the quote is older than ${durationText(risk.maxQuoteAge)}`,
    ...(risk.restricted.length === 0 ? [] : [`No positions are opened in ${risk.restricted.join(', ')}`]),
  ];
}

function ownRules({ rules }: BotConfig, plugins: LoadedPlugins): readonly string[] {
  return rules.map((used) => {
    const { doc } = plugins.get('risk-rule', used.use).facts;
    return `The risk rule ${usedText(used)} may deny orders that pass all limits: ${describedBy(doc)}. If it fails, no positions are opened`;
  });
}

function howItFills({ simulation }: BotConfig, plugins: LoadedPlugins): readonly string[] {
  const { fills, rules } = simulation;
  const resting = restingText(rules.fills.limitFills);
  if (fills === undefined) return resting;
  const { doc = '' } = plugins.get('fill-model', fills.use).facts;
  return [...resting, `In a simulation, orders fill by the model ${usedText(fills)}: ${lower(doc)}`];
}

function restingText(limitFills: FillModel['limitFills'] = 'touch'): readonly string[] {
  if (limitFills === 'touch') return [];
  if (limitFills === 'through')
    return ['In a simulation, a working limit order fills only when the price trades beyond its limit'];
  return [
    `In a simulation, a working limit order fills when the price trades beyond its limit, and with a chance of ${percent(new Decimal(limitFills.chance))} when the price touches it`,
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
  return lower(doc ?? 'no description ("doc")');
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
      ? [`Securities and bars ${bars}, which it requests from the broker`]
      : [`Bars ${past}`]),
    ...(replayed === data ? [] : [`A backtest needs bars ${past}`]),
    warmup === 0
      ? 'No bars are needed before the first day'
      : `${plural(warmup, 'bar')} before ${replayed?.from ?? 'it starts'} are for warm-up; no decisions are made on them`,
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
