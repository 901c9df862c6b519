import { z } from 'zod';

/** What a run sends to the process that shows it. */
const runMessageSchema = z.discriminatedUnion('kind', [
  /** A text for the operator, such as an alarm; may have several lines. */
  z.object({ kind: z.literal('note'), text: z.string() }),
  /** The login link of the dashboard that runs with the bot. */
  z.object({ kind: z.literal('dashboard'), link: z.string() }),
]);
export type RunMessage = z.infer<typeof runMessageSchema>;

/** Reads a message; undefined where it is none. */
export function readRunMessage(message: unknown): RunMessage | undefined {
  return runMessageSchema.safeParse(message).data;
}

/** What the process that shows a run sends to it. */
const viewMessageSchema = z.discriminatedUnion('kind', [
  /** The screen covers the terminal from now on, or no longer. */
  z.object({ kind: z.literal('screen'), isOpen: z.boolean() }),
  /** The operator pressed Ctrl-C: the bot is to end in good order. */
  z.object({ kind: z.literal('interrupt') }),
]);
export type ViewMessage = z.infer<typeof viewMessageSchema>;

/** Reads a message of the view; undefined where it is none. */
export function readViewMessage(message: unknown): ViewMessage | undefined {
  return viewMessageSchema.safeParse(message).data;
}
