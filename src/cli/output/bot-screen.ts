import type { BotView } from '../../app/dashboard/followed-bot.ts';
import { Decimal } from '../../model/decimal.ts';
import { printable } from '../../model/printable.ts';
import { MINUTE_MS, type Millis } from '../../model/time.ts';
import { zonedStamp } from '../../model/zoned-stamp.ts';
import { equityFigure, minuteText, percentText, spanText, stampText, wrapped } from '../../reports/format.ts';
import { type Ink, inkFor } from '../../reports/ink.ts';
import { leftOf } from '../../reports/limit-use.ts';
import { ORIGIN_LABELS } from '../../reports/origin.ts';
import { isReplay } from '../../reports/replay.ts';
import { sparkText } from '../../reports/spark.ts';
import { gateText, restrictionText } from '../../reports/status.ts';
import { isCostKnown, unrealisedGain } from '../../reports/unrealised-gain.ts';
import type { WatchCommand } from './watch-keys.ts';

/** Size of the terminal, and state of the screen. */
export interface ScreenState {
  readonly columns: number;
  readonly rows: number;
  readonly colour: boolean;
  /** The command that waits for a second press of its key. */
  readonly pendingCommand: WatchCommand | undefined;
  /** Result of the last command. */
  readonly message: string | undefined;
  /** Key of the selected row; undefined for none. */
  readonly selected: string | undefined;
  /** The history of an order, scrolled to a line, in place of facts and lists. */
  readonly story: { readonly lines: readonly string[]; readonly from: number } | undefined;
  /** Messages of the run, if the screen belongs to `sluice run`; undefined in `sluice watch`. */
  readonly run: RunNotes | undefined;
}

/** Messages of a run, in addition to the state of its bot. */
export interface RunNotes {
  /** Texts for the operator, the oldest first; each may have several lines. */
  readonly notes: readonly string[];
  /** Login link of the dashboard that runs with the bot. */
  readonly dashboard: string | undefined;
}

/** A row of an order. */
export interface OrderRow {
  /** Stable while other rows appear and disappear. */
  readonly key: string;
  readonly intentId: string;
}

const KEYS = 'k kill   p pause   r resume   \u2191\u2193 select   w why   q leave, the bot continues';
const STORY_KEYS = '\u2191\u2193 scroll   w back   k kill   p pause   r resume   q leave, the bot continues';
/** The same if the bot belongs to this terminal. */
const RUN_KEYS = 'k kill  p pause  r resume  \u2191\u2193 select  w why  q leave view  Ctrl-C end bot';
const RUN_STORY_KEYS = '\u2191\u2193 scroll  w back  k kill  p pause  r resume  q leave view  Ctrl-C end bot';
/** The limit that is shown next to the profit of the day. */
const DAY_LOSS = 'loss of the day';
/** Maximum number of note lines. */
const NOTE_LINES_MAX = 3;
/** Width of the equity line in cells. */
const SPARK_CELLS = 28;
/** Minimum number of rows for a bar of three lines on a stopped bot. */
const TALL_ROWS = 16;
const LABEL_CELLS = 14;
/** Maximum number of causes and limits; the dashboard and "sluice status" have all. */
const CAUSES_MAX = 3;
const LIMIT_LINES_MAX = 4;
/** Maximum number of lines of the cause of a restricted gate. */
const BAR_LINES_MAX = 2;
/** Maximum number of lines of one row of a list, and of an alarm. */
const ROW_LINES_MAX = 3;

const QUESTIONS: Readonly<Record<WatchCommand, string>> = {
  kill: 'Kill: cancel all orders and open none until "sluice resume"? Press k again',
  halt: '',
  resume: 'Resume: end the restrictions of an operator, so that orders can open? Press r again',
};

/** Formats a bot as at most `rows` lines of at most `columns` each. */
export function botScreen(bot: BotView, screen: ScreenState): readonly string[] {
  const { columns, rows, colour } = screen;
  const ink = inkFor(colour);
  const top = [headLine(bot, columns, ink), ...gateLines(bot, screen, ink)];
  const bottom = [
    ...noteLines(screen),
    ...(bot.fault === null ? [] : [ink.bad(cut(`journal cannot be read: ${bot.fault}`, columns))]),
    ...alarmLines(bot, screen).map((line) => ink.bad(line)),
    lastLine(screen, ink),
  ];
  const room = Math.max(0, rows - top.length - bottom.length);
  if (screen.story !== undefined) {
    const { lines, from } = screen.story;
    const visibleLines = lines.slice(from, from + room).map((line) => cut(line, columns));
    return [...top, ...visibleLines, ...bottom].slice(-rows);
  }
  const facts = [...linkLines(screen), ...factLines(bot, screen)];
  const lists = listLines(listsOf(bot), Math.max(0, room - facts.length), screen, ink);
  return [...top, ...[...facts, ...lists].slice(0, room), ...bottom].slice(-rows);
}

/** The rows of orders, from top to bottom. */
export function orderRows(bot: BotView): readonly OrderRow[] {
  return listsOf(bot).flatMap(({ rows }) =>
    rows.flatMap(({ key, intentId }) => (key === undefined || intentId === null ? [] : [{ key, intentId }])),
  );
}

/** The order that was decided, filled or denied last; undefined before the first. */
export function latestOrder({ openOrders, fills, denials }: BotView): string | undefined {
  const candidates = [
    ...openOrders.map(({ decidedAt, intentId }) => ({ at: Date.parse(decidedAt), intentId })),
    ...[...fills, ...denials].flatMap(({ at, intentId }) => (intentId === null ? [] : [{ at, intentId }])),
  ];
  return candidates.toSorted((one, other) => other.at - one.at)[0]?.intentId;
}

/** True if an operator, a limit or the market has stopped a bot. */
export function isStopped({ gate }: BotView): boolean {
  return gate.state === 'halted' || gate.state === 'killed';
}

/** Events of a bot between two views, as lines for a file or a pipe; the first view lists everything. */
export function botLines(before: BotView | undefined, now: BotView): readonly string[] {
  const since = before?.seq ?? 0;
  const rows = [
    ...now.fills
      .filter(({ seq }) => seq > since)
      .map((fill) => ({ seq: fill.seq, text: `fill    ${stampText(fill.at)}  ${fillText(fill)}` })),
    ...now.denials
      .filter(({ seq }) => seq > since)
      .map((denial) => ({ seq: denial.seq, text: `denied  ${stampText(denial.at)}  ${denialText(denial)}` })),
    ...(now.warning === null || now.warning.seq <= since
      ? []
      : [
          {
            seq: now.warning.seq,
            text: `alarm   ${stampText(now.warning.at)}  ${now.warning.text}`,
          },
        ]),
  ].toSorted((one, other) => one.seq - other.seq);
  const head = headText(now);
  const gate = `gate    ${gateText(now.gate)}`;
  return [
    ...(before === undefined || headText(before) !== head ? [head] : []),
    ...(before === undefined || gateText(before.gate) !== gateText(now.gate) ? [gate] : []),
    ...rows.map(({ text }) => text),
    ...(now.fault === null || before?.fault === now.fault ? [] : [`journal cannot be read: ${now.fault}`]),
  ].map((line) => printable(line, Number.POSITIVE_INFINITY));
}

function badgeOf(bot: BotView): string {
  if (bot.mode === null) return 'MODE UNKNOWN';
  return isReplay(bot) ? 'REPLAY' : bot.mode.toUpperCase();
}

function headText(bot: BotView): string {
  const strategy = bot.strategy === '' ? '' : `  "${bot.strategy}"`;
  const config = bot.config === '' ? '' : ` from ${bot.config}`;
  return `${badgeOf(bot)}  ${bot.name}${strategy}${config}, ${STATES[bot.state]}`;
}

const STATES: Readonly<Record<BotView['state'], string>> = {
  running: 'runs',
  silent: 'DOES NOT ANSWER',
  died: 'DIED',
  ended: 'ended',
};

function headLine(bot: BotView, columns: number, ink: Ink): string {
  const badge = badgeOf(bot);
  const origin = bot.origin === null ? '' : `  ${ORIGIN_LABELS[bot.origin]}`;
  const text = `${cut(headText(bot), columns - origin.length)}${origin}`;
  const rest = text.slice(badge.length);
  return `${bot.mode === 'paper' ? ink.accent(badge) : ink.warning(badge)}${bot.state === 'running' ? rest : ink.bad(rest)}`;
}

/** The gate in one line, or as a bar across the terminal while it is restricted, with further causes below. */
function gateLines(bot: BotView, { columns, rows }: ScreenState, ink: Ink): readonly string[] {
  const { gate, restrictions } = bot;
  const text = gateText(gate);
  const others = restrictions.map(restrictionText).filter((cause) => cause !== text);
  const causes = others.slice(0, CAUSES_MAX).map((cause) => ink.bad(cut(labelled('also', cause), columns)));
  const more =
    others.length > CAUSES_MAX
      ? [ink.bad(cut(labelled('', `and ${others.length - CAUSES_MAX} more causes`), columns))]
      : [];
  if (gate.state === 'active') return [ink.good(cut(labelled('gate', text), columns)), ...causes, ...more];
  const isTall = rows >= TALL_ROWS;
  const bar = cutLines(`!!! ${gate.state.toUpperCase()} !!!  ${text}`, columns, isTall ? BAR_LINES_MAX : 1);
  const edge = isStopped(bot) && isTall ? ['!'.repeat(columns)] : [];
  const lines = [...edge, ...bar, ...edge].map((line) => ink.warning(line.padEnd(columns)));
  return [...lines, ...causes, ...more];
}

function factLines(bot: BotView, { columns }: ScreenState): readonly string[] {
  const { marketTime, equity, equityAt, zone, currency, quoteAgesMs, limits, unread } = bot;
  const time = marketTime === null ? 'not known yet' : `${marketTime.slice(0, 19).replace('T', ' ')} UTC`;
  const asOf = equityAt === null ? '' : ` on ${zonedStamp(equityAt, zone).slice(0, 10)}`;
  const money = equity === null ? 'not known' : `${equityFigure(equity)} ${currency ?? ''}${asOf}`;
  const ages = Object.entries(quoteAgesMs).map(
    ([symbol, age]) =>
      `${symbol} ${age === null ? 'no quote yet' : age < MINUTE_MS ? `${(age / 1_000).toFixed(1)} s` : spanText(age)}`,
  );
  const next = nextText(bot);
  const day = dayText(bot);
  const limitText = limits
    .filter(({ name }) => name !== DAY_LOSS)
    .map(({ name, value, limit }) => `${name} ${value} of ${limit}`)
    .join(', ');
  const lines = limitText === '' ? [] : wrapped(limitText, columns - LABEL_CELLS).split('\n');
  return [
    labelled('market', `${time}${progressText(bot)}`),
    labelled('equity', `${money}${curveText(bot, columns - LABEL_CELLS - money.length)}`),
    ...(day === undefined ? [] : [labelled('day P&L', day)]),
    ...(next === undefined ? [] : [labelled('next', next)]),
    ...(ages.length === 0 ? [] : [labelled('quote age', ages.join(', '))]),
    ...lines.slice(0, LIMIT_LINES_MAX).map((line, at) => labelled(at === 0 ? 'limits' : '', line)),
    ...(unread === 0 ? [] : [labelled('journal', `${unread} records are still to be read`)]),
  ].map((line) => cut(line, columns));
}

/**
 * The login link on its own line, never shortened, because a part of it is useless; on a narrow terminal it has
 * several lines.
 */
function linkLines({ run, columns }: ScreenState): readonly string[] {
  if (run?.dashboard === undefined) return [];
  const link = printable(run.dashboard, Number.POSITIVE_INFINITY);
  const count = Math.ceil(link.length / columns);
  return Array.from({ length: count }, (_, at) => link.slice(at * columns, (at + 1) * columns));
}

/** The profit of the day, and the loss relative to its limit; undefined if the bot does not state it. */
function dayText({ dayProfit, currency, limits }: BotView): string | undefined {
  const loss = limits.find(({ name }) => name === DAY_LOSS);
  if (loss === undefined) return undefined;
  const profit =
    dayProfit === null
      ? 'profit not known'
      : `${dayProfit > 0 ? '+' : ''}${equityFigure(dayProfit)} ${currency ?? ''}`;
  const left = leftOf(loss.value, loss.limit);
  return `${profit}, loss ${loss.value} of ${loss.limit}${left === undefined ? '' : `, ${left} left`}`;
}

/** Progress of a run on data; empty for a market in real time. */
function progressText({ span, marketTime }: BotView): string {
  if (span === undefined || marketTime === null || span.to <= span.from) return '';
  const share = (Date.parse(marketTime) - span.from) / (span.to - span.from);
  const percent = Math.floor(Math.min(1, Math.max(0, share)) * 100);
  return `   ${percent}%${span.days === undefined ? '' : ` of ${span.days.first} to ${span.days.last}`}`;
}

/** The change of equity since the first value of the journal, and its line. */
function curveText({ equity, equityCurve, zone }: BotView, cells: number): string {
  const first = equityCurve[0];
  if (equity === null || first === undefined || equityCurve.length < 2 || first[1] <= 0) return '';
  const [since, before] = first;
  const gain = `  ${percentText(equity / before - 1, { signed: true })} since ${zonedStamp(since, zone).slice(0, 10)}  `;
  const count = Math.max(0, Math.min(SPARK_CELLS, cells - gain.length, equityCurve.length));
  const points = Array.from(
    { length: count },
    (_, cell) => equityCurve[Math.ceil(((cell + 1) * equityCurve.length) / count) - 1]?.[1] ?? Number.NaN,
  );
  return `${gain}${sparkText(points)}`;
}

/**
 * The newest alarm of the bot, or the newest record that needs attention. The messages of a run have its alarms
 * already.
 */
function alarmLines({ alarms, warning }: BotView, { columns, rows, run }: ScreenState): readonly string[] {
  const [alarm] = run === undefined ? alarms : [];
  const isNewest = alarm !== undefined && (warning === null || alarm.at >= warning.at);
  const newest = isNewest ? { at: alarm.at, text: `${alarm.code}: ${alarm.message}` } : warning;
  if (newest === null) return [];
  const most = rows < TALL_ROWS ? 1 : ROW_LINES_MAX;
  return linesOf(`${stampText(newest.at)}  ${newest.text}`, columns, most).map((line, at) =>
    labelled(at === 0 ? 'alarm' : '', line),
  );
}

/** Text next to a label, in at most `most` lines of which the last is cut. */
function linesOf(text: string, columns: number, most: number): readonly string[] {
  return cutLines(text, columns - LABEL_CELLS, most);
}

function cutLines(text: string, width: number, most: number): readonly string[] {
  const lines = wrapped(printable(text, Number.POSITIVE_INFINITY), width).split('\n');
  if (lines.length <= most) return lines.map((line) => cut(line, width));
  return [...lines.slice(0, most - 1), lines.slice(most - 1).join(' ')].map((line) => cut(line, width));
}

/** The newest lines of the run's messages. */
function noteLines({ run, columns, rows }: ScreenState): readonly string[] {
  if (run === undefined || rows < TALL_ROWS) return [];
  const lines = run.notes.slice(-NOTE_LINES_MAX).flatMap((note) => note.split('\n'));
  return lines
    .slice(-NOTE_LINES_MAX)
    .map((line, at) => cut(labelled(at === 0 ? 'messages' : '', line), columns));
}

interface List {
  readonly name: string;
  readonly rows: readonly ListRow[];
}

interface ListRow {
  readonly text: string;
  /** Absent for rows without an order. */
  readonly key?: string;
  readonly intentId: string | null;
}

function listsOf(bot: BotView): readonly List[] {
  // A run on data may cover many years; otherwise the market time above the lists shows the year.
  const stamp = bot.span === undefined ? shortStamp : minuteText;
  return [
    {
      name: 'positions',
      rows: bot.positions.map((position): ListRow => ({ text: positionText(position, bot), intentId: null })),
    },
    {
      name: 'orders',
      rows: bot.openOrders.map((order) => ({
        text: orderText(order, bot),
        key: `order ${order.intentId}`,
        intentId: order.intentId,
      })),
    },
    {
      name: 'fills',
      rows: bot.fills.map((fill) => ({
        text: `${stamp(fill.at)}  ${fillText(fill)}`,
        key: `fill ${fill.seq}`,
        intentId: fill.intentId,
      })),
    },
    {
      name: 'denials',
      rows: bot.denials.map((denial) => ({
        text: `${stamp(denial.at)}  ${denialText(denial)}`,
        key: `denial ${denial.seq}`,
        intentId: denial.intentId,
      })),
    },
  ];
}

/**
 * Lists in the available lines: one for each, and the rest in turn to lists that have more. A list is scrolled if its
 * selected row would be hidden.
 */
function listLines(
  lists: readonly List[],
  room: number,
  { columns, selected }: ScreenState,
  ink: Ink,
): readonly string[] {
  const shares = lists.map(({ rows }) => ({ rows: 1, lines: 1, first: linesFor(rows[0], columns) }));
  let left = room - lists.length;
  // The first row of each list is shown completely before any list has a second one.
  for (const share of shares) {
    const more = Math.min(left, share.first - 1);
    if (more <= 0) continue;
    share.lines += more;
    left -= more;
  }
  for (let given = true; left > 0 && given; ) {
    given = false;
    for (const [index, { rows }] of lists.entries()) {
      const share = shares[index];
      if (share === undefined || left <= 0 || rows.length <= share.rows) continue;
      const lines = Math.min(left, linesFor(rows[share.rows], columns));
      share.rows += 1;
      share.lines += lines;
      left -= lines;
      given = true;
    }
  }
  return lists.flatMap(({ name, rows }, index) => {
    if (rows.length === 0) return [labelled(name, 'none')];
    const share = shares[index] ?? { rows: 1, lines: 1 };
    const marked = rows.findIndex(({ key }) => key !== undefined && key === selected);
    const first = Math.max(0, marked - share.rows + 1);
    const visibleRows = rows.slice(first, first + share.rows);
    const label = rows.length > visibleRows.length ? `${name} (${rows.length})` : name;
    let spare = share.lines - visibleRows.length;
    return visibleRows.flatMap(({ text }, at) => {
      const lines = linesOf(text, columns, Math.min(ROW_LINES_MAX, 1 + spare));
      spare -= lines.length - 1;
      return lines.map((part, line) => {
        const head = at === 0 && line === 0 ? label : '';
        if (first + at !== marked) return cut(labelled(head, part), columns);
        const mark = line === 0 ? '> ' : '';
        return ink.bold(cut(`${head.padEnd(LABEL_CELLS - 2)}${mark.padEnd(2)}${part}`, columns));
      });
    });
  });
}

/** Number of lines that a row needs. */
function linesFor(row: ListRow | undefined, columns: number): number {
  return row === undefined ? 1 : linesOf(row.text, columns, ROW_LINES_MAX).length;
}

type Position = BotView['positions'][number];

/** A position with its profit at the newest price, and the working orders that would close it. */
function positionText(position: Position, { market, levels }: BotView): string {
  const { symbol, quantity } = position;
  const held = isCostKnown(position)
    ? `${quantity} ${symbol} at ${new Decimal(position.cost).toDecimalPlaces(4).toString()}`
    : `${quantity} ${symbol}, cost not known`;
  const mark = market?.marks.find((each) => each.symbol === symbol);
  const now =
    mark === undefined || mark.price === null
      ? []
      : [`now ${mark.price}${gainText(position, mark.price, mark.currency)}`];
  const side = quantity.startsWith('-') ? 'buy' : 'sell';
  const exits = levels
    .filter(
      (level) => level.symbol === symbol && level.side.toLowerCase() === side && level.kind !== 'market',
    )
    .map(({ kind, open, price, trail }) => {
      const name = kind === 'trailing' ? 'trailing stop' : kind;
      if (trail !== null) return `${name} ${open} by ${trail}`;
      return `${name} ${open}${price === null ? '' : ` at ${price}${distanceText(Number(price), mark?.price)}`}`;
    });
  return [held, ...now, ...(exits.length === 0 ? ['no exit is working'] : exits)].join(', ');
}

function gainText(position: Position, price: number, currency: string): string {
  const gain = unrealisedGain(position, price);
  if (gain === undefined) return '';
  return `, ${gain > 0 ? '+' : ''}${equityFigure(gain)} ${currency}`;
}

/** Distance of an exit from the newest price, such as " (-0.88%)". */
function distanceText(price: number, last: number | null | undefined): string {
  if (last === null || last === undefined || last <= 0) return '';
  return ` (${percentText(price / last - 1, { signed: true })})`;
}

/** A working order, its terms first, with the age of the venue's newest answer about it. */
function orderText(
  { intentId, orderId, strategy, terms, state, open }: BotView['openOrders'][number],
  { levels, marketTime }: BotView,
): string {
  const answeredAt = levels.find((level) => level.intentId === intentId)?.answeredAt ?? null;
  const age = answeredAt === null || marketTime === null ? undefined : Date.parse(marketTime) - answeredAt;
  const answer = age === undefined ? 'no answer yet' : `answer ${ageText(Math.max(0, age))} old`;
  const owner = strategy === undefined ? '' : ` of "${strategy}"`;
  const id = orderId === undefined ? intentId : `${intentId} (order ${orderId})`;
  return `${terms}; ${state}, ${open} open, ${answer}; ${id}${owner}`;
}

function ageText(ms: number): string {
  return ms < MINUTE_MS ? `${Math.round(ms / 1_000)} s` : spanText(ms);
}

/** Such as "regular trading of US opens in 2 d 3 h" or "1d bar of US closes in 12 min". */
function nextText({ market, marketTime }: BotView): string | undefined {
  if (market?.next === undefined || marketTime === null) return undefined;
  const { kind, at, market: exchange, sessions } = market.next;
  const what =
    kind === 'opens'
      ? `${sessions === 'regular' ? 'regular ' : ''}trading of ${exchange} opens`
      : `${market.period} bar of ${exchange} closes`;
  const left = at - Date.parse(marketTime);
  return `${what} in ${left < MINUTE_MS ? `${Math.max(0, Math.ceil(left / 1_000))} s` : spanText(left)}`;
}

function fillText({ side, quantity, symbol, price, fee, currency }: BotView['fills'][number]): string {
  return `${side.toLowerCase()} ${quantity} ${symbol} at ${price}, fee ${fee} ${currency}`;
}

function denialText({ terms, rule, reason }: BotView['denials'][number]): string {
  return `${terms}: ${rule}${reason === '' ? '' : `, ${reason}`}`;
}

/** Day and second of a time. */
function shortStamp(at: Millis): string {
  return stampText(at).slice('2024-'.length, -'.000'.length);
}

function lastLine({ pendingCommand, message, columns, story, run }: ScreenState, ink: Ink): string {
  if (pendingCommand !== undefined) return ink.warning(cut(QUESTIONS[pendingCommand], columns));
  if (message !== undefined) return ink.bold(cut(message, columns));
  const [list, scroll] = run === undefined ? [KEYS, STORY_KEYS] : [RUN_KEYS, RUN_STORY_KEYS];
  return ink.dim(cut(story === undefined ? list : scroll, columns));
}

function labelled(label: string, text: string): string {
  return `${label.padEnd(LABEL_CELLS)}${text}`;
}

/** Escapes first, because escape sequences are longer than the characters they replace. */
function cut(text: string, columns: number): string {
  return printable(printable(text, Number.POSITIVE_INFINITY), columns);
}
