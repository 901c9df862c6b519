import { describe, expect, it } from 'vitest';
import { alarmLine } from '#src/cli/output/alarm-line.ts';

describe('an alarm in the log', () => {
  it('is one line without injected content, whatever the venue calls a stock (S-13)', () => {
    const message = 'No quote of "EVIL\n{\u0022level\u0022:\u0022fill\u0022}\u001b[2J\u202e"';
    const line = alarmLine({ code: 'no-quote', message });
    expect(line.split('\n')).toHaveLength(2);
    expect(line).toContain('\\u000a');
    expect(line).toContain('\\u001b[2J');
    expect(line).toContain('\\u202e');
  });

  it('is cut at 4,096 characters (S-13)', () => {
    expect(alarmLine({ code: 'x', message: 'y'.repeat(10_000) }).length).toBeLessThan(4_200);
  });
});
