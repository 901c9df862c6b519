import { addAlbum, addArtist, type StoredRecord, updateArtist } from '../../app/broker/open-catalogue.ts';
import { withDotEnv } from '../../app/credentials/dot-env.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';
import type { CommandContext } from '../command-context.ts';
import { jsonLine } from '../output/json-line.ts';
import { facts } from '../output/tables.ts';
import { withExplainedErrors } from './broker-session.ts';

interface CatalogueFlags {
  readonly url?: string;
  readonly image?: string;
  readonly json?: boolean;
}

/** The parsed flags of `sluice catalogue artist ...`. */
export interface ArtistFlags extends CatalogueFlags {
  readonly id?: bigint;
  readonly description?: string;
  readonly band?: string;
}

/** The parsed flags of `sluice catalogue album add`. */
export interface AlbumFlags extends CatalogueFlags {
  readonly id?: bigint;
  readonly year?: number;
}

/** Adds an artist and prints the stored record. */
export function createArtist(name: string, flags: ArtistFlags, context: CommandContext): Promise<void> {
  const { id, description, image, band } = flags;
  return storing(flags, context, (place) =>
    addArtist(place, omitUndefined({ id, name, description, image, band })),
  );
}

/** Replaces an artist and prints the stored record. */
export function replaceArtist(
  id: bigint,
  name: string,
  flags: ArtistFlags,
  context: CommandContext,
): Promise<void> {
  const { description, image, band } = flags;
  return storing(flags, context, (place) =>
    updateArtist(place, id, omitUndefined({ name, description, image, band })),
  );
}

/** Adds an album and prints the stored record. */
export function createAlbum(
  artist: bigint,
  name: string,
  flags: AlbumFlags,
  context: CommandContext,
): Promise<void> {
  const { id, year, image } = flags;
  return storing(flags, context, (place) =>
    addAlbum(place, artist, omitUndefined({ id, name, year, image })),
  );
}

function storing(
  { url, json }: CatalogueFlags,
  context: CommandContext,
  store: (place: Parameters<typeof addArtist>[0]) => Promise<StoredRecord>,
): Promise<void> {
  return withExplainedErrors(context, async () => {
    const record = await store({ environment: withDotEnv(process.env, context.project), url });
    context.terminal.out(json === true ? jsonLine(record) : recordText(record));
  });
}

function recordText(record: StoredRecord): string {
  return facts(
    Object.entries(record).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
}
