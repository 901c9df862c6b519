import { useEffect, useState } from 'preact/hooks';
import type { LogLine } from '../bot-follower.ts';
import { stamp } from './format.ts';
import { limitText, lineText, ruleText, valueText } from './names.ts';
import { Section, Stamp, Table } from './parts.tsx';
import { botHref, orderHref } from './place.ts';
import { ask } from './session.ts';
import { t } from './text.ts';

interface Link {
  readonly record: number;
  readonly event: {
    readonly kind: string;
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
}

/** Why an order was sent or not: what the strategy knew, what each rule of the gate found, and what came of it. */
export function OrderPage({ bot, order }: { bot: string; order: string }) {
  const [story, setStory] = useState<Story>();
  const [problem, setProblem] = useState('');
  useEffect(() => {
    ask<Story>(`/api/bots/${encodeURIComponent(bot)}/orders/${encodeURIComponent(order)}`).then(
      setStory,
      (error: unknown) => setProblem(error instanceof Error ? error.message : String(error)),
    );
  }, [bot, order]);
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
  const cause = story.links.find(({ event }) => event.cause !== undefined)?.event.cause;
  const numbers = story.links.flatMap(({ event }) => event.numbers ?? []);
  return (
    <>
      {back}
      <h1>{t('why-title', story.intentId)}</h1>
      <Outcome story={story} />
      <div class="grid">
        {cause !== undefined && (
          <Section title="why-inputs">
            <p>
              {t('why-cause', cause.kind, cause.name)} {cause.symbol ?? ''} {stamp(cause.time)}
            </p>
            <dl class="limits">
              {Object.entries(cause.inputs).map(([name, value]) => (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>{String(Number(value.toPrecision(10)))}</dd>
                </div>
              ))}
            </dl>
          </Section>
        )}
        <Section title="numbers">
          <Table
            label="numbers"
            columns={['name', 'number-value', 'number-limit']}
            rows={numbers}
            keyOf={({ name, value }) => `${name} ${value}`}
            cells={({ name, value, limit }) => [limitText(name), valueText(value), valueText(limit)]}
          />
        </Section>
        <Section title="why" wide>
          <Table
            label="why"
            columns={['record', 'time', 'order', 'log']}
            rows={story.lines}
            keyOf={({ seq }) => seq}
            cells={(line) => [
              line.seq,
              <Stamp key="time" at={line.at} />,
              line.intentId === null ? (
                '—'
              ) : (
                <a key="order" href={orderHref(bot, line.intentId)}>
                  {line.intentId}
                </a>
              ),
              lineText(line),
            ]}
          />
        </Section>
      </div>
    </>
  );
}

/** Records that state where an order is; a fill is a part of it, and charges come after it. */
const STATES_OUTCOME: ReadonlySet<string> = new Set([
  ...['order-moved', 'order-settled', 'submit-refused', 'submit-unknown', 'submit-not-sent'],
]);

/** What became of the order: the rule that denied it, or the newest record of where it is. */
function Outcome({ story: { links, lines } }: { story: Story }) {
  const denial = links.find(({ event }) => event.kind === 'intent-denied')?.event;
  if (denial !== undefined)
    return (
      <p class="warning">
        <strong>{t('outcome-denied', ruleText(denial.rule ?? ''), denial.reason ?? '')}</strong>
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
