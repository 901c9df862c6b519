import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openRunLog, type RunLogOptions } from '#src/app/logs/run-log.ts';
import type { SluiceEvent } from '#src/events/event.ts';
import { Decimal, decimal } from '#src/model/decimal.ts';
import { intentId } from '#src/model/order.ts';
import { redaction } from '#src/model/redaction.ts';
import { securitySymbol } from '#src/model/symbol.ts';
import { calendarDay, millis } from '#src/model/time.ts';
import { termsOf } from '../../fixtures/orders.ts';

const AT = millis(Date.parse('2026-11-23T14:30:00Z'));
const ID = intentId('AAAABBBBCCCCDDD2');
const drafted: SluiceEvent = {
  ...{ kind: 'intent-drafted', at: AT, intentId: ID, reason: 'a crossing' },
  terms: termsOf({ symbol: securitySymbol('AAPL.US'), type: 'LO', price: decimal('180') }),
  cause: { kind: 'signal', name: 'cross', symbol: undefined, time: AT, inputs: {} },
};
const denied: SluiceEvent = {
  ...{ kind: 'intent-denied', at: AT, intentId: ID, rule: 'max-notional', numbers: [] },
  reason: 'worth 9000 USD, the key is sesame-open',
};

let folder = '';
let printed = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-log-'));
  printed = '';
});
afterEach(() => rmSync(folder, { recursive: true }));

function logOf(change: Partial<RunLogOptions> = {}) {
  return openRunLog({
    level: 'info',
    stderr: {
      format: 'plain',
      write: (text) => {
        printed += text;
      },
    },
    now: () => AT,
    redact: redaction(['sesame-open']),
    onFault: (message) => {
      printed += `FAULT ${message}\n`;
    },
    ...change,
  });
}

describe('the log of a run', () => {
  it('has a line of text for a denial: which order, which rule, and why, without secrets', () => {
    const log = logOf();
    log.event(drafted);
    log.event(denied);
    expect(printed).toBe(
      '2026-11-23T14:30:00.000Z INFO  intent-denied: buy 100 AAPL.US LO at 180, day: denied by max-notional: worth 9000 USD, the key is [redacted]\n',
    );
  });

  it('has every step from the level debug on, and nothing at silent', () => {
    logOf({ level: 'debug' }).event(drafted);
    expect(printed).toContain('DEBUG intent-drafted: wants to buy 100 AAPL.US');
    printed = '';
    logOf({ level: 'silent' }).event(denied);
    expect(printed).toBe('');
  });

  it('formats no step that its level leaves out, as an order is in progress', () => {
    let read = 0;
    const armed: SluiceEvent = {
      ...{ kind: 'intent-armed', at: AT, intentId: ID },
      get numbers() {
        read += 1;
        return [];
      },
    };
    logOf().event(armed);
    expect(read).toBe(0);
    logOf({ level: 'debug' }).event(armed);
    expect(read).toBe(1);
  });

  it.each([
    ['failed', 'ERROR'],
    ['finished', 'INFO '],
  ] as const)('has the end of a run that %s at level %s', (reason, level) => {
    logOf().event({ kind: 'run-ended', at: AT, reason, message: 'the venue is gone' });
    expect(printed).toContain(`Z ${level} run-ended: `);
  });

  it('is JSON on request, with the facts as fields', () => {
    const write = (text: string): void => {
      printed += text;
    };
    const log = logOf({ stderr: { format: 'json', write } });
    log.event(drafted);
    log.event(denied);
    log.connection('quotes', 'down');
    log.day({
      ...{ day: calendarDay('2026-11-23'), at: AT, strategy: 'cross', currency: 'USD', gate: 'active' },
      ...{ equity: new Decimal('100000'), fills: 2, orders: 3, denied: 1 },
    });
    log.alarm({ code: 'socket-lost', message: 'The line is cut', at: AT, facts: { key: 'sesame-open' } });
    const records = printed
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(records).toMatchObject([
      { level: 'info', event: 'intent-denied', symbol: 'AAPL.US', rule: 'max-notional', intentId: ID },
      { level: 'warn', event: 'connection', connection: 'quotes', state: 'down' },
      { level: 'info', event: 'day', equity: '100000.00', fills: 2, orders: 3, denied: 1 },
      { level: 'warn', event: 'alarm', code: 'socket-lost', facts: { key: '[redacted]' } },
    ]);
  });

  it('goes to a file that only its owner can read, which is rotated', async () => {
    const log = logOf({ file: join(folder, 'bot.log'), stderr: undefined });
    const message = 'x'.repeat(1_900);
    for (let count = 0; count < 6_000; count += 1) log.alarm({ code: 'long', message, at: AT, facts: {} });
    await log.close();
    const names = readdirSync(folder).filter((name) => name.endsWith('bot.log'));
    expect(names.length).toBeGreaterThan(1);
    for (const name of names) expect(statSync(join(folder, name)).mode & 0o077).toBe(0);
    const lines = names.map((name) => readFileSync(join(folder, name), 'utf8').trimEnd().split('\n').length);
    expect(lines.reduce((sum, count) => sum + count, 0)).toBe(6_000);
  });

  it('continues without a file that cannot be written, after one warning', async () => {
    mkdirSync(join(folder, 'bot.log'));
    const log = logOf({ file: join(folder, 'bot.log') });
    log.event(denied);
    log.event(denied);
    await log.close();
    expect(printed.match(/FAULT/g)).toHaveLength(1);
    expect(printed.match(/intent-denied/g)).toHaveLength(2);
  });
});
