/** Text styles for a terminal; each returns the text unchanged without colour. */
export interface Ink {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly accent: (text: string) => string;
  /** For important warnings: dark on yellow. */
  readonly warning: (text: string) => string;
}

const ESCAPE = '\u001b[';

function style(on: string, off: string): (text: string) => string {
  return (text) => (text === '' ? '' : `${ESCAPE}${on}m${text}${ESCAPE}${off}m`);
}

const COLOUR: Ink = {
  bold: style('1', '22'),
  dim: style('2', '22'),
  good: style('32', '39'),
  bad: style('31', '39'),
  accent: style('36', '39'),
  warning: style('30;43', '39;49'),
};

const same = (text: string): string => text;
const PLAIN: Ink = { bold: same, dim: same, good: same, bad: same, accent: same, warning: same };

/** Colours for a terminal, or none for files, pipes and `NO_COLOR`. */
export function inkFor(colour: boolean): Ink {
  return colour ? COLOUR : PLAIN;
}
