import { z } from 'zod';
import type { SecretDeclarations } from '../../plugins/define-notifier.ts';
import type { AnyPlugin, PluginKind } from '../../plugins/kinds.ts';
import type { PluginFacts } from '../../plugins/plugin-facts.ts';
import { documentedParam, type ParamDeclaration } from '../../strategy/params.ts';
import { botSchema } from './bot-schema.ts';

type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * Any parameters, in one type: for alternatives (`anyOf`) editors would show their texts in place of the parameter's.
 */
const OPEN_PARAMS: JsonSchema = {
  type: 'object',
  additionalProperties: { type: ['number', 'boolean', 'string'] },
};

function described(schema: unknown): { readonly description?: unknown } {
  return typeof schema === 'object' && schema !== null && 'description' in schema
    ? { description: schema.description }
    : {};
}

/** A plugin whose parameters the schema describes, under its name in a YAML. */
export type DescribedPlugin = Pick<AnyPlugin, 'name' | 'doc' | 'params'> & Pick<PluginFacts, 'secrets'>;

/** Plugins of each kind but strategies. */
export type DescribedPlugins = Readonly<
  Partial<Record<Exclude<PluginKind, 'strategy'>, readonly DescribedPlugin[]>>
>;

/**
 * Generates the JSON Schema (draft 7, which editors support best) of strategy YAMLs from the declarations that also
 * check them; each given plugin adds its parameters. The text of `schema/bot.json`, ending in a newline.
 */
export function botJsonSchema(
  strategies: readonly DescribedPlugin[],
  plugins: DescribedPlugins = {},
): string {
  const { required, ...open } = z.toJSONSchema(botSchema(), { io: 'input', target: 'draft-7' });
  const { properties = {} } = open;
  const needed = (required ?? []).filter((key) => !ONE_STRATEGY.includes(key));
  const withUses = USES.reduce<JsonSchema>(
    (schema, { kind, path }) => changedAt(schema, path, (use) => useSchema(use, plugins[kind] ?? [])),
    { ...properties, params: { ...OPEN_PARAMS, ...described(properties['params']) } },
  );
  const schema = {
    ...open,
    properties: changedAt(withUses, ['strategies', 'items'], (entry) => entrySchema(entry, strategies)),
    // A required key may be in a file that is extended.
    anyOf: [
      { required: ['extends'] },
      ...['data', 'broker'].flatMap((one) =>
        [ONE_STRATEGY, ['strategies']].map((what) => ({ required: [...what, ...needed, one] })),
      ),
    ],
    title: 'Sluice strategy YAML',
    allOf: strategies.map((strategy) => withAxes(paramsOf('strategy', strategy), strategy)),
  };
  return `${JSON.stringify(schema, null, 2)}\n`;
}

/** Keys at the top level of a bot with one strategy, or in each entry of several. */
const ONE_STRATEGY: readonly string[] = ['strategy', 'symbols'];

/** Schema of one of several strategies, with the parameters of each known strategy. */
function entrySchema(entry: JsonSchema, strategies: readonly DescribedPlugin[]): JsonSchema {
  const properties = mapAt(entry, 'properties');
  const params = { ...OPEN_PARAMS, ...described(properties['params']) };
  return {
    ...entry,
    properties: { ...properties, params },
    allOf: strategies.map((strategy) => paramsOf('strategy', strategy)),
  };
}

/** Paths at which plugins are named, from the top-level properties. */
const USES: readonly {
  readonly kind: Exclude<PluginKind, 'strategy'>;
  readonly path: readonly string[];
}[] = [
  { kind: 'risk-rule', path: ['risk', 'properties', 'rules', 'items'] },
  { kind: 'fill-model', path: ['simulation', 'properties', 'fills'] },
  { kind: 'notifier', path: ['notify', 'items'] },
];

function changedAt(
  schema: JsonSchema,
  [key, ...below]: readonly string[],
  change: (at: JsonSchema) => JsonSchema,
): JsonSchema {
  if (key === undefined) return change(schema);
  return { ...schema, [key]: changedAt(mapAt(schema, key), below, change) };
}

function mapAt(schema: JsonSchema, key: string): JsonSchema {
  const value = schema[key];
  return typeof value === 'object' && value !== null ? (value as JsonSchema) : {};
}

/** Schema of one use of a plugin: known names, and the parameters of each. */
function useSchema(use: JsonSchema, plugins: readonly DescribedPlugin[]): JsonSchema {
  const properties = mapAt(use, 'properties');
  const named = { ...mapAt(properties, 'use'), examples: plugins.map(({ name }) => name) };
  const open = { ...OPEN_PARAMS, ...described(properties['params']) };
  return {
    ...use,
    properties: { ...properties, use: plugins.length === 0 ? properties['use'] : named, params: open },
    ...(plugins.length === 0 ? {} : { allOf: plugins.map((plugin) => paramsOf('use', plugin)) }),
  };
}

/** Parameters of a plugin, conditional on the key that names it. */
function paramsOf(key: 'strategy' | 'use', { name, doc, params, secrets = {} }: DescribedPlugin): JsonSchema {
  const properties = Object.entries(params).map(([param, declared]) => [param, paramSchema(declared)]);
  return {
    if: { properties: { [key]: { const: name } }, required: [key] },
    // biome-ignore lint/suspicious/noThenProperty: the keyword is JSON Schema's
    then: {
      properties: {
        params: {
          description: doc ?? `Parameters of ${name}`,
          type: 'object',
          properties: Object.fromEntries(properties),
          additionalProperties: false,
        },
        ...(Object.keys(secrets).length === 0 ? {} : { secrets: secretsSchema(secrets) }),
      },
    },
  };
}

/** Names of a notifier's secrets. Other names and missing ones are found by the check of the config. */
function secretsSchema(secrets: SecretDeclarations): JsonSchema {
  const properties = Object.entries(secrets).map(([name, declared]) => {
    const description = typeof declared === 'string' ? declared : `${declared.doc} (optional)`;
    return [name, { description, type: 'string' }];
  });
  return { type: 'object', properties: Object.fromEntries(properties) };
}

/** The same, with the strategy's parameters as axes of a sweep. */
function withAxes(schema: JsonSchema, { params }: DescribedPlugin): JsonSchema {
  const axes = Object.entries(params).map(([param, declared]) => {
    return [param, { description: `${documentedParam(declared)}; "{}" for all of it` }];
  });
  return changedAt(schema, ['then', 'properties'], (properties) => ({
    ...properties,
    sweep: { properties: { axes: { properties: Object.fromEntries(axes) } } },
  }));
}

function paramSchema(declared: ParamDeclaration): JsonSchema {
  const description = documentedParam(declared);
  const common = { description, default: declared.default };
  switch (declared.kind) {
    case 'int':
      return { ...common, type: 'integer', minimum: declared.min, maximum: declared.max };
    case 'number':
      return { ...common, type: 'number', minimum: declared.min, maximum: declared.max };
    case 'ratio':
      return {
        ...common,
        anyOf: [
          { type: 'number', minimum: declared.min, maximum: declared.max },
          { type: 'string', pattern: '^-?\\d+(\\.\\d+)?%$' },
        ],
      };
    case 'boolean':
      return { ...common, type: 'boolean' };
    case 'choice':
      return { ...common, type: 'string', enum: declared.choices };
  }
}
