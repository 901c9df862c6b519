import { signal } from '@preact/signals';
import type { StreamState } from './live-stream.ts';

/** How the stream of the shown page is. */
export const connection = signal<StreamState>('live');

export function setConnection(state: StreamState): void {
  connection.value = state;
}
