import { z } from 'zod';
import { MARKET_RECORDS } from '../../markets/market-records.ts';
import { ZERO } from '../../model/decimal.ts';
import { once } from '../../model/once.ts';
import { TRADING_SESSIONS } from '../../model/trading-sessions.ts';
import { NO_LATENCY, type WholeBars } from '../../simulation/models.ts';
import { DEFAULT_RULES, type SimulationRules } from '../../simulation/rules.ts';
import type { SimulationConfig } from '../bot-config.ts';
import { commissionOf, commissionSchema } from './commission-schema.ts';
import { failAt, says, withUnit } from './fields.ts';
import { interestOf, interestSchema } from './interest-schema.ts';
import { closeOutOf, marginCallSchema } from './margin-call-schema.ts';
import { pluginUse, type WrittenUse } from './plugin-use.ts';
import { slippageOf, slippageSchema } from './slippage-schema.ts';
import { basisPoints, duration, percentage } from './units.ts';

const flag = once(() => says('true or false', (error) => z.boolean({ error })));

const count = (least: number, most: number) =>
  says(`a whole number from ${least} to ${most}`, (error) =>
    z.number({ error }).int({ error }).min(least, { error }).max(most, { error }),
  );

const limitFills = once(() =>
  says('touch, through, or { chance: 30% } with a "seed" if another draw is wanted', (error) =>
    z.union(
      [
        z.enum(['touch', 'through'], { error }),
        z.strictObject({
          chance: withUnit(percentage(100)).describe('How likely a touch of its limit fills the order'),
          seed: count(0, 1_000_000).optional().describe('Which draw; default 1'),
        }),
      ],
      { error },
    ),
  ),
);

const latency = once(() =>
  says('none, a length of time such as "50ms", or { from: 20ms, to: 80ms }', (error) =>
    z.union(
      [
        z.literal('none'),
        withUnit(duration),
        z.strictObject({ from: withUnit(duration), to: withUnit(duration) }),
      ],
      {
        error,
      },
    ),
  ),
);

/** A `simulation` section: the rules, and the fill model that must still be loaded. */
export interface WrittenSimulation {
  readonly rules: SimulationRules;
  readonly fills: WrittenUse | undefined;
}

/** The `simulation` section: the simulated market and venue, in backtests and on paper. */
export const simulationSchema = once(() =>
  z
    .strictObject(
      {
        matching: z
          .enum(['prints', 'whole-bars'])
          .default('prints')
          .describe('prints: four ticks per bar, one after the other; whole-bars: the whole range at once'),
        path: z
          .enum(['nearer-first', 'low-first', 'high-first'])
          .default('nearer-first')
          .describe('prints only: which extreme of a bar comes first'),
        hours: z
          .enum(['calendar', 'bars'])
          .default('calendar')
          .describe('calendar: open as the exchange is; bars: open whenever there is a bar'),
        participation: withUnit(percentage(100))
          .optional()
          .describe('Most of a print (whole-bars: of a bar) that orders may take; default no cap'),
        sessions: z
          .enum(TRADING_SESSIONS)
          .optional()
          .describe(
            'The sessions of a standalone venue ("sluice venue --simulation"); "sessions" of the bot override it',
          ),
        emptyBars: z
          .enum(['wait', 'fill'])
          .optional()
          .describe(
            'A bar without volume, in a file with volumes: wait, as there was no trade, or fill as in any other; default wait, with whole-bars fill',
          ),
        limitFills: limitFills()
          .default('touch')
          .describe(
            'prints only: a working limit order fills when a tick touches its limit, only when a tick is beyond it (last in the queue), or always beyond it and at a touch with a probability',
          ),
        insideBars: z
          .enum(['close', 'tick'])
          .default('close')
          .describe(
            'prints only: the first tick that an order sent during a bar may meet: its close tick and never an extreme, or the current tick (optimistic)',
          ),
        slippage: slippageSchema()
          .default('none')
          .describe('What an order that takes pays beyond the print; never beyond its own limit'),
        latency: latency()
          .default('none')
          .describe('How long a request travels to the exchange, market time'),
        ticks: flag().default(true).describe('Refuses prices off the tick ladder'),
        lots: flag()
          .default(true)
          .describe('Refuses quantities that are not whole lots; whole shares in any case'),
        cover: z
          .enum(['reserved', 'rehearsed', 'at-fill'])
          .default('reserved')
          .describe('When an order must be paid for; rehearsed and at-fill need whole-bars'),
        shortfall: z
          .enum(['reject', 'cut'])
          .default('reject')
          .describe('at-fill only: an order that cannot be paid in full is rejected, or cut to what can'),
        settledCashOnly: flag()
          .default(false)
          .describe("A sale's proceeds buy nothing before they settle (T+n)"),
        shorting: flag()
          .optional()
          .describe('Lets the account sell what it does not hold; default: the value of risk.allowShort'),
        marginCall: marginCallSchema(),
        corporateActions: flag()
          .default(false)
          .describe(
            'Pays dividends and carries out splits of events.csv in the folder of the data; wants raw prices',
          ),
        dividendTax: says('a map of markets to percentages, such as "{ US: 30% }"', (error) =>
          z.strictObject(
            Object.fromEntries(
              MARKET_RECORDS.map(({ code, name }) => [
                code,
                withUnit(percentage(100)).optional().describe(`Of dividends, ${name}`),
              ]),
            ),
            { error },
          ),
        )
          .optional()
          .describe(
            'With corporateActions: what is withheld of a dividend at its source, by market; default nothing',
          ),
        quotes: flag()
          .default(false)
          .describe('Market orders pay the ask, or get the bid, of quotes.csv in the folder of the data'),
        positions: z
          .enum(['net', 'tranches'])
          .default('net')
          .describe(
            'whole-bars only: one position, or what each order opened apart, the oldest closes first',
          ),
        exits: z
          .enum(['next-bar', 'entry-bar'])
          .default('next-bar')
          .describe('whole-bars only: first bar that the exits of an entry at the market may meet'),
        stopLimit: z
          .enum(['close-tells', 'limit-beyond'])
          .default('close-tells')
          .describe('whole-bars only: what a stop-limit order does in the bar that reaches its stop'),
        openingSpread: withUnit(basisPoints)
          .optional()
          .describe('whole-bars only: what opening costs on top of the price; closing pays none'),
        commission: commissionSchema()
          .default('none')
          .describe(
            "The broker's own, on top of charges; per order and day, one for all markets or one for each",
          ),
        interest: interestSchema()
          .optional()
          .describe(
            'What a margin loan and borrowed shares cost by the day, and what cash earns; default { debit: 6%/year, credit: 0%/year, borrow: 1%/year }',
          ),
        operator: z
          .enum(['next-day', 'absent'])
          .default('next-day')
          .describe(
            'Backtests only: what happens after a risk rule stopped the gate; next-day: an operator closes what the stop kept open and resumes before the next trading day; absent: nothing',
          ),
        fills: pluginUse('fill model', 'thin-book')
          .optional()
          .describe('A fill model of your own or of a package, in place of slippage and participation'),
      },
      'a map of settings',
    )
    .transform((written, context): WrittenSimulation => {
      const bars = written.matching === 'whole-bars';
      const needs = (key: keyof typeof written, usual: unknown): boolean => !bars && written[key] !== usual;
      if (needs('cover', 'reserved')) return only(context, 'cover', written.cover);
      if (needs('positions', 'net')) return only(context, 'positions', written.positions);
      if (needs('exits', 'next-bar')) return only(context, 'exits', written.exits);
      if (needs('stopLimit', 'close-tells')) return only(context, 'stopLimit', written.stopLimit);
      if (bars && written.positions !== 'net' && written.marginCall === 'reduce')
        return failAt(context, 'marginCall', 'reduce', '"close-out" where "positions" are kept apart');
      if (needs('openingSpread', undefined)) return only(context, 'openingSpread', written.openingSpread);
      if (written.shortfall === 'cut' && written.cover !== 'at-fill')
        return failAt(context, 'shortfall', 'cut', '"reject" unless "cover" is "at-fill"');
      if (bars && written.path !== 'nearer-first')
        return failAt(context, 'path', written.path, 'no "path" unless "matching" is "prints"');
      if (written.fills !== undefined && written.slippage !== 'none')
        return failAt(context, 'slippage', 'set', 'no "slippage" together with "fills", which decides it');
      if (written.fills !== undefined && written.participation !== undefined)
        return failAt(
          context,
          'participation',
          'set',
          'no "participation" together with "fills", which decides it',
        );
      if (bars && written.quotes)
        return failAt(context, 'quotes', 'true', 'no "quotes" unless "matching" is "prints"');
      if (
        written.sessions !== undefined &&
        written.sessions !== 'regular' &&
        (bars || written.hours === 'bars')
      )
        return failAt(
          context,
          'sessions',
          written.sessions,
          '"regular" unless orders meet prints in the calendar\'s hours',
        );
      if (bars && written.limitFills !== 'touch')
        return failAt(context, 'limitFills', 'set', 'no "limitFills" unless "matching" is "prints"');
      if (bars && written.insideBars !== 'close')
        return failAt(
          context,
          'insideBars',
          written.insideBars,
          'no "insideBars" unless "matching" is "prints"',
        );
      if (written.dividendTax !== undefined && !written.corporateActions)
        return failAt(context, 'dividendTax', 'set', 'no "dividendTax" unless "corporateActions" is true');
      const travel = written.latency;
      if (typeof travel === 'object' && travel.from > travel.to)
        return failAt(context, 'latency', travel.from, 'a "from" no longer than its "to"');
      return { rules: rulesOf(written), fills: written.fills };
    })
    .describe('How the simulated market and venue behave, in a backtest and on paper'),
);

function only(context: Parameters<typeof failAt>[0], key: string, value: unknown): never {
  return failAt(context, key, value, `no "${key}" unless "matching" is "whole-bars"`);
}

type Written = z.output<ReturnType<typeof simulationSchema>['in']>;

function rulesOf(written: Written): SimulationRules {
  const { path, hours, ticks, lots, cover, shortfall, settledCashOnly } = written;
  return {
    fills: {
      path,
      matching: written.matching === 'prints' ? { kind: 'prints' } : wholeBarsOf(written),
      hours,
      ...(written.sessions === undefined || written.sessions === 'regular'
        ? {}
        : { sessions: written.sessions }),
      emptyBars: written.emptyBars ?? (written.matching === 'prints' ? 'wait' : 'fill'),
      participation: written.participation?.toNumber(),
      ...limitFillsOf(written.limitFills),
      ...(written.insideBars === 'close' ? {} : { insideBars: written.insideBars }),
      slippage: slippageOf(written.slippage),
      splitOrders: written.corporateActions ? 'cancel' : 'adjust',
      checkTicks: ticks,
      checkLots: lots,
    },
    latency: latencyOf(written.latency),
    cover: { cover, shortfall, settledOnly: settledCashOnly, closeOut: closeOutOf(written.marginCall) },
    shorting: written.shorting,
    corporateActions: written.corporateActions,
    ...dividendTaxOf(written.dividendTax),
    bidAsk: written.quotes,
    commission: commissionOf(written.commission),
    interest: interestOf(written.interest),
    ...(written.operator === 'absent' ? { operator: written.operator } : {}),
  };
}

function dividendTaxOf(written: Written['dividendTax']): Pick<SimulationRules, 'dividendTax'> {
  if (written === undefined) return {};
  const shares = Object.entries(written).flatMap(([market, share]) =>
    share === undefined ? [] : [[market, share] as const],
  );
  return { dividendTax: Object.fromEntries(shares) };
}

function wholeBarsOf({ positions, exits, stopLimit, openingSpread }: Written): WholeBars {
  return {
    kind: 'whole-bars',
    queue: positions === 'net' ? 'submitted' : 'closing-first',
    positions,
    exits,
    stopLimit,
    openingSpread: openingSpread ?? ZERO,
    billing: 'part',
  };
}

function limitFillsOf(written: Written['limitFills']): Pick<SimulationRules['fills'], 'limitFills'> {
  if (written === 'touch') return {};
  if (written === 'through') return { limitFills: written };
  return { limitFills: { chance: written.chance.toNumber(), seed: written.seed ?? 1 } };
}

function latencyOf(written: Written['latency']): SimulationRules['latency'] {
  if (written === 'none') return NO_LATENCY;
  if (typeof written === 'number') return { kind: 'fixed', ms: written };
  return { kind: 'uniform', minMs: written.from, maxMs: written.to };
}

/** The default `simulation` section. */
export const DEFAULT_SIMULATION: SimulationConfig = { rules: DEFAULT_RULES, fills: undefined, written: '{}' };
