import { Client } from 'undici';
import { z } from 'zod';
import { printable } from '../../model/printable.ts';
import type { Step, Stepper } from '../clock/stepped-clock.ts';

const clockSchema = z.object({
  time: z.number(),
  mode: z.enum(['stepped', 'scaled', 'wall']),
  speed: z.number().optional(),
});

/** The venue's market time and how it advances. */
export type VenueClock = z.infer<typeof clockSchema>;

const stepSchema = z.object({
  time: z.number(),
  phase: z.enum(['venue', 'timer', 'print', 'end']),
  frames: z.object({ quote: z.number(), trade: z.number() }),
});

/** Client of the venue's admin port, over one connection. */
export interface AdminClient extends Stepper {
  clock(): Promise<VenueClock>;
  close(): Promise<void>;
}

/** The venue's admin port sent an unexpected answer. */
export class AdminError extends Error {
  readonly code = 'venue-admin';
  override readonly name = 'AdminError';
}

/** Connects at the first request; the venue prints `token` together with the port's address. */
export function createAdminClient(url: string, token: string): AdminClient {
  const client = new Client(url);

  async function request<T>(
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
    clock: () => request('GET', '/clock', clockSchema),
    step: ({ timer, quotes }): Promise<Step> =>
      request('POST', '/clock/step', stepSchema, { timer: timer ?? null, quotes }),
    close: () => client.destroy(),
  };
}

/** The message of a refusal if it has one, otherwise the beginning of its text. */
function reasonIn(text: string): string {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null && 'message' in body)
      return printable(String(body.message), 500);
  } catch {
    // Not JSON: it is shown unchanged.
  }
  return printable(text, 200);
}
