/**
 * Draws what a command printed as an SVG picture of a terminal: `node docs/images/terminal-svg.ts OUT.svg TITLE COMMAND ARGS...`.
 * The command runs with colours. The picture shows what it printed.
 */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { terminalPicture } from './terminal-picture.ts';

const [out = '', title = '', command = '', ...args] = process.argv.slice(2);
if (command === '')
  throw new Error('Usage: node docs/images/terminal-svg.ts OUT.svg TITLE COMMAND [ARGS...]');

const COLUMNS_MAX = 120;

const { stdout, stderr, status } = spawnSync(command, args, {
  encoding: 'utf8',
  env: { ...process.env, FORCE_COLOR: '1', COLUMNS: String(COLUMNS_MAX) },
  maxBuffer: 1 << 26,
});
if (status !== 0)
  throw new Error(`Cannot draw "${command} ${args.join(' ')}": it ended with ${status}\n${stderr}`);

writeFileSync(out, terminalPicture(`Output of ${title}`, [`$ ${title}`, ...stdout.trimEnd().split('\n')]));
