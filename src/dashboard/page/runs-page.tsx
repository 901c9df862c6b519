import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Caveat } from '../../reports/compare.ts';
import type { RunComparison, RunName, RunRow } from '../run-source.ts';
import { CurvesChart } from './curves-chart.tsx';
import { percent } from './format.ts';
import { Section, Stamp, Table } from './parts.tsx';
import { usePolled } from './poll.ts';
import { ask } from './session.ts';
import { language, t, type WordKey } from './text.ts';

const idOf = ({ kind, name }: RunName): string => `${kind}:${name}`;
const pathOf = (id: string): string => `/api/runs/${encodeURIComponent(id)}`;
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** A run that ends while the page is open appears within this time. */
const RELOAD_MS = 5_000;

/** Backtests, runs of bots and sweeps of the project; two of them side by side. */
export function RunsPage() {
  const rows = usePolled<readonly RunRow[]>('/api/runs', RELOAD_MS);
  const [ticked, setTicked] = useState<readonly string[]>([]);
  const [problem, setProblem] = useState('');
  if (rows === undefined) return <p class="quiet">{t('loading')}</p>;
  // A run that was removed in the meantime is no longer selected.
  const chosen = ticked.filter((id) => rows.some((row) => idOf(row) === id));
  const choose = (id: string): void =>
    setTicked(chosen.includes(id) ? chosen.filter((each) => each !== id) : [...chosen.slice(-1), id]);
  const [a, b] = chosen;
  return (
    <>
      <h1>{t('runs')}</h1>
      <p class="quiet">{t(rows.length === 0 ? 'runs-none' : 'runs-how')}</p>
      {problem !== '' && <p role="alert">{problem}</p>}
      {a !== undefined && b === undefined && <p role="status">{t('compare-one')}</p>}
      {a !== undefined && b !== undefined && <Comparison key={`${a} ${b}`} a={a} b={b} />}
      {rows.length > 0 && (
        <Section title="runs">
          <Table
            label="runs"
            columns={[
              ...(['compare', 'name', 'run-kind', 'strategy', 'span', 'return', 'drawdown'] as const),
              ...(['sharpe', 'trades', 'saved', 'report'] as const),
            ]}
            rows={rows}
            keyOf={idOf}
            cells={(row) => [
              row.isComparable ? (
                <input
                  key="choose"
                  type="checkbox"
                  aria-label={t('compare-this', row.name)}
                  checked={chosen.includes(idOf(row))}
                  onChange={() => choose(idOf(row))}
                />
              ) : (
                '—'
              ),
              <>
                {row.name}
                {row.objective !== null && (
                  <small>{t('objective-best', row.objective.text, number(row.objective.best, 4))}</small>
                )}
                {row.options.length > 0 && <small class="quiet">{row.options.join(' ')}</small>}
                {row.problem !== null && <small class="loss">{row.problem}</small>}
              </>,
              t(`run-kind-${row.kind}`),
              row.strategy === '' ? '—' : row.strategy,
              <Days key="span" row={row} />,
              ...figuresOf(row),
              <Stamp key="saved" at={row.savedAt} />,
              row.hasReport ? <OpenReport key="report" row={row} onProblem={setProblem} /> : '—',
            ]}
          />
        </Section>
      )}
    </>
  );
}

/** First and last day; a line break is allowed only between them. */
function Days({ row: { from, to } }: { row: RunRow }) {
  if (from === '') return '—';
  return (
    <>
      <span class="stamp">{from.slice(0, 10)} –</span> <span class="stamp">{to.slice(0, 10)}</span>
    </>
  );
}

function figuresOf({ figures }: RunRow): readonly ComponentChildren[] {
  if (figures !== null) {
    const { totalReturn, maxDrawdown, sharpe, closedTrades } = figures;
    return [gain(totalReturn), share(maxDrawdown), number(sharpe, 2), number(closedTrades, 0)];
  }
  return ['—', '—', '—', '—'];
}

function share(value: number | null): string {
  return value === null ? '—' : percent(value);
}

/** A return with its sign, in the colour of a profit or a loss. */
function gain(value: number | null): ComponentChildren {
  if (value === null) return '—';
  return <span class={value < 0 ? 'loss' : value > 0 ? 'profit' : ''}>{percent(value, true)}</span>;
}

function number(value: number | null, places: number): string {
  if (value === null) return '—';
  const digits = { minimumFractionDigits: places, maximumFractionDigits: places };
  return new Intl.NumberFormat(language.value, digits).format(value);
}

/** Opens a report in a separate tab by a link that is valid once; the report's page has no access to anything. */
function OpenReport({ row, onProblem }: { row: RunRow; onProblem: (problem: string) => void }) {
  async function open(): Promise<void> {
    onProblem('');
    try {
      const { href } = await ask<{ readonly href: string }>(`${pathOf(idOf(row))}/links`, { body: {} });
      const link = document.createElement('a');
      link.href = href;
      link.target = '_blank';
      link.rel = 'noopener';
      link.click();
    } catch (error) {
      onProblem(messageOf(error));
    }
  }
  return (
    <button type="button" aria-label={t('open-report', row.name)} onClick={() => void open()}>
      {t('open-it')}
    </button>
  );
}

/** Two runs side by side: equity, figures, and the differences of their configs. */
function Comparison({ a, b }: { a: string; b: string }) {
  const [found, setFound] = useState<RunComparison>();
  const [problem, setProblem] = useState('');
  const box = useRef<HTMLDivElement>(null);
  // It is above the list, which may be scrolled far down.
  useEffect(() => box.current?.scrollIntoView(), [found]);
  useEffect(() => {
    ask<RunComparison>(`${pathOf(a)}/with/${encodeURIComponent(b)}`).then(setFound, (error: unknown) =>
      setProblem(messageOf(error)),
    );
  }, [a, b]);
  if (problem !== '') return <p role="alert">{problem}</p>;
  if (found === undefined) return <p class="quiet">{t('loading')}</p>;
  const { comparison, caveats, curves } = found;
  const hasTwoCurrencies = caveats.some(({ kind }) => kind === 'currencies');
  const names = [a, b].map((id) => id.slice(id.indexOf(':') + 1));
  return (
    <div class="grid comparison" ref={box}>
      <Section title="figures" wide>
        {caveats.map((caveat) => (
          <p key={caveat.kind} class="warning">
            {caveat.kind === 'few-trades'
              ? t('caveat-few-trades', caveat.least)
              : t(
                  `caveat-${caveat.kind}`,
                  caveatValue(caveat.kind, caveat.a),
                  caveatValue(caveat.kind, caveat.b),
                )}
          </p>
        ))}
        <Table
          label="figures"
          columns={['figure', 'run-a', 'run-b', 'difference']}
          titles={{ 'run-a': names[0] ?? '', 'run-b': names[1] ?? '' }}
          rows={comparison.figures}
          keyOf={({ name }) => name}
          cells={({ name, kind, a: one, b: other }) => [
            figureName(name),
            valueText(kind, one, SIGNED.has(name)),
            valueText(kind, other, SIGNED.has(name)),
            one === null || other === null || (kind === 'money' && hasTwoCurrencies)
              ? '—'
              : valueText(kind, other - one, true),
          ]}
        />
      </Section>
      <Section title="equity" wide>
        <CurvesChart a={curves.a} b={curves.b} names={[names[0] ?? '', names[1] ?? '']} />
      </Section>
      <Section title="only-a">
        <Lines lines={comparison.onlyInA} />
      </Section>
      <Section title="only-b">
        <Lines lines={comparison.onlyInB} />
      </Section>
      {!comparison.sameStrategyCode && <p class="warning wide">{t('other-code')}</p>}
    </div>
  );
}

/** Translates modes and origins of prices; periods, symbols and currencies are shown unchanged. */
function caveatValue(kind: Caveat['kind'], value: string): string {
  if (kind === 'spans') return value.replace(' to ', ' – ');
  if (kind !== 'modes' && kind !== 'origins') return value;
  return value
    .split(' and ')
    .map((part) => {
      const key = CAVEAT_KEYS[part];
      return key === undefined ? part : t(key);
    })
    .join(', ');
}

const CAVEAT_KEYS: Readonly<Record<string, WordKey>> = {
  backtest: 'caveat-mode-backtest',
  paper: 'caveat-mode-paper',
  live: 'caveat-mode-live',
  real: 'caveat-origin-real',
  generated: 'caveat-origin-generated',
  unknown: 'caveat-origin-unknown',
};

/** Names of figures in a comparison, and the keys of their texts. */
const FIGURE_KEYS: Readonly<Record<string, WordKey>> = {
  Return: 'return',
  CAGR: 'figure-cagr',
  'Max drawdown': 'figure-max-drawdown',
  Sharpe: 'sharpe',
  Sortino: 'figure-sortino',
  Volatility: 'figure-volatility',
  Exposure: 'figure-exposure',
  'Final equity': 'figure-final-equity',
  'Closed trades': 'trades',
  'Win rate': 'figure-won',
  'Average trade': 'figure-per-trade',
  Orders: 'figure-orders',
  Denied: 'figure-denied',
  Fills: 'figure-fills',
};

function figureName(name: string): string {
  const key = FIGURE_KEYS[name];
  return key === undefined ? name : t(key);
}

/** Figures that are gains or losses. */
const SIGNED: ReadonlySet<string> = new Set(['Return', 'CAGR', 'Average trade']);

function valueText(
  kind: 'share' | 'ratio' | 'money' | 'count',
  value: number | null,
  signed: boolean,
): string {
  if (value === null) return '—';
  if (kind === 'share') return percent(value, signed);
  const text = number(value, kind === 'count' ? 0 : 2);
  return signed && value > 0 ? `+${text}` : text;
}

function Lines({ lines }: { lines: readonly string[] }) {
  if (lines.length === 0) return <p class="quiet">{t('none')}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
    <pre class="scroll" tabIndex={0}>
      {lines.join('\n')}
    </pre>
  );
}
