import { beforeEach, describe, expect, it } from 'vitest';
import { projectSchema } from '#src/app/load/project-schema.ts';
import { CONFIG, FILLS, HONEST, projectOf, RULE, run, SPREAD, write } from './a-plugin-project.ts';

describe('risk rule and fill model of a project, in plain JavaScript', () => {
  it('decide equally in backtest and on paper, and are named in every summary of a bot', async () => {
    write('rules/small-orders.js', RULE(HONEST));
    // This module has the clock types of neither side.
    write('fills/thin-book.mjs', FILLS(`(_fill, { params }) => Date.now() + params.spread / 10000`));
    write('bot.yaml', CONFIG('small-orders', 'thin-book'));
    expect(await run('check', 'bot.yaml')).toMatchObject({ code: 0, out: 'bot.yaml: ok\n' });
    const parity = await run('parity', 'bot.yaml', '--json');
    expect(JSON.parse(parity.out)).toMatchObject({ kind: 'equal' });
    const report = JSON.parse((await run('backtest', 'bot.yaml', '--json')).out);
    expect(report.flow.denied).toBeGreaterThan(0);
    expect(report.flow.fills).toBeGreaterThan(0);
    const reported = [
      'Fills by the model "thin-book" (spread = 3): A spread, and a share of each print; no impact',
      'Risk rule "small-orders" (most = 8400) may deny what all limits let through: Orders are worth little',
    ];
    expect(report.assumptions).toEqual(expect.arrayContaining(reported));
    const explained = (await run('explain', 'bot.yaml', '--json')).out;
    expect(explained).toContain('fill by the model \\"thin-book\\" (spread = 3)');
    expect(explained).toContain('risk rule \\"small-orders\\" (most = 8400) may deny');
    const plain = CONFIG('small-orders', 'thin-book').replace(/simulation.*\n/, '');
    write('plain.yaml', plain);
    const unslipped = JSON.parse((await run('backtest', 'plain.yaml', '--json')).out);
    expect(unslipped.figures).not.toEqual(report.figures);
  });

  it('that fail: nothing opens, the run continues with a report; equal in backtest and on paper (I-16)', async () => {
    write('rules/small-orders.js', RULE('() => { throw new Error("planted"); }'));
    write('fills/thin-book.js', FILLS(SPREAD));
    write('bot.yaml', CONFIG('small-orders', 'thin-book'));
    const words = 'Risk rule "small-orders" threw: planted';
    for (const command of ['backtest', 'run']) {
      const ended = await run(command, 'bot.yaml', '--json');
      expect(ended.code).toBe(0);
      const { flow, assumptions } = JSON.parse(ended.out);
      expect(flow).toMatchObject({ fills: 0, orders: 0 });
      expect(flow.denied).toBeGreaterThan(0);
      expect(assumptions.join('\n')).toContain(words);
      if (command === 'run') expect(ended.err).toContain(`ALARM risk-rule-failed: ${words}`);
    }
  });

  it('that loop delay neither orders that reduce nor the end of the run (I-16, F-G01)', async () => {
    write('rules/small-orders.js', RULE('() => { for (;;); }'));
    write('fills/thin-book.js', FILLS(SPREAD));
    write('bot.yaml', CONFIG('small-orders', 'thin-book'));
    const ended = await run('run', 'bot.yaml', '--json');
    expect(ended.code).toBe(0);
    expect(ended.err).toContain('gave no answer within 500 ms');
    expect(JSON.parse(ended.out).flow).toMatchObject({ fills: 0 });
  });

  it('a fill model that loops ends the run with its name, on paper as in a backtest (I-16)', async () => {
    write('rules/small-orders.js', RULE('() => undefined'));
    write('fills/thin-book.js', FILLS('() => { for (;;); }'));
    write('bot.yaml', CONFIG('small-orders', 'thin-book'));
    const ended = await run('run', 'bot.yaml');
    expect(ended.err).toContain('Fill model "thin-book" gave no answer in slippage within 500 ms');
    const tested = await run('backtest', 'bot.yaml', '--hook-timeout', '1');
    expect(tested.err).toContain('slippage of "thin-book" did not return within 1 s');
    expect([ended.code, tested.code]).toEqual([4, 6]);
  });

  it('a fill model that throws ends the run with its name, in a backtest and on paper', async () => {
    write('rules/small-orders.js', RULE('() => undefined'));
    write('fills/thin-book.js', FILLS('() => { throw new Error("planted"); }'));
    write('bot.yaml', CONFIG('small-orders', 'thin-book'));
    for (const [command, code] of [
      ['backtest', 6],
      ['run', 4],
    ] as const) {
      const ended = await run(command, 'bot.yaml');
      expect(ended.err).toContain('Fill model "thin-book" threw in slippage: planted');
      expect(ended.code).toBe(code);
    }
  });

  // guardedFills reads the answers on paper as well.
  it.each([
    ['() => -1', 'Fill model "thin-book" answered -1 in slippage, want a share of the price from 0 to 1'],
    ['() => Number.NaN', 'answered NaN in slippage'],
    ['() => "0.1"', 'answered the text "0.1" in slippage'],
  ])('a fill model %s ends a backtest with its name', async (slippage, words) => {
    write('rules/small-orders.js', RULE('() => undefined'));
    write('fills/thin-book.js', FILLS(slippage));
    write('bot.yaml', CONFIG('small-orders', 'thin-book'));
    const ended = await run('backtest', 'bot.yaml');
    expect(ended.err).toContain(words);
    expect(ended.code).toBe(6);
  });
});

/** Output of `check` for a config with mistakes in its plugins. */
async function checked(rule = 'small-orders', change = (text: string) => text): Promise<string> {
  write('bot.yaml', change(CONFIG(rule, 'thin-book')));
  const { code, out } = await run('check', 'bot.yaml');
  expect(code).toBe(3);
  return out;
}

describe('sluice check', () => {
  beforeEach(() => {
    write('rules/small-orders.js', RULE(HONEST));
    write('fills/thin-book.js', FILLS(SPREAD));
  });

  it('names what is wrong with a plugin that a config asks for, and where', async () => {
    expect(await checked('small-order')).toContain(
      '"small-order" is not a known risk rule, did you mean "small-orders"?\n  at bot.yaml:7:24 (risk.rules[0].use)',
    );
    expect(await checked('small-orders', (text) => text.replace('most: 8400', 'mots: 8400'))).toContain(
      '"mots" is not a parameter of this risk rule, did you mean "most"?',
    );
    expect(await checked('small-orders', (text) => text.replace('spread: 3', 'spread: 300'))).toContain(
      'want a number from 0 to 100 bps',
    );
    expect(await checked('sluice-plugin-guards/quiet')).toContain(
      'Package "sluice-plugin-guards" is not installed, run "npm install sluice-plugin-guards"',
    );
    expect(await checked('small-orders', (text) => text.replace('{ use: small', '{ usee: small'))).toContain(
      '"usee" is not a known setting, did you mean "use"?',
    );
  });

  it.each([
    ["export default { name: 'small-orders' };", 'did not come from defineRiskRule'],
    [RULE(HONEST).replace("'small-orders'", "'others'"), 'defines the risk rule "others"'],
    ["throw new Error('at load');", 'failed while it was loaded: at load (at rules/small-orders.js:1:7)'],
    [
      RULE(HONEST).replace('judge:', 'jugde:'),
      'there is no "jugde" (name, doc, params, orders, judge), did you mean "judge"?',
    ],
    [FILLS(SPREAD).replace('thin-book', 'small-orders'), 'did not come from defineRiskRule'],
  ])('reports why a file is no risk rule: %s', async (text, words) => {
    write('rules/small-orders.js', text);
    expect(await checked()).toContain(words);
  });

  it('refuses one rule twice, the name of a rule of Sluice, and slippage together with a fill model', async () => {
    const rules = (list: string) => (text: string) =>
      text.replace(/risk: .*\n/, `risk: { rules: [${list}] }\n`);
    expect(await checked('x', rules('{ use: small-orders }, { use: small-orders }'))).toContain(
      'want each risk rule once',
    );
    write('rules/order-rate.js', RULE(HONEST).replace("'small-orders'", "'order-rate'"));
    expect(await checked('x', rules('{ use: order-rate }'))).toContain(
      'want a name that no rule of Sluice has',
    );
    expect(
      await checked('small-orders', (text) =>
        text.replace('simulation: {', 'simulation: { slippage: { fixed: 2 bps },'),
      ),
    ).toContain('want no "slippage" together with "fills", which decides it');
  });
});

describe('plugins of every kind whose top level accesses what it may not', () => {
  const ENDS = 'process.exitCode = 0; process.reallyExit?.(0); process.exit(0);\n';
  const TELLS = `import { defineNotifier } from '@sluice-trading/sluice';
import 'node:http';
export default defineNotifier({ name: 'team-chat', params: {}, secrets: { hook: 'Where to' }, onDay: () => undefined });
`;

  it('do not stop the commands that read configs: each continues, and names the file (I-16)', async () => {
    write('rules/small-orders.js', `${ENDS}${RULE(HONEST)}`);
    write('fills/thin-book.js', `setInterval(() => undefined, 1_000_000);\n${FILLS(SPREAD)}`);
    write('notifiers/team-chat.js', `import 'node:fs';\n${TELLS}`);
    write('config/bot.yaml', `${CONFIG('small-orders', 'thin-book')}notify: [{ use: team-chat }]\n`);
    const faults = [
      '"rules/small-orders.js" ended its own process, exit code 0',
      'A fill model cannot use setInterval: decide in the hooks, they are called when something happens (at fills/thin-book.js:1:1)',
      '"notifiers/team-chat.js" failed while it was loaded: A notifier cannot import "node:fs"',
    ];
    const said = {
      check: (await run('check', 'config/bot.yaml')).out,
      doctor: (await run('doctor', '--offline')).out,
      run: (await run('run', 'config/bot.yaml')).err,
    };
    const { left } = await projectSchema(projectOf());
    for (const text of [...Object.values(said), left.join('\n')])
      for (const fault of faults) expect(text.replace(/\s+/g, ' ')).toContain(fault);
  });

  it('a notifier may load what reaches the network, and lists its events and requirements', async () => {
    write('rules/small-orders.js', RULE(HONEST));
    write('fills/thin-book.js', FILLS(SPREAD));
    write('notifiers/team-chat.js', TELLS);
    const secrets = 'secrets: { hook: "$' + '{CHAT_HOOK}" }';
    write('bot.yaml', `${CONFIG('small-orders', 'thin-book')}notify: [{ use: team-chat, ${secrets} }]\n`);
    const { code, out } = await run('explain', 'bot.yaml');
    expect(code).toBe(0);
    expect(out.replace(/\s+/g, ' ')).toContain('The notifier "team-chat" receives the figures of each day');
  });
});

describe('plugin packages of every kind', () => {
  const install = (said: unknown): void => {
    const name = 'sluice-plugin-guards';
    write(
      `node_modules/${name}/package.json`,
      JSON.stringify({ name, version: '1.0.0', type: 'module', sluice: said }),
    );
    write(`node_modules/${name}/rules/small-orders.js`, RULE(HONEST));
    write(`node_modules/${name}/models/thin-book.js`, FILLS(SPREAD));
  };

  it('provide their rules and fill models by package and name, from the folders that they name', async () => {
    install({ api: 1, fills: './models' });
    write('bot.yaml', CONFIG('sluice-plugin-guards/small-orders', 'sluice-plugin-guards/thin-book'));
    const parity = await run('parity', 'bot.yaml', '--json');
    expect(JSON.parse(parity.out)).toMatchObject({ kind: 'equal' });
    const { text } = await projectSchema(projectOf());
    expect(text).toContain('"const": "sluice-plugin-guards/small-orders"');
    expect(text).toContain('Most that an order is worth: a number from 1 to 1000000 USD');
  });

  it.each([
    [{ api: 2 }, 'is made for plugin API 2, this Sluice has 1: update @sluice-trading/sluice'],
    [{ api: 0 }, 'is made for plugin API 0, this Sluice has 1: update the package'],
    [{}, 'is made for no plugin API that it names, this Sluice has 1: update the package'],
    [{ api: 1, rules: '../rules' }, 'has no folder inside the package for rules, want "./rules"'],
  ])(
    'that declare %o are refused before anything of them is loaded, by check and by doctor',
    async (said, words) => {
      install(said);
      write('bot.yaml', CONFIG('sluice-plugin-guards/small-orders', 'sluice-plugin-guards/thin-book'));
      expect((await run('check', 'bot.yaml')).out).toContain(words);
      expect((await run('doctor', '--offline')).out.replace(/\s+/g, ' ')).toContain(words);
    },
  );
});
