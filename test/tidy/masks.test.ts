import { describe, expect, it } from 'vitest';
import { importsOf } from './imports.ts';
import { mask } from './masks.ts';

/** What the scanner finds, as `kind specifier line`. */
const found = (source: string): readonly string[] =>
  importsOf(mask(source)).map(({ kind, specifier, line }) => `${kind} ${specifier} ${line}`);

describe('the import scanner', () => {
  it('finds every kind of import', () => {
    const source = [
      "import './side.ts';",
      "import one from './one.ts';",
      "import * as all from './all.ts';",
      "import one, { two, type Three } from './two.ts';",
      "import type { Four } from './four.ts';",
      'import type Five from "./five.ts";',
      "import type, { other } from './value.ts';",
      "export { six } from './six.ts';",
      "export * from './seven.ts';",
      "export type { Eight } from './eight.ts';",
      "const nine = await import('./nine.ts');",
      "type Ten = import('./ten.ts').Ten;",
      'await import(path);',
      "new Worker(new URL('./worker.ts', import.meta.url));",
    ];
    expect(found(source.join('\n'))).toEqual([
      'value ./side.ts 1',
      'value ./one.ts 2',
      'value ./all.ts 3',
      'value ./two.ts 4',
      'type ./four.ts 5',
      'type ./five.ts 6',
      'value ./value.ts 7',
      'export ./six.ts 8',
      'export ./seven.ts 9',
      'export-type ./eight.ts 10',
      'dynamic ./nine.ts 11',
      'dynamic ./ten.ts 12',
      'dynamic undefined 13',
      'url ./worker.ts 14',
    ]);
  });

  it('reads imports over several lines and names the first', () => {
    expect(found("\nimport {\n  a,\n  type B,\n} from './ab.ts';")).toEqual(['value ./ab.ts 2']);
  });

  it('is not misled by comments, strings, templates and regular expressions', () => {
    const source = [
      "// import './comment.ts';",
      "/* import './block.ts'; */",
      `const a = "import './string.ts'";`,
      "const b = `import './template.ts' ${await import('./inside.ts')} import './delay.ts'`;",
      "const c = /import '.\\/regex.ts'/;",
      'const d = x / y; // "',
      'const e = /[/\'"]/;',
      "export const f = 'plain';",
      'const g = import.meta.url;',
      "thing.import('./method.ts');",
      "import './real.ts';",
    ];
    expect(found(source.join('\n'))).toEqual(['dynamic ./inside.ts 4', 'value ./real.ts 11']);
  });

  it('keeps every character at its index', () => {
    const source = "const a = `x ${b ? `y ${'}'}` : {}} z`; // end\nnext();\n";
    const { code, bare } = mask(source);
    expect(code).toHaveLength(source.length);
    expect(bare).toBe("const a = `  ${b ? `  ${' '}` : {}}  `;       \nnext();\n");
  });
});
