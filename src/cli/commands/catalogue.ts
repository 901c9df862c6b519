import type { Command } from 'commander';
import type { AlbumFlags, ArtistFlags } from '../broker/catalogue-records.ts';
import type { CommandContext, CommandRegistration } from '../command-context.ts';
import { wholeBetween, wholeId } from '../options/broker-values.ts';

const YEAR_MIN = 1_000;
const YEAR_MAX = 9_999;

/** `sluice catalogue ...`: artists and albums, interface B. */
export const catalogueCommand: CommandRegistration = (program, context) => {
  const catalogue = program.command('catalogue').description('store artists and albums in the catalogue');
  const artist = catalogue.command('artist').description('add or update an artist');
  addArtist(artist, context);
  updateArtist(artist, context);
  addAlbum(catalogue.command('album').description('add an album'), context);
};

function shared(command: Command): Command {
  return command
    .option('--image <address>', 'https address of a picture')
    .option('--url <address>', 'HTTP address (default: SLUICE_CATALOGUE_URL, else SLUICE_HTTP_URL)')
    .option('--json', 'print the stored record as JSON');
}

function addArtist(artist: Command, context: CommandContext): void {
  shared(artist.command('add').description('add an artist'))
    .argument('<name>', 'name of the artist')
    .option('--id <id>', 'id to store it under (default: the next free one)', wholeId)
    .option('--description <text>', 'free text')
    .option('--band <name>', 'name of the band')
    .action(async (name: string, flags: ArtistFlags) => {
      const { createArtist } = await import('../broker/catalogue-records.ts');
      await createArtist(name, flags, context);
    });
}

function updateArtist(artist: Command, context: CommandContext): void {
  shared(artist.command('update').description('replace an artist; a field left out has no value afterwards'))
    .argument('<id>', 'id of the artist', wholeId)
    .argument('<name>', 'name of the artist')
    .option('--description <text>', 'free text')
    .option('--band <name>', 'name of the band')
    .action(async (id: bigint, name: string, flags: ArtistFlags) => {
      const { replaceArtist } = await import('../broker/catalogue-records.ts');
      await replaceArtist(id, name, flags, context);
    });
}

function addAlbum(album: Command, context: CommandContext): void {
  shared(album.command('add').description('add an album to an artist'))
    .argument('<artist>', 'id of the artist', wholeId)
    .argument('<name>', 'name of the album')
    .option('--id <id>', 'id to store it under (default: the next free one)', wholeId)
    .option('--year <year>', 'year of release', wholeBetween(YEAR_MIN, YEAR_MAX))
    .action(async (id: bigint, name: string, flags: AlbumFlags) => {
      const { createAlbum } = await import('../broker/catalogue-records.ts');
      await createAlbum(id, name, flags, context);
    });
}
