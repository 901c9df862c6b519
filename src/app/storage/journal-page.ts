import { existsSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { accountAssumptions, earlierChargesTexts, openingTexts } from '../../backtest/assumptions.ts';
import type { LivePrices, LiveStatus } from '../../dashboard/bot-source.ts';
import { createOpening, journaledRun } from '../../engine/engine.ts';
import type { SluiceEvent } from '../../events/event.ts';
import { FillPrices } from '../../events/fill-prices.ts';
import { createFold } from '../../events/fold.ts';
import { fillsAmong, type KeptPrices, type RunRecord } from '../../events/run-record.ts';
import { unfinishedOrders } from '../../execution/reconciliation/final-reconciliation.ts';
import { readSqliteJournal } from '../../journal/read-sqlite.ts';
import { ZERO } from '../../model/decimal.ts';
import type { Currency } from '../../model/money.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';
import { isPeriod } from '../../model/period.ts';
import type { DataOrigin, Security } from '../../model/security.ts';
import { type SecuritySymbol, securitySymbol } from '../../model/symbol.ts';
import { type Millis, millis } from '../../model/time.ts';
import type { OriginKind } from '../../reports/origin.ts';
import { type RunPage, type RunSource, runPage } from '../../reports/run-page.ts';
import { type BotInfo, isRunning, readBotInfo } from '../control/bot-info.ts';
import { requestBot } from '../control/request-bot.ts';
import { RunFileError } from './run-page.ts';
import { RUN_FILE } from './run-source.ts';

/** Timeout after which a bot is reported from its journal alone. */
const ANSWER_MS = 2_000;
const NOT_THERE = 'not in the journal';

/**
 * The page of the newest run of a bot that has saved none of it, read from its journal up to now: of a bot that runs, or that was killed. A running
 * bot adds its equity of now and the bars that it keeps. Undefined for a folder without a journal, and for one that has the page of its newest
 * run. Throws RunFileError for a journal in which no run has started, JournalError for one that cannot be read.
 */
export async function journalPage(named: string, project: string): Promise<RunPage | undefined> {
  const folder = resolve(project, named);
  const journal = join(folder, 'journal.db');
  const info = readBotInfo(folder);
  if (!existsSync(journal) || hasOwnPage(folder, info)) return undefined;
  const live = info === undefined ? undefined : await liveFacts(folder, info);
  const run = readRun(journal);
  if (run === undefined)
    throw new RunFileError(named, 'no run has started in its journal yet: report it once the bot trades');
  const { started, lease, ended, newest } = run;
  const securities = securitiesOf(run, info?.origin, live?.prices ?? []);
  const record = recordOf(run, {
    ownVenue: info?.ownVenue === true,
    securities,
    live,
    mode: info?.mode ?? 'paper',
    journal: relative(project, journal),
  });
  const source: RunSource = {
    yaml: `# The config ${started.config} is ${NOT_THERE}`,
    yamlSha256: lease?.configHash ?? NOT_THERE,
    strategySha256: NOT_THERE,
    sluice: lease?.version ?? `of a version that is ${NOT_THERE}`,
    node: `of a version that is ${NOT_THERE}`,
  };
  return {
    ...runPage(record, [], source),
    unfinished: {
      state: live !== undefined ? 'running' : ended === undefined ? 'killed' : 'ended',
      until: new Date(record.to).toISOString(),
      record: newest.seq,
      missing: missingOf(run, live),
    },
  };
}

/**
 * True if the saved page is that of the newest run: a bot that trades an account again leaves the page of its
 * previous run in its folder.
 */
function hasOwnPage(folder: string, info: BotInfo | undefined): boolean {
  const saved = statSync(join(folder, RUN_FILE), { throwIfNoEntry: false });
  if (saved === undefined) return false;
  return info === undefined || info.ended !== undefined || saved.mtimeMs > Date.parse(info.since);
}

/** State that a running bot reports. */
interface LiveFacts {
  /** Undefined if it did not answer. */
  readonly status: LiveStatus | undefined;
  readonly prices: readonly LivePrices[];
}

/** Undefined for a bot whose process has ended. */
async function liveFacts(folder: string, info: BotInfo): Promise<LiveFacts | undefined> {
  if (info.ended !== undefined || !isRunning(info.pid)) return undefined;
  const ask = (request: object) => requestBot(folder, { request, timeoutMs: ANSWER_MS });
  const answer = await ask({ kind: 'status' });
  if (answer.kind === 'silent' && answer.gone) return undefined;
  const status = answer.kind === 'status' ? (answer.status as LiveStatus) : undefined;
  const prices: LivePrices[] = [];
  for (const symbol of Object.keys(status?.quoteAgesMs ?? {})) {
    const reply = await ask({ kind: 'prices', symbol, series: true });
    if (reply.kind === 'prices') prices.push(reply.prices as LivePrices);
  }
  return { status, prices };
}

type Kind<K extends SluiceEvent['kind']> = Extract<SluiceEvent, { readonly kind: K }>;

/** The newest run of a journal. */
type JournalRun = NonNullable<ReturnType<typeof readRun>>;

function readRun(path: string) {
  const fold = createFold();
  const reader = readSqliteJournal(path);
  let opening = createOpening();
  let prices = new FillPrices();
  let points: { time: number; value: number; exposure: number }[] = [];
  let run: { from: Millis; lease: Kind<'lease-taken'> | undefined; events: SluiceEvent[] } | undefined;
  let started: Kind<'run-started'> | undefined;
  let ended: Kind<'run-ended'> | undefined;
  let newest: { readonly seq: number; readonly at: Millis } | undefined;
  let unvalued = 0;
  try {
    for (const { seq, event } of reader.records()) {
      fold.apply(event);
      newest = { seq, at: event.at };
      const begins =
        event.kind === 'lease-taken' ||
        (event.kind === 'run-started' && (run === undefined || ended !== undefined));
      if (begins) {
        run = { from: event.at, lease: event.kind === 'lease-taken' ? event : undefined, events: [] };
        [opening, prices, points, ended, unvalued] = [createOpening(), new FillPrices(), [], undefined, 0];
      }
      opening.handle(event, fold.state);
      prices.apply(event);
      run?.events.push(event);
      if (event.kind === 'run-started') started = event;
      if (event.kind === 'run-ended') ended = event;
      if (event.kind !== 'order-filled' && event.kind !== 'foreign-filled') continue;
      const value = started && prices.value(fold.state.portfolio, started.currency);
      if (value === undefined) unvalued += 1;
      else points.push({ time: event.at, value: value.equity, exposure: value.exposure });
    }
  } finally {
    reader.close();
  }
  if (run === undefined || started === undefined || newest === undefined) return undefined;
  const { decisions, earlierCharges, earlierOrders } = journaledRun(run.events, (id) => fold.state.order(id));
  return {
    ...run,
    ...{ started, ended, newest, points, unvalued, decisions, earlierCharges, earlierOrders },
    opening: opening.holdings(),
    state: fold.state,
  };
}

interface RecordFacts {
  readonly securities: readonly Security[];
  readonly live: LiveFacts | undefined;
  readonly mode: 'paper' | 'live';
  readonly journal: string;
  readonly ownVenue: boolean;
}

function recordOf(run: JournalRun, { securities, live, mode, journal, ownVenue }: RecordFacts): RunRecord {
  const { started, from, decisions, earlierCharges, earlierOrders, opening, state } = run;
  const now = Date.parse(live?.status?.marketTime ?? '');
  const to = millis(Number.isNaN(now) ? run.newest.at : Math.max(now, run.newest.at));
  const equityNow = live?.status?.equity ?? null;
  const ascending = [
    ...run.points,
    // Exposure is not reported; it is assumed to be that of the newest fill.
    ...(equityNow === null
      ? []
      : [{ time: to, value: equityNow, exposure: run.points.at(-1)?.exposure ?? 0 }]),
  ].filter(({ time }, at, all) => time < (all[at + 1]?.time ?? Number.POSITIVE_INFINITY));
  const fills = fillsAmong(decisions);
  const count = (kind: SluiceEvent['kind']): number =>
    run.events.filter((event) => event.kind === kind).length;
  const keptPrices = (live?.prices ?? []).flatMap(keptOf);
  return {
    mode,
    strategy: started.strategy,
    config: started.config,
    securities,
    currency: started.currency,
    from,
    to,
    initialEquity: openingEquityOf(run),
    equity: {
      time: Float64Array.from(ascending, ({ time }) => time),
      value: Float64Array.from(ascending, ({ value }) => value),
      exposure: Float64Array.from(ascending, ({ exposure }) => exposure),
    },
    flow: {
      ...{ quotes: 0, bars: 0, signals: 0 },
      intents: count('intent-drafted'),
      denied: count('intent-denied'),
      orders: count('submit-acked'),
      fills: fills.length,
    },
    decisions,
    fills,
    assumptions: [
      ...(ownVenue
        ? ['Fills were simulated by the embedded venue; what its models assume is not in the journal']
        : accountAssumptions({ fx: {}, securities })),
      ...openingTexts(opening),
      ...earlierChargesTexts(earlierCharges),
    ],
    journal,
    gate: state.gate.standing,
    left: unfinishedOrders(state),
    ...omitUndefined({
      opening,
      earlierOrders: earlierOrders.size === 0 ? undefined : earlierOrders,
      earlierCharges: earlierCharges.size === 0 ? undefined : earlierCharges,
      keptPrices: keptPrices.length === 0 ? undefined : keptPrices,
    }),
  };
}

/**
 * Equity that the venue stated at the start; journals of earlier versions have only cash, which is all of it if there
 * was no position.
 */
function openingEquityOf({ started, points }: JournalRun): number {
  if (started.equity !== undefined) return started.equity.toNumber();
  const foreign = Object.entries(started.cash).some(
    ([currency, amount]) => currency !== started.currency && !amount.isZero(),
  );
  const [first] = points;
  if (!foreign && started.positions.every(({ quantity }) => quantity.isZero()))
    return (started.cash[started.currency] ?? ZERO).toNumber();
  return first?.value ?? Number.NaN;
}

function keptOf({ symbol, period, bars, indicators }: LivePrices): readonly KeptPrices[] {
  if (symbol === null || bars.length === 0 || !isPeriod(period)) return [];
  return [{ symbol: securitySymbol(symbol), period, bars, indicators: indicators ?? null }];
}

/** The securities of a run, from its journal and its bot: a journal has neither names nor the origin of prices. */
function securitiesOf(
  { decisions, opening, state }: JournalRun,
  origin: OriginKind | undefined,
  prices: readonly LivePrices[],
): readonly Security[] {
  const currencies = new Map<SecuritySymbol, Currency>();
  for (const [symbol, { currency }] of [...(opening?.holdings ?? []), ...state.portfolio.holdings])
    currencies.set(symbol, currency);
  for (const { symbol, currency } of fillsAmong(decisions)) currencies.set(symbol, currency);
  for (const { symbol, currency } of prices.flatMap(({ marks }) => marks))
    currencies.set(securitySymbol(symbol), currency);
  return Array.from(currencies, ([symbol, currency]) => ({
    symbol,
    names: { en: symbol, zhCn: symbol, zhHk: symbol },
    kind: 'stock' as const,
    board: '',
    currency,
    lotSize: 1,
    margin: { initial: ZERO, maintenance: ZERO, forced: ZERO },
    tradable: true,
    origin: originFor(origin),
  }));
}

function originFor(kind: OriginKind | undefined): DataOrigin {
  switch (kind) {
    case 'generated':
      return { kind, method: `the method is ${NOT_THERE}` };
    case 'real':
      return { kind, source: `a source that is ${NOT_THERE}`, license: NOT_THERE };
    default:
      return { kind: 'unknown', source: 'the journal' };
  }
}

/** What is missing compared with the page of a run that ended normally; one sentence without a full stop each. */
function missingOf({ started, unvalued, ended }: JournalRun, live: LiveFacts | undefined): readonly string[] {
  return [
    ...(ended === undefined
      ? []
      : [`The run ended (${ended.reason})${ended.message === '' ? '' : `: ${ended.message}`}`]),
    live?.status?.equity === undefined || live.status.equity === null
      ? "Equity is known at fills alone, at the prices of the bot's own fills; what positions were worth between and since is not in the journal"
      : "Equity is known at fills, at the prices of the bot's own fills, and now, as the bot states it; equity between is not in the journal",
    ...(unvalued === 0
      ? []
      : [
          `Equity at ${unvalued} fills is missing: a price, or the rate of a currency other than ${started.currency}, is not in the journal`,
        ]),
    ...(live === undefined || live.prices.length === 0
      ? ['Bars, signals and series of the strategy are not in the journal, so no price chart is drawn']
      : []),
    'Names of securities, buy and hold, excursions of trades, the config and what the models assume are not in the journal',
  ];
}
