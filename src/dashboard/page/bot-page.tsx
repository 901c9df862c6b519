import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import { leftOf, usedShare } from '../../reports/limit-use.ts';
import { isCostKnown } from '../../reports/unrealised-gain.ts';
import type { BotSnapshot, LogLine, PastSnapshot } from '../bot-follower.ts';
import type { LivePrices } from '../bot-source.ts';
import { CommandPanel } from './command-panel.tsx';
import { setConnection } from './connection.ts';
import { EquityChart } from './equity-chart.tsx';
import { figure, priceText, stamp } from './format.ts';
import { exitsOf, levelText, valued } from './levels.tsx';
import { listen } from './live-stream.ts';
import { limitText, lineText, ruleText, statusText, termsText } from './names.ts';
import {
  ageText,
  BotGate,
  Equity,
  Excess,
  Gain,
  GateBadge,
  isKnown,
  labelOf,
  lengthText,
  ModeBadge,
  Numbers,
  OriginBadge,
  oldestQuote,
  readingText,
  Section,
  Stamp,
  StateBadge,
  showsGate,
  Table,
  useZone,
} from './parts.tsx';
import { botHref, orderHref, pipelineHref } from './place.ts';
import { usePolled } from './poll.ts';
import { PriceChart } from './price-chart.tsx';
import { right } from './session.ts';
import { t, type WordKey } from './text.ts';
import { TimeSlider } from './time-slider.tsx';

const LINES_MAX = 1_000;
const PRICES_MS = 1_000;

/**
 * Page of one bot, live or at a record of its journal. Its state belongs to the component of this bot (its key is the
 * name), so that no value or button of another bot is ever shown under this name.
 */
export function BotPage({ name, at }: { name: string; at: number | undefined }) {
  const live = useSignal<BotSnapshot | undefined>(undefined);
  const lines = useSignal<readonly LogLine[]>([]);
  const isGone = useSignal(false);
  const [past, setPast] = useState<PastSnapshot>();
  const [symbol, setSymbol] = useState<string>();
  useEffect(() => {
    function take(event: string, data: unknown): void {
      if (event === 'bot') live.value = data as BotSnapshot;
      else if (event === 'gone') isGone.value = true;
      else if (event === 'record') lines.value = withLine(lines.value, data as LogLine);
    }
    return listen(`/api/bots/${encodeURIComponent(name)}/stream`, take, setConnection);
  }, [name, live, lines, isGone]);
  const asked =
    past === undefined && live.value?.state === 'running'
      ? `/api/bots/${encodeURIComponent(name)}/prices/${encodeURIComponent(symbol ?? '-')}`
      : undefined;
  useZone(live.value?.zone);
  const prices = usePolled<{ readonly prices: LivePrices | null }>(asked, PRICES_MS)?.prices ?? undefined;
  if (isGone.value) return <p class="quiet">{t('not-found')}</p>;
  const now = live.value;
  if (now === undefined) return <p class="quiet">{t('loading')}</p>;
  const bot = past ?? now;
  if (!isKnown(bot))
    return (
      <>
        <h1>{bot.name}</h1>
        <Reading bot={bot} />
        {right.value === 'command' && <CommandPanel key={bot.name} bot={bot} />}
      </>
    );
  return (
    <>
      <Head bot={bot} isPast={past !== undefined} />
      {bot.unread > 0 && <Reading bot={bot} />}
      <TimeSlider bot={now} at={at} past={past} onPast={setPast} />
      <div class="grid">
        <Section title="positions">
          <Positions bot={bot} prices={prices} />
        </Section>
        <Section title="limits">
          <Limits limits={bot.limits} />
        </Section>
        <Section title="prices" wide>
          <PriceChart bot={bot} prices={prices} symbol={symbol} onSymbol={setSymbol} />
        </Section>
        <Section title="working-orders" wide>
          <Table
            label="working-orders"
            isLong
            columns={['order', 'terms', 'state', 'open', 'decided', 'answer']}
            rows={bot.openOrders}
            keyOf={({ intentId }) => intentId}
            cells={({ intentId, terms, state, open, decidedAt }) => [
              <OrderLink key="order" bot={bot.name} intentId={intentId} />,
              ...[termsText(terms), statusText(state), figure(open)],
              <Stamp key="time" at={Date.parse(`${decidedAt.replace(' ', 'T')}Z`)} />,
              answerText(bot, intentId),
            ]}
          />
        </Section>
        <Section title="denials" wide>
          <Table
            label="denials"
            isLong
            columns={['time', 'order', 'terms', 'rule', 'reason']}
            rows={bot.denials}
            keyOf={({ seq }) => seq}
            cells={({ at, intentId, terms, rule, reason, numbers }) => [
              <Stamp key="time" at={at} />,
              <OrderLink key="order" bot={bot.name} intentId={intentId} />,
              ...[termsText(terms), ruleText(rule)],
              <>
                {reason} <Excess numbers={numbers} />
                {numbers.length > 0 && (
                  <details>
                    <summary>{t('numbers')}</summary>
                    <Numbers numbers={numbers} />
                  </details>
                )}
              </>,
            ]}
          />
        </Section>
        <Section title="fills" wide>
          <Table
            label="fills"
            isLong
            columns={['time', 'order', 'side', 'symbol', 'quantity', 'price', 'fee']}
            rows={bot.fills}
            keyOf={({ seq }) => seq}
            cells={({ at, intentId, side, symbol, quantity, price, fee, currency }) => [
              <Stamp key="time" at={at} />,
              intentId === null ? '—' : <OrderLink key="order" bot={bot.name} intentId={intentId} />,
              ...[statusText(side), symbol, figure(quantity), priceText(price)],
              <span key="fee" class="stamp">
                {priceText(fee)} {currency}
              </span>,
            ]}
          />
        </Section>
        <Section title="equity">
          <EquityChart points={bot.equityCurve} currency={bot.currency} />
        </Section>
        <Section title="flow">
          <Flow flow={bot.flow} />
          <p>
            <a href={pipelineHref(bot.name, past?.seq)}>{t('pipeline-open')}</a>
          </p>
        </Section>
        <Section title="log" wide>
          <Log bot={bot.name} lines={past?.lines ?? lines.value} marked={past?.seq} />
        </Section>
      </div>
    </>
  );
}

/** Positions at the newest price of a running bot, and the working orders that would close them. */
function Positions({ bot, prices }: { bot: BotSnapshot; prices: LivePrices | undefined }) {
  return (
    <>
      <Table
        label="positions"
        columns={['symbol', 'quantity', 'cost', 'price', 'gain', 'exits']}
        rows={bot.positions}
        keyOf={({ symbol }) => symbol}
        cells={(position) => {
          const { symbol, quantity } = position;
          const value = valued(position, prices);
          const exits = exitsOf(position, bot.levels);
          return [
            ...[symbol, figure(quantity)],
            isCostKnown(position) ? priceText(position.cost) : t('cost-unknown'),
            value === undefined ? (
              '—'
            ) : (
              <>
                {priceText(String(value.price))} <small>{lengthText(value.ageMs)}</small>
              </>
            ),
            value?.gain === undefined ? (
              '—'
            ) : (
              <Gain key="gain" amount={value.gain} currency={value.currency} share={value.gainShare} />
            ),
            exits.length === 0 ? (
              t('exits-none')
            ) : (
              <ul class="lines">
                {exits.map((level) => (
                  <li key={level.intentId}>{levelText(level, value?.price)}</li>
                ))}
              </ul>
            ),
          ];
        }}
      />
      {bot.positions.length > 0 && (
        <p class="quiet">{t(prices === undefined ? 'gain-unknown' : 'gain-how')}</p>
      )}
    </>
  );
}

/** Progress of reading a long journal, and what is missing until then. */
function Reading({ bot }: { bot: BotSnapshot }) {
  return (
    <p role="status">
      {readingText(bot)}. {t('reading-parts')}{' '}
      <progress aria-label={t('loading')} max={bot.seq + bot.unread} value={bot.seq} />
    </p>
  );
}

function withLine(lines: readonly LogLine[], line: LogLine): readonly LogLine[] {
  const kept = (lines.at(-1)?.seq ?? 0) >= line.seq ? [] : lines;
  return [...kept.slice(-LINES_MAX + 1), line];
}

function Head({ bot, isPast }: { bot: BotSnapshot; isPast: boolean }) {
  const { gate, restrictions, unknownOrders } = bot;
  return (
    <header class={`head gate-line-${showsGate(bot) ? gate.state : 'none'}`}>
      <h1>
        {bot.strategy === '' ? bot.name : bot.strategy} <small>{bot.name}</small>
      </h1>
      <p class="badges">
        <ModeBadge bot={bot} />
        <OriginBadge origin={bot.origin} />
        <StateBadge state={bot.state} />
        <BotGate bot={bot} />
        {unknownOrders.length > 0 && (
          <span class="badge state-died">{t('unknown-orders', unknownOrders.length)}</span>
        )}
      </p>
      <dl class="tiles">
        <Tile name="equity">
          <Equity bot={bot} />
        </Tile>
        <Tile name="day-profit">
          <Gain amount={bot.dayProfit} currency={bot.currency} /> <DayLoss limits={bot.limits} />
        </Tile>
        <Tile name="quote-age">{oldestQuote(bot.quoteAgesMs)}</Tile>
        <Tile name="positions">{bot.positions.length}</Tile>
        <Tile name="working-orders">{bot.openOrders.length}</Tile>
        <Tile name="time">{bot.marketTime === null ? '—' : stamp(Date.parse(bot.marketTime))}</Tile>
      </dl>
      {right.value === 'command' && !isPast ? (
        <CommandPanel key={bot.name} bot={bot} />
      ) : (
        right.value === 'read' && <p class="quiet">{t('read-only')}</p>
      )}
      {restrictions.length > 0 && (
        <ul class="causes" aria-label={t('causes')}>
          {restrictions.map(({ cause, symbol, state, by, rule, reason, since }) => (
            <li key={`${cause} ${symbol ?? ''}`}>
              <GateBadge state={state} /> {ruleText(rule)}
              {symbol === undefined ? '' : ` (${symbol})`}: {reason}{' '}
              {t('cause-by', statusText(by), stamp(since))}
            </li>
          ))}
        </ul>
      )}
      {!isPast && bot.state === 'died' && (
        <p role="alert" class="warning">
          {t('died-how', bot.openOrders.length, bot.config)}
        </p>
      )}
      {!isPast && bot.state === 'silent' && (
        <p role="alert" class="warning">
          {t('silent-how')}
        </p>
      )}
      <Alarms bot={bot} />
      <LatestDenial bot={bot} />
      {bot.warning !== null && !(bot.warning.kind === 'gate-moved' && restrictions.length > 0) && (
        <p class="warning">
          {t('warning')}: {stamp(bot.warning.at)} {bot.warning.text}
        </p>
      )}
      {bot.fault !== null && (
        <p role="alert" class="warning">
          {t('fault')}: {bot.fault}
        </p>
      )}
    </header>
  );
}

/** The newest alarms with what to do, and the others behind a click. */
function Alarms({ bot }: { bot: BotSnapshot }) {
  const { alarms } = bot;
  if (alarms.length === 0) return null;
  const older = alarms.slice(ALARMS_SHOWN);
  const list = (shown: typeof alarms) => (
    <ul class="causes">
      {shown.map(({ code, message, at }) => (
        <li key={code}>
          <strong class="loss">{code}</strong> {ageText(bot, at)}: {message}
        </li>
      ))}
    </ul>
  );
  return (
    <section class="alarms" aria-label={t('alarms')}>
      <h2>{t('alarms')}</h2>
      {list(alarms.slice(0, ALARMS_SHOWN))}
      {older.length > 0 && (
        <details>
          <summary>{t('alarm-more', older.length)}</summary>
          {list(older)}
        </details>
      )}
    </section>
  );
}

const ALARMS_SHOWN = 3;

/** The newest denial: its rule, and by how much the order was above the limit. */
function LatestDenial({ bot }: { bot: BotSnapshot }) {
  const [newest] = bot.denials;
  if (newest === undefined) return null;
  const { at, intentId, terms, rule, reason, numbers } = newest;
  return (
    <p class="denial">
      {t('latest-denial')}: {stamp(at)}{' '}
      <a href={orderHref(bot.name, intentId)} title={t('why')}>
        {ruleText(rule)}
      </a>
      , {termsText(terms)}: {reason} <Excess numbers={numbers} />
    </p>
  );
}

/** The bot's own name of the limit on the loss of a day. */
const DAY_LOSS = 'loss of the day';

function DayLoss({ limits }: Pick<BotSnapshot, 'limits'>) {
  const loss = limits.find(({ name }) => name === DAY_LOSS);
  const left = loss === undefined ? undefined : leftOf(loss.value, loss.limit);
  if (loss === undefined || left === undefined) return null;
  return <small>{t('day-loss', loss.value, loss.limit, left)}</small>;
}

/** Age of the venue's newest answer about a working order. */
function answerText(bot: BotSnapshot, intentId: string): string {
  const at = bot.levels.find((level) => level.intentId === intentId)?.answeredAt ?? undefined;
  return at === undefined ? t('answer-none') : ageText(bot, at);
}

function Tile({ name, children }: { name: WordKey; children: ComponentChildren }) {
  return (
    <div>
      <dt>{labelOf(name)}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function OrderLink({ bot, intentId }: { bot: string; intentId: string }) {
  return (
    <a href={orderHref(bot, intentId)} title={t('why')}>
      {intentId}
    </a>
  );
}

function Limits({ limits }: { limits: BotSnapshot['limits'] }) {
  if (limits.length === 0) return <p class="quiet">{t('limits-unknown')}</p>;
  return (
    <dl class="limits usage">
      {limits.toSorted(byImportance).map(({ name, value, limit }) => {
        const used = usedShare(value, limit);
        return (
          <div key={name}>
            <dt>{limitText(name)}</dt>
            <dd>
              {t('limit-used', value, limit)}
              {used !== undefined && (
                <>
                  <small> {t('limit-share', Math.round(used * 100))}</small>
                  <meter min={0} max={1} high={0.8} value={used} aria-label={limitText(name)} />
                </>
              )}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

/** Losses come first, then exposures, then counts. */
function byImportance(one: { readonly name: string }, other: { readonly name: string }): number {
  const rank = ({ name }: { readonly name: string }): number => {
    const at = IMPORTANT.indexOf(name);
    return at < 0 ? IMPORTANT.length : at;
  };
  return rank(one) - rank(other);
}

const IMPORTANT: readonly string[] = [DAY_LOSS, 'drawdown', 'gross exposure', 'net exposure'];

/** Steps that orders pass through, with the journal's counts. */
function Flow({ flow }: { flow: BotSnapshot['flow'] }) {
  const steps: readonly (readonly [string, number, boolean])[] = [
    [t('flow-drafted'), flow.drafted, false],
    ...Object.entries(flow.deniedByRule).map(
      ([rule, count]) => [t('flow-denied', ruleText(rule)), count, true] as const,
    ),
    [t('flow-approved'), flow.approved, false],
    [t('flow-attempts'), flow.attempts, false],
    [t('flow-accepted'), flow.accepted, false],
    ...(
      [
        ['flow-rejected', flow.rejected],
        ['flow-not-sent', flow.notSent],
        ['flow-unknown', flow.unknown],
      ] as const
    ).flatMap(([key, count]) => (count === 0 ? [] : [[t(key), count, true] as const])),
    [t('flow-fills'), flow.fills, false],
    [t('flow-records'), flow.records, false],
  ];
  return (
    <ol class="flow">
      {steps.map(([text, count, isBad]) => (
        <li key={text} class={isBad ? 'bad' : ''}>
          <span>{text}</span> <b>{count}</b>
        </li>
      ))}
    </ol>
  );
}

interface LogProps {
  readonly bot: string;
  readonly lines: readonly LogLine[];
  /** The record that the page shows. */
  readonly marked: number | undefined;
}

function Log({ bot, lines, marked }: LogProps) {
  const [filter, setFilter] = useState('');
  const id = useId();
  const wanted = filter.trim().toLowerCase();
  const shown = lines
    .filter(({ kind, text }) => `${kind} ${text}`.toLowerCase().includes(wanted))
    .slice(-200)
    .toReversed();
  return (
    <>
      <label for={id}>{t('filter')}</label>{' '}
      <input
        id={id}
        type="search"
        placeholder={t('filter-hint')}
        value={filter}
        onInput={({ currentTarget }) => setFilter(currentTarget.value)}
      />
      <Table
        label="log"
        isLong
        columns={['record', 'time', 'order', 'event']}
        rows={shown}
        keyOf={({ seq }) => seq}
        cells={(line) => [
          <a
            key="record"
            href={botHref(bot, line.seq)}
            aria-current={line.seq === marked ? 'true' : undefined}
          >
            {line.seq}
          </a>,
          <Stamp key="time" at={line.at} />,
          line.intentId === null ? '—' : <OrderLink key="order" bot={bot} intentId={line.intentId} />,
          lineText(line),
        ]}
      />
    </>
  );
}
