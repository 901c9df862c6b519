import { createInterface } from 'node:readline/promises';
import { TEMPLATE_NAMES, TEMPLATES, type TemplateName } from './templates.ts';

/** Asks on the terminal which template to take; where nobody can answer, or nothing is typed, it is the first. */
export async function askTemplate(
  input: NodeJS.ReadStream = process.stdin,
  output: NodeJS.WriteStream = process.stderr,
): Promise<TemplateName> {
  const usual = 'momentum';
  if (input.isTTY !== true || output.isTTY !== true) return usual;
  const width = Math.max(...TEMPLATE_NAMES.map((name) => name.length));
  for (const [index, name] of TEMPLATE_NAMES.entries()) {
    output.write(`  ${index + 1}  ${name.padEnd(width)}  ${TEMPLATES[name].doc}\n`);
  }
  const lines = createInterface({ input, output });
  try {
    for (;;) {
      const typed = (await lines.question(`Which one? (1 to ${TEMPLATE_NAMES.length}, Enter for 1) `)).trim();
      const chosen = chosenTemplate(typed);
      if (chosen !== undefined) return chosen;
      output.write(`"${typed}" is none of them\n`);
    }
  } finally {
    lines.close();
  }
}

/** The template that a number or a name stands for; the first for nothing at all. */
export function chosenTemplate(typed: string): TemplateName | undefined {
  if (typed === '') return TEMPLATE_NAMES[0];
  return TEMPLATE_NAMES.find((name, index) => name === typed || String(index + 1) === typed);
}
