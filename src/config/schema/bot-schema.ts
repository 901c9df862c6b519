import { z } from 'zod';
import { once } from '../../model/once.ts';
import { PERIODS } from '../../model/period.ts';
import { parseDay } from '../../model/time.ts';
import { TRADING_SESSIONS } from '../../model/trading-sessions.ts';
import { ISOLATIONS } from '../../plugins/isolation.ts';
import {
  BOT_MODES,
  BROKER_PROFILES,
  type BrokerConfig,
  CHARGE_SCHEDULES,
  type PaperClock,
} from '../bot-config.ts';
import { sweepSchema } from '../sweep/sweep-schema.ts';
import { valueAt } from '../yaml/tree-value.ts';
import { executionSchema } from './execution-schema.ts';
import { ABSENT, fail, failAt, says } from './fields.ts';
import { notifierUse, USES_MAX } from './plugin-use.ts';
import { riskFor, riskSchema } from './risk-schema.ts';
import { scheduleSchema } from './schedule-schema.ts';
import { simulationSchema } from './simulation-schema.ts';
import { paramsField, strategiesSchema, strategyField, symbolsField } from './strategies-schema.ts';
import { exactFigure } from './units.ts';

const currency = once(() =>
  says('a currency of three capitals, such as "USD"', (error) =>
    z.string({ error }).regex(/^[A-Z]{3}$/, { error }),
  ),
);

const pair = once(() =>
  says('a pair of currencies, such as "USDHKD"', (error) =>
    z.string({ error }).regex(/^(?!([A-Z]{3})\1)[A-Z]{6}$/, { error }),
  ),
);

const cashFigure = once(() =>
  says('an amount of 0 or more, such as "100000"', (error) =>
    z.number({ error }).min(0, { error }).transform(exactFigure),
  ),
);

const rateFigure = once(() =>
  says('a rate above 0, such as "7.80"', (error) =>
    z.number({ error }).positive({ error }).transform(exactFigure),
  ),
);

const day = once(() =>
  says('a day that exists, such as "2024-01-02"', (error) =>
    z
      .string({ error })
      .regex(/^\d{4}-\d{2}-\d{2}$/, { error })
      .transform((text, context) => parseDay(text) ?? fail(context, text, error)),
  ),
);

export const accountSchema = once(() =>
  z
    .strictObject(
      {
        currency: currency().describe('Currency of equity, weights and limits'),
        cash: says('a map of currencies to amounts, such as "{ USD: 100000 }"', (error) =>
          z
            .record(currency(), cashFigure(), { error })
            .refine((cash) => Object.keys(cash).length > 0, { error })
            .optional()
            .describe(
              'Cash at the start by currency; nothing is exchanged by itself. Not needed with "broker": the account has what it has',
            ),
        ),
        fx: says('a map of pairs to rates, such as "{ USDHKD: 7.80 }"', (error) =>
          z
            .record(pair(), rateFigure(), { error })
            .optional()
            .describe('Exchange rates: USDHKD: 7.80 means that one USD is worth 7.80 HKD'),
        ),
        fxSeries: says(
          'a map of pairs to files, such as "{ USDHKD: backtest-data/fx/USDHKD.csv }"',
          (error) =>
            z
              .record(
                pair(),
                says('a file such as "backtest-data/fx/USDHKD.csv"', (wanted) =>
                  z.string({ error: wanted }).min(5, { error: wanted }).max(300, { error: wanted }),
                ),
                { error },
              )
              .optional()
              .describe(
                'Files of dated rates (date,rate), which hold from the midnight of UTC after their day on; before, and live, the figure of "fx" does',
              ),
        ),
      },
      'a map with "currency" and "cash"',
    )
    .describe('The account that a backtest or a paper run opens with'),
);

export const dataSchema = once(() =>
  z
    .strictObject(
      {
        from: day().describe('First day on which the strategy may decide'),
        to: day().describe('Last day'),
        dir: says('a folder such as "backtest-data"', (error) =>
          z
            .string({ error })
            .min(1, { error })
            .max(4_096, { error })
            .default('backtest-data')
            .describe('Folder with one folder per symbol, from where the command runs'),
        ),
      },
      'a map with "from" and "to"',
    )
    .describe(
      'Which past a backtest, and paper that replays, reads; both days included. Not needed with "broker", which supplies securities and bars',
    ),
);

const paper = once(() =>
  z
    .strictObject(
      {
        market: z
          .enum(['replay', 'upstream'])
          .default('replay')
          .describe(
            'replay: the past that data names; upstream: quotes of the real broker that the environment names (LONGPORT_*), where nothing is ever ordered: orders stay in the venue',
          ),
        clock: z
          .enum(['stepped', 'scaled', 'wall'])
          .optional()
          .describe(
            'stepped: as fast as the bot is done; scaled: speed times the wall; wall: real time, as it is with "market: upstream"; default stepped',
          ),
        speed: says('a number above 0 and up to 100000, such as "60"', (error) =>
          z
            .number({ error })
            .positive({ error })
            .max(100_000, { error })
            .optional()
            .describe('scaled only: seconds of the market per second of the wall'),
        ),
      },
      'a map of settings',
    )
    .transform((written, context): PaperClock => {
      const { market, speed } = written;
      if (market === 'upstream') {
        if (written.clock !== undefined && written.clock !== 'wall')
          return failAt(context, 'clock', written.clock, 'wall, or nothing, when "market" is "upstream"');
        if (speed === undefined) return { kind: 'upstream' };
        return failAt(context, 'speed', speed, 'no "speed" when "market" is "upstream"');
      }
      const { clock = 'stepped' } = written;
      if (clock !== 'scaled') {
        if (speed === undefined) return { kind: clock };
        return failAt(context, 'speed', speed, 'no "speed" unless "clock" is "scaled"');
      }
      if (speed !== undefined) return { kind: 'scaled', speed };
      return failAt(context, 'speed', undefined, 'a number such as "60" when "clock" is "scaled"');
    })
    .describe("Where the embedded venue's prices come from on paper, and how its market clock runs"),
);

const address = (schemes: readonly string[], example: string) =>
  says(`an address such as "${example}"`, (error) =>
    z
      .string({ error })
      .max(2_048, { error })
      .refine((text) => schemes.some((scheme) => text.startsWith(`${scheme}://`)) && isPlainAddress(text), {
        error,
      }),
  );

/** True without user, password and "#": addresses are logged, and requests are signed for their path. */
function isPlainAddress(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && url.username === '' && url.password === '' && url.hash === '';
}

const webAddress = once(() => address(['http', 'https'], 'http://127.0.0.1:7070'));
const socketAddress = once(() => address(['ws', 'wss'], 'ws://127.0.0.1:7070/quote'));

const broker = once(() =>
  z
    .strictObject(
      {
        profile: z
          .enum(BROKER_PROFILES)
          .default('documented')
          .describe('Wire profile: documented, or longbridge for the real service'),
        account: says('the id of an account, such as "paper"', (error) =>
          z
            .string({ error })
            .regex(/^[A-Za-z0-9._-]{1,64}$/, { error })
            .describe('Account that is traded; its journal is gone on with at every start'),
        ),
        http: webAddress().optional().describe('Base address; default SLUICE_HTTP_URL'),
        quoteWs: socketAddress().optional().describe('Quote socket; default SLUICE_QUOTE_WS_URL'),
        tradeWs: socketAddress().optional().describe('Trade socket; default SLUICE_TRADE_WS_URL'),
        admin: webAddress()
          .optional()
          .describe(
            "Admin port of an embedded venue, for its market clock; without one market time is the wall's. One that replays a past counts no calls and its quotes grow no older than its bars; one that is at now is treated as a broker is",
          ),
        requestKey: z
          .boolean()
          .default(false)
          .describe(
            'true: the broker repeats its first answer to a repeated client_request_id, so the intent id is sent as one. The bot cannot detect this: follow the documentation of the broker; "sluice venue" does so',
          ),
        onlyDocumented: z
          .boolean()
          .default(false)
          .describe(
            'true: the broker offers what the source document describes and nothing more (no listings, cancels, replaces, pushes or trade socket). Orders are read by their ids and bars when they close; "sluice run" prints what that costs',
          ),
      },
      'a map with "account"',
    )
    .transform(
      ({ profile, account, http, quoteWs, tradeWs, admin, requestKey, onlyDocumented }): BrokerConfig => ({
        profile,
        account,
        http,
        quoteWs,
        tradeWs,
        admin,
        requestKey,
        onlyDocumented,
      }),
    )
    .describe('A venue that outlives the bot; without it a run on paper starts its own'),
);

const extended = once(() =>
  says('a strategy YAML of this project, such as "./base.yaml"', (error) =>
    z
      .string({ error })
      .min(1, { error })
      .max(1_024, { error })
      .optional()
      .describe('A YAML with defaults for this one: maps are merged, lists and values replaced'),
  ),
);

const notified = once(() =>
  says(`a list of at most ${USES_MAX} notifiers, such as "[{ use: team-chat }]"`, (error) =>
    z
      .array(notifierUse(), { error })
      .max(USES_MAX, { error })
      .optional()
      .describe(
        'Notifiers, shipped ones, your own or those of packages: they send alarms, fills, changes of the gate, and the figures of each day',
      ),
  ),
);

/** The shape of a strategy YAML: names, types, units, bounds, defaults and documentation, declared once. */
export const botSchema = once(() => schemaOf(() => true, riskSchema));

/** The schema for a value, with only the sections that it has. `strategies` replaces the single strategy. */
export function schemaFor(value: unknown) {
  const has = (name: string): boolean => valueAt(value, [name]) !== undefined;
  const schema = schemaOf(has, () => riskFor(valueAt(value, ['risk'])));
  return has('strategies') ? schema.partial({ strategy: true, symbols: true }) : schema;
}

function schemaOf(has: (name: string) => boolean, risk: typeof riskSchema) {
  return z
    .strictObject(
      {
        extends: has('extends') ? extended() : ABSENT,
        strategy: strategyField(),
        symbols: symbolsField(),
        strategies: has('strategies') ? strategiesSchema() : ABSENT,
        mode: z
          .enum(BOT_MODES)
          .default('paper')
          .describe('paper, or live for real money: that takes "--live" and addresses under broker, too'),
        period: z.enum(PERIODS).describe('How much time one bar covers'),
        sessions: z
          .enum(TRADING_SESSIONS)
          .default('regular')
          .describe(
            'Whose bars the strategy hears, and where the simulated market trades: regular; extended: pre-market and post-market (Hong Kong: auctions), too; all: the overnight session as well. Beyond regular, bars are of 1m, 2m, 3m, 5m, 10m, 15m or 30m',
          ),
        isolation: z
          .enum(ISOLATIONS)
          .default('process')
          .describe(
            'Where the code of strategies, risk rules and notifiers runs on paper and live. process: a process that can open no file; thread: a thread of the bot, faster, and no protection against code that means harm: for code of your own alone',
          ),
        params: has('params') ? paramsField() : ABSENT,
        account: accountSchema(),
        data: has('data') ? dataSchema().optional() : ABSENT,
        risk: has('risk') ? risk().optional() : ABSENT,
        execution: has('execution') ? executionSchema().optional() : ABSENT,
        paper: has('paper') ? paper().optional() : ABSENT,
        broker: has('broker') ? broker().optional() : ABSENT,
        schedule: has('schedule') ? scheduleSchema().optional() : ABSENT,
        simulation: has('simulation') ? simulationSchema().optional() : ABSENT,
        notify: has('notify') ? notified() : ABSENT,
        sweep: has('sweep') ? sweepSchema().optional() : ABSENT,
        charges: z
          .enum(CHARGE_SCHEDULES)
          .default('standard')
          .describe(
            "standard: each market's own charges and a platform fee; authorities: without that fee, for a commission of your own; none: trades cost nothing",
          ),
      },
      'a map of settings',
    )
    .describe('A strategy YAML of Sluice');
}

/** The sections of a valid config, as the schema returns them. */
export type ParsedBot = z.output<ReturnType<typeof botSchema>>;

/** The same of a config with one strategy or several. */
export type ParsedSeveral = z.output<ReturnType<typeof schemaFor>>;
