/** Draws lines with the colours of a terminal as an SVG picture. */

const CELL = { width: 8.4, height: 19, font: 14 } as const;
const PAD = 18;
const BAR_HEIGHT = 34;

/** Colours of the ANSI codes, readable on the dark ground. */
const COLOURS: Readonly<Record<string, string>> = {
  ...{
    30: '#0d1117',
    31: '#ff7b72',
    32: '#7ee787',
    33: '#e3b341',
    34: '#79c0ff',
    35: '#d2a8ff',
    36: '#76e3ea',
    90: '#8b949e',
  },
};
const GROUNDS: Readonly<Record<string, string>> = { 41: '#da3633', 43: '#e3b341' };
const DIM = '#8b949e';

/** How the next characters look. */
interface Look {
  readonly colour: string | undefined;
  readonly ground: string | undefined;
  readonly isBold: boolean;
  readonly isDim: boolean;
}

const PLAIN: Look = { colour: undefined, ground: undefined, isBold: false, isDim: false };

/** Text without its control sequences. */
export function plain(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with a control character.
  return text.replaceAll(/\x1b\[[0-9;]*m/g, '');
}

/** The picture of a terminal that shows some lines, at least so many columns wide. */
export function terminalPicture(label: string, lines: readonly string[], columnsMin = 0): string {
  const columns = Math.max(columnsMin, ...lines.map((line) => plain(line).length));
  const width = Math.ceil(columns * CELL.width + 2 * PAD);
  const height = lines.length * CELL.height + BAR_HEIGHT + PAD;
  const dots = ['#ff5f57', '#febc2e', '#28c840'].map(
    (colour, index) => `<circle cx="${PAD + 6 + index * 20}" cy="17" r="6" fill="${colour}"/>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(label)}">
<rect width="100%" height="100%" rx="10" fill="#0d1117"/>
${dots.join('')}
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="${CELL.font}" fill="#e6edf3">
${lines.map(lineOf).join('\n')}
</g>
</svg>
`;
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** One line: the grounds of its parts, and its text as spans of one look each. */
function lineOf(text: string, index: number): string {
  const y = BAR_HEIGHT + (index + 1) * CELL.height - 5;
  let look = PLAIN;
  let column = 0;
  let [grounds, spans] = ['', ''];
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with a control character.
  for (const part of text.split(/(\x1b\[[0-9;]*m)/)) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: as above.
    const codes = /^\x1b\[([0-9;]*)m$/.exec(part)?.[1]?.split(';');
    if (codes !== undefined) {
      look = codes.reduce(lookAfter, look);
      continue;
    }
    if (part === '') continue;
    if (look.ground !== undefined)
      grounds += `<rect x="${cells(column)}" y="${y - 14}" width="${(part.length * CELL.width).toFixed(1)}" height="${CELL.height}" fill="${look.ground}"/>`;
    const style = styleOf(look);
    spans += style === '' ? escaped(part) : `<tspan${style}>${escaped(part)}</tspan>`;
    column += part.length;
  }
  // Some fonts have wider box and braille characters; the length keeps columns aligned in all of them.
  const fitted =
    column === 0 ? '' : ` textLength="${(column * CELL.width).toFixed(1)}" lengthAdjust="spacingAndGlyphs"`;
  return `${grounds}<text x="${PAD}" y="${y}" xml:space="preserve"${fitted}>${spans}</text>`;
}

function cells(column: number): string {
  return (PAD + column * CELL.width).toFixed(1);
}

function lookAfter(look: Look, code: string): Look {
  switch (code) {
    case '':
    case '0':
      return PLAIN;
    case '1':
      return { ...look, isBold: true };
    case '2':
      return { ...look, isDim: true };
    case '22':
      return { ...look, isBold: false, isDim: false };
    case '39':
      return { ...look, colour: undefined };
    case '49':
      return { ...look, ground: undefined };
    default: {
      const [colour, ground] = [COLOURS[code], GROUNDS[code]];
      return {
        ...look,
        ...(colour === undefined ? {} : { colour }),
        ...(ground === undefined ? {} : { ground }),
      };
    }
  }
}

function styleOf({ colour, isBold, isDim }: Look): string {
  const fill = colour ?? (isDim ? DIM : undefined);
  return `${fill === undefined ? '' : ` fill="${fill}"`}${isBold ? ' font-weight="bold"' : ''}`;
}
