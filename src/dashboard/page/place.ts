import { signal } from '@preact/signals';

/** A location within the dashboard. */
export type Place =
  | { readonly kind: 'bots' }
  | { readonly kind: 'runs' }
  /** `at` is a record of the journal: the page shows its state then. */
  | { readonly kind: 'bot'; readonly bot: string; readonly at: number | undefined }
  | {
      readonly kind: 'pipeline';
      readonly bot: string;
      readonly at: number | undefined;
      /** The selected box of the drawing. */
      readonly box: string | undefined;
    }
  | { readonly kind: 'order'; readonly bot: string; readonly order: string };

export const place = signal<Place>(read(location.hash));

addEventListener('hashchange', () => {
  place.value = read(location.hash);
});

/** Path of the page of a bot, optionally at a record of its journal. */
export function botHref(bot: string, at?: number): string {
  return `#/bot/${encodeURIComponent(bot)}${at === undefined ? '' : `/at/${at}`}`;
}

export function orderHref(bot: string, order: string): string {
  return `${botHref(bot)}/order/${encodeURIComponent(order)}`;
}

/** Path of a bot's pipeline, optionally at a record, with a box selected. */
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
