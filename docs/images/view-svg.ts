/**
 * Draws the view of `sluice run` on a terminal of 80 columns and 24 rows as an SVG picture: `node docs/images/view-svg.ts OUT.svg`.
 * A bot trades generated minutes on its own embedded venue, as fast as it decides, with a stop and a trailing stop on each position. The
 * picture is the first frame that the program draws with a position, its exits, fills and a denial.
 */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MAIN, pictureProject } from './picture-project.ts';
import { plain, terminalPicture } from './terminal-picture.ts';

const [out = ''] = process.argv.slice(2);
if (out === '') throw new Error('Usage: node docs/images/view-svg.ts OUT.svg');

const [COLUMNS, ROWS] = [80, 24];
const WAIT_MS = 120_000;
const [FRAME, FRAME_END] = ['\u001b[H', '\u001b[J'];
const INTERRUPT = '\u0003';

const { project, close } = pictureProject();
const command = [process.execPath, MAIN, 'run', 'momentum.yaml'];
const quoted = command.map((word) => `'${word}'`).join(' ');
const { NO_COLOR: _, FORCE_COLOR: __, ...environment } = process.env;
const child = spawn('script', ['-qefc', `stty cols ${COLUMNS} rows ${ROWS}; exec ${quoted}`, '/dev/null'], {
  cwd: project,
  env: { ...environment, TERM: 'xterm-256color', SLUICE_STATE_DIR: join(project, 'state') },
  stdio: ['pipe', 'pipe', 'inherit'],
});

let [text, newest, frame] = ['', '', ''];
const late = setTimeout(() => child.kill(), WAIT_MS);
child.stdout.setEncoding('utf8').on('data', (part: string) => {
  text += part;
  const end = text.lastIndexOf(FRAME_END);
  const begin = text.lastIndexOf(FRAME, end);
  if (end < 0 || begin < 0) return;
  newest = text.slice(begin + FRAME.length, end);
  text = text.slice(end);
  if (frame !== '' || !isWanted(plain(newest))) return;
  frame = newest;
  child.stdin.write(INTERRUPT);
});

/** Whether everything that a trader looks for is on a frame: a position at its price with its exits, several fills, and a denial. */
function isWanted(shown: string): boolean {
  const fills = shown.match(/fee [\d.]+ HKD/g) ?? [];
  const isHeld = /^positions.*now [\d.]+.*stop/m.test(shown);
  return isHeld && fills.length >= 3 && /max-order-notional/.test(shown) && !/^messages/m.test(shown);
}

await new Promise((resolve) => child.once('close', resolve));
clearTimeout(late);
close();
if (frame === '')
  throw new Error(
    `The view had no position with an exit, three fills and a denial within ${WAIT_MS / 1_000} s:\n${plain(newest === '' ? text : newest)}`,
  );

const lines = frame
  .split('\r\n')
  // What follows the text of a line clears the rest of it.
  .map((line) => line.replaceAll('\u001b[K', ''));
const label =
  'The view of sluice run on a terminal: account, risk gate, profit of the day, positions with exits, and fills';
const blank = Array.from({ length: Math.max(0, ROWS - lines.length) }, () => '');
writeFileSync(out, terminalPicture(label, [...lines, ...blank], COLUMNS));
