import { z } from 'zod';

/** Messages of a run to the process that shows it. */
const runMessageSchema = z.discriminatedUnion('kind', [
  /** A text for the operator, such as an alarm; may have several lines. */
  z.object({ kind: z.literal('note'), text: z.string() }),
  /** The login link of the dashboard that runs with the bot. */
  z.object({ kind: z.literal('dashboard'), link: z.string() }),
]);
export type RunMessage = z.infer<typeof runMessageSchema>;

/** Parses a message; undefined if it is not one. */
export function readRunMessage(message: unknown): RunMessage | undefined {
  return runMessageSchema.safeParse(message).data;
}

/** Messages of the view to its run. */
const viewMessageSchema = z.discriminatedUnion('kind', [
  /** The screen starts or stops covering the terminal. */
  z.object({ kind: z.literal('screen'), isOpen: z.boolean() }),
  /** The operator pressed Ctrl-C: the bot must end in an orderly way. */
  z.object({ kind: z.literal('interrupt') }),
]);
export type ViewMessage = z.infer<typeof viewMessageSchema>;

/** Parses a message of the view; undefined if it is not one. */
export function readViewMessage(message: unknown): ViewMessage | undefined {
  return viewMessageSchema.safeParse(message).data;
}
