import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dayOf } from '../../src/markets/sessions.ts';
import { marketOf } from '../../src/model/symbol.ts';
import { millis } from '../../src/model/time.ts';
import { linkPackage } from '../../test/fixtures/link-package.ts';
import { writeData } from '../project.ts';
import { CASH, type Shape, type ShapeMarket } from './shape.ts';

/** A bot of a project: a config, and the strategy of `shapes/strategies/` that it names. */
export interface Bot extends Pick<Shape, 'id' | 'config' | 'risk'> {
  /** Equal to `id` when absent. */
  readonly strategy?: string;
}

/** Path of a bot's config in its project; the idle one has `trades: false`. */
export const configOf = ({ id }: Pick<Bot, 'id'>, trades = true): string =>
  `config/${id}${trades ? '' : '-idle'}.yaml`;

const REPOSITORY = join(import.meta.dirname, '../..');

/** Writes a project as a user has it: the package in node_modules, strategies, their configs, and the bars as CSV. */
export function writeBots(
  folder: string,
  bots: readonly Bot[],
  market: ShapeMarket,
  sluice: string = REPOSITORY,
): void {
  for (const part of ['config', 'strategies', 'node_modules']) mkdirSync(join(folder, part));
  writeFileSync(join(folder, 'package.json'), '{"name":"bench","private":true,"type":"module"}\n');
  linkPackage(sluice, folder);
  writeData(folder, market.securities, market.history);
  for (const bot of bots) {
    const file = `${bot.strategy ?? bot.id}.ts`;
    copyFileSync(join(import.meta.dirname, 'strategies', file), join(folder, 'strategies', file));
    for (const trades of [true, false])
      writeFileSync(join(folder, configOf(bot, trades)), yamlOf(bot, market, trades));
  }
}

function yamlOf(
  { id, strategy = id, config, risk = {} }: Bot,
  { securities, history }: ShapeMarket,
  trades: boolean,
): string {
  const [security] = securities;
  const [bars] = history;
  if (security === undefined || bars === undefined)
    throw new RangeError('A shape needs a security with bars');
  const day = (at: number | undefined): string => dayOf(marketOf(security.symbol), millis(at ?? Number.NaN));
  const { currency } = security;
  return `strategy: ${strategy}
symbols: [${securities.map(({ symbol }) => symbol).join(', ')}]
period: ${bars.period}
params: { trades: ${trades} }
account: { currency: ${currency}, cash: { ${currency}: ${CASH} } }
data: { from: ${day(bars.time[0])}, to: ${day(bars.time.at(-1))} }
${config}
risk:
${Object.entries({ ...wideLimits(currency), ...risk })
  .map(([limit, value]) => `  ${limit}: ${value}\n`)
  .join('')}`;
}

/** Limits that no shape reaches; the gate still checks every order against them. */
const wideLimits = (currency: string): Readonly<Record<string, string>> => ({
  maxOrderNotional: `1000000000 ${currency}`,
  maxOrderQuantity: '1000000000 shares',
  maxPositionWeight: '500%',
  maxPositionQuantity: '1000000000 shares',
  maxGrossExposure: '500%',
  maxNetExposure: '500%',
  maxOrderRate: '1000/min',
  maxRepeats: '1000',
  maxOpenOrders: '1000',
  maxDailyLoss: '100%',
  maxDrawdown: '100%',
  maxUnattendedFills: '10000',
});
