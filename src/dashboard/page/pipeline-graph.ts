import type { FlowStep } from '../bot-follower.ts';
import type { LivePipeline } from '../bot-source.ts';

/** A box of the drawing, by the part of the pipeline that it shows. */
export type DrawnNode = { readonly id: string } & (
  | { readonly kind: 'quotes' | 'bars' | 'gate' | 'executor' | 'venue' }
  | { readonly kind: 'signal'; readonly strategy: string; readonly key: string }
  | { readonly kind: 'strategy'; readonly name: string }
  | { readonly kind: 'call'; readonly step: 'attempts' | 'cancels' | 'replaces' }
);

/** An arrow between two boxes. */
export interface DrawnEdge {
  readonly from: string;
  readonly to: string;
  /** Its count; absent if one count belongs to several arrows and their box shows it. */
  readonly count?: FlowStep | 'quotes' | 'bars' | 'signals';
}

/** The declared pipeline: the same object for the same declaration. */
export interface PipelineGraph {
  readonly nodes: readonly DrawnNode[];
  readonly edges: readonly DrawnEdge[];
  /** Rules of the gate, in the order in which they check orders. */
  readonly rules: readonly string[];
}

/** Input of the graph. */
export interface DeclaredPipeline {
  readonly rules: readonly string[];
  /** Name of the strategy if the bot does not state its strategies. */
  readonly strategy: string;
  readonly strategies: readonly Pick<LivePipeline['strategies'][number], 'name' | 'symbols'>[];
  /** The symbol whose signal graph is drawn; undefined draws none. */
  readonly symbol: string | undefined;
}

/**
 * Builds the graph: quotes, bars, the signal graph of one symbol, strategies, gate, executor, calls and venue, with
 * their connections.
 */
export function pipelineGraph({ rules, strategy, strategies, symbol }: DeclaredPipeline): PipelineGraph {
  const nodes: DrawnNode[] = [
    { id: 'quotes', kind: 'quotes' },
    { id: 'bars', kind: 'bars' },
  ];
  const links: { readonly from: string; readonly to: string; readonly isSignal?: boolean }[] = [];
  const declared = strategies.length > 0 ? strategies : [{ name: strategy, symbols: null }];
  for (const { name, symbols } of declared) {
    const to = `strategy ${name}`;
    const drawn = symbols?.find((each) => each.symbol === symbol)?.nodes ?? [];
    const known = new Set(drawn.map(({ key }) => key));
    const read = new Set(drawn.flatMap(({ inputs }) => inputs));
    for (const { key, inputs, names, kind } of drawn) {
      const id = signalId(name, key);
      nodes.push({ id, kind: 'signal', strategy: name, key });
      const from = inputs.filter((input) => known.has(input));
      if (from.length === 0) links.push({ from: 'bars', to: id });
      for (const input of new Set(from)) links.push({ from: signalId(name, input), to: id });
      // The strategy reads named nodes, and nodes that no other node reads.
      if (names.length > 0 || kind === 'signal' || !read.has(key))
        links.push({ from: id, to, isSignal: kind === 'signal' });
    }
    if (drawn.length === 0) links.push({ from: 'bars', to });
    nodes.push({ id: to, kind: 'strategy', name });
  }
  const fromBars = links.filter(({ from }) => from === 'bars').length;
  const signals = links.filter(({ isSignal }) => isSignal === true).length;
  const calls = (['attempts', 'cancels', 'replaces'] as const).map((step) => ({ id: `call ${step}`, step }));
  nodes.push(
    { id: 'gate', kind: 'gate' },
    { id: 'executor', kind: 'executor' },
    ...calls.map(({ id, step }) => ({ id, kind: 'call', step }) as const),
    { id: 'venue', kind: 'venue' },
  );
  const edges: readonly DrawnEdge[] = [
    { from: 'quotes', to: 'bars', count: 'quotes' },
    ...links.map(({ from, to, isSignal }): DrawnEdge => {
      if (from === 'bars' && fromBars === 1) return { from, to, count: 'bars' };
      return isSignal === true && signals === 1 ? { from, to, count: 'signals' } : { from, to };
    }),
    ...declared.map(({ name }): DrawnEdge => {
      const edge = { from: `strategy ${name}`, to: 'gate' };
      return declared.length === 1 ? { ...edge, count: 'drafted' } : edge;
    }),
    { from: 'gate', to: 'executor', count: 'approved' },
    ...calls.map(({ id, step }) => ({ from: 'executor', to: id, count: step })),
    ...calls.map(({ id, step }): DrawnEdge => {
      const edge = { from: id, to: 'venue' };
      return step === 'attempts' ? { ...edge, count: 'accepted' } : edge;
    }),
  ];
  return { nodes, edges, rules };
}

function signalId(strategy: string, key: string): string {
  return `signal ${strategy} ${key}`;
}
