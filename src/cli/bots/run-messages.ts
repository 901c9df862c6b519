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
