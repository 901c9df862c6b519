import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { NodeReading } from '../../model/node-reading.ts';
import type { FlowStep, PastSnapshot } from '../bot-follower.ts';
import type { LivePipeline } from '../bot-source.ts';
import type { PipelineView } from '../pipeline-view.ts';
import { ruleText } from './names.ts';
import {
  ageText,
  BotGate,
  lengthText,
  ModeBadge,
  oldestQuote,
  readingText,
  StateBadge,
  useZone,
} from './parts.tsx';
import { PipelineDrawing } from './pipeline-drawing.tsx';
import {
  deniedOf,
  directionText,
  type Rates,
  rateText,
  ruleClass,
  ruleReading,
  rulesOf,
  valuesText,
} from './pipeline-figures.ts';
import { botHref } from './place.ts';
import { usePolled } from './poll.ts';
import { t, type WordKey } from './text.ts';
import { TimeSlider } from './time-slider.tsx';

const POLL_MS = 1_000;
/** Period over which rates are computed, in milliseconds of this machine. */
const RATE_MS = 10_000;
const DEPTH_MAX = 4;

/** The pipeline of orders: declared by the bot, counted from its journal. */
export function PipelinePage({
  name,
  at,
  box,
}: {
  name: string;
  at: number | undefined;
  box: string | undefined;
}) {
  const now = usePolled<PipelineView>(`/api/bots/${encodeURIComponent(name)}/pipeline`, POLL_MS);
  const [past, setPast] = useState<PastSnapshot>();
  const ratesNow = useRates(now);
  useZone(now?.zone);
  if (now === undefined) return <p class="quiet">{t('loading')}</p>;
  const isPast = past !== undefined;
  const view: PipelineView = past === undefined ? now : { ...past, rules: now.rules, live: null };
  const rates = isPast ? {} : ratesNow;
  return (
    <>
      <p>
        <a href={botHref(name, past?.seq)}>
          {t('back')}: {name}
        </a>
      </p>
      <header class="head gate-line-none">
        <h1>
          {t('flow')} <small>{view.strategy === '' ? name : view.strategy}</small>
        </h1>
        <p class="badges">
          <ModeBadge bot={view} />
          <StateBadge state={view.state} />
          <BotGate bot={view} />
        </p>
        {view.unread > 0 && <p role="status">{readingText(view)}</p>}
        {view.fault !== null && (
          <p role="alert" class="warning">
            {t('fault')}: {view.fault}
          </p>
        )}
        <p class="quiet">
          {t(isPast ? 'pipeline-past' : view.live === null ? 'pipeline-journal' : 'pipeline-how')}
        </p>
      </header>
      <TimeSlider bot={now} at={at} past={past} onPast={setPast} />
      <PipelineDrawing view={view} rates={rates} isPast={isPast} box={box} />
      <ol class="stages">
        <Market view={view} rates={rates} isPast={isPast} />
        <Signals live={view.live} rates={rates} isPast={isPast} />
        <Stage title="stage-strategy">
          <div class="counts">
            <Count view={view} rates={rates} label="flow-drafted" step="drafted" />
          </div>
        </Stage>
        <Gate view={view} rates={rates} />
        <Stage title="stage-executor">
          <div class="counts">
            <Count view={view} rates={rates} label="flow-attempts" step="attempts" />
            <Count view={view} rates={rates} label="flow-cancels" step="cancels" />
            <Count view={view} rates={rates} label="flow-replaces" step="replaces" />
            <Count view={view} rates={rates} label="flow-not-sent" step="notSent" />
            <Count view={view} rates={rates} label="flow-unknown" step="unknown" />
          </div>
        </Stage>
        <Venue view={view} rates={rates} />
      </ol>
    </>
  );
}

/** Increase of each count per second, over the last ten seconds that this page saw. */
function useRates(view: PipelineView | undefined): Rates {
  const seen = useRef<{ readonly at: number; readonly counts: Rates; readonly of: PipelineView }[]>([]);
  if (view === undefined) return {};
  const { current: samples } = seen;
  const now = performance.now();
  if (samples.at(-1)?.of !== view) {
    const counts = countsOf(view);
    const before = samples.at(-1);
    // Counts of a journal that is still being read, of a restarted bot and from before a pause of this page give no
    // rate.
    if (before !== undefined && (now - before.at > RATE_MS || fell(before.counts, counts)))
      samples.length = 0;
    if (view.unread > 0) samples.length = 0;
    else samples.push({ at: now, counts, of: view });
    const newest = samples.at(-1)?.at ?? 0;
    while (samples.length > 2 && newest - (samples[1]?.at ?? newest) >= RATE_MS) samples.shift();
  }
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined || last.at - first.at < POLL_MS / 2) return {};
  const span = (last.at - first.at) / 1_000;
  return Object.fromEntries(
    Object.entries(last.counts).map(([name, count]) => [
      name,
      (count - (first.counts[name] ?? count)) / span,
    ]),
  );
}

function fell(before: Rates, after: Rates): boolean {
  return Object.entries(before).some(([name, count]) => (after[name] ?? count) < count);
}

function countsOf({ flow, live }: PipelineView): Rates {
  const { drafted, approved, attempts, accepted, rejected, notSent, unknown, fills, cancels, replaces } =
    flow;
  return {
    drafted,
    approved,
    attempts,
    accepted,
    rejected,
    notSent,
    unknown,
    fills,
    cancels,
    replaces,
    ...(live === null ? {} : live.seen),
  };
}

interface ShownPipeline {
  readonly view: PipelineView;
  readonly rates: Rates;
}

function Stage({ title, children }: { title: WordKey; children: ComponentChildren }) {
  return (
    <li class="panel stage">
      <h2>{t(title)}</h2>
      {children}
    </li>
  );
}

/** One count with its rate and, if the journal has it, the age of the newest. */
function Count({ view, rates, label, step }: ShownPipeline & { label: WordKey; step: FlowStep }) {
  const at = view.flow.newest[step];
  return <Line label={t(label)} count={view.flow[step]} rate={rates[step]} age={ageText(view, at)} />;
}

function Line({
  label,
  count,
  rate,
  age = '',
}: {
  label: string;
  count: number;
  rate: number | undefined;
  age?: string;
}) {
  return (
    <p class="count">
      <span>{label}</span> <b>{count}</b>
      <small>
        {rate === undefined ? '' : t('rate', rateText(rate))}
        {age === '' ? '' : ` · ${age}`}
      </small>
    </p>
  );
}

function Market({ view, rates, isPast }: ShownPipeline & { isPast: boolean }) {
  const ages = Object.entries(view.quoteAgesMs);
  return (
    <Stage title="stage-market">
      {view.live === null ? (
        <p class="quiet">{t(isPast ? 'not-in-journal' : 'live-only')}</p>
      ) : (
        <div class="counts">
          <Line label={t('count-quotes')} count={view.live.seen.quotes} rate={rates['quotes']} />
          <Line label={t('count-bars')} count={view.live.seen.bars} rate={rates['bars']} />
        </div>
      )}
      {ages.length > 0 && (
        <p class="quiet">
          {t('quote-age')}: {oldestQuote(view.quoteAgesMs)}
        </p>
      )}
      <ul class="rules">
        {ages.map(([symbol, age]) => (
          <li key={symbol}>
            {symbol} <small>{age === null ? t('no-quote') : lengthText(age)}</small>
          </li>
        ))}
      </ul>
    </Stage>
  );
}

function Signals({ live, rates, isPast }: { live: LivePipeline | null; rates: Rates; isPast: boolean }) {
  if (live === null)
    return (
      <Stage title="stage-signals">
        <p class="quiet">{t(isPast ? 'not-in-journal' : 'live-only')}</p>
      </Stage>
    );
  return (
    <Stage title="stage-signals">
      <div class="counts">
        <Line label={t('count-signals')} count={live.seen.signals} rate={rates['signals']} />
      </div>
      {live.strategies.map(({ name, warmup, symbols }) => (
        <div key={name}>
          <p class="quiet">{t('graph-of', name, warmup)}</p>
          {symbols === null && <p class="quiet">{t('graph-busy')}</p>}
          {symbols?.length === 0 && <p class="quiet">{t('graph-empty')}</p>}
          {symbols?.map(({ symbol, nodes }) => (
            <Nodes key={symbol} symbol={symbol} nodes={nodes} />
          ))}
        </div>
      ))}
    </Stage>
  );
}

/** The graph of one symbol: each node after its inputs, indented by depth. */
function Nodes({ symbol, nodes }: { symbol: string; nodes: readonly NodeReading[] }) {
  const depths = new Map<string, number>();
  for (const { key, inputs } of nodes)
    depths.set(
      key,
      inputs.reduce((most, input) => Math.max(most, (depths.get(input) ?? 0) + 1), 0),
    );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
    <div class="scroll" tabIndex={0}>
      <table>
        <caption>{symbol}</caption>
        <thead>
          <tr>
            {(['node', 'value', 'warmup-left', 'inputs'] as const).map((column) => (
              <th key={column} scope="col">
                {t(column)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {nodes.map(({ key, names, kind, inputs, values, warmupLeft }) => (
            <tr key={key} class={`node-${kind}`}>
              <td data-label={t('node')} class={`depth-${Math.min(DEPTH_MAX, depths.get(key) ?? 0)}`}>
                <span>
                  {names.length === 0 ? key : <b>{names.join(', ')}</b>}
                  {names.length > 0 && <small>{key}</small>}
                </span>
              </td>
              <td data-label={t('value')}>
                {kind === 'signal' ? directionText(values[0]) : valuesText(values)}
              </td>
              <td data-label={t('warmup-left')}>
                {warmupLeft === 0 ? '—' : t(warmupLeft === 1 ? 'bar-left' : 'bars-left', warmupLeft)}
              </td>
              <td data-label={t('inputs')}>{inputs.length === 0 ? '—' : inputs.join(', ')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Gate({ view, rates }: ShownPipeline) {
  return (
    <Stage title="gate">
      <div class="counts">
        <Count view={view} rates={rates} label="flow-approved" step="approved" />
        <Line label={t('count-denied')} count={deniedOf(view)} rate={undefined} />
      </div>
      <ul class="rules">
        {rulesOf(view).map((rule) => {
          const reading = ruleReading(view, rule);
          const { count, at, isNewest } = reading;
          return (
            <li key={rule} class={ruleClass(reading)}>
              {ruleText(rule)}
              {count > 0 && (
                <>
                  {' '}
                  <b>{t(isNewest ? 'denied-last' : 'denied-times', count)}</b>{' '}
                  <small>{ageText(view, at)}</small>
                </>
              )}
            </li>
          );
        })}
      </ul>
    </Stage>
  );
}

function Venue({ view, rates }: ShownPipeline) {
  const { live } = view;
  return (
    <Stage title="stage-venue">
      <div class="counts">
        <Count view={view} rates={rates} label="flow-accepted" step="accepted" />
        <Count view={view} rates={rates} label="flow-rejected" step="rejected" />
        <Count view={view} rates={rates} label="flow-fills" step="fills" />
      </div>
      {live?.calls != null && (
        <p class="quiet">
          {t(
            'venue-calls',
            live.calls.open + live.calls.protect + live.calls.cancel + live.calls.read,
            live.calls.max,
            live.calls.windowMs / 1_000,
          )}
        </p>
      )}
    </Stage>
  );
}
