import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectSchema } from '../../src/app/load/project-schema.ts';
import { loadBotConfig } from '../../src/config/load-config.ts';
import { packageRoot } from '../../src/config/plugins/package-root.ts';
import { strategyNames } from '../../src/config/plugins/plugin-files.ts';
import { loadStrategy, usualRoots } from '../../src/config/plugins/plugin-loader.ts';
import { botJsonSchema } from '../../src/config/schema/json-schema.ts';
import type { Strategy } from '../../src/strategy/define-strategy.ts';

const root = packageRoot();
const roots = usualRoots(root);
const SHIPPED = readdirSync(join(root, 'backtest-data')).filter((name) => /^[A-Z]+\.(HK|US)$/.test(name));
const securities = () => ({
  symbols: SHIPPED,
  find: (symbol: string) => {
    const currency = symbol.endsWith('.HK') ? 'HKD' : 'USD';
    return SHIPPED.includes(symbol) ? { currency, tradable: true, lotSize: 1 } : undefined;
  },
});

async function shippedStrategies(): Promise<readonly Strategy[]> {
  const loaded = await Promise.all(strategyNames(roots).map((name) => loadStrategy(name, roots)));
  return loaded.flatMap((one) => (one.kind === 'ok' ? [one.strategy] : []));
}

describe('the shipped files', () => {
  const configs = readdirSync(join(root, 'config')).filter((name) => name.endsWith('.yaml'));

  it.each(configs)('have no mistake in config/%s', async (name) => {
    const path = join(root, 'config', name);
    const loaded = await loadBotConfig(path, { roots, securities });
    expect(loaded.kind === 'problems' ? loaded.problems : []).toEqual([]);
  });

  it.each(configs)('name the schema on the first line of config/%s', (name) => {
    const [first] = readFileSync(join(root, 'config', name), 'utf8').split('\n');
    const schema = /^# yaml-language-server: \$schema=(.+)$/.exec(first ?? '')?.[1];
    expect(schema !== undefined && existsSync(join(root, 'config', schema))).toBe(true);
  });

  it('have a schema that equals the declarations', async () => {
    const committed = readFileSync(join(root, 'schema', 'bot.json'), 'utf8');
    expect(committed).toBe((await projectSchema(root)).text);
  });

  it('provide editors with keys, units, defaults and parameters', async () => {
    const schema = JSON.parse(botJsonSchema(await shippedStrategies()));
    expect(schema.additionalProperties).toBe(false);
    expect(schema.anyOf).toEqual([
      { required: ['extends'] },
      { required: ['strategy', 'symbols', 'period', 'account', 'data'] },
      { required: ['strategies', 'period', 'account', 'data'] },
      { required: ['strategy', 'symbols', 'period', 'account', 'broker'] },
      { required: ['strategies', 'period', 'account', 'broker'] },
    ]);
    expect(new RegExp(schema.properties.risk.properties.maxOrderNotional.pattern).test('20000 USD')).toBe(
      true,
    );
    expect(schema.properties.charges).toMatchObject({
      default: 'standard',
      enum: ['standard', 'authorities', 'none'],
    });
    const params = schema.allOf.find(
      (rule: { if: { properties: { strategy: { const: string } } } }) =>
        rule.if.properties.strategy.const === 'sma-cross',
    );
    expect(params.then.properties.params.properties.fast).toMatchObject({
      minimum: 2,
      maximum: 200,
      default: 10,
    });
  });
});
