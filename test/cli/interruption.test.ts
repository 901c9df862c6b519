import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { reportSlowStop } from '../../src/cli/bots/interruption.ts';

describe('the report of a slow stop', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('names the second Ctrl-C two seconds after the first', () => {
    const controller = new AbortController();
    const texts: string[] = [];
    reportSlowStop(controller.signal, (text) => texts.push(text));
    vi.advanceTimersByTime(10_000);
    controller.abort();
    vi.advanceTimersByTime(1_999);
    expect(texts).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(texts).toEqual([
      'Stopping: waits for calls to the venue and to notifiers that are in progress. Ctrl-C again ends the bot at once\n',
    ]);
  });

  it('is left out if the bot has stopped by then', () => {
    const controller = new AbortController();
    const texts: string[] = [];
    const end = reportSlowStop(controller.signal, (text) => texts.push(text));
    controller.abort();
    end();
    vi.advanceTimersByTime(10_000);
    expect(texts).toEqual([]);
  });
});
