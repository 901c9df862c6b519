/**
 * Draws the view of `sluice run` on a terminal of 80 columns and 24 rows as an SVG picture: `node docs/images/view-svg.ts OUT.svg`.
 * A bot trades generated minutes on its own embedded venue, as fast as it decides, with a stop and a trailing stop on each position. The
 * picture is the first frame that the program draws with a position, its exits, fills and a denial.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { plain, terminalPicture } from './terminal-picture.ts';

const [out = ''] = process.argv.slice(2);
if (out === '') throw new Error('Usage: node docs/images/view-svg.ts OUT.svg');

const ROOT = join(import.meta.dirname, '../..');
const [COLUMNS, ROWS] = [80, 24];
const WAIT_MS = 120_000;
const CONFIG = `strategy: momentum
symbols: [DEMO.HK]
period: 1m
params: { length: 6, stop: 0.8, trail: 1.5, weight: 20% }
account: { currency: HKD, cash: { HKD: 1000000 } }
data: { from: 2025-09-02, to: 2025-09-26, dir: ${join(ROOT, 'backtest-data')} }
risk:
  maxOrderNotional: 188000 HKD
  maxPositionWeight: 30%
charges: standard
`;
const [FRAME, FRAME_END] = ['\u001b[H', '\u001b[J'];
const INTERRUPT = '\u0003';

const project = mkdtempSync(join(tmpdir(), 'sluice-picture-'));
symlinkSync(ROOT, join(project, 'node_modules'));
writeFileSync(join(project, 'momentum.yaml'), CONFIG);

const command = [process.execPath, join(ROOT, 'src/cli/main.ts'), 'run', 'momentum.yaml'];
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
  return isHeld && fills.length >= 6 && /max-order-notional/.test(shown) && !/^messages/m.test(shown);
}

await new Promise((resolve) => child.once('close', resolve));
clearTimeout(late);
rmSync(project, { recursive: true, force: true });
if (frame === '')
  throw new Error(
    `The view had no position with an exit, six fills and a denial within ${WAIT_MS / 1_000} s:\n${plain(newest === '' ? text : newest)}`,
  );

const lines = frame
  .split('\r\n')
  // What follows the text of a line clears the rest of it.
  .map((line) => line.replaceAll('\u001b[K', ''));
const label =
  'The view of sluice run on a terminal: account, risk gate, profit of the day, positions with exits, and fills';
const blank = Array.from({ length: Math.max(0, ROWS - lines.length) }, () => '');
writeFileSync(out, terminalPicture(label, [...lines, ...blank], COLUMNS));
