/** Fields of a JSON Schema that this page reads. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly (string | number)[];
  readonly const?: unknown;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

/** The reference of strategy YAMLs, generated from the schema that editors and `sluice check` use. */
export function configurationPage(schema: Schema): string {
  const entries = Object.entries(schema.properties ?? {});
  const plain = entries.filter(([, value]) => value.properties === undefined);
  const sections = entries.filter(([, value]) => value.properties !== undefined);
  return [
    HEAD,
    settings(plain, schema.required ?? []),
    ...sections.flatMap(([name, value]) => section(name, value)),
    TAIL,
  ].join('\n\n');
}

const HEAD = `# Configuration

One YAML file defines what a bot trades, with which strategy and within which limits. \`sluice check FILE\` lists every mistake in it with
line and column; an editor that knows YAML schemas completes and explains it when its first line is

\`\`\`yaml
# yaml-language-server: $schema=../schema/bot.json
\`\`\`

This page is made from that schema; \`npx vitest run test/docs -u\` updates it. An unknown key is an error, and so is a number
without its unit where one is wanted. What is left out has the default named here; of limits that is always the strict one.

\`sluice check FILE\` also checks by the ends of the files that there are bars on the days of \`data:\`, and that \`events.csv\` can be
read. It reports what the run leaves out.

## At the top`;

const TAIL = `Further reading: [risk limits](risk.md), with the number that each compares; [the command line](cli.md);
[errors](errors.md), their causes and fixes.
`;

function section(path: string, schema: Schema): readonly string[] {
  const entries = Object.entries(schema.properties ?? {});
  const inner = entries.filter(([, value]) => value.properties !== undefined);
  return [
    `## \`${path}\``,
    `${schema.description ?? ''}.`,
    settings(
      entries.filter(([, value]) => value.properties === undefined),
      schema.required ?? [],
    ),
    ...inner.flatMap(([name, value]) => section(`${path}.${name}`, value)),
  ].filter((part) => part !== '');
}

function settings(entries: readonly (readonly [string, Schema])[], required: readonly string[]): string {
  if (entries.length === 0) return '';
  const rows = entries.map(([name, schema]) => {
    const must = required.includes(name) && schema.default === undefined ? ' (must be there)' : '';
    const standard =
      schema.default === undefined || /\bdefault\b/.test(schema.description ?? '')
        ? ''
        : `; default ${JSON.stringify(schema.default)}`;
    return `| \`${name}\`${must} | ${formOf(schema)} | ${escaped(`${schema.description ?? ''}${standard}`)} |`;
  });
  return ['| Setting | Form | Meaning |', '|---|---|---|', ...rows].join('\n');
}

/** The notation of a value. */
function formOf(schema: Schema): string {
  const alternatives =
    schema.anyOf ??
    schema.oneOf ??
    (Array.isArray(schema.type) ? schema.type.map((type: string) => ({ type })) : undefined);
  if (alternatives !== undefined) return [...new Set(alternatives.map(formOf))].join(' or ');
  if (schema.const !== undefined) return `\`${String(schema.const)}\``;
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${value}\``).join(', ');
  switch (schema.type) {
    case 'array':
      return `list of ${formOf(schema.items ?? {})}`;
    case 'object':
      if (schema.properties !== undefined)
        return `map of ${Object.keys(schema.properties)
          .map((name) => `\`${name}\``)
          .join(', ')}`;
      return typeof schema.additionalProperties === 'object'
        ? `map to ${formOf(schema.additionalProperties)}`
        : 'map';
    case 'boolean':
      return '`true` or `false`';
    case 'integer':
    case 'number':
      return rangeText(schema);
    default:
      return exampleOf(schema.pattern ?? '');
  }
}

function rangeText({ type, minimum, maximum, exclusiveMinimum }: Schema): string {
  const kind = type === 'integer' ? 'whole number' : 'number';
  const low =
    minimum !== undefined
      ? ` from ${minimum}`
      : exclusiveMinimum !== undefined
        ? ` above ${exclusiveMinimum}`
        : '';
  const high = maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER ? ` to ${maximum}` : '';
  return `${kind}${low}${high}`;
}

const EXAMPLES: readonly (readonly [end: string, example: string])[] = [
  [' shares?$', '`100 shares`'],
  ['%$', '`30%`'],
  ['\\/min$', '`10/min`'],
  ['(ms|s|m|h|d)$', '`30s`'],
  [' ([A-Z]{3})$', '`20000 USD`'],
  [' ticks?$', '`1 tick`'],
  [' bps$', '`5 bps`'],
  ['-\\d{2}$', '`2024-01-02`'],
  ['\\.[A-Z]{2,8}$', '`700.HK`'],
  ['^[A-Z]{3}$', '`USD`'],
];

function exampleOf(pattern: string): string {
  return EXAMPLES.find(([end]) => pattern.endsWith(end))?.[1] ?? 'text';
}

function escaped(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}
