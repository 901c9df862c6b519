/**
 * Tests the package as users get it: packs it, installs the tarball with Node 24 into an empty folder outside the
 * repository, and runs the first commands of a new user there. The machine's own Node may be older; npx finds the
 * installed one.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { buildPackage, PACKAGE, ROOT } from './build-package.ts';
import { writeNewcomerFiles } from './newcomer.ts';

const COMMAND_MS_MAX = 180_000;

/**
 * The environment of a user's shell, without the variables of the npm that runs this script, above all its Node on
 * the PATH.
 */
function shellEnvironment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !/^(npm_|INIT_CWD$|NODE_|CI$)/i.test(name));
  const path = (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((entry) => !/node_modules|node-gyp/.test(entry));
  return { ...Object.fromEntries(own), PATH: path.join(delimiter) };
}

const env = shellEnvironment();

interface Outcome {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function run(folder: string, command: string, args: readonly string[]): Outcome {
  const { status, stdout, stderr, error } = spawnSync(command, [...args], {
    cwd: folder,
    env,
    encoding: 'utf8',
    timeout: COMMAND_MS_MAX,
  });
  if (error !== undefined) throw error;
  return { code: status, out: stdout, err: stderr };
}

/** Runs `npx sluice ...` and asserts its exit code. */
function sluice(folder: string, code: number, ...args: readonly string[]): Outcome {
  const outcome = run(folder, 'npx', ['--no-install', 'sluice', ...args]);
  assert.equal(
    outcome.code,
    code,
    `sluice ${args.join(' ')} ended with ${outcome.code}\n${outcome.out}\n${outcome.err}`,
  );
  console.log(`ok  npx sluice ${args.join(' ')}`);
  return outcome;
}

/** Figures of a report that this check reads. */
interface Report {
  readonly schema: string;
  readonly strategy: string;
  readonly flow: { readonly bars: number; readonly fills: number };
  readonly figures: { readonly finalEquity: number; readonly closedTrades: number };
}

function install(folder: string): void {
  const [packed] = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--pack-destination', folder], {
      cwd: PACKAGE,
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  );
  const { devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const wanted = [`./${packed.filename}`, `node@${devDependencies.node}`];
  const installed = run(folder, 'npm', ['install', '--no-audit', '--no-fund', ...wanted]);
  assert.equal(installed.code, 0, `npm install failed\n${installed.out}\n${installed.err}`);
  console.log(
    `ok  npm install ${wanted.join(' ')} (${packed.entryCount} files, ${packed.size} bytes packed)`,
  );
}

/** Checks that the declarations compile under the strictest settings, library checks included. */
function checkTypes(folder: string): void {
  const compilerOptions = {
    strict: true,
    noEmit: true,
    target: 'es2024',
    lib: ['es2024', 'esnext.iterator'],
    module: 'nodenext',
    types: [],
    skipLibCheck: false,
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['strategies'] }));
  const { code, out } = run(folder, process.execPath, [
    join(ROOT, 'node_modules/typescript/bin/tsc'),
    '-p',
    '.',
  ]);
  assert.equal(code, 0, `The declarations do not type-check:\n${out}`);
  console.log('ok  the strategy type-checks against the installed declarations');
}

function check(folder: string): void {
  writeNewcomerFiles(folder);
  install(folder);
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  assert.equal(sluice(folder, 0, '--version').out.trim(), version);
  assert.match(sluice(folder, 0, '--help').out, /backtest/);
  assert.match(sluice(folder, 0, 'check', 'config/my-first.yaml').out, /config\/my-first\.yaml: ok/);
  assert.match(sluice(folder, 3, 'check', 'config/wrong.yaml').out, /did you mean "maxOrderNotional"/);

  const { out: text, err } = sluice(folder, 0, 'backtest', 'config/my-first.yaml');
  assert.doesNotMatch(err.replace(/^npm .*$/gm, ''), /Warning/, 'A backtest warns of nothing');
  assert.match(text, /my-first/);
  assert.match(text, /GENERATED/);
  const report: Report = JSON.parse(sluice(folder, 0, 'backtest', 'config/my-first.yaml', '--json').out);
  assert.equal(report.strategy, 'my-first');
  assert.ok(report.figures.closedTrades >= 5, `A wave makes trades, saw ${report.figures.closedTrades}`);
  assert.ok(report.figures.finalEquity > 100_000, 'Following a slow wave earns something');

  const paper: Report = JSON.parse(sluice(folder, 0, 'run', 'config/my-first.yaml', '--json').out);
  assert.deepEqual(
    paper.figures,
    report.figures,
    'Paper over real sockets and the backtest have one outcome',
  );
  sluice(folder, 0, 'backtest', 'config/shipped.yaml');
  assert.match(sluice(folder, 0, 'check', 'config/shipped.yaml').out, /config\/shipped\.yaml: ok/);
  checkTypes(folder);
}

/** Creates a project with the package, installed from the same tarball; checks, tests and runs it both ways. */
function checkInit(folder: string): void {
  assert.match(sluice(folder, 0, 'init', 'my-bot', '--template', 'mean-reversion').out, /npm install/);
  const bot = join(folder, 'my-bot');
  const installed = run(bot, 'npm', ['install', '--no-audit', '--no-fund', '--prefer-offline']);
  assert.equal(installed.code, 0, `npm install failed\n${installed.out}\n${installed.err}`);
  for (const script of ['check', 'types', 'test', 'backtest', 'paper']) {
    const { code, out, err } = run(bot, 'npm', ['run', '--silent', script]);
    assert.equal(code, 0, `npm run ${script} ended with ${code}\n${out}\n${err}`);
    assert.doesNotMatch(`${out}${err}`, /Warning:|ALARM/, `npm run ${script} warns of nothing`);
    console.log(`ok  npm run ${script} in a project made by sluice init`);
  }
  assert.match(sluice(bot, 0, 'test', 'mean-reversion').out, /nothing wrong on 10 days/);
  writeFileSync(join(bot, 'script.mjs'), SCRIPT);
  const script = run(bot, 'npx', ['--no-install', 'node', 'script.mjs']);
  assert.match(script.out, /^[1-9]\d+ trades, true$/m, `${script.out}${script.err}`);
  console.log(
    'ok  a script imports backtest from "@sluice-trading/sluice/backtest", and its money is of the class that "@sluice-trading/sluice" has',
  );
  checkCreate(folder);
}

const SCRIPT = `import { Decimal } from '@sluice-trading/sluice';
import { backtest } from '@sluice-trading/sluice/backtest';
const { performance } = await backtest('config/mean-reversion.yaml', { params: { entry: 1.5 } });
const { closed } = performance.trades;
console.log(closed.length + ' trades, ' + closed.every(({ profit }) => profit instanceof Decimal));
`;

/** Runs the file that `npm create @sluice-trading/sluice` runs, with both packages installed next to each other. */
function checkCreate(folder: string): void {
  const own = join(folder, 'node_modules/@sluice-trading/create-sluice');
  cpSync(join(ROOT, 'create-sluice'), own, { recursive: true });
  const made = run(folder, 'npx', [
    '--no-install',
    'node',
    join(own, 'index.js'),
    'created',
    '--template',
    'empty',
  ]);
  assert.equal(made.code, 0, made.err);
  assert.match(
    readFileSync(join(folder, 'created/package.json'), 'utf8'),
    /"@sluice-trading\/sluice": "file:/,
  );
  console.log('ok  create-sluice makes a project');
}

await buildPackage();
const folder = mkdtempSync(join(tmpdir(), 'sluice-pack-'));
try {
  check(folder);
  checkInit(folder);
  console.log('pack check: ok');
} finally {
  rmSync(folder, { recursive: true, force: true });
}
