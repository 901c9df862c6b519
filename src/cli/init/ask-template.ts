import { createInterface } from 'node:readline/promises';
import { beside } from '../../reports/format.ts';
import { TEMPLATE_NAMES, TEMPLATES, type TemplateName } from './templates.ts';

/**
 * Asks on the terminal which template to use; the first one without a terminal or for an empty answer. Undefined
 * after Ctrl-C or Ctrl-D.
 */
export async function askTemplate(
  input: NodeJS.ReadStream = process.stdin,
  output: NodeJS.WriteStream = process.stderr,
): Promise<TemplateName | undefined> {
  const usual = 'momentum';
  if (input.isTTY !== true || output.isTTY !== true) return usual;
  const width = Math.max(...TEMPLATE_NAMES.map((name) => name.length));
  for (const [index, name] of TEMPLATE_NAMES.entries()) {
    const head = `  ${index + 1}  ${name.padEnd(width)}  `;
    output.write(`${beside(head, TEMPLATES[name].doc)}\n`);
  }
  const lines = createInterface({ input, output });
  try {
    for (;;) {
      const typed = (await lines.question(`Which one? (1 to ${TEMPLATE_NAMES.length}, Enter for 1) `)).trim();
      const chosen = chosenTemplate(typed);
      if (chosen !== undefined) return chosen;
      output.write(`"${typed}" is none of them\n`);
    }
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'AbortError') throw error;
    output.write('\n');
    return undefined;
  } finally {
    lines.close();
  }
}

/** Returns the template of a number or a name; the first for an empty text. */
export function chosenTemplate(typed: string): TemplateName | undefined {
  if (typed === '') return TEMPLATE_NAMES[0];
  return TEMPLATE_NAMES.find((name, index) => name === typed || String(index + 1) === typed);
}
