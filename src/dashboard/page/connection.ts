import { signal } from '@preact/signals';

/** Whether the page is live. */
export const isLost = signal(false);

export function connection(state: 'live' | 'lost'): void {
  isLost.value = state === 'lost';
}
