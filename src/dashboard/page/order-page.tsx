import { useEffect, useState } from 'preact/hooks';
import type { LogLine } from '../bot-follower.ts';
import { stamp } from './format.ts';
import { limitText, lineText, ruleText, termsText, valueText } from './names.ts';
import { Excess, Section, Stamp, Table, useZone } from './parts.tsx';
import { botHref, orderHref, pipelineHref } from './place.ts';
import { ask } from './session.ts';
import { t } from './text.ts';

interface Link {
  readonly record: number;
  readonly event: {
    readonly kind: string;
    readonly strategy?: string;
    readonly cause?: {
      readonly kind: string;
      readonly name: string;
      readonly symbol?: string;
      readonly time: number;
      readonly inputs: Readonly<Record<string, number>>;
    };
    /** Of a denial. */
    readonly rule?: string;
    readonly reason?: string;
    readonly numbers?: readonly { readonly name: string; readonly value: string; readonly limit: string }[];
  };
}

interface Story {
  readonly intentId: string;
  readonly links: readonly Link[];
  readonly lines: readonly LogLine[];
  /** Such as `buy 300 DEMO.HK LO at 62.05, day`. */
  readonly terms: string;
  /** Of the order's exchange. */
  readonly zone: string;
}

/** Why an order was sent or not: what the strategy knew, what each rule of the gate found, and the result. */
export function OrderPage({ bot, order }: { bot: string; order: string }) {
  const [story, setStory] = useState<Story>();
  const [problem, setProblem] = useState('');
  useEffect(() => {
    ask<Story>(`/api/bots/${encodeURIComponent(bot)}/orders/${encodeURIComponent(order)}`).then(
      setStory,
      (error: unknown) => setProblem(error instanceof Error ? error.message : String(error)),
    );
  }, [bot, order]);
  useZone(story?.zone);
  const back = (
    <p>
      <a href={botHref(bot)}>
        {t('back')}: {bot}
      </a>
    </p>
  );
  if (problem !== '')
    return (
      <>
        {back}
        <p role="alert">{problem}</p>
      </>
    );
  if (story === undefined) return <p class="quiet">{t('loading')}</p>;
  const decided = story.links.find(({ event }) => event.cause !== undefined);
  const cause = decided?.event.cause;
  const decidedAt = decided?.record;
  const judged = story.links.find(({ event }) => event.numbers !== undefined);
  const numbers = story.links.flatMap(({ event }) => event.numbers ?? []);
  /** The number that the rule denied by, which it checked last. */
  const denying = judged?.event.rule === undefined ? undefined : judged.event.numbers?.at(-1);
  return (
    <>
      {back}
      <h1>
        {t('why-title', story.intentId)} <small>{termsText(story.terms)}</small>
      </h1>
      <Outcome story={story} />
      <div class="grid">
        {cause !== undefined && (
          <Section title="why-quotes">
            <p>
              <a href={botHref(bot, decidedAt)}>
                {t('why-cause', cause.kind, cause.name)} {cause.symbol ?? ''} {stamp(cause.time)}
              </a>
            </p>
            <Values of={cause.inputs} are={(name) => PRICES.has(name)} />
            <p class="quiet">
              {t('why-quotes-how')} <a href={pipelineHref(bot, decidedAt, 'quotes')}>{t('why-node')}</a>
            </p>
          </Section>
        )}
        {cause !== undefined && (
          <Section title="why-inputs">
            <Values of={cause.inputs} are={(name) => !PRICES.has(name)} />
            <p class="quiet">
              <a href={pipelineHref(bot, decidedAt, nodeOf('intent-drafted', decided?.event))}>
                {t('why-node')}
              </a>
            </p>
          </Section>
        )}
        <Section title="story" wide>
          <p class="quiet">{t('story-how')}</p>
          <Table
            label="story"
            columns={['record', 'time', 'why-step', 'order', 'event']}
            rows={story.lines}
            keyOf={({ seq }) => seq}
            cells={(line) => [
              <a key="record" href={botHref(bot, line.seq)}>
                {line.seq}
              </a>,
              <a key="time" href={botHref(bot, line.seq)}>
                <Stamp at={line.at} />
              </a>,
              <a
                key="step"
                href={pipelineHref(
                  bot,
                  line.seq,
                  nodeOf(line.kind, story.links.find(({ record }) => record === line.seq)?.event),
                )}
              >
                {t(`step-${stepOf(line.kind)}`)}
              </a>,
              line.intentId === null ? (
                '—'
              ) : (
                <a key="order" href={orderHref(bot, line.intentId)}>
                  {line.intentId}
                </a>
              ),
              line.kind === 'intent-armed' ? t('checked', numbers.length) : lineText(line),
            ]}
          />
        </Section>
        <Section title="numbers" wide>
          {judged !== undefined && (
            <p>
              <a href={pipelineHref(bot, judged.record, nodeOf(judged.event.kind, judged.event))}>
                {judged.event.rule === undefined ? t('why-node') : ruleText(judged.event.rule)}
              </a>
            </p>
          )}
          <Table
            label="numbers"
            columns={['name', 'number-value', 'number-limit']}
            rows={numbers}
            keyOf={({ name, value }) => `${name} ${value}`}
            cells={(number) => [
              limitText(number.name),
              number === denying ? (
                <strong key="value" class="loss">
                  {valueText(number.value)}
                </strong>
              ) : (
                valueText(number.value)
              ),
              valueText(number.limit),
            ]}
          />
        </Section>
      </div>
    </>
  );
}

/** Names of the prices of a decision; any other input is the value of a signal. */
const PRICES: ReadonlySet<string> = new Set(['last', 'open', 'high', 'low', 'close', 'volume', 'price']);

function Values({ of, are }: { of: Readonly<Record<string, number>>; are: (name: string) => boolean }) {
  const shown = Object.entries(of).filter(([name]) => are(name));
  if (shown.length === 0) return <p class="quiet">{t('none')}</p>;
  return (
    <dl class="limits">
      {shown.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{String(Number(value.toPrecision(10)))}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The step of an order that a record belongs to. */
function stepOf(kind: string): 'intent' | 'verdict' | 'attempt' | 'answer' | 'fill' {
  switch (kind) {
    case 'algorithm-started':
    case 'intent-drafted':
    case 'intent-held':
      return 'intent';
    case 'intent-armed':
    case 'intent-denied':
    case 'replace-denied':
      return 'verdict';
    case 'submit-sending':
    case 'cancel-asked':
    case 'cancel-sending':
    case 'replace-sending':
      return 'attempt';
    case 'order-filled':
    case 'order-charged':
      return 'fill';
    default:
      return 'answer';
  }
}

/** The pipeline box of a record. */
function nodeOf(kind: string, event: Link['event'] | undefined): string {
  switch (stepOf(kind)) {
    case 'intent':
      return event?.strategy === undefined ? 'strategy' : `strategy ${event.strategy}`;
    case 'verdict':
      return event?.rule === undefined ? 'gate' : `rule ${event.rule}`;
    case 'attempt':
      return `call ${kind === 'submit-sending' ? 'attempts' : kind === 'replace-sending' ? 'replaces' : 'cancels'}`;
    default:
      return 'venue';
  }
}

/** Records that state the status of an order; a fill is one, and charges come later. */
const STATES_OUTCOME: ReadonlySet<string> = new Set([
  ...['order-moved', 'order-settled', 'submit-refused', 'submit-unknown', 'submit-not-sent'],
]);

/** Outcome of the order: the rule that denied it, or its newest status. */
function Outcome({ story: { links, lines } }: { story: Story }) {
  const denial = links.find(({ event }) => event.kind === 'intent-denied')?.event;
  if (denial !== undefined)
    return (
      <p class="warning">
        <strong>{t('outcome-denied', ruleText(denial.rule ?? ''), denial.reason ?? '')}</strong>{' '}
        <Excess numbers={denial.numbers ?? []} />
      </p>
    );
  const own = lines.filter(({ kind, intentId }) => intentId !== null && kind !== 'intent-drafted');
  const newest = own.findLast(({ kind }) => STATES_OUTCOME.has(kind)) ?? own.at(-1);
  return (
    <p>
      {t('outcome')}: <strong>{newest === undefined ? t('outcome-open') : lineText(newest)}</strong>
    </p>
  );
}
