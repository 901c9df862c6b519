import { signal } from '@preact/signals';

/** Where in the dashboard a browser is. */
export type Place =
  | { readonly kind: 'bots' }
  | { readonly kind: 'runs' }
  | { readonly kind: 'bot'; readonly bot: string }
  | { readonly kind: 'pipeline'; readonly bot: string }
  | { readonly kind: 'order'; readonly bot: string; readonly order: string };

export const place = signal<Place>(read(location.hash));

addEventListener('hashchange', () => {
  place.value = read(location.hash);
});

export function botHref(bot: string): string {
  return `#/bot/${encodeURIComponent(bot)}`;
}

export function orderHref(bot: string, order: string): string {
  return `${botHref(bot)}/order/${encodeURIComponent(order)}`;
}

export function pipelineHref(bot: string): string {
  return `${botHref(bot)}/pipeline`;
}

function read(hash: string): Place {
  if (hash === '#/runs') return { kind: 'runs' };
  const piped = /^#\/bot\/([^/]+)\/pipeline$/.exec(hash)?.[1];
  const [, bot, order] = /^#\/bot\/([^/]+)(?:\/order\/([^/]+))?$/.exec(hash) ?? [];
  try {
    if (piped !== undefined) return { kind: 'pipeline', bot: decodeURIComponent(piped) };
    if (bot === undefined) return { kind: 'bots' };
    if (order === undefined) return { kind: 'bot', bot: decodeURIComponent(bot) };
    return { kind: 'order', bot: decodeURIComponent(bot), order: decodeURIComponent(order) };
  } catch {
    return { kind: 'bots' };
  }
}
