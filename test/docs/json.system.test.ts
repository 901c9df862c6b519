import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeProject } from '#src/cli/init/write-project.ts';
import { sluice } from '../cli/run-sluice.ts';
import { NATS_MISSING, NATS_SERVER, NatsServer } from '../fixtures/nats-server.ts';
import { shapeOf } from './shape-of.ts';
import { ROOT } from './snippets.ts';

const place = mkdtempSync(join(tmpdir(), 'sluice-json-'));
const bot = join(place, 'bot');
const CONFIG = 'config/momentum.yaml';
/** A few months only, as a paper run sends everything over the wire. */
const PAPER = 'config/paper.yaml';
const MANY_PROCESSES_MS = 240_000;

beforeAll(async () => {
  await writeProject({ folder: 'bot', template: 'momentum', sluice: '0.1.0' }, place);
  const yaml = readFileSync(join(bot, CONFIG), 'utf8');
  const short = yaml.replace('from: 2015-01-02, to: 2019-12-31', 'from: 2015-01-02, to: 2015-04-30');
  expect(short).not.toBe(yaml);
  writeFileSync(join(bot, PAPER), short);
  writeFileSync(
    join(bot, 'equity.csv'),
    'date,equity,benchmark\n2024-01-02,100,5\n2024-01-03,101,6\n2024-01-04,99,5\n',
  );
  writeFileSync(join(bot, 'config/wrong.yaml'), `${short}\nperoid: 1d\n`);
  const secrets = '{ url: "$' + '{SLUICE_SLACK_URL}" }';
  writeFileSync(
    join(bot, 'config/notified.yaml'),
    `${short}\nnotify: [{ use: slack, secrets: ${secrets} }]\n`,
  );
});
afterAll(() => rmSync(place, { recursive: true, force: true }));

/** Command lines whose JSON is documented, ordered so that each finds the files that it needs. */
const SHOWN: readonly (readonly [title: string, words: readonly string[], note: string])[] = [
  [
    'check',
    ['check', CONFIG, 'config/wrong.yaml'],
    'A mistake is in `problems`; exit code 3 means that there are some.',
  ],
  ['explain', ['explain', CONFIG], ''],
  ['notify', ['notify', 'config/notified.yaml'], '`failure` of a notice that arrived is `null`.'],
  ['backtest', ['backtest', CONFIG], 'Figures without a value are `null`, and `undefined` gives the reason.'],
  [
    'run',
    ['run', PAPER],
    'The report of a backtest, with how the gate stood at the end. `figures` has `uncountedTrades` where trades closed positions at a cost that is not\nknown, and `averageCost` of an open trade is `null` there.',
  ],
  [
    'sweep',
    ['sweep', CONFIG, '--set', 'length=40..60:20'],
    'All trials are in the file that `files.json` names, a trial a line.',
  ],
  ['luck', ['luck'], "One entry per code and data that were tried; Sharpe ratios are a year's worth."],
  [
    'walk-forward',
    ['walk-forward', CONFIG, '--train', '3y', '--test', '1y', '--set', 'length=40..60:20'],
    'Shares are fractions; daily returns are in the file that `files.json` names.',
  ],
  [
    'cross-validate',
    ['cross-validate', CONFIG, '--groups', '4', '--set', 'length=40..60:20'],
    'A path has the split whose test of each group it takes; daily returns are in the file that `files.json` names.',
  ],
  [
    'monte-carlo',
    ['monte-carlo', CONFIG, '--runs', '200'],
    'Shares are fractions; `bands` is equity after so many days or trades.',
  ],
  [
    'parity',
    ['parity', PAPER],
    'Or `{ kind: "different", difference }` with the first that differs, and exit code 1.',
  ],
  [
    'test',
    ['test', 'momentum', '--config', 'config/momentum.yaml', '--situations', 'gap'],
    'A finding has `situation`, `kind` and `message`.',
  ],
  [
    'report',
    ['report', CONFIG],
    'A bot that runs, was killed, or ended without a report adds `unfinished`: `state` (`running`, `killed` or `ended`), `until` and `record`, where its\njournal ends, and `missing`, what the page lacks.',
  ],
  ['tearsheet', ['tearsheet', 'equity.csv'], ''],
  ['compare', ['compare', CONFIG, CONFIG], ''],
  ['why', ['why', '#1'], 'Each `event` is as the journal has it, and differs by its `kind`.'],
  ['journal show', ['journal', 'show'], 'One event a line; the first of a journal is shown.'],
  [
    'status',
    ['status'],
    '`cost` is the average per share, null where it is not known. More while the bot runs: mode, process, equity, profit of the day, ages of quotes, calls, and limits with what is used of each. `flattening` has positions that are being closed, `unpriced` symbols without a price, so that nothing opens. Each of `restrictions` has `cause`,\n`state`, `by`, `rule`, `reason`, `since` (milliseconds since 1970; 0: not known) and, where it holds for one symbol only, `symbol`.',
  ],
  ['doctor', ['doctor', '--offline'], 'Each of `found` has `area`, `code`, `severity`, `message` and `fix`.'],
  ['schema', ['schema'], ''],
  ['data list', ['data', 'list'], ''],
  ['data check', ['data', 'check', 'SPX.US'], ''],
  ['init', ['init', 'another', '--template', 'empty'], ''],
];

const HEAD = `# JSON of every command

With \`--json\` a command prints one line of JSON to standard output and nothing else; bars and live views stay on standard error or away.
Amounts, prices and quantities are texts, exact to the last digit; estimates (returns, ratios, equity over time) are numbers; times are ISO 8601 in UTC.
Within a version 0.x of Sluice keys are added, not renamed or taken away; a change of a shape here is in the changelog.
Commands that ask a broker (\`account\`, \`orders\`, \`quote\`, ...) print the mapped answer of its endpoint, with the names of
[the wire](wire-protocol.md) turned into ours.

The shapes below are read off real runs by \`test/docs/json.system.test.ts\`; \`[name]\` is a placeholder for a name chosen by the user.
`;

const WORKER_NOTE =
  'Printed when it ends. `trials` counts outcomes computed here, of which `failed` failed; `repeated` trials came a second time and were not computed.';

function sectionOf(title: string, note: string, shape: string): string {
  return `## sluice ${title}\n\n${note === '' ? '' : `${note}\n\n`}\`\`\`text\n${shape}\n\`\`\`\n`;
}

/** Computes a sweep of two trials from a queue and returns the worker's JSON; undefined without a server. */
async function workerJson(): Promise<string | undefined> {
  if (NATS_SERVER === undefined) {
    console.warn(`Not compared: "sluice worker", as ${NATS_MISSING}`);
    return undefined;
  }
  const server = await NatsServer.start();
  try {
    const queue = ['--queue', server.address];
    const worker = sluice(['worker', ...queue, '--jobs', '1', '--exit-when-idle', '5', '--json'], {
      cwd: mkdtempSync(join(place, 'worker-')),
    });
    const swept = await sluice(['sweep', CONFIG, '--set', 'length=45,55', ...queue, '--json'], { cwd: bot });
    expect(`sweep: ${swept.code === 0 ? 'ends' : swept.err}`).toBe('sweep: ends');
    return (await worker).out;
  } finally {
    await server.stop();
  }
}

/** The stored section of a command. */
function storedSection(title: string): string {
  const text = readFileSync(join(ROOT, 'docs/json.md'), 'utf8');
  const [, after = ''] = text.split(`## sluice ${title}\n`);
  return `## sluice ${title}\n${after.split('\n## ')[0]?.trimEnd()}\n`;
}

describe('docs/json.md', () => {
  it(
    'shows what commands print ("npx vitest run test/docs/json.system.test.ts -u" regenerates it)',
    async () => {
      const sections: string[] = [];
      for (const [title, words, note] of SHOWN) {
        const { out, err } = await sluice([...words, '--json'], { cwd: bot });
        const lines = out.trimEnd().split('\n');
        expect(`${title}: ${lines.length > 0 && out !== '' ? 'prints' : err}`).toBe(`${title}: prints`);
        if (title !== 'journal show') expect(lines, title).toHaveLength(1);
        const shape = shapeOf(JSON.parse(lines[0] ?? ''));
        sections.push(sectionOf(title, note, shape));
      }
      const worker = await workerJson();
      sections.push(
        worker === undefined
          ? storedSection('worker')
          : sectionOf('worker', WORKER_NOTE, shapeOf(JSON.parse(worker))),
      );
      await expect(`${HEAD}\n${sections.join('\n')}`).toMatchFileSnapshot(join(ROOT, 'docs/json.md'));
    },
    MANY_PROCESSES_MS,
  );
});

describe('the shape of a value', () => {
  it('lists keys in their order, the elements of lists, and names chosen by the user', () => {
    const value = {
      one: 1,
      list: [{ a: 'x' }, { a: 'y' }],
      none: [],
      cash: { USD: '1' },
      empty: null,
      mixed: [1, null],
    };
    expect(shapeOf(value)).toBe(`{
  one: number
  list: {
    a: string
  }[]
  none: []
  cash: { [name]: string }
  empty: null
  mixed: (number | null)[]
}`);
  });
});
