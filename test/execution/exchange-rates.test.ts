import { type Observable, of } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { VirtualClock } from '#src/backtest/virtual-clock.ts';
import { EMPTY_PORTFOLIO, type Portfolio } from '#src/events/portfolio.ts';
import {
  createExchangeRates,
  RATE_AGE_MAX_MS,
  RATES_EVERY_MS,
  RATES_RETRY_MS,
} from '#src/execution/gate/exchange-rates.ts';
import type { AccountBalance } from '#src/model/account.ts';
import { decimal } from '#src/model/decimal.ts';
import type { FxRates } from '#src/model/fx.ts';
import type { Alarm } from '#src/model/notice.ts';
import { millis } from '#src/model/time.ts';
import type { Answer } from '#src/ports/broker.ts';
import { NO_ANSWER } from '../fixtures/fake-venue.ts';
import { balanceOf } from '../fixtures/risk.ts';
import { newsOf } from '../fixtures/tasks.ts';
import { runTo } from '../fixtures/time.ts';

interface Told {
  readonly fx?: FxRates;
  readonly cash?: readonly string[];
  /** True if the venue does not report the account in USD at first. */
  readonly silentFirst?: boolean;
}

/** An account of 7,800 HKD whose venue reports it in HKD and, while `tells`, in USD as well. */
function rig({ fx = {}, cash = ['HKD', 'USD'], silentFirst = false }: Told = {}) {
  const clock = new VirtualClock(millis(0));
  const alarms: Alarm[] = [];
  const asked: string[] = [];
  const venue = { tells: !silentFirst, cash: '1000', equity: '2000' };
  const portfolio: Portfolio = {
    ...EMPTY_PORTFOLIO,
    cash: new Map(cash.map((currency) => [currency, decimal('7')])),
  };
  function balance(currency = ''): Observable<Answer<AccountBalance>> {
    asked.push(currency);
    if (currency !== 'HKD' && !venue.tells) return of(NO_ANSWER);
    const [totalCash, equity] = currency === 'HKD' ? ['7800', '15000'] : [venue.cash, venue.equity];
    return of({
      kind: 'ok',
      value: balanceOf({ currency, totalCash: decimal(totalCash), equity: decimal(equity) }),
    });
  }
  const rates = createExchangeRates({
    ...{ broker: { balance }, clock, state: { portfolio }, currency: 'HKD', traded: [], fx },
    alarms: { raise: (alarm) => alarms.push(alarm) },
    queueTask: () => void newsOf(rates.refresh()),
  });
  newsOf(rates.refresh());
  return { rates, clock, alarms, asked, venue };
}

describe('exchange rates of an account', () => {
  it('come from the config, and then the venue is not queried', () => {
    const { rates, asked } = rig({ fx: { USDHKD: decimal('7.75') } });
    expect(rates.rate('USD')?.toString()).toBe('7.75');
    expect(rates.statuses()).toMatchObject([{ currency: 'USD', source: 'config' }]);
    expect(asked).toEqual([]);
  });

  it('are read from the account in both currencies if the config has none: from its cash, or its equity (F-D12)', () => {
    expect(rig().rates.rate('USD')?.toString()).toBe('7.8');
    const { rates, venue, clock } = rig();
    venue.cash = '0.01';
    runTo(clock, millis(RATES_EVERY_MS));
    expect(rates.rate('USD')?.toString()).toBe('7.5');
    expect(rates.missing()).toEqual([]);
  });

  it('are read again every five minutes, and only while there is another currency', () => {
    const { clock, asked } = rig();
    runTo(clock, millis(2 * RATES_EVERY_MS));
    expect(asked).toEqual(['HKD', 'USD', 'HKD', 'USD', 'HKD', 'USD']);
    const alone = rig({ cash: ['HKD'] });
    runTo(alone.clock, millis(2 * RATES_EVERY_MS));
    expect(alone.asked).toEqual([]);
  });

  it('are missing, with one alarm that names currency and key, when there is no source, and recover (F-D12)', () => {
    const { rates, clock, alarms, venue } = rig();
    venue.tells = false;
    runTo(clock, millis(RATE_AGE_MAX_MS));
    expect([rates.missing(), alarms.length]).toEqual([[], 0]);
    runTo(clock, millis(RATE_AGE_MAX_MS + RATES_EVERY_MS));
    expect(rates.rate('USD')).toBeUndefined();
    expect(rates.missing()).toEqual(['USD']);
    runTo(clock, millis(RATE_AGE_MAX_MS + 3 * RATES_EVERY_MS));
    expect(alarms).toHaveLength(1);
    expect(alarms[0]).toMatchObject({
      code: 'rate-missing',
      facts: { currency: 'USD', key: 'account.fx.USDHKD', cash: '7' },
    });
    expect(alarms[0]?.message).toContain('"account.fx.USDHKD"');
    venue.tells = true;
    runTo(clock, millis(RATE_AGE_MAX_MS + 4 * RATES_EVERY_MS));
    expect([rates.rate('USD')?.toString(), rates.missing()]).toEqual(['7.8', []]);
    venue.tells = false;
    runTo(clock, millis(2 * RATE_AGE_MAX_MS + 6 * RATES_EVERY_MS));
    expect(alarms).toHaveLength(2);
  });

  it('are requested again soon after a missing answer, each time after twice as long, so that one lost answer delays little (F-D12)', () => {
    const { rates, clock, asked, alarms, venue } = rig({ silentFirst: true });
    expect([rates.missing(), alarms.map(({ message }) => message)]).toEqual([
      ['USD'],
      [
        expect.stringContaining(
          'gave no answer to the account in HKD and in USD (down) and will be queried again',
        ),
      ],
    ]);
    runTo(clock, millis(RATES_RETRY_MS));
    expect(asked).toEqual(['HKD', 'USD', 'HKD', 'USD']);
    venue.tells = true;
    runTo(clock, millis(3 * RATES_RETRY_MS - 1));
    expect([rates.missing(), asked.length]).toEqual([['USD'], 4]);
    runTo(clock, millis(3 * RATES_RETRY_MS));
    expect([rates.rate('USD')?.toString(), rates.missing()]).toEqual(['7.8', []]);
    runTo(clock, millis(3 * RATES_RETRY_MS + RATES_EVERY_MS));
    expect(asked).toHaveLength(8);
    venue.tells = false;
    runTo(clock, millis(3 * RATES_RETRY_MS + 2 * RATES_EVERY_MS + RATES_RETRY_MS));
    expect(asked).toHaveLength(12);
  });

  it('change their version when one is received and when one becomes too old, so that no cached sum uses it', () => {
    const { rates, clock, venue } = rig();
    const first = rates.version();
    runTo(clock, millis(RATES_EVERY_MS));
    expect(rates.version()).not.toBe(first);
    venue.tells = false;
    const last = rates.version();
    runTo(clock, millis(RATES_EVERY_MS + RATE_AGE_MAX_MS + 1));
    expect(rates.version()).not.toBe(last);
  });
});
