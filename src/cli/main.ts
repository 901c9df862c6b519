#!/usr/bin/env node
/** Entry point of the command line. Loads nothing else until the version of Node.js is checked. */
const NODE_MAJOR_MIN = 24;

const major = Number(process.versions.node.split('.')[0]);
if (major < NODE_MAJOR_MIN) {
  process.stderr.write(
    `Sluice needs Node.js ${NODE_MAJOR_MIN} or later, this is ${process.versions.node}.\n` +
      `Install it with "npm install --save-dev node@${NODE_MAJOR_MIN}" in your project and run through npx, or from https://nodejs.org\n`,
  );
  process.exit(2);
}

// Node.js opens an inspector on this signal, to which every local process could connect, unless the signal is
// handled.
process.on('SIGUSR1', () => process.stderr.write('SIGUSR1 does nothing: a bot opens no inspector\n'));

// The compile cache halves the time of a second start.
const { enableCompileCache } = await import('node:module');
enableCompileCache();

const { runCommandLine } = await import('./program.ts');
const { code, isOver } = await runCommandLine(process.argv);
process.exitCode = code;
// Otherwise V8 finishes compiling code that will not run, and the process waits for timers that a strategy left.
if (isOver) {
  process.stdout.write('', (unwritten) => {
    // An output error is reported first, and ends the process itself.
    if (unwritten === undefined || unwritten === null) process.stderr.write('', () => process.exit());
  });
}
