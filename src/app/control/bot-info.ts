import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { z } from 'zod';
import { ORIGIN_KINDS } from '../../reports/origin.ts';

/** The file in a bot's folder by which other processes find it, during and after its run. Contains no secret. */
const botInfoSchema = z.object({
  pid: z.number().int().positive(),
  config: z.string(),
  strategy: z.string(),
  /** Signed HTTP address of its venue, for cancels if the bot does not respond. */
  http: z.string(),
  profile: z.enum(['documented', 'longbridge']),
  /** Whether it trades real money; absent in files of earlier versions. */
  mode: z.enum(['paper', 'live']).optional(),
  /** Origin of the prices; absent in files of earlier versions. */
  origin: z.enum(ORIGIN_KINDS).optional(),
  /** Tag of its orders, which distinguishes them from others on the account. */
  deployment: z.string(),
  /** True if the bot started its own venue, which ends with it. */
  ownVenue: z.boolean(),
  /** Machine time, ISO 8601. */
  since: z.string(),
  /**
   * First and last instant of a replayed market, ISO 8601, and its first and last day at the exchange (absent in
   * files of earlier versions). Absent for a market without an end.
   */
  span: z
    .object({
      from: z.string(),
      to: z.string(),
      days: z.object({ first: z.string(), last: z.string() }).optional(),
    })
    .optional(),
  /** Machine time of a clean end; absent while it runs, and if it was killed. */
  ended: z.string().optional(),
});
export type BotInfo = z.infer<typeof botInfoSchema>;

export const BOT_INFO_FILE = 'bot.json';
const SOCKET_FILE = 'control.sock';
/** Maximum length of a Unix socket path that every system accepts. */
const SOCKET_PATH_MAX = 100;

/** Reads the file of a folder; undefined if no bot of this version ran there. */
export function readBotInfo(folder: string): BotInfo | undefined {
  try {
    const read = botInfoSchema.safeParse(JSON.parse(readFileSync(join(folder, BOT_INFO_FILE), 'utf8')));
    return read.success ? read.data : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns the path of a bot's control socket, absolute or relative, whichever is shorter: systems limit its length.
 */
export function socketPath(folder: string): string {
  const path = join(folder, SOCKET_FILE);
  const near = relative(process.cwd(), path);
  return path.length <= SOCKET_PATH_MAX || near.length >= path.length ? path : near;
}

/** True if a process of this machine runs; a zombie process does not. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !isZombie(pid);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/**
 * Reads the state of a process on Linux, the third field of /proc/PID/stat. The second is a name in brackets, which
 * may contain any character.
 */
function isZombie(pid: number): boolean {
  const path = `/proc/${pid}/stat`;
  if (!existsSync(path)) return false;
  const line = readFileSync(path, 'latin1');
  return line
    .slice(line.lastIndexOf(')') + 1)
    .trim()
    .startsWith('Z');
}
