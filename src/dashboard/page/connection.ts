import { signal } from '@preact/signals';
import type { StreamState } from './live-stream.ts';

/** State of the page's stream. */
export const connection = signal<StreamState>('live');

export function setConnection(state: StreamState): void {
  connection.value = state;
}
