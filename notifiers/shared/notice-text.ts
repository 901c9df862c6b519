import type {
  Alarm,
  DayNotice,
  DenialNotice,
  DenialsNotice,
  FillNotice,
  FillsNotice,
  GateNotice,
  NotifyingBot,
  StartNotice,
  StopNotice,
} from '@sluice-trading/sluice';

/** A message as plain text in parts, so that a long list can be shortened to what a chat accepts. */
export interface NoticeText {
  /** First line. Begins with "Sluice", which a chat that requires a keyword can be set to. */
  readonly title: string;
  readonly lines: readonly string[];
  /** Number of entries that are not in `lines`. */
  readonly more: number;
}

/** What every hook receives in addition to the notice; notifiers add their own secrets and parameters. */
export interface TextContext {
  readonly bot: NotifyingBot;
  readonly signal: AbortSignal;
}

/** The context of a hook of a chat: the address of its incoming webhook. */
export interface HookContext extends TextContext {
  readonly secrets: { readonly url: string };
}

/** The same, with the key of its signature where the user set one. */
export interface SignedHookContext extends TextContext {
  readonly secrets: { readonly url: string; readonly key: string | undefined };
}

/** A notice with its kind. */
export interface NoticeSource {
  readonly type: string;
  readonly data: object;
}

type SendText<C> = (text: NoticeText, context: C, source: NoticeSource) => Promise<void>;

/** Makes all hooks of a notifier from one function that sends a text. */
export function textHooks<C extends TextContext>(send: SendText<C>) {
  const hook =
    <N extends object>(type: string, textOf: (notice: N) => Titled) =>
    (notice: N, context: C): Promise<void> => {
      const { title, lines = [], more = 0 } = textOf(notice);
      const { name, mode } = context.bot;
      const head = `Sluice ${name} (${mode === 'live' ? 'LIVE' : mode}): ${title}`;
      return send({ title: head, lines, more }, context, { type, data: notice });
    };
  return {
    onAlarm: hook('alarm', ({ code, message }: Alarm) => ({ title: `ALARM ${code}`, lines: [message] })),
    onFills: hook('fills', fillsText),
    onDenials: hook('denials', denialsText),
    onGate: hook('gate', gateText),
    onDay: hook('day', dayText),
    onStart: hook('start', startText),
    onStop: hook('stop', stopText),
  };
}

interface Titled {
  readonly title: string;
  readonly lines?: readonly string[];
  readonly more?: number;
}

function fillsText({ fills, more }: FillsNotice): Titled {
  return { title: counted(fills.length + more, 'fill'), lines: fills.map(fillText), more };
}

function fillText(fill: FillNotice): string {
  const { side, quantity, symbol, price, currency, position, strategy, reason } = fill;
  const owner = strategy === undefined ? '' : `${strategy} `;
  const done = `${owner}${side === 'buy' ? 'bought' : 'sold'} ${quantity} ${symbol} at ${price} ${currency}`;
  const why = reason === '' ? '' : `: ${reason}`;
  return `${done}, position ${position}${profitText(fill)}${why}`;
}

function profitText({ closed, profit, profitShare = 0, currency }: FillNotice): string {
  if (closed.isZero()) return '';
  if (profit === undefined) return ', profit not known';
  const sign = profit.isNegative() ? '' : '+';
  return `, profit before fees ${sign}${profit.toFixed(2)} ${currency} (${sign}${(profitShare * 100).toFixed(1)} %)`;
}

function denialsText({ denials, more }: DenialsNotice): Titled {
  const all = denials.reduce((sum, { count }) => sum + count, more);
  return { title: `${counted(all, 'order')} denied`, lines: denials.map(denialText), more };
}

function denialText({ symbol, rule, count, reason }: DenialNotice): string {
  return `${symbol} by ${rule}${count === 1 ? '' : `, ${count} times`}: ${reason}`;
}

function gateText({ before, state, rule, reason, by }: GateNotice): Titled {
  return {
    title: `gate is ${state}, was ${before}`,
    lines: [`${rule} by ${by}${reason === '' ? '' : `: ${reason}`}`],
  };
}

function dayText({ day, from, equity, currency, fills, orders, denied, gate }: DayNotice): Titled {
  const counts = `${counted(fills, 'fill')}, ${counted(orders, 'order')}, ${denied} denied`;
  const title = from === undefined ? `day ${day}` : `days ${from} to ${day}`;
  return { title, lines: [`equity ${equity.toFixed(2)} ${currency}, ${counts}, gate ${gate}`] };
}

/** Most symbols that the notice of a start lists. */
const SYMBOLS_MAX = 20;

function startText({ symbols, equity, gate }: StartNotice): Titled {
  const rest = symbols.length - SYMBOLS_MAX;
  const listed = symbols.slice(0, SYMBOLS_MAX).join(', ');
  const worth = equity === undefined ? '' : `equity ${equity.toFixed(2)}, `;
  return {
    title: 'started',
    lines: [`${worth}gate ${gate}, trades ${listed}${rest > 0 ? ` and ${rest} more` : ''}`],
  };
}

function stopText({ reason, message, openOrders, gate }: StopNotice): Titled {
  const orders = openOrders === 0 ? 'no order open' : `${counted(openOrders, 'order')} open`;
  return {
    title: `stopped, ${reason}`,
    lines: [...(message === '' ? [] : [message]), `gate ${gate}, ${orders}`],
  };
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Formats a message within a length: leaves out the last lines and counts them, or cuts a single long one. */
export function textWithin(
  { title, lines, more }: NoticeText,
  max: number,
  lengthOf: (text: string) => number,
): string {
  for (let kept = lines.length; kept > 0; kept -= 1) {
    const rest = more + lines.length - kept;
    const text = [title, ...lines.slice(0, kept), ...(rest === 0 ? [] : [`and ${rest} more`])].join('\n');
    if (lengthOf(text) <= max) return text;
  }
  const characters = [...[title, ...lines.slice(0, 1)].join('\n')];
  const isWithin = (count: number): boolean => lengthOf(`${characters.slice(0, count).join('')}...`) <= max;
  let [fits, tooLong] = [0, characters.length + 1];
  while (tooLong - fits > 1) {
    const middle = Math.floor((fits + tooLong) / 2);
    if (isWithin(middle)) fits = middle;
    else tooLong = middle;
  }
  return fits === characters.length ? characters.join('') : `${characters.slice(0, fits).join('')}...`;
}

/** Length in UTF-16 units, which is at least the number of characters. */
export const inUnits = (text: string): number => text.length;

/** Length in bytes of UTF-8. */
export const inBytes = (text: string): number => Buffer.byteLength(text);
