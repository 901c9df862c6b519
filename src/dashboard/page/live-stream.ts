import { Refused, right, sessionHeaders } from './session.ts';

/** What a stream hands on: an event's name and its data. */
export type OnEvent = (event: string, data: unknown) => void;

/** How a stream is: `live`, or waiting to connect again. */
export type OnState = (state: 'live' | 'lost') => void;

const RETRY_MS = 1_000;
/** The dashboard writes at least every few seconds while a bot runs; a stream that ends is what tells that it is gone. */
const STATUS_SIGNED_OUT = 401;

/**
 * Reads server-sent events with the session's headers, which EventSource cannot send, and connects again with Last-Event-ID
 * when the connection is lost. The result ends it.
 */
export function listen(path: string, onEvent: OnEvent, onState: OnState): () => void {
  const ended = new AbortController();
  let lastId = '';

  async function connect(): Promise<void> {
    const response = await fetch(path, {
      headers: { ...sessionHeaders(), ...(lastId === '' ? {} : { 'last-event-id': lastId }) },
      credentials: 'same-origin',
      signal: ended.signal,
      cache: 'no-store',
    });
    if (response.status === STATUS_SIGNED_OUT) {
      right.value = undefined;
      ended.abort();
      return;
    }
    if (!response.ok || response.body === null) throw new Refused('failed', response.statusText);
    onState('live');
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      text += value;
      const messages = text.split('\n\n');
      text = messages.pop() ?? '';
      for (const message of messages) take(message);
    }
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
      try {
        await connect();
      } catch {
        // A dashboard that was ended, or a network that is gone: it is tried again until the page is left.
      }
      if (ended.signal.aborted) return;
      onState('lost');
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
  void stay();
  return () => ended.abort();
}
