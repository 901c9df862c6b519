import { Refused, right, sessionHeaders } from './session.ts';

/** Receives the name and data of an event. */
export type OnEvent = (event: string, data: unknown) => void;

/** State of a stream: `live`, or waiting to reconnect; `crowded` if this browser has too many. */
export type StreamState = 'live' | 'lost' | 'crowded';

const RETRY_MS = 1_000;
const STATUS_SIGNED_OUT = 401;
const STATUS_NOT_FOUND = 404;
const STATUS_TOO_MANY = 503;

/**
 * Reads server-sent events with the session's headers, which EventSource cannot send, and reconnects with
 * Last-Event-ID. A page that is not visible has no connection, because a browser opens only six to a server. The
 * returned function ends it.
 */
export function listen(path: string, onEvent: OnEvent, onState: (state: StreamState) => void): () => void {
  const ended = new AbortController();
  let hidden = new AbortController();
  let lastId = '';

  async function connect(): Promise<void> {
    const response = await fetch(path, {
      headers: { ...sessionHeaders(), ...(lastId === '' ? {} : { 'last-event-id': lastId }) },
      credentials: 'same-origin',
      signal: AbortSignal.any([ended.signal, hidden.signal]),
      cache: 'no-store',
    });
    if (response.status === STATUS_SIGNED_OUT) {
      right.value = undefined;
      ended.abort();
      return;
    }
    if (response.status === STATUS_NOT_FOUND) {
      onEvent('gone', undefined);
      ended.abort();
      return;
    }
    if (response.status === STATUS_TOO_MANY) {
      onState('crowded');
      return;
    }
    if (!response.ok || response.body === null) throw new Refused('failed', response.statusText);
    onState('live');
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      text += value;
      const messages = text.split('\n\n');
      text = messages.pop() ?? '';
      for (const message of messages) take(message);
    }
    onState('lost');
  }

  function take(message: string): void {
    let event = 'message';
    let data = '';
    for (const line of message.split('\n')) {
      if (line.startsWith('id: ')) lastId = line.slice('id: '.length);
      else if (line.startsWith('event: ')) event = line.slice('event: '.length);
      else if (line.startsWith('data: ')) data += line.slice('data: '.length);
    }
    if (data !== '') onEvent(event, JSON.parse(data));
  }

  async function stay(): Promise<void> {
    while (!ended.signal.aborted) {
      await visible(ended.signal);
      if (ended.signal.aborted) return;
      try {
        await connect();
      } catch {
        // The dashboard ended, or the page was hidden: it reconnects until the page is left.
        if (!ended.signal.aborted && !hidden.signal.aborted) onState('lost');
      }
      if (hidden.signal.aborted) hidden = new AbortController();
      else if (!ended.signal.aborted) await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
  const hide = (): void => {
    if (document.hidden) hidden.abort();
  };
  document.addEventListener('visibilitychange', hide);
  ended.signal.addEventListener('abort', () => document.removeEventListener('visibilitychange', hide));
  void stay();
  return () => ended.abort();
}

/** Resolves when the page is visible, or the stream has ended. */
function visible(ended: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (document.hidden && !ended.aborted) return;
      document.removeEventListener('visibilitychange', look);
      resolve();
    };
    document.addEventListener('visibilitychange', look);
    ended.addEventListener('abort', look);
    look();
  });
}
