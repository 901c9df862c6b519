/** The bots to kill, and how. */
export interface KillOrder {
  readonly reason: string;
  readonly flatten: boolean;
  readonly foreign: boolean;
  readonly by: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly project: string;
}

/** How a bot and its orders were stopped. */
export type Stopped =
  /** The bot did it. */
  | { readonly kind: 'by-bot'; readonly message: string }
  /** The bot does not answer, or does not run, and its orders were cancelled past it. */
  | {
      readonly kind: 'past-bot';
      readonly cancelled: readonly string[];
      readonly failed: readonly string[];
      readonly why: string;
    }
  /** Nothing but the mark holds it; `left` when orders may be open that could not be cancelled. */
  | { readonly kind: 'marked'; readonly why: string; readonly left: boolean };
