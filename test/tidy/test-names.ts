import { lineAt } from './masks.ts';
import type { Source } from './tree.ts';

/** The name of a test or group, as written. */
export interface TestName {
  readonly path: string;
  readonly line: number;
  readonly name: string;
}

const OPENING =
  /(?<![.\w$])(?:it|test|describe)(?:\s*\.\s*(?:each|for|skipIf|runIf|concurrent|sequential)\b\s*(?:\((?:[^()]|\([^()]*\))*\))?)*\s*\(\s*(?=['"`])/g;

/** Finds the names of tests and groups in a test file. A computed name is represented by the text of its literal. */
export function testNames({ path, code, bare }: Pick<Source, 'path' | 'code' | 'bare'>): readonly TestName[] {
  return [...bare.matchAll(OPENING)].map(({ index, 0: opening }) => {
    const from = index + opening.length;
    const end = bare.indexOf(bare[from] ?? "'", from + 1);
    return { path, line: lineAt(bare, index), name: code.slice(from + 1, end) };
  });
}
