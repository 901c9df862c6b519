import type { DetailedRecord, RunRecord } from '../events/run-record.ts';
import { unknownHolidayTexts } from '../markets/known-holidays.ts';
import type { CorporateAction } from '../model/corporate-action.ts';
import type { Decimal } from '../model/decimal.ts';
import { plural } from '../model/plural.ts';
import { marketOf } from '../model/symbol.ts';
import { hasAnyRate } from '../simulation/books/interest.ts';
import { interestTexts, lendingText, ratesText } from '../simulation/books/interest-text.ts';
import type { FillModel, LatencyModel, SlippageModel, WholeBars } from '../simulation/models.ts';
import { DEFAULT_RULES, type SimulationRules } from '../simulation/rules.ts';
import { chargeTexts } from './charge-texts.ts';
import { type DeclaredRule, type PaperSetup, sessionsOf } from './setup.ts';

/** Returns the assumptions and limitations of the models, one sentence each; printed with every result. */
export function assumptionsOf(setup: PaperSetup): readonly string[] {
  const { charges, securities } = setup;
  const rules = setup.rules ?? DEFAULT_RULES;
  const indexes = securities.filter((security) => security.kind === 'index');
  return [
    ...fillAssumptions(rules.fills),
    ...fillTexts(rules.fills),
    ...(rules.bidAsk
      ? [
          'Market orders pay the ask, or get the bid, of quotes.csv where one is of this session and as new as the last print, in full; else the print',
        ]
      : []),
    `${latencyText(rules.latency)}, ${typeof rules.fills.limitFills === 'object' ? '' : 'no queue position, '}no call limits`,
    ...omittedChecks(rules.fills),
    ...chargeTexts(charges, { from: setup.from, markets: securities.map(({ symbol }) => marketOf(symbol)) }),
    accountText(setup),
    ...rateTexts(setup),
    ...interestTexts(setup.rules ?? DEFAULT_RULES, setup),
    ...actionTexts(setup),
    ...sessionTexts(setup),
    ...(setup.outsideHours === undefined
      ? []
      : [
          `${plural(setup.outsideHours, 'bar')} outside ${SESSION_TEXTS[sessionsOf(setup)]} ${setup.outsideHours === 1 ? 'is' : 'are'} left out, because a live bot builds none: no decision and no fill happens then`,
        ]),
    ...(rules.fills.hours === 'bars'
      ? []
      : unknownHolidayTexts(
          securities.map(({ symbol }) => marketOf(symbol)),
          setup,
        )),
    ...(setup.ownRules ?? []).map(ruleText),
    ...indexes.map(
      (security) =>
        `${security.symbol} is an index made tradable at its level: it cannot be traded like this`,
    ),
    ...generatedTexts(securities),
  ];
}

type AccountFacts = Pick<PaperSetup, 'fx' | 'ownRules' | 'securities'>;

/** Returns the assumptions for an account at an external venue, where nothing is modelled. */
export function accountAssumptions({ fx, ownRules = [], securities }: AccountFacts): readonly string[] {
  const rates = Object.keys(fx);
  return [
    'Fills, charges, cash and positions are as the venue reported them; nothing is modelled',
    ...(rates.length === 0 ? [] : [`Exchange rates of ${rates.join(', ')} are those of the config`]),
    ...ownRules.map(ruleText),
    ...generatedTexts(securities),
  ];
}

function generatedTexts(securities: PaperSetup['securities']): readonly string[] {
  return securities
    .filter(({ origin }) => origin.kind === 'generated')
    .map(({ symbol }) => `${symbol} is GENERATED data: it is evidence of no real market`);
}

/** Returns how a report counts positions from before the run; empty if there were none. */
export function openingTexts(opening: RunRecord['opening']): readonly string[] {
  if (opening === undefined) return [];
  const unknown = [...opening.holdings].flatMap(([symbol, { averageCost }]) =>
    averageCost === undefined ? [symbol] : [],
  );
  return [
    'Trades in positions held when the run began count from their average cost then; charges and gains of before are left out',
    ...(unknown.length === 0
      ? []
      : [
          `The venue did not state what ${unknown.join(', ')} cost: trades in ${unknown.length === 1 ? 'it' : 'them'} have no profit and count in no figure of trades until the position is flat`,
        ]),
  ];
}

/** Returns the report text about charges for fills of earlier runs. */
export function earlierChargesTexts(charges: NonNullable<RunRecord['earlierCharges']>): readonly string[] {
  return [...charges]
    .filter(([, fee]) => !fee.isZero())
    .map(
      ([currency, fee]) =>
        `The venue stated charges of ${fee.toString()} ${currency} in this run for orders that earlier runs filled: equity has them, the fees of this report do not`,
    );
}

/** Counts exits that expired at the venue and were sent again. */
export function expiredExitsIn(decisions: DetailedRecord['decisions']): number {
  return decisions.filter((each) => each.kind === 'intent-drafted' && each.link?.again === 'expired').length;
}

/** Returns the report text about exits that expired and were sent again; empty if there were none. */
export function expiredExitTexts(again: number): readonly string[] {
  if (again === 0) return [];
  const exits = again === 1 ? '1 exit' : `${again} exits`;
  return [
    `${exits} expired at the venue while the position was held, and ${again === 1 ? 'was' : 'were'} placed again: a good-till-cancelled order lives 90 days. A trailing stop then follows the price from where it is`,
  ];
}

const SESSION_TEXTS = {
  regular: 'regular hours',
  extended: 'pre-market, regular trading, post-market and auctions',
  all: 'all sessions of their market',
};

/** Returns the text about trading outside regular hours; empty if there is none. */
function sessionTexts(setup: PaperSetup): readonly string[] {
  const sessions = sessionsOf(setup);
  if (sessions === 'regular') return [];
  const night = sessions === 'all' ? ', orders "overnight" in that session alone' : '';
  return [
    `Bars of ${SESSION_TEXTS[sessions]} are heard; limit orders that say "any-time" trade before the open and after the close${night}, all others wait for regular trading; limits of Hong Kong are carried into the closing auction; no price band, and spreads are as in regular trading`,
  ];
}

function actionTexts(setup: PaperSetup): readonly string[] {
  const { rules, corporateActions = [], unapplied = [], from, to } = setup;
  if (rules?.corporateActions !== true) {
    const known = unapplied.filter(({ exDay }) => exDay >= from && exDay <= to);
    return [
      'No dividends, splits or other corporate actions are applied',
      ...(known.length === 0
        ? []
        : [
            `WITHIN THIS RUN events.csv has ${known.length} corporate actions, ${countOf(known, 'split')} of them splits: with raw prices say "simulation: { corporateActions: true }"`,
          ]),
    ];
  }
  const ends = corporateActions.filter(({ kind, exDay }) => kind === 'delisting' && exDay <= to);
  return [
    `Dividends (${taxText(rules.dividendTax)}, equity from the ex-day, settled cash from the pay date if it is known) and splits from events.csv, ${corporateActions.length} in all; a split ends open orders`,
    ...ends.map(
      (action) =>
        `${action.symbol} is delisted on ${action.exDay}: what is held is paid ${'price' in action ? action.price : 'the last price'} a share, open orders are cancelled`,
    ),
    'Spin-offs, rights issues and mergers are left out, and taxes on gains',
    'Signals see adjusted bars: after a split all earlier bars are in new shares; fills and bars are as printed, and dividends are in no price',
  ];
}

function taxText(tax: SimulationRules['dividendTax']): string {
  const taxTexts = Object.entries(tax ?? {}).map(([market, share]) => `${market} ${share.times(100)}%`);
  return taxTexts.length === 0
    ? 'untaxed'
    : `${taxTexts.join(', ')} withheld, which a short position does not save`;
}

function countOf(actions: readonly CorporateAction[], kind: CorporateAction['kind']): number {
  return actions.filter((action) => action.kind === kind).length;
}

function fillAssumptions({ matching, path, limitFills, insideBars }: FillModel): readonly string[] {
  if (matching.kind === 'whole-bars') return wholeBarAssumptions(matching);
  const extremes = {
    'nearer-first': 'nearer extreme, other extreme',
    'low-first': 'low, high',
    'high-first': 'high, low',
  };
  return [
    `Each bar is four prints (open, ${extremes[path]}, close); what happened between them is not known`,
    `An order decided at a close fills at the next print at the earliest; resting orders fill at their own price, after a gap at the print; ${queueText(limitFills)}`,
    ...(insideBars === 'tick'
      ? [
          'OPTIMISTIC (insideBars: tick): an order sent while a bar runs fills at the current tick, which may be an extreme of the bar',
        ]
      : []),
  ];
}

function queueText(limitFills: FillModel['limitFills'] = 'touch'): string {
  if (limitFills === 'touch')
    return 'a limit as soon as a print touches it, as if it were first in the queue';
  if (limitFills === 'through')
    return 'a limit only once a print is beyond it, as if it were last in the queue';
  return `a limit once a print is beyond it, and with a chance of ${percent(limitFills.chance)} at each that touches it`;
}

function wholeBarAssumptions({ positions, openingSpread }: WholeBars): readonly string[] {
  return [
    'Orders meet whole bars in the order of a queue: which extreme of a bar came first is not asked',
    'An order decided at a close meets the next bar: at the market at its open, else at its own price or better',
    ...(positions === 'tranches' ? ['What each order opened is kept apart, the oldest closes first'] : []),
    ...(openingSpread.isZero() ? [] : [`Opening costs ${bps(openingSpread)} on top, closing nothing`]),
  ];
}

/** Returns the texts on slippage and volume limits, of the default models or a custom one. */
function fillTexts({ own, slippage, participation }: FillModel): readonly string[] {
  if (own === undefined) return [[slippageText(slippage), volumeText(participation)].join('; ')];
  const slippageLine = own.slippage === undefined ? slippageText(slippage) : 'Limits are never passed';
  const volumeLine = own.room === undefined ? `; ${volumeText(participation)}` : '';
  return [`Fills by the model ${own.label}: ${own.doc}`, `${slippageLine}${volumeLine}`];
}

function ruleText({ name, params, rule }: DeclaredRule): string {
  const assignments = Object.entries(params).map(([param, value]) => `${param} = ${String(value)}`);
  const settings = assignments.length === 0 ? '' : ` (${assignments.join(', ')})`;
  return `Risk rule "${name}"${settings} may deny what all limits let through${rule.doc === undefined ? '' : `: ${rule.doc}`}`;
}

function slippageText(model: SlippageModel): string {
  switch (model.kind) {
    case 'none':
      return 'No market impact, no spread';
    case 'fixed':
      return `Orders that take pay ${bps(model.ratio)} beyond the print, those that rest nothing; no market impact`;
    case 'ticks':
      return `Orders that take pay ${plural(model.ticks, 'tick')} beyond the print, those that rest nothing; no market impact`;
    case 'spread':
      return `Orders that take pay half a spread of ${bps(model.ratio)}, those that rest nothing; no market impact`;
    case 'square-root':
      return `Orders that take pay ${model.coefficient} x volatility x root of their share of the bar's volume, which no later price remembers; no spread`;
  }
}

function volumeText(participation: number | undefined): string {
  return participation === undefined
    ? 'full quantity at every fill'
    : `at most ${percent(participation)} of the volume, the rest waits`;
}

function percent(share: number): string {
  return `${Number((share * 100).toPrecision(12))}%`;
}

function latencyText(model: LatencyModel): string {
  switch (model.kind) {
    case 'none':
      return 'No latency';
    case 'fixed':
      return `Requests take ${model.ms} ms, what comes back none`;
    case 'uniform':
      return `Requests take ${model.minMs} to ${model.maxMs} ms, each as likely, what comes back none`;
  }
}

/** Returns the checks of a real exchange that this run omits. */
function omittedChecks({ hours, checkTicks, checkLots }: FillModel): readonly string[] {
  return [
    ...(hours === 'bars' ? ['The market is open whenever there is a bar; time in force is not applied'] : []),
    ...(checkTicks ? [] : ['Prices off the tick ladder are taken']),
    ...(checkLots ? [] : ['Quantities off the lot are taken']),
  ];
}

/** Returns the texts on exchange rates; empty with a single currency. */
function rateTexts({ cash, currency, fxSeries = [], fx, securities }: PaperSetup): readonly string[] {
  const others = new Set([...Object.keys(cash), ...securities.map((each) => each.currency)]);
  others.delete(currency);
  if (others.size === 0) return [];
  const dated = new Set(fxSeries.map(({ pair }) => pair));
  const fixed = Object.keys(fx).filter((pair) => !dated.has(pair));
  return [
    ...(dated.size === 0
      ? []
      : [
          `Exchange rates of ${[...dated].join(', ')} by file, a day's from the midnight of UTC after it on; nothing is exchanged, so exchanging costs nothing`,
        ]),
    ...(fixed.length === 0
      ? []
      : [
          `Exchange rates of ${fixed.join(', ')} never change; nothing is exchanged, so exchanging costs nothing`,
        ]),
  ];
}

const CLOSE_OUT_TEXTS = {
  none: 'only tells of a margin call',
  forced:
    'closes everything at the last price, slipped, once equity is below the forced-liquidation factors, and continues while maintenance margin exceeds equity (what is held in a closed market at its next print); it grants no days to pay in',
  'as-needed':
    'closes as much at the last price, slipped, the largest loss first, as brings maintenance margin back within equity, once equity is below the forced-liquidation factors (what is held in a closed market at its next print); it grants no days to pay in',
  equity:
    'closes everything at the last price, slipped, once equity is gone (what is held in a closed market at its next print), writing off what is owed',
};

function accountText({ limits, margin, short, rules = DEFAULT_RULES }: PaperSetup): string {
  const { interest } = rules;
  const fee = hasAnyRate(interest.borrow)
    ? `short positions cost ${ratesText(interest.borrow)} of their value, and can always be borrowed`
    : 'short positions cost no borrowing fee';
  const shorts = short === true ? fee : 'nothing is sold short';
  const settled = margin.settledOnly ? ', proceeds buy once they have settled' : ', proceeds buy at once';
  return limits.useMargin
    ? `Margin account: the venue lends up to its estimate, ${lendingText(interest)}, and ${CLOSE_OUT_TEXTS[margin.closeOut]}; ${shorts}`
    : `Cash account: nothing is borrowed, ${shorts}${settled}${short === true ? `; the venue ${CLOSE_OUT_TEXTS[margin.closeOut]}` : ''}`;
}

function bps(ratio: Decimal): string {
  return `${ratio.times(10_000)} bps`;
}
