import { PACKAGE_NAME } from '../../model/package-name.ts';
import { TEMPLATES, type TemplateName } from './templates.ts';

/** Versions of what a project needs in addition to Sluice: a recent Node.js, and a compiler for type checks. */
export const DEV_DEPENDENCIES = {
  '@types/node': '24.19.2',
  node: '24.21.0',
  typescript: '7.0.2',
} as const;

/** Name and contents of a new project. */
export interface ProjectPlan {
  readonly name: string;
  readonly template: TemplateName;
  /** The dependency on Sluice in package.json: a version, or the path of a copy. */
  readonly sluice: string;
}

/** Files of a project that are not in its template: path and text. */
export function projectFiles(plan: ProjectPlan): Readonly<Record<string, string>> {
  return {
    'package.json': `${JSON.stringify(manifest(plan), null, 2)}\n`,
    'tsconfig.json': `${JSON.stringify(TSCONFIG, null, 2)}\n`,
    '.gitignore': GITIGNORE,
    '.env.example': ENVIRONMENT,
    'README.md': readme(plan),
  };
}

function manifest({ name, template, sluice }: ProjectPlan): object {
  const { strategy } = TEMPLATES[template];
  const config = `config/${strategy}.yaml`;
  return {
    name,
    private: true,
    type: 'module',
    scripts: {
      check: `sluice check ${config}`,
      backtest: `sluice backtest ${config}`,
      paper: `sluice run ${config}`,
      test: 'node --test',
      types: 'tsc',
    },
    dependencies: { [PACKAGE_NAME]: sluice },
    devDependencies: DEV_DEPENDENCIES,
  };
}

const TSCONFIG = {
  compilerOptions: {
    target: 'es2024',
    lib: ['es2024', 'esnext.iterator'],
    module: 'nodenext',
    types: ['node'],
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    erasableSyntaxOnly: true,
    verbatimModuleSyntax: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    noEmit: true,
  },
  include: ['strategies', 'test'],
};

const GITIGNORE = `node_modules/
.env
.sluice/
`;

const ENVIRONMENT = `# Copy to .env, which git ignores, and fill in what your broker gave you. Backtests and paper runs need none of it.
# Keep it for yourself: chmod 600 .env
# Variables of your shell's environment override this file.
#
# SLUICE_APP_KEY=
# SLUICE_APP_SECRET=
# SLUICE_ACCESS_TOKEN=
#
# Addresses of the broker; "npx sluice venue" prints those of a venue of your own, with credentials for it.
# SLUICE_HTTP_URL=
# SLUICE_QUOTE_WS_URL=
# SLUICE_TRADE_WS_URL=
#
# A notifier that "notify:" of a YAML names; also for feishu, wecom, dingtalk, slack, discord and webhook.
# SLUICE_TELEGRAM_TOKEN=
# SLUICE_TELEGRAM_CHAT=
`;

function readme({ name, template }: ProjectPlan): string {
  const { strategy, doc } = TEMPLATES[template];
  return `# ${name}

A bot made with Sluice from the template "${template}": ${doc}.

\`\`\`sh
${commands(strategy)}
\`\`\`

- \`strategies/${strategy}.ts\`: what it decides. Parameters are declared there, with bounds and descriptions.
- \`config/${strategy}.yaml\`: what it trades, with how much money, within which limits. \`npx sluice explain config/${strategy}.yaml\` explains it in plain words.
- \`test/${strategy}.test.ts\`: market scenarios in virtual time. \`npx sluice test ${strategy} --config config/${strategy}.yaml\` tries named bad days.
- \`backtest-data/\`: prices. \`npx sluice data import FILE.csv --symbol 700.HK --period 1d\` brings in your own.
- \`notify:\` in the YAML sends fills, alarms and kills to Telegram, Feishu, WeCom, DingTalk, Slack, Discord or a webhook; \`npx sluice notify config/${strategy}.yaml\` tries it.
- \`schema/bot.json\`: completion for the YAML in your editor; \`npx sluice schema\` updates it when parameters change.

Nothing here trades real money. The profit of a backtest is no forecast.
`;
}

function commands(strategy: string): string {
  const config = `config/${strategy}.yaml`;
  const lines = [
    ['npm install', 'once'],
    [`npx sluice check ${config}`, 'every mistake, with line and column'],
    [`npx sluice backtest ${config}`, 'runs it over past prices'],
    [`npx sluice run ${config}`, 'trades on paper, against a venue on this machine'],
    ['npm test', 'its tests: market scenarios and bad days'],
  ] as const;
  const width = Math.max(...lines.map(([command]) => command.length));
  return lines.map(([command, why]) => `${command.padEnd(width)}  # ${why}`).join('\n');
}
