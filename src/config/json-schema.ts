import { z } from 'zod';
import type { Strategy } from '../strategy/define-strategy.ts';
import { describeParam, type ParamDeclaration } from '../strategy/params.ts';
import { botSchema } from './bot-schema.ts';

type JsonSchema = Readonly<Record<string, unknown>>;

/** Any parameters, in one type: editors take the words of alternatives (`anyOf`) for those of the parameter itself. */
const OPEN_PARAMS: JsonSchema = {
  type: 'object',
  additionalProperties: { type: ['number', 'boolean', 'string'] },
};

function described(schema: unknown): { readonly description?: unknown } {
  return typeof schema === 'object' && schema !== null && 'description' in schema
    ? { description: schema.description }
    : {};
}

/**
 * The JSON Schema (draft 7, which editors know best) of strategy YAMLs, made from the same declarations that check them;
 * each given strategy adds its parameters. The text of `schema/bot.json`, ending in a newline.
 */
export function botJsonSchema(strategies: readonly Strategy[]): string {
  const { required, ...open } = z.toJSONSchema(botSchema, { io: 'input', target: 'draft-7' });
  const { properties = {} } = open;
  const schema = {
    ...open,
    properties: { ...properties, params: { ...OPEN_PARAMS, ...described(properties['params']) } },
    // What is required may stand in a file that is extended.
    anyOf: [{ required: ['extends'] }, { required }],
    title: 'Sluice strategy YAML',
    allOf: strategies.map(paramsOf),
  };
  return `${JSON.stringify(schema, null, 2)}\n`;
}

function paramsOf(strategy: Strategy): JsonSchema {
  const properties = Object.entries(strategy.params).map(([name, declared]) => [name, paramSchema(declared)]);
  return {
    if: { properties: { strategy: { const: strategy.name } }, required: ['strategy'] },
    // biome-ignore lint/suspicious/noThenProperty: the keyword is JSON Schema's
    then: {
      properties: {
        params: {
          description: strategy.doc ?? `Parameters of ${strategy.name}`,
          type: 'object',
          properties: Object.fromEntries(properties),
          additionalProperties: false,
        },
      },
    },
  };
}

function paramSchema(declared: ParamDeclaration): JsonSchema {
  const description = `${declared.doc}: ${describeParam(declared)}`;
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
