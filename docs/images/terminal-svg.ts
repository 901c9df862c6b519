/**
 * Draws what a command printed as an SVG picture of a terminal: `node docs/images/terminal-svg.ts OUT.svg TITLE COMMAND ARGS...`.
 * The command runs with colours. The picture shows what it printed.
 */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';

const [out = '', title = '', command = '', ...args] = process.argv.slice(2);
if (command === '')
  throw new Error('Usage: node docs/images/terminal-svg.ts OUT.svg TITLE COMMAND [ARGS...]');

const CELL = { width: 8.4, height: 19, font: 14 } as const;
const PAD = 18;
const BAR_HEIGHT = 34;
const COLUMNS_MAX = 120;

/** Colours of the eight ANSI codes, readable on the dark ground. */
const COLOURS: Readonly<Record<string, string>> = {
  ...{
    31: '#ff7b72',
    32: '#7ee787',
    33: '#e3b341',
    34: '#79c0ff',
    35: '#d2a8ff',
    36: '#76e3ea',
    90: '#8b949e',
  },
};

const { stdout, stderr, status } = spawnSync(command, args, {
  encoding: 'utf8',
  env: { ...process.env, FORCE_COLOR: '1', COLUMNS: String(COLUMNS_MAX) },
  maxBuffer: 1 << 26,
});
if (status !== 0)
  throw new Error(`Cannot draw "${command} ${args.join(' ')}": it ended with ${status}\n${stderr}`);

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** One line as spans of one style each. */
function lineOf(text: string): string {
  let style = '';
  let spans = '';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with a control character.
  for (const part of text.split(/(\x1b\[[0-9;]*m)/)) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: as above.
    const codes = /^\x1b\[([0-9;]*)m$/.exec(part)?.[1]?.split(';');
    if (codes !== undefined) {
      const colour = codes.map((code) => COLOURS[code]).find((each) => each !== undefined);
      const weight = codes.includes('1') ? ' font-weight="bold"' : '';
      style = `${colour === undefined ? '' : ` fill="${colour}"`}${weight}`;
    } else if (part !== '') spans += style === '' ? escaped(part) : `<tspan${style}>${escaped(part)}</tspan>`;
  }
  return spans;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with a control character.
const plain = (text: string): string => text.replaceAll(/\x1b\[[0-9;]*m/g, '');
const lines = [`$ ${title}`, ...stdout.trimEnd().split('\n')];
const columns = Math.max(...lines.map((line) => plain(line).length));
const width = Math.ceil(columns * CELL.width + 2 * PAD);
const height = lines.length * CELL.height + BAR_HEIGHT + PAD;
const rows = lines.map((line, index) => {
  const y = BAR_HEIGHT + (index + 1) * CELL.height - 5;
  const length = plain(line).length;
  // Some fonts have wider box and braille characters; the length keeps columns aligned in all of them.
  const fitted =
    length === 0 ? '' : ` textLength="${(length * CELL.width).toFixed(1)}" lengthAdjust="spacingAndGlyphs"`;
  return `<text x="${PAD}" y="${y}" xml:space="preserve"${fitted}>${lineOf(line)}</text>`;
});
const dots = ['#ff5f57', '#febc2e', '#28c840'].map(
  (colour, index) => `<circle cx="${PAD + 6 + index * 20}" cy="17" r="6" fill="${colour}"/>`,
);

writeFileSync(
  out,
  `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="Output of ${escaped(title)}">
<rect width="100%" height="100%" rx="10" fill="#0d1117"/>
${dots.join('')}
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="${CELL.font}" fill="#e6edf3">
${rows.join('\n')}
</g>
</svg>
`,
);
