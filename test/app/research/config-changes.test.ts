import { describe, expect, it } from 'vitest';
import { changedConfig } from '#src/app/research/config-changes.ts';
import type { BotConfig } from '#src/config/bot-config.ts';
import { param } from '#src/strategy/params.ts';

const declared = {
  strategy: { name: 'a', params: { fast: param.int({ min: 2, max: 200, default: 10, doc: 'fast' }) } },
};
const onAccount = {
  path: 'bot.yaml',
  members: [],
  params: { fast: 10 },
  data: undefined,
} as unknown as BotConfig;

describe('parameters that replace those of a config', () => {
  it('need no days in a bot on an account', () => {
    expect(changedConfig(onAccount, declared, { params: { fast: 20 } }).params).toEqual({ fast: 20 });
  });

  it('are checked like the config', () => {
    expect(() => changedConfig(onAccount, declared, { params: { fast: 1 } })).toThrow(/from 2 to 200/);
  });
});

describe('days that replace those of a config', () => {
  it('are refused if the config has none', () => {
    expect(() => changedConfig(onAccount, declared, { from: '2024-01-02' })).toThrow(/"data" is missing/);
  });
});
