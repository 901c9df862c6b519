import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { BotSnapshot, PastSnapshot } from '../bot-follower.ts';
import { stamp } from './format.ts';
import { ask } from './session.ts';
import { t } from './text.ts';

/** Selects a record of a bot's journal, whose state the page shows. */
export function TimeSlider({
  bot,
  at,
  past,
  onPast,
}: {
  bot: Pick<BotSnapshot, 'name' | 'seq'>;
  /** The selected record; undefined for the newest. */
  at: number | undefined;
  past: PastSnapshot | undefined;
  onPast: (past: PastSnapshot | undefined) => void;
}) {
  const id = useId();
  const [problem, setProblem] = useState('');
  const asked = useRef<AbortController>(undefined);
  useEffect(() => {
    if (at !== undefined) void go(at);
    return () => asked.current?.abort();
  }, []);
  async function go(seq: number): Promise<void> {
    asked.current?.abort();
    asked.current = undefined;
    setProblem('');
    if (seq >= bot.seq) return onPast(undefined);
    const asking = new AbortController();
    asked.current = asking;
    const left = asking.signal;
    try {
      const found = await ask<PastSnapshot>(`/api/bots/${encodeURIComponent(bot.name)}/at/${seq}`, { left });
      if (!left.aborted) onPast(found);
    } catch (error) {
      if (!left.aborted) setProblem(error instanceof Error ? error.message : String(error));
    }
    return undefined;
  }
  return (
    <div class="time">
      <label for={id}>{t('time-travel')}</label>
      <input
        id={id}
        type="range"
        min={1}
        max={Math.max(1, bot.seq)}
        value={past?.seq ?? bot.seq}
        onChange={({ currentTarget }) => void go(Number(currentTarget.value))}
      />
      {problem !== '' && <p role="alert">{problem}</p>}
      {past !== undefined && (
        <p role="status">
          {t('as-of', past.seq, stamp(past.at))}{' '}
          <button type="button" onClick={() => onPast(undefined)}>
            {t('back-to-live')}
          </button>
        </p>
      )}
    </div>
  );
}
