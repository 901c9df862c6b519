import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { BotSnapshot, PastSnapshot } from '../bot-follower.ts';
import { fromWall, stamp, zone } from './format.ts';
import { zoneText } from './parts.tsx';
import { ask } from './session.ts';
import { t } from './text.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** Selects a record of a bot's journal, by its place or by its time, whose state the page shows. */
export function TimeSlider({
  bot,
  at,
  past,
  onPast,
}: {
  bot: Pick<BotSnapshot, 'name' | 'seq' | 'marketTime'>;
  /** The selected record; undefined for the newest. */
  at: number | undefined;
  past: PastSnapshot | undefined;
  onPast: (past: PastSnapshot | undefined) => void;
}) {
  const id = useId();
  const [problem, setProblem] = useState('');
  const [dragged, setDragged] = useState<number>();
  const [wanted, setWanted] = useState<string>();
  const asked = useRef<AbortController>(undefined);
  useEffect(() => {
    if (at !== undefined) void go(at);
    return () => asked.current?.abort();
  }, []);
  const path = `/api/bots/${encodeURIComponent(bot.name)}`;
  async function attempt(find: (left: AbortSignal) => Promise<PastSnapshot | undefined>): Promise<void> {
    asked.current?.abort();
    setProblem('');
    const asking = new AbortController();
    asked.current = asking;
    const left = asking.signal;
    try {
      const found = await find(left);
      if (!left.aborted) onPast(found);
    } catch (error) {
      if (!left.aborted) setProblem(error instanceof Error ? error.message : String(error));
    }
    if (!left.aborted) setDragged(undefined);
  }
  const go = (seq: number): Promise<void> =>
    attempt(async (left) => (seq >= bot.seq ? undefined : ask<PastSnapshot>(`${path}/at/${seq}`, { left })));
  /** Shows the newest record at or before a market time. */
  const goToTime = (time: number): Promise<void> =>
    attempt(async (left) => {
      const { seq } = await ask<{ readonly seq: number }>(`${path}/seq-at/${Math.max(0, time)}`, { left });
      return ask<PastSnapshot>(`${path}/at/${seq}`, { left });
    });
  const shownAt = past?.at ?? (bot.marketTime === null ? undefined : Date.parse(bot.marketTime));
  const shownTime = shownAt === undefined ? '' : stamp(shownAt).slice(0, 16).replace(' ', 'T');
  const step = (text: string, back: number) => (
    <button
      type="button"
      disabled={shownAt === undefined}
      onClick={() => shownAt !== undefined && void goToTime(shownAt - back)}
    >
      {text}
    </button>
  );
  return (
    <form
      class="time"
      onSubmit={(event) => {
        event.preventDefault();
        const time = fromWall(wanted ?? shownTime);
        // The whole minute counts, so that its records are included.
        if (time !== undefined) void goToTime(time + MINUTE_MS - 1);
      }}
    >
      <label for={id}>{t('time-travel')}</label>
      <input
        id={id}
        type="range"
        min={1}
        max={Math.max(1, bot.seq)}
        value={dragged ?? past?.seq ?? bot.seq}
        onInput={({ currentTarget }) => setDragged(Number(currentTarget.value))}
        onChange={({ currentTarget }) => void go(Number(currentTarget.value))}
      />
      <output for={id}>{dragged === undefined ? '' : t('time-drag', dragged, bot.seq)}</output>
      {step(t('time-back-hours', 1), HOUR_MS)}
      {step(t('time-back-minutes', 10), 10 * MINUTE_MS)}
      <label for={`${id}-time`}>{t('time-go', zoneText(zone.value))}</label>
      <input
        id={`${id}-time`}
        type="datetime-local"
        value={wanted ?? shownTime}
        onInput={({ currentTarget }) => setWanted(currentTarget.value)}
      />
      <button type="submit">{t('time-show')}</button>
      {problem !== '' && <p role="alert">{problem}</p>}
      {past !== undefined && (
        <p role="status">
          {t('as-of', past.seq, stamp(past.at))}{' '}
          <button
            type="button"
            class="live"
            onClick={() => {
              setWanted(undefined);
              onPast(undefined);
            }}
          >
            {t('back-to-live')}
          </button>
        </p>
      )}
    </form>
  );
}
