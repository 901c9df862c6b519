import type { TemplateName } from './templates.ts';
import type { NewProject } from './write-project.ts';

/** Describes the new project and the next commands. */
export function nextSteps({ folder, config, strategy }: NewProject, template: TemplateName): string {
  const steps = [
    ...(folder === '.' ? [] : [[`cd ${folder}`, '']]),
    ['npm install', ''],
    [`npx sluice backtest ${config}`, 'runs it over past prices'],
    [`npx sluice run ${config}`, 'trades on paper, against an embedded venue'],
    ['npm test', 'its tests: market scenarios and bad days'],
  ];
  const width = Math.max(...steps.map(([command = '']) => command.length));
  return [
    `Made ${folder === '.' ? 'a project' : folder} from the template "${template}":`,
    `  strategies/${strategy}.ts, its test, ${config}, data`,
    '',
    ...steps.map(([command = '', why = '']) => `  ${command.padEnd(width)}  ${why}`.trimEnd()),
    '',
  ].join('\n');
}
