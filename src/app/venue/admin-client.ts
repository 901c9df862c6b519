import { Client } from 'undici';
import { z } from 'zod';
import { printable } from '../../model/printable.ts';
import type { Step, Stepper } from '../clock/stepped-clock.ts';

const clockSchema = z.object({
  time: z.number(),
  mode: z.enum(['stepped', 'scaled', 'wall']),
  speed: z.number().optional(),
});

/** Where the venue's market clock stands and how it goes. */
export type VenueClock = z.infer<typeof clockSchema>;

const stepSchema = z.object({
  time: z.number(),
  phase: z.enum(['venue', 'timer', 'print', 'end']),
  frames: z.object({ quote: z.number(), trade: z.number() }),
});

/** The venue's admin port, over one warm connection. */
export interface AdminClient extends Stepper {
  clock(): Promise<VenueClock>;
  close(): Promise<void>;
}

/** The venue's admin port said something else than it should. */
export class AdminError extends Error {
  readonly code = 'venue-admin';
  override readonly name = 'AdminError';
}

/** Connects at the first question; `token` is what the venue printed beside the port's address. */
export function createAdminClient(url: string, token: string): AdminClient {
  const client = new Client(url);

  async function ask<T>(
    method: 'GET' | 'POST',
    path: string,
    shape: z.ZodType<T>,
    question?: unknown,
  ): Promise<T> {
    const body = question === undefined ? null : JSON.stringify(question);
    const headers = {
      authorization: `Bearer ${token}`,
      ...(body === null ? {} : { 'content-type': 'application/json' }),
    };
    const answer = await client.request({ method, path, body, headers });
    const text = await answer.body.text();
    if (answer.statusCode !== 200)
      throw new AdminError(`Venue refused ${method} ${path} with ${answer.statusCode}: ${reasonIn(text)}`);
    return shape.parse(JSON.parse(text));
  }

  return {
    clock: () => ask('GET', '/clock', clockSchema),
    step: ({ timer, quotes }): Promise<Step> =>
      ask('POST', '/clock/step', stepSchema, { timer: timer ?? null, quotes }),
    close: () => client.destroy(),
  };
}

/** What a refusal says: its message where it has one, else the beginning of its text. */
function reasonIn(text: string): string {
  try {
    const said: unknown = JSON.parse(text);
    if (typeof said === 'object' && said !== null && 'message' in said)
      return printable(String(said.message), 500);
  } catch {
    // No JSON: it is shown as it came.
  }
  return printable(text, 200);
}
