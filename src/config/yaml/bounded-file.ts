import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/** Why a file was not read; `seen` is the text after "Cannot read ...: ". */
export type UnreadFile =
  | { readonly kind: 'too-large'; readonly seen: string }
  | { readonly kind: 'unreadable'; readonly seen: string; readonly cause: unknown };

/** The bytes of a file, or why they were not read. */
export type BoundedFile = { readonly kind: 'ok'; readonly bytes: Uint8Array } | UnreadFile;

/**
 * Reads a regular file of at most `bytesMax` bytes, using no more memory than that. Pipes and devices, which may
 * never end, are opened without waiting and not read. A file that grows during the read counts as too large.
 */
export async function readBounded(path: string, bytesMax: number): Promise<BoundedFile> {
  try {
    const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const stats = await file.stat();
      if (stats.isDirectory()) return unreadable('it is a folder');
      if (!stats.isFile()) return unreadable('it is a pipe or a device');
      if (stats.size > bytesMax) return { kind: 'too-large', seen: `the file has ${stats.size} bytes` };
      const bytes = new Uint8Array(bytesMax + 1);
      let length = 0;
      for (let read = -1; read !== 0 && length < bytes.length; length += read)
        read = (await file.read(bytes, length, bytes.length - length)).bytesRead;
      if (length > bytesMax) return { kind: 'too-large', seen: `the file has more than ${bytesMax} bytes` };
      return { kind: 'ok', bytes: bytes.subarray(0, length) };
    } finally {
      await file.close();
    }
  } catch (cause) {
    return unreadable(reasonOf(cause), cause);
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'reading it is not permitted',
  ENXIO: 'it is a pipe or a device',
};

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const code = 'code' in cause ? String(cause.code) : '';
  return REASONS[code] ?? cause.message;
}

function unreadable(seen: string, cause?: unknown): UnreadFile {
  return { kind: 'unreadable', seen, cause };
}
