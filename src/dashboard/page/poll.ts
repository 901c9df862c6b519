import { useEffect, useState } from 'preact/hooks';
import { ask } from './session.ts';

/**
 * Requests a path again `pauseMs` after each answer while the page is visible, and returns the last answer; undefined
 * before the first. Answers to an earlier path are dropped; the last one remains while the dashboard does not answer.
 */
export function usePolled<T>(path: string | undefined, pauseMs: number): T | undefined {
  const [known, setKnown] = useState<{ readonly path: string; readonly answer: T }>();
  useEffect(() => {
    if (path === undefined) return undefined;
    const ended = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    async function next(asked: string): Promise<void> {
      timer = undefined;
      if (document.hidden) return;
      try {
        const answer = await ask<T>(asked, { left: ended.signal });
        if (!ended.signal.aborted) setKnown({ path: asked, answer });
      } catch {
        // The event stream of the page reports that the dashboard has ended or the session has expired.
      }
      if (!ended.signal.aborted) timer = setTimeout(() => void next(asked), pauseMs);
    }
    const seen = (): void => {
      if (!document.hidden && timer === undefined) void next(path);
    };
    document.addEventListener('visibilitychange', seen);
    void next(path);
    return () => {
      ended.abort();
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', seen);
    };
  }, [path, pauseMs]);
  return known?.path === path ? known?.answer : undefined;
}
