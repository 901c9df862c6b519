import { describe, expect, it } from 'vitest';
import { TRANSIENT_DENIALS } from '#src/execution/algorithms/children.ts';
import type { Alarm } from '#src/model/notice.ts';
import { DAY_MS, millis, SECOND_MS } from '#src/model/time.ts';
import type { OperatorCommand } from '#src/ports/operator.ts';
import { isCounted } from '#src/risk/risk-gate.ts';
import { RULES } from '#src/risk/rules.ts';
import { createEngineRig } from '../../fixtures/engine-rig.ts';
import { AAPL } from '../../fixtures/market.ts';
import { ends, fill, IBM, MSFT, rotating, selling, submits } from '../../fixtures/rebalancing.ts';
import { runTo } from '../../fixtures/time.ts';

describe('a rebalance while its sale is at the venue', () => {
  it('waits while it is partly filled, and buys when it is filled', () => {
    const rig = selling();
    expect(submits(rig)).toEqual(['buy AAPL.US 100', 'sell AAPL.US 100']);
    fill(rig, 'I3', '40', '9400', { AAPL: '60' });
    expect(submits(rig)).toHaveLength(2);
    fill(rig, 'I3', '60', '10000', {});
    expect(submits(rig).slice(2)).toEqual(['buy MSFT.US 500', 'buy IBM.US 200']);
    expect(ends(rig)).toEqual(['done: sent 1 to sell and 2 to buy']);
  });

  it('tries again while the venue does not yet count the proceeds of a reported sale', () => {
    const rig = selling();
    rig.venue.answers.buyLimit = '10';
    fill(rig, 'I3', '100', '10000', {});
    expect(submits(rig)).toHaveLength(2);
    runTo(rig.clock, millis(rig.clock.now() + 11 * SECOND_MS));
    expect(submits(rig)).toHaveLength(2);
    rig.venue.answers.buyLimit = '1000';
    runTo(rig.clock, millis(rig.clock.now() + 60 * SECOND_MS));
    expect(submits(rig).slice(2)).toEqual(['buy MSFT.US 500', 'buy IBM.US 200']);
    expect(rig.kinds().filter((kind) => kind === 'intent-denied')).toHaveLength(2);
  });

  it('tries again after denials that are not by a limit', () => {
    const rules = new Set([
      'call-budget',
      'less-held',
      'restart',
      'stale-verdict',
      ...RULES.map(({ name }) => name),
    ]);
    for (const rule of TRANSIENT_DENIALS)
      expect([rule, rules.has(rule), isCounted(rule)]).toEqual([rule, true, false]);
  });

  it.each<readonly [OperatorCommand, string]>([
    [{ kind: 'cancel-all' }, 'cli asked for "cancel-all"'],
    [{ kind: 'flatten' }, 'cli asked for "flatten"'],
    [{ kind: 'halt' }, 'the gate was halted by the operator'],
    [{ kind: 'kill', flatten: false, foreign: false }, 'the gate was killed by the operator'],
  ])('buys nothing after $kind', (command, why) => {
    const rig = selling();
    rig.command(command);
    rig.venue.list('O-I3', { status: 'CanceledStatus' });
    rig.venue.push('O-I3');
    expect(submits(rig).filter((text) => text.includes('MSFT') || text.includes('IBM'))).toEqual([]);
    expect(ends(rig)).toEqual([`canceled: ${why}`]);
  });

  it('buys nothing after its strategy failed, while another continues', () => {
    let quotes = 0;
    const failing = rotating();
    const rig = createEngineRig({
      symbols: [AAPL, MSFT, IBM],
      members: {
        one: {
          strategy: {
            onQuote: (event, context) => {
              quotes += 1;
              if (quotes === 3) throw new Error('a bug');
              return failing.onQuote?.(event, context);
            },
          },
        },
        other: { strategy: { onQuote: () => undefined } },
      },
    });
    rig.start();
    rig.quote(10);
    fill(rig, 'I1', '100', '9000', { AAPL: '100' });
    rig.quote(10);
    rig.quote(10);
    rig.venue.list('O-I3', { status: 'CanceledStatus' });
    rig.venue.push('O-I3');
    expect(submits(rig)).toHaveLength(2);
    expect(ends(rig)).toEqual(['canceled: the strategy failed']);
  });

  it('ends after ten days, with an alarm', () => {
    const alarms: Alarm[] = [];
    const rig = selling({ onAlarm: (alarm) => alarms.push(alarm) });
    runTo(rig.clock, millis(rig.clock.now() + 10 * DAY_MS));
    expect(ends(rig)).toEqual([
      'failed: its purchases waited for longer than 10 days; sent 1 to sell and 0 to buy',
    ]);
    expect(alarms.map(({ code }) => code)).toContain('rebalance-late');
    fill(rig, 'I3', '100', '10000', {});
    expect(submits(rig)).toHaveLength(2);
  });
});
