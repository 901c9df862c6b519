#!/usr/bin/env node
// The command: compiled code in an installed package, TypeScript in a clone.
import { existsSync } from 'node:fs';

const compiled = new URL('../src/cli/main.js', import.meta.url);
await import(existsSync(compiled) ? compiled.href : new URL('../src/cli/main.ts', import.meta.url).href);
