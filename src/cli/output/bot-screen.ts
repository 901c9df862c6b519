import type { BotView } from '../../app/dashboard/followed-bot.ts';
import { Decimal } from '../../model/decimal.ts';
import { printable } from '../../model/printable.ts';
import { equityFigure, stampText, wrapped } from '../../reports/format.ts';
import { type Ink, inkFor } from '../../reports/ink.ts';
import { gateText, orderText, restrictionText } from '../../reports/status.ts';
import type { WatchCommand } from './watch-keys.ts';

/** The terminal, and what its last line shows. */
export interface ScreenState {
  readonly columns: number;
  readonly rows: number;
  readonly colour: boolean;
  /** The command that waits for its key a second time. */
  readonly asked: WatchCommand | undefined;
  /** What became of the last command. */
  readonly message: string | undefined;
}

const KEYS = 'k kill   p pause   r resume   q leave, the bot continues';
const LABEL_CELLS = 14;
/** Causes and lines of limits that are shown; the dashboard and "sluice status" have all. */
const CAUSES_MAX = 3;
const LIMIT_LINES_MAX = 4;

const QUESTIONS: Readonly<Record<WatchCommand, string>> = {
  kill: 'Kill: cancel all orders and open none until "sluice resume"? Press k again',
  halt: '',
  resume: 'Resume: end the restrictions of an operator, so that orders can open? Press r again',
};

/** A bot as the lines of a terminal: at most `rows` of them, each at most `columns` wide. */
export function botScreen(bot: BotView, screen: ScreenState): readonly string[] {
  const { columns, rows, colour } = screen;
  const ink = inkFor(colour);
  const top = [headLine(bot, columns, ink), ...gateLines(bot, columns, ink)];
  const bottom = [
    ...(bot.fault === null ? [] : [ink.bad(cut(`journal cannot be read: ${bot.fault}`, columns))]),
    ...(bot.warning === null
      ? []
      : [ink.bad(cut(labelled('alarm', `${stampText(bot.warning.at)}  ${bot.warning.text}`), columns))]),
    lastLine(screen, ink),
  ];
  const facts = factLines(bot, columns);
  const room = Math.max(0, rows - top.length - bottom.length);
  const lists = listLines(listsOf(bot), Math.max(0, room - facts.length), columns);
  return [...top, ...[...facts, ...lists].slice(0, room), ...bottom].slice(-rows);
}

/** What happened to a bot between two looks at it, as lines for a file or a pipe; all that is listed at the first look. */
export function botLines(before: BotView | undefined, now: BotView): readonly string[] {
  const since = before?.seq ?? 0;
  const rows = [
    ...now.fills
      .filter(({ seq }) => seq > since)
      .map((fill) => ({ seq: fill.seq, text: `fill    ${fillText(fill)}` })),
    ...now.denials
      .filter(({ seq }) => seq > since)
      .map((denial) => ({ seq: denial.seq, text: `denied  ${denialText(denial)}` })),
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

function badgeOf({ mode }: BotView): string {
  return mode === null ? 'MODE UNKNOWN' : mode.toUpperCase();
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
  const text = cut(headText(bot), columns);
  const rest = text.slice(badge.length);
  return `${bot.mode === 'paper' ? ink.accent(badge) : ink.warning(badge)}${bot.state === 'running' ? rest : ink.bad(rest)}`;
}

/** The gate in one line, as a bar across the terminal while anything restricts it, and the other causes below. */
function gateLines({ gate, restrictions }: BotView, columns: number, ink: Ink): readonly string[] {
  const text = gateText(gate);
  const others = restrictions.map(restrictionText).filter((cause) => cause !== text);
  const causes = others.slice(0, CAUSES_MAX).map((cause) => ink.bad(cut(labelled('also', cause), columns)));
  const more =
    others.length > CAUSES_MAX
      ? [ink.bad(cut(labelled('', `and ${others.length - CAUSES_MAX} more causes`), columns))]
      : [];
  if (gate.state === 'active') return [ink.good(cut(labelled('gate', text), columns)), ...causes, ...more];
  const bar = `!!! ${gate.state.toUpperCase()} !!!  ${text}`;
  return [ink.warning(cut(bar, columns).padEnd(columns)), ...causes, ...more];
}

function factLines(bot: BotView, columns: number): readonly string[] {
  const { marketTime, equity, currency, quoteAgesMs, limits, unread } = bot;
  const time = marketTime === null ? 'not known yet' : `${marketTime.slice(0, 19).replace('T', ' ')} UTC`;
  const money = equity === null ? 'equity not known' : `equity ${equityFigure(equity)} ${currency ?? ''}`;
  const ages = Object.entries(quoteAgesMs).map(
    ([symbol, age]) => `${symbol} ${age === null ? 'no quote yet' : `${(age / 1_000).toFixed(1)} s`}`,
  );
  const limitText = limits.map(({ name, value, limit }) => `${name} ${value} of ${limit}`).join(', ');
  const lines = limitText === '' ? [] : wrapped(limitText, columns - LABEL_CELLS).split('\n');
  return [
    labelled('market', `${time}   ${money}`),
    ...(ages.length === 0 ? [] : [labelled('quote age', ages.join(', '))]),
    ...lines.slice(0, LIMIT_LINES_MAX).map((line, at) => labelled(at === 0 ? 'limits' : '', line)),
    ...(unread === 0 ? [] : [labelled('journal', `${unread} records are still to be read`)]),
  ].map((line) => cut(line, columns));
}

interface List {
  readonly name: string;
  readonly rows: readonly string[];
}

function listsOf(bot: BotView): readonly List[] {
  return [
    {
      name: 'positions',
      rows: bot.positions.map(
        ({ symbol, quantity, cost }) =>
          `${quantity} ${symbol} at ${new Decimal(cost).toDecimalPlaces(4).toString()}`,
      ),
    },
    { name: 'orders', rows: bot.openOrders.map(orderText) },
    { name: 'fills', rows: bot.fills.map(fillText) },
    { name: 'denials', rows: bot.denials.map(denialText) },
  ];
}

/** Lists in so many lines: one for each, and those that are left for the lists that have more, in turn. */
function listLines(lists: readonly List[], room: number, columns: number): readonly string[] {
  const shares = lists.map(() => 1);
  for (let left = room - lists.length, given = true; left > 0 && given; ) {
    given = false;
    for (const [index, { rows }] of lists.entries()) {
      const share = shares[index] ?? 1;
      if (left === 0 || rows.length <= share) continue;
      shares[index] = share + 1;
      left -= 1;
      given = true;
    }
  }
  return lists.flatMap(({ name, rows }, index) => {
    if (rows.length === 0) return [labelled(name, 'none')];
    const shown = rows.slice(0, shares[index]);
    const label = rows.length > shown.length ? `${name} (${rows.length})` : name;
    return shown.map((row, at) => cut(labelled(at === 0 ? label : '', row), columns));
  });
}

function fillText({ at, side, quantity, symbol, price, fee, currency }: BotView['fills'][number]): string {
  return `${stampText(at)}  ${side.toLowerCase()} ${quantity} ${symbol} at ${price}, fee ${fee} ${currency}`;
}

function denialText({ at, terms, rule, reason }: BotView['denials'][number]): string {
  return `${stampText(at)}  ${terms}: ${rule}${reason === '' ? '' : `, ${reason}`}`;
}

function lastLine({ asked, message, columns }: ScreenState, ink: Ink): string {
  if (asked !== undefined) return ink.warning(cut(QUESTIONS[asked], columns));
  return message === undefined ? ink.dim(cut(KEYS, columns)) : ink.bold(cut(message, columns));
}

function labelled(label: string, text: string): string {
  return `${label.padEnd(LABEL_CELLS)}${text}`;
}

/** Escapes first: they are longer than the characters that they stand for. */
function cut(text: string, columns: number): string {
  return printable(printable(text, Number.POSITIVE_INFINITY), columns);
}
