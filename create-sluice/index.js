#!/usr/bin/env node
/** `npm create @sluice-trading/sluice my-bot`: the same as `npx sluice init my-bot`. */
const entry = import.meta.resolve('@sluice-trading/sluice');
const main = new URL(entry.endsWith('.ts') ? './cli/main.ts' : './cli/main.js', entry);
const [node = '', , ...rest] = process.argv;
process.argv = [node, 'sluice', 'init', ...(rest.length === 0 ? ['my-bot'] : rest)];
await import(main.href);
