import type {
  Bind,
  BuiltInBind,
  EmissionRule,
  GraphNode,
  Series,
  SignalNode,
  SourceField,
} from './series.ts';

/** Longest window of any indicator, in bars. */
const MAX_WINDOW = 10_000;

/** Specification of an indicator; bar counts are relative to the first bar with all inputs. */
export interface NodeSpec {
  readonly name: string;
  readonly inputs: readonly Series[];
  readonly params?: readonly (number | string)[];
  /** Number of earlier bars of its inputs that the kernel reads; 0 if it keeps its own state. */
  readonly lookback?: number;
  /** Number of bars before the first value; 0 if the first bar has one. */
  readonly defined?: number;
  /**
   * Number of bars after which the start of the data no longer matters: `defined` for windows, more for recursions.
   */
  readonly settled?: number;
  readonly bind: Bind;
  /** Distinguishes two indicators of the same name; custom indicators pass their definition. */
  readonly maker?: unknown;
  /** True if a strategy's author wrote it. */
  readonly own?: boolean;
}

/** Creates the node of a price column or of the session number. */
export function source(field: SourceField): Series {
  const node: GraphNode = {
    key: field,
    inputs: [],
    width: 1,
    lookback: 0,
    start: 0,
    defined: 0,
    settled: 0,
    own: false,
    work: { kind: 'source', field },
  };
  return { kind: 'series', label: field, node, output: 0 };
}

function graphNode(spec: NodeSpec, width: number): GraphNode {
  for (const input of spec.inputs) checkSeries(spec.name, input);
  const defined = spec.defined ?? 0;
  const start = spec.inputs.reduce((latest, input) => Math.max(latest, input.node.defined), 0);
  const settledInputs = spec.inputs.reduce((latest, input) => Math.max(latest, input.node.settled), 0);
  const args = [...spec.inputs.map(columnKey), ...(spec.params ?? [])];
  return {
    key: `${spec.name}(${args.join(',')})`,
    inputs: spec.inputs,
    width,
    lookback: spec.lookback ?? 0,
    start,
    defined: start + defined,
    settled: settledInputs + Math.max(spec.settled ?? 0, defined),
    own: spec.own === true || spec.inputs.some(({ node }) => node.own),
    work: { kind: 'kernel', bind: spec.bind as BuiltInBind, maker: spec.maker ?? spec.name },
  };
}

/** A misspelt column (`bars.clsoe`) is undefined in code that was not type-checked. */
function checkSeries(name: string, input: unknown): void {
  if (typeof input === 'object' && input !== null && 'node' in input) return;
  const inputText = typeof input === 'object' ? 'something else' : `${String(input)}`;
  throw new TypeError(
    `Cannot build ${name}: it is given ${inputText} in place of a series such as bars.close; is that spelt right?`,
  );
}

function columnKey({ node, output }: Series): string {
  return node.width === 1 ? node.key : `${node.key}#${output}`;
}

/** Makes an indicator with one output. */
export function series(spec: NodeSpec): Series {
  const label = labelOf(spec.name, [...spec.inputs, ...(spec.params ?? [])]);
  return { kind: 'series', label, node: graphNode(spec, 1), output: 0 };
}

/** Makes an indicator with several outputs, in the order in which its kernel takes their columns. */
export function outputs<K extends string>(spec: NodeSpec, names: readonly K[]): Readonly<Record<K, Series>> {
  const node = graphNode(spec, names.length);
  const label = labelOf(spec.name, [...spec.inputs, ...(spec.params ?? [])]);
  const parts = names.map((name, output): [K, Series] => [
    name,
    { kind: 'series', label: `${label}.${name}`, node, output },
  ]);
  return Object.fromEntries(parts) as Record<K, Series>;
}

/** Creates a signal; its kernel takes the input columns, then direction, then strength. */
export function signalNode(
  spec: NodeSpec,
  loggedInputs: readonly Series[],
  emission?: EmissionRule,
): SignalNode {
  const signal = { kind: 'signal-node', node: graphNode(spec, 2), loggedInputs } as const;
  return emission === undefined ? signal : { ...signal, emission };
}

/** Returns the same series under its usual name, such as `dema(close,20)` for a sum of averages. */
export function named(name: string, args: readonly (Series | number | string)[], inner: Series): Series {
  return { ...inner, label: labelOf(name, args) };
}

/** Names every series of a group after its indicator: `bollinger(close,20,2).upper`. */
export function namedAll<K extends string>(
  name: string,
  args: readonly (Series | number | string)[],
  parts: Readonly<Record<K, Series>>,
): Readonly<Record<K, Series>> {
  const label = labelOf(name, args);
  const entries = Object.entries<Series>(parts);
  return Object.fromEntries(
    entries.map(([part, inner]) => [part, { ...inner, label: `${label}.${part}` }]),
  ) as Record<K, Series>;
}

function labelOf(name: string, args: readonly (Series | number | string)[]): string {
  return `${name}(${args.map((arg) => (typeof arg === 'object' ? arg.label : arg)).join(',')})`;
}

/** Number of bars after which a recursion that keeps the share `1 - rate` per bar has forgotten its seed to 1e-9. */
export function warmupBarsOf(rate: number): number {
  return rate >= 1 ? 0 : Math.ceil(Math.log(1e-9) / Math.log1p(-rate));
}

/** Checks a number of bars; throws RangeError naming the indicator unless it is whole and within `min` and 10,000. */
export function checkWindow(name: string, bars: number, min = 1): void {
  if (Number.isInteger(bars) && bars >= min && bars <= MAX_WINDOW) return;
  throw new RangeError(
    `Cannot build ${name}: its window is "${bars}", want a whole number of bars from ${min} to ${MAX_WINDOW}`,
  );
}

/** Checks a factor; throws RangeError naming the indicator unless it is finite and above zero. */
export function checkFactor(name: string, factor: number): void {
  if (Number.isFinite(factor) && factor > 0) return;
  throw new RangeError(`Cannot build ${name}: its factor is "${factor}", want a finite number above 0`);
}
