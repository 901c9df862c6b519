import { defineConfig } from 'vitest/config';

const heavy = ['contracts', 'parity', 'tidy', 'interop', 'oracles', 'sim', 'museum', 'browser'];

/** One project per kind of test; `unit` mirrors the rooms of `src`. */
export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: { name: 'unit', include: ['test/**/*.test.ts'], exclude: heavy.map((kind) => `test/${kind}/**`) },
      },
      ...heavy.map((kind) => ({
        extends: true as const,
        test: { name: kind, include: [`test/${kind}/**/*.test.ts`], testTimeout: 120_000 },
      })),
    ],
    pool: 'forks',
    passWithNoTests: true,
  },
});
