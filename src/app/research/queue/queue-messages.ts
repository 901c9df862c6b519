import { z } from 'zod';
import type { CalendarDay } from '../../../model/time.ts';
import { FIGURES, type TrialOutcome } from '../../../research/trial.ts';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'a SHA-256');

/** A path inside a project, with slashes, and without `..` or empty segments. */
const innerPath = z
  .string()
  .max(1_000)
  .refine(
    (path) =>
      path !== '' &&
      !/[\\:\0]/.test(path) &&
      path.split('/').every((step) => step !== '' && step !== '.' && step !== '..'),
    'a path inside the project',
  );

const fileSchema = z.object({
  path: innerPath,
  sha256,
  bytes: z.int().min(0),
  /** File permissions are omitted: no file of a project is executed as a program. */
});

/** All that a worker needs for the trials of a sweep; stored under the hash of its text. */
export const manifestSchema = z.object({
  sweep: z.string().regex(/^[A-Za-z0-9_-]{1,200}$/, 'the name of a sweep'),
  runtime: z.string(),
  /** Path of the strategy YAML in the project. */
  config: innerPath,
  files: z.array(fileSchema).max(100_000),
  /** Files of the package that must be identical at the worker. */
  shipped: z.array(fileSchema).max(1_000),
  /** Hash of the data as the sweep read it. */
  data: sha256,
  changes: z.object({ from: z.string().optional(), to: z.string().optional() }),
  callMsMax: z.number().positive(),
  keepDays: z.boolean(),
  objective: z.string().max(1_000).optional(),
});
export type SweepManifest = z.output<typeof manifestSchema>;
export type ManifestFile = z.output<typeof fileSchema>;

/** Returns the days of a manifest for a job; the sweep checked them, and loading the config checks them again. */
export function changesIn({ changes: { from, to } }: SweepManifest): {
  readonly from?: CalendarDay;
  readonly to?: CalendarDay;
} {
  return {
    ...(from === undefined ? {} : { from: from as CalendarDay }),
    ...(to === undefined ? {} : { to: to as CalendarDay }),
  };
}

const paramsSchema = z.record(z.string(), z.union([z.number(), z.boolean(), z.string()]));

export const trialMessageSchema = z.object({
  sweep: z.string(),
  manifest: sha256,
  trial: z.int().min(0),
  params: paramsSchema,
});
export type TrialMessage = z.output<typeof trialMessageSchema>;

const number = z.number().nullable();
const outcomeSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('done'),
    figures: z.object(Object.fromEntries(FIGURES.map((figure) => [figure, number]))),
    returns: z
      .object({
        count: z.number(),
        mean: z.number(),
        deviation: z.number(),
        skewness: z.number(),
        kurtosis: z.number(),
        blocks: z.array(z.number()),
      })
      .nullable(),
    days: z.object({ from: z.string(), to: z.string(), base64: z.base64() }).optional(),
    objective: number.optional(),
  }),
  z.object({ kind: z.literal('failed'), message: z.string() }),
]);

const resultSchema = z.object({ trial: z.int().min(0), worker: z.string(), outcome: outcomeSchema });

/** Outcome of a trial, and the worker that computed it. */
export interface ResultMessage {
  readonly trial: number;
  readonly worker: string;
  readonly outcome: TrialOutcome;
}

/** Parses a result; returns undefined if it is invalid. */
export function readResult(bytes: Uint8Array): ResultMessage | undefined {
  const parsed = resultSchema.safeParse(jsonIn(bytes));
  return parsed.success ? (parsed.data as ResultMessage) : undefined;
}

/** Why no worker can run the trials of a sweep. */
export const faultMessageSchema = z.object({ worker: z.string(), message: z.string() });

/** Parses JSON; returns undefined if it is invalid. */
export function jsonIn(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}
