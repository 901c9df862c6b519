import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { NodeReading } from '../../model/node-reading.ts';
import type { LivePipeline } from '../bot-source.ts';
import type { PipelineView } from '../pipeline-view.ts';
import { boxTowards, isArrowKey, type PlacedBox } from './box-steps.ts';
import { ruleName, ruleText } from './names.ts';
import { ageText, lengthText, oldestQuote, SymbolSelect, showsGate } from './parts.tsx';
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
import { type DrawnEdge, type DrawnNode, type PipelineGraph, pipelineGraph } from './pipeline-graph.ts';
import type { Box, PipelineLayout, Point } from './pipeline-layout.ts';
import { botHref } from './place.ts';
import { t } from './text.ts';

interface Shown {
  readonly view: PipelineView;
  readonly rates: Rates;
  /** True for the pipeline at an earlier record. */
  readonly isPast: boolean;
}

/** Text of a box: its name, further lines, and a class for its state. */
interface BoxText {
  readonly name: string;
  readonly lines: readonly string[];
  readonly mark?: string;
  /** Shown when the box is selected. */
  readonly more?: readonly string[];
}

type Strategies = LivePipeline['strategies'];

/** Draws the declared pipeline with its current figures. */
export function PipelineDrawing({ view, rates, isPast, box }: Shown & { readonly box: string | undefined }) {
  const [wanted, setWanted] = useState<string>();
  const [wantedBox, setChosen] = useState(box);
  const strategies = useDeclared(view);
  const symbols = [
    ...new Set(strategies.flatMap((each) => (each.symbols ?? []).map(({ symbol }) => symbol))),
  ];
  const symbol = wanted !== undefined && symbols.includes(wanted) ? wanted : symbols[0];
  const graph = pipelineGraph({ rules: rulesOf(view), strategy: view.strategy, strategies, symbol });
  // A link to the strategy has no name if the bot has none.
  const chosen =
    wantedBox === 'strategy' ? graph.nodes.find(({ kind }) => kind === 'strategy')?.id : wantedBox;
  const layout = useLayout(graph);
  const text = (node: DrawnNode): BoxText => nodeText(node, { view, rates, isPast, strategies, symbol });
  return (
    <section class="panel" aria-label={t('drawing')}>
      {symbols.length > 1 && (
        <p>
          <SymbolSelect symbols={symbols} symbol={symbol} onSymbol={setWanted} />
        </p>
      )}
      {layout === undefined ? (
        <p class="quiet">{t('loading')}</p>
      ) : (
        <Drawn
          layout={layout}
          shown={{ view, rates, isPast }}
          text={text}
          chosen={chosen}
          onChoose={setChosen}
        />
      )}
      <Chosen name={view.name} text={chosenText(view, graph, text, chosen)} />
      <p class="quiet">{t('drawing-how')}</p>
    </section>
  );
}

/** The strategies of the bot. A busy strategy states no nodes: its graph remains as declared, without values. */
function useDeclared({ live }: PipelineView): Strategies {
  const known = useRef(new Map<string, Strategies[number]['symbols']>());
  if (live === null) return [];
  return live.strategies.map((strategy) => {
    const { name, symbols } = strategy;
    if (symbols !== null) {
      known.current.set(name, symbols);
      return strategy;
    }
    const declared = known.current.get(name) ?? null;
    return {
      ...strategy,
      symbols:
        declared?.map((each) => ({ ...each, nodes: each.nodes.map((node) => ({ ...node, values: [] })) })) ??
        null,
    };
  });
}

/** The library is loaded once; a layout is computed only when the graph changes. */
function useLayout(graph: PipelineGraph): PipelineLayout | undefined {
  const [layout, setLayout] = useState<PipelineLayout>();
  const declared = JSON.stringify(graph);
  useEffect(() => {
    let isGone = false;
    void import('./pipeline-layout.ts').then(({ layOutPipeline }) => {
      if (!isGone) setLayout(layOutPipeline(JSON.parse(declared) as PipelineGraph));
    });
    return () => {
      isGone = true;
    };
  }, [declared]);
  return layout;
}

interface DrawnProps {
  readonly layout: PipelineLayout;
  readonly shown: Shown;
  readonly text: (node: DrawnNode) => BoxText;
  readonly chosen: string | undefined;
  readonly onChoose: (id: string | undefined) => void;
}

function Drawn({ layout, shown, text, chosen, onChoose }: DrawnProps) {
  const { width, height, nodes, groups, rules, edges } = layout;
  const [focused, setFocused] = useState<string>();
  const boxes: readonly PlacedBox[] = [
    ...nodes.filter(({ node }) => node.kind !== 'gate').map(({ node: { id }, box }) => ({ id, box })),
    ...rules.map(({ rule, box }) => ({ id: `rule ${rule}`, box })),
  ];
  // One box takes part in the order of the Tab key; arrow keys lead to the others.
  const stop = boxes.some(({ id }) => id === focused) ? focused : boxes[0]?.id;
  function step(event: KeyboardEvent): void {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (stop === undefined || !isArrowKey(event.key) || !(event.target instanceof HTMLButtonElement)) return;
    const next = boxTowards(boxes, stop, event.key);
    if (next === undefined) return;
    event.preventDefault();
    setFocused(next.id);
    const buttons = event.target.closest('svg')?.querySelectorAll<HTMLButtonElement>('button.box') ?? [];
    for (const button of buttons) if (button.dataset['box'] === next.id) button.focus();
  }
  const group = groups.find(({ members }) => chosen !== undefined && members.includes(chosen))?.id;
  const arrow = useId();
  const box = useRef<HTMLDivElement>(null);
  // A drawing that is wider than the page starts at its middle, through which orders pass.
  useEffect(() => {
    const scroller = box.current;
    if (scroller !== null) scroller.scrollLeft = (scroller.scrollWidth - scroller.clientWidth) / 2;
  }, [width]);
  const toggle = (id: string) => () => onChoose(id === chosen ? undefined : id);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
    <div class="drawing" tabIndex={0} ref={box}>
      {/* biome-ignore lint/a11y/noSvgWithoutTitle: the section has the name; a title would be the tooltip of every box */}
      <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`}>
        <defs>
          <marker
            id={arrow}
            viewBox="0 0 8 8"
            refX="7"
            refY="4"
            markerWidth="8"
            markerHeight="8"
            orient="auto"
          >
            <path class="arrow" d="M0 0L8 4L0 8z" />
          </marker>
        </defs>
        {edges.map(({ edge, points, label }) => (
          <g key={`${edge.from} > ${edge.to}`} class={isAt(edge, group ?? chosen) ? 'edge near' : 'edge'}>
            <path d={pathOf(points)} marker-end={`url(#${arrow})`} />
            {label !== undefined && <EdgeLabel edge={edge} box={label} shown={shown} />}
          </g>
        ))}
        {groups.map(({ id, box: { x, y, width: wide, height: high } }) => (
          <rect key={id} class="group-frame" x={x} y={y} width={wide} height={high} rx="8" />
        ))}
        {nodes.map(({ node, box }) =>
          node.kind === 'gate' ? (
            <GateFrame key={node.id} box={box} view={shown.view} />
          ) : (
            <BoxButton
              key={node.id}
              id={node.id}
              box={box}
              kind={node.kind}
              isStop={node.id === stop}
              onFocus={setFocused}
              onKeyDown={step}
              text={text(node)}
              isChosen={node.id === chosen}
              onClick={toggle(node.id)}
            />
          ),
        )}
        {rules.map(({ rule, box }, index) => (
          <BoxButton
            key={`rule ${rule}`}
            id={`rule ${rule}`}
            box={box}
            kind="rule"
            isStop={`rule ${rule}` === stop}
            onFocus={setFocused}
            onKeyDown={step}
            text={ruleBox(shown.view, rule, index + 1)}
            isChosen={`rule ${rule}` === chosen}
            onClick={toggle(`rule ${rule}`)}
          />
        ))}
      </svg>
    </div>
  );
}

function isAt({ from, to }: DrawnEdge, id: string | undefined): boolean {
  return from === id || to === id;
}

/** A line through the points, with rounded corners. */
function pathOf(points: readonly Point[]): string {
  const [first, ...rest] = points;
  if (first === undefined) return '';
  const steps = rest.map((point, index) => {
    const next = rest[index + 1];
    if (next === undefined) return `L${point.x} ${point.y}`;
    return `Q${point.x} ${point.y} ${(point.x + next.x) / 2} ${(point.y + next.y) / 2}`;
  });
  return `M${first.x} ${first.y}${steps.join('')}`;
}

/** Count and rate, and under them the age of the newest. */
function EdgeLabel({ edge, box, shown: { view, rates } }: { edge: DrawnEdge; box: Box; shown: Shown }) {
  const { count } = edge;
  if (count === undefined) return null;
  const passed = countOf(view, count);
  if (passed === undefined) return null;
  const at =
    count === 'quotes' || count === 'bars' || count === 'signals' ? undefined : view.flow.newest[count];
  return (
    <text>
      <tspan x={box.x} y={box.y + 14}>
        {withRate(passed, rates[count])}
      </tspan>
      <tspan x={box.x} y={box.y + 29}>
        {ageText(view, at)}
      </tspan>
    </text>
  );
}

/** Undefined for figures that only a running bot has. */
function countOf({ flow, live }: PipelineView, count: NonNullable<DrawnEdge['count']>): number | undefined {
  if (count === 'quotes' || count === 'bars' || count === 'signals') return live?.seen[count];
  return flow[count];
}

function withRate(count: number, rate: number | undefined): string {
  return rate === undefined ? String(count) : `${count} · ${t('rate', rateText(rate))}`;
}

function GateFrame({ box, view }: { box: Box; view: PipelineView }) {
  const state = showsGate(view) ? ` · ${t(`gate-${view.gate.state}`)}` : '';
  return (
    <g class={`gate-frame gate-frame-${showsGate(view) ? view.gate.state : 'none'}`}>
      <rect x={box.x} y={box.y} width={box.width} height={box.height} rx="8" />
      <text x={box.x + 12} y={box.y + 22}>
        {`${t('gate')}${state} · ${t('denied-times', deniedOf(view))}`}
      </text>
    </g>
  );
}

interface BoxButtonProps {
  readonly id: string;
  /** True if the Tab key leads to it. */
  readonly isStop: boolean;
  readonly onFocus: (id: string) => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
  readonly box: Box;
  readonly kind: string;
  readonly text: BoxText;
  readonly isChosen: boolean;
  readonly onClick: () => void;
}

function BoxButton({
  id,
  box,
  kind,
  text: { name, lines, mark = '' },
  isChosen,
  isStop,
  onClick,
  onFocus,
  onKeyDown,
}: BoxButtonProps) {
  const [first, second, third] = lines;
  return (
    <foreignObject x={box.x} y={box.y} width={box.width} height={box.height}>
      <button
        type="button"
        class={`box box-${kind} ${mark}`}
        data-box={id}
        tabIndex={isStop ? 0 : -1}
        aria-pressed={isChosen}
        onClick={onClick}
        onFocus={() => onFocus(id)}
        onKeyDown={onKeyDown}
      >
        <b>{name}</b>
        {first !== undefined && <span> {first}</span>}
        {second !== undefined && <span> {second}</span>}
        {third !== undefined && <span> {third}</span>}
      </button>
    </foreignObject>
  );
}

function ruleBox(view: PipelineView, rule: string, place: number): BoxText {
  const reading = ruleReading(view, rule);
  const { count, at, isNewest } = reading;
  const name = `${place}. ${ruleName(rule)}`;
  if (count === 0) return { name, lines: [] };
  const times = isNewest ? t('denied-last', count) : t('denied-times', count);
  return {
    name,
    lines: [[times, ageText(view, at)].filter((part) => part !== '').join(' · ')],
    mark: ruleClass(reading),
  };
}

interface Facts extends Shown {
  readonly strategies: Strategies;
  readonly symbol: string | undefined;
}

function nodeText(node: DrawnNode, facts: Facts): BoxText {
  const { view, rates, isPast, strategies, symbol } = facts;
  const { live, flow } = view;
  const unknown = t(isPast ? 'not-in-journal' : 'live-only');
  switch (node.kind) {
    case 'quotes': {
      const name = t('count-quotes');
      if (live === null) return { name, lines: [unknown] };
      const lines = [
        withRate(live.seen.quotes, rates['quotes']),
        `${t('quote-age')}: ${oldestQuote(view.quoteAgesMs)}`,
      ];
      const more = Object.entries(view.quoteAgesMs).map(
        ([each, age]) => `${each} ${age === null ? t('no-quote') : lengthText(age)}`,
      );
      return { name, lines, more };
    }
    case 'bars':
      return {
        name: t('count-bars'),
        lines: [live === null ? unknown : withRate(live.seen.bars, rates['bars'])],
      };
    case 'signal': {
      const reading = readingOf(node, strategies, symbol);
      return reading === undefined ? { name: node.key, lines: ['—'] } : signalText(reading);
    }
    case 'strategy': {
      const graph = strategies.find(({ name }) => name === node.name);
      return {
        name: node.name === '' ? view.name : node.name,
        lines: [
          t('stage-strategy'),
          ...(live === null
            ? []
            : [`${t('count-signals')}: ${withRate(live.seen.signals, rates['signals'])}`]),
        ],
        more: graph === undefined ? [] : [t('graph-of', graph.name, graph.warmup)],
      };
    }
    case 'gate':
      return { name: t('gate'), lines: [] };
    case 'executor':
      return {
        name: t('stage-executor'),
        lines: [`${t('flow-not-sent')}: ${flow.notSent}`, `${t('flow-unknown')}: ${flow.unknown}`],
        mark: flow.unknown > 0 ? 'warned' : '',
      };
    case 'call':
      return { name: t(CALLS[node.step]), lines: [String(flow[node.step])] };
    case 'venue': {
      const calls = live?.calls ?? null;
      return {
        name: t('stage-venue'),
        lines: [
          `${t('flow-accepted')}: ${flow.accepted}`,
          `${t('flow-rejected')}: ${flow.rejected}`,
          `${t('flow-fills')}: ${withRate(flow.fills, rates['fills'])}`,
        ],
        more: [
          ...(flow.newest.fills === undefined
            ? []
            : [`${t('flow-fills')}: ${ageText(view, flow.newest.fills)}`]),
          ...(calls === null
            ? []
            : [
                t(
                  'venue-calls',
                  calls.open + calls.protect + calls.cancel + calls.read,
                  calls.max,
                  calls.windowMs / 1_000,
                ),
              ]),
        ],
      };
    }
  }
}

const CALLS = { attempts: 'flow-attempts', cancels: 'flow-cancels', replaces: 'flow-replaces' } as const;

function readingOf(
  { strategy, key }: Extract<DrawnNode, { kind: 'signal' }>,
  strategies: Strategies,
  symbol: string | undefined,
): NodeReading | undefined {
  return strategies
    .find(({ name }) => name === strategy)
    ?.symbols?.find((each) => each.symbol === symbol)
    ?.nodes.find((node) => node.key === key);
}

function signalText({ key, names, kind, inputs, values, warmupLeft }: NodeReading): BoxText {
  const value = kind === 'signal' ? directionText(values[0]) : valuesText(values);
  const isNamed = names.length > 0;
  return {
    name: isNamed ? names.join(', ') : key,
    lines: [
      value === '' ? '—' : value,
      ...(warmupLeft === 0 ? [] : [`${t('warmup-left')}: ${t('bars-left', warmupLeft)}`]),
    ],
    mark: `node-of-${kind}${warmupLeft === 0 ? '' : ' warming'}`,
    more: [
      ...(isNamed ? [key] : []),
      ...(inputs.length === 0 ? [] : [`${t('inputs')}: ${inputs.join(', ')}`]),
    ],
  };
}

function chosenText(
  view: PipelineView,
  graph: PipelineGraph,
  text: (node: DrawnNode) => BoxText,
  chosen: string | undefined,
): (BoxText & { readonly isDenying: boolean }) | undefined {
  const index = graph.rules.findIndex((rule) => `rule ${rule}` === chosen);
  const rule = graph.rules[index];
  if (rule !== undefined)
    return {
      ...ruleBox(view, rule, index + 1),
      name: ruleText(rule),
      isDenying: ruleReading(view, rule).count > 0,
    };
  const node = graph.nodes.find(({ id }) => id === chosen);
  return node === undefined ? undefined : { ...text(node), isDenying: false };
}

/** All details of the selected box, whose own text may be shortened. */
function Chosen({
  name,
  text,
}: {
  name: string;
  text: (BoxText & { readonly isDenying: boolean }) | undefined;
}) {
  return (
    <p class="chosen" role="status">
      {text !== undefined && (
        <>
          <b>{text.name}</b> {[...text.lines, ...(text.more ?? [])].join(' · ')}{' '}
          {text.isDenying && <a href={botHref(name)}>{t('denials')}</a>}
        </>
      )}
    </p>
  );
}
