import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { envLines } from '#src/cli/output/env-lines.ts';

describe('lines of an environment', () => {
  it('give a shell the exact values, whatever characters they contain', () => {
    const reason = `it's "over"; $(touch here) \`id\`\n\\`;
    const lines = envLines({ SLUICE_REASON: reason, SLUICE_PID: 42, SLUICE_NONE: undefined });
    const script = `${lines}printf '%s|%s|%s' "$SLUICE_REASON" "$SLUICE_PID" "\${SLUICE_NONE-unset}"`;
    expect(execFileSync('sh', ['-c', script], { encoding: 'utf8' })).toBe(`${reason}|42|unset`);
  });
});
