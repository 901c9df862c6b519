import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect } from 'preact/hooks';
import { excessOver } from '../../reports/limit-use.ts';
import { isReplay } from '../../reports/replay.ts';
import type { BotSnapshot } from '../bot-follower.ts';
import { figure, money, percent, stamp, zone } from './format.ts';
import { limitText, valueText } from './names.ts';
import { t, type WordKey } from './text.ts';

/** A choice of one symbol of several, with its label. */
export function SymbolSelect({
  symbols,
  symbol,
  onSymbol,
}: {
  symbols: readonly string[];
  symbol: string | undefined;
  onSymbol: (symbol: string) => void;
}) {
  const id = useId();
  return (
    <>
      <label for={id}>{t('symbol')}</label>{' '}
      <select id={id} value={symbol} onChange={({ currentTarget }) => onSymbol(currentTarget.value)}>
        {symbols.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </select>
    </>
  );
}

/** A titled part of a page. */
export function Section({
  title,
  wide = false,
  children,
}: {
  title: WordKey;
  wide?: boolean;
  children: ComponentChildren;
}) {
  const id = useId();
  return (
    <section aria-labelledby={id} class={wide ? 'panel wide' : 'panel'}>
      <h2 id={id}>{t(title)}</h2>
      {children}
    </section>
  );
}

/** A table that scrolls in its own box and, on a phone, has a block for each row; or a line that it is empty. */
export function Table<Row>({
  columns,
  rows,
  keyOf,
  cells,
  label,
  titles = {},
  isLong = false,
}: {
  label: WordKey;
  columns: readonly WordKey[];
  /** Titles of columns in place of their words. */
  titles?: Readonly<Partial<Record<WordKey, string>>>;
  rows: readonly Row[];
  keyOf: (row: Row) => string | number;
  cells: (row: Row) => readonly ComponentChildren[];
  /** True if it may have so many rows that it scrolls in a box of limited height. */
  isLong?: boolean;
}) {
  if (rows.length === 0) return <p class="quiet">{t('none')}</p>;
  const titleOf = (column: WordKey | undefined): string =>
    (column === undefined ? undefined : titles[column]) ?? labelOf(column);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
    <div class={isLong ? 'scroll long' : 'scroll'} tabIndex={0}>
      <table>
        <caption class="hidden">{t(label)}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col" class={classOf(column)}>
                {titleOf(column)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {cells(row).map((cell, index) => (
                <td
                  key={columns[index] ?? index}
                  class={classOf(columns[index])}
                  data-label={titleOf(columns[index])}
                >
                  <div>{cell}</div>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Columns of figures, which are right-aligned. */
const FIGURES: ReadonlySet<WordKey | undefined> = new Set([
  ...(['equity', 'day-profit', 'quote-age', 'positions', 'working-orders', 'denials', 'quantity'] as const),
  ...(['cost', 'price', 'gain', 'open', 'fee', 'return', 'drawdown', 'sharpe', 'trades'] as const),
  ...(['run-a', 'run-b', 'difference', 'number-value', 'number-limit', 'answer'] as const),
]);

function classOf(column: WordKey | undefined): string {
  return FIGURES.has(column) ? 'figure' : '';
}

/** The title of a column; times name their zone. */
export function labelOf(column: WordKey | undefined): string {
  if (column === undefined) return '';
  return column === 'time' || column === 'decided' ? t(column, zoneText(zone.value)) : t(column);
}

/** Shows the times of a page in the zone of a bot's exchanges, until the page is left. */
export function useZone(name: string | undefined): void {
  useLayoutEffect(() => {
    zone.value = name ?? 'UTC';
    return () => {
      zone.value = 'UTC';
    };
  }, [name]);
}

/** The name of a zone for people. */
export function zoneText(name: string): string {
  switch (name) {
    case 'Asia/Hong_Kong':
    case 'America/New_York':
    case 'Asia/Singapore':
      return t(`zone-${name}`);
    default:
      return name;
  }
}

/** Equity; if a bot does not state it now, with the time of the newest known value. */
export function Equity({ bot }: { bot: Pick<BotSnapshot, 'equity' | 'equityAt' | 'currency' | 'zone'> }) {
  return (
    <>
      {money(bot.equity, bot.currency)}
      {bot.equityAt !== null && (
        <small class="quiet"> {t('equity-at', stamp(bot.equityAt, bot.zone), zoneText(bot.zone))}</small>
      )}
    </>
  );
}

/** A time, without a line break. */
export function Stamp({ at }: { at: number }) {
  return <span class="stamp">{stamp(at)}</span>;
}

/** Progress of reading a long journal. */
export function readingText({ seq, unread }: Pick<BotSnapshot, 'seq' | 'unread'>): string {
  return t('reading-journal', figure(String(seq)), figure(String(seq + unread)));
}

/**
 * False while only an earlier state of a bot is known: the bot does not answer, and its journal is still being read.
 */
export function isKnown({ state, unread }: Pick<BotSnapshot, 'state' | 'unread'>): boolean {
  return state === 'running' || unread === 0;
}

/** Shows whether orders are live, on paper, or on the replayed market of a past day. */
export function ModeBadge({ bot }: { bot: Pick<BotSnapshot, 'mode' | 'state' | 'marketTime' | 'since'> }) {
  if (bot.mode === null) return <span class="badge">{t('mode-unknown')}</span>;
  return (
    <span class={`badge mode-${bot.mode}`}>{t(isReplay(bot) ? 'mode-replay' : `mode-${bot.mode}`)}</span>
  );
}

/** Marks generated prices; nothing for real prices, and if the origin is not known. */
export function OriginBadge({ origin }: Pick<BotSnapshot, 'origin'>) {
  return origin === 'generated' ? <span class="badge">{t('origin-generated')}</span> : null;
}

/** An amount that was gained or lost, and optionally its share of the cost. */
export function Gain({
  amount,
  currency,
  share,
}: {
  amount: number | null;
  currency: string | null;
  share?: number | undefined;
}) {
  const look = amount === null || amount === 0 ? '' : amount < 0 ? 'loss' : 'profit';
  return (
    <span class={look}>
      {money(amount, currency, true)}
      {share !== undefined && <small class={look}> {percent(share, true)}</small>}
    </span>
  );
}

/** How far the number of the rule that denied is above its limit; nothing for a rule without such a number. */
export function Excess({ numbers }: Pick<BotSnapshot['denials'][number], 'numbers'>) {
  const judged = numbers.at(-1);
  const over = judged === undefined ? undefined : excessOver(judged.value, judged.limit);
  return over === undefined ? null : <strong class="stamp">({t('over-by', over)})</strong>;
}

/** Numbers that a rule checked, one per line. */
export function Numbers({ numbers }: { numbers: BotSnapshot['denials'][number]['numbers'] }) {
  return (
    <ul class="numbers">
      {numbers.map(({ name, value, limit }) => (
        <li key={`${name} ${value}`}>
          {t('number-of', limitText(name), valueText(value), valueText(limit))}
        </li>
      ))}
    </ul>
  );
}

export function GateBadge({ state }: { state: BotSnapshot['gate']['state'] }) {
  return <span class={`badge gate-${state}`}>{t(`gate-${state}`)}</span>;
}

/** The gate of a bot; an open gate is not shown for a bot that does not run. */
export function BotGate({ bot }: { bot: Pick<BotSnapshot, 'gate' | 'state'> }) {
  return showsGate(bot) ? <GateBadge state={bot.gate.state} /> : null;
}

/** A restriction of an ended bot still applies at its next start. */
export function showsGate(bot: Pick<BotSnapshot, 'gate' | 'state'>): boolean {
  return isRunning(bot) || bot.gate.state !== 'active';
}

/** True for a bot whose process exists, whether it answers or not. */
export function isRunning({ state }: Pick<BotSnapshot, 'state'>): boolean {
  return state === 'running' || state === 'silent';
}

export function StateBadge({ state }: { state: BotSnapshot['state'] }) {
  return <span class={`badge state-${state}`}>{t(`state-${state}`)}</span>;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** Time since an event, in market time; empty before the first. */
export function ageText({ marketTime }: Pick<BotSnapshot, 'marketTime'>, at: number | undefined): string {
  if (at === undefined || marketTime === null) return '';
  const age = Math.max(0, Date.parse(marketTime) - at);
  if (age < MINUTE_MS) return t('ago-seconds', Math.round(age / 1_000));
  if (age < HOUR_MS) return t('ago-minutes', Math.round(age / MINUTE_MS));
  return stamp(at);
}

/** A length of time in its largest unit that is not less than one. */
export function lengthText(ms: number): string {
  if (ms < MINUTE_MS) return t('seconds', (ms / 1_000).toFixed(1));
  return ms < HOUR_MS ? t('minutes', Math.round(ms / MINUTE_MS)) : t('hours', (ms / HOUR_MS).toFixed(1));
}

/** The age of the oldest quote. */
export function oldestQuote(ages: BotSnapshot['quoteAgesMs']): string {
  const known = Object.values(ages).filter((age) => age !== null);
  return known.length === 0 ? '—' : lengthText(Math.max(...known));
}
