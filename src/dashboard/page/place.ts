import { signal } from '@preact/signals';

/** Where in the dashboard a browser is. */
export type Place =
  | { readonly kind: 'bots' }
  | { readonly kind: 'runs' }
  /** `at` is a record of the journal: the page as it was then. */
  | { readonly kind: 'bot'; readonly bot: string; readonly at: number | undefined }
  | {
      readonly kind: 'pipeline';
      readonly bot: string;
      readonly at: number | undefined;
      /** The box of the drawing that is chosen. */
      readonly box: string | undefined;
    }
  | { readonly kind: 'order'; readonly bot: string; readonly order: string };

export const place = signal<Place>(read(location.hash));

addEventListener('hashchange', () => {
  place.value = read(location.hash);
});

/** The page of a bot, as it was at a record of its journal where one is given. */
export function botHref(bot: string, at?: number): string {
  return `#/bot/${encodeURIComponent(bot)}${at === undefined ? '' : `/at/${at}`}`;
}

export function orderHref(bot: string, order: string): string {
  return `${botHref(bot)}/order/${encodeURIComponent(order)}`;
}

/** The pipeline of a bot, as it was at a record, with a box chosen. */
export function pipelineHref(bot: string, at?: number, box?: string): string {
  const chosen = box === undefined ? '' : `/box/${encodeURIComponent(box)}`;
  return `${botHref(bot)}/pipeline${at === undefined ? '' : `/at/${at}`}${chosen}`;
}

function read(hash: string): Place {
  if (hash === '#/runs') return { kind: 'runs' };
  const [, bot, page, at, box, order] =
    /^#\/bot\/([^/]+)(?:(\/pipeline)?(?:\/at\/(\d{1,15}))?(?:\/box\/([^/]+))?|\/order\/([^/]+))$/.exec(
      hash,
    ) ?? [];
  if (bot === undefined) return { kind: 'bots' };
  try {
    const name = decodeURIComponent(bot);
    const seq = at === undefined ? undefined : Number(at);
    if (order !== undefined) return { kind: 'order', bot: name, order: decodeURIComponent(order) };
    if (page === undefined) return { kind: 'bot', bot: name, at: seq };
    return {
      kind: 'pipeline',
      bot: name,
      at: seq,
      box: box === undefined ? undefined : decodeURIComponent(box),
    };
  } catch {
    return { kind: 'bots' };
  }
}
