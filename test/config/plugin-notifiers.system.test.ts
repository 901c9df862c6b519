import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeEach, describe, expect, it } from 'vitest';
import { CONFIG, FILLS, RULE, run, SPREAD, write } from './a-plugin-project.ts';

const NOTIFIER = `import { defineNotifier, param } from '@sluice-trading/sluice';
export default defineNotifier({
  name: 'team-chat', doc: 'Posts to a place on this machine',
  params: { port: param.int({ min: 1, max: 65535, default: 80, doc: 'Port of the place' }) },
  secrets: { door: 'Last part of the address' },
  onAlarm: async ({ message }, { params, secrets }) => {
    await fetch(\`http://127.0.0.1:\${params.port}/\${secrets.door}\`, { method: 'POST', body: message });
  },
  onDay: async ({ day, orders, denied }, { params }) => {
    await fetch(\`http://127.0.0.1:\${params.port}/day\`, { method: 'POST', body: \`\${day} \${orders} \${denied}\` });
  },
});
`;

describe('a notifier', () => {
  const config = (door: string, port = 80): string =>
    `${CONFIG('small-orders', 'thin-book')}notify: [{ use: team-chat, params: { port: ${port} }, secrets: { door: "${door}" } }]\n`;

  beforeEach(() => {
    write('rules/small-orders.js', RULE('() => { throw new Error("door-9f3k2 planted"); }'));
    write('fills/thin-book.js', FILLS(SPREAD));
    write('notifiers/team-chat.js', NOTIFIER);
  });

  it('receives alarms and days of a run, which shows its secrets nowhere (I-20)', async () => {
    const posted: string[] = [];
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        posted.push(`${request.url} ${body}`);
        response.end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    write('bot.yaml', config('$' + '{SLUICE_DOOR}', (server.address() as AddressInfo).port));
    write('.env', 'SLUICE_DOOR=door-9f3k2\n');
    const ended = await run('run', 'bot.yaml', '--json');
    server.closeAllConnections();
    server.close();
    expect(ended.code).toBe(0);
    expect(posted.join('\n')).toContain('/door-9f3k2 Risk rule "small-orders" threw: [redacted] planted');
    expect(posted.at(-1)).toMatch(/^\/day 2018-12-31 0 \d+$/);
    expect(ended.out + ended.err).toContain('[redacted] planted');
    expect(ended.err).not.toContain('9f3k2');
    expect((await run('explain', 'bot.yaml')).out).toMatch(
      /receives\s+every\s+alarm\s+and\s+the\s+figures\s+of\s+each\s+day/,
    );
  });

  it('that cannot deliver adds only one log line to the run', async () => {
    write('bot.yaml', config('$' + '{SLUICE_DOOR}', 1));
    write('.env', 'SLUICE_DOOR=door-9f3k2\n');
    const ended = await run('run', 'bot.yaml', '--json');
    expect(ended.code).toBe(0);
    expect(ended.err.match(/ALARM notifier: Notifier "team-chat" failed/g)).toHaveLength(1);
  });

  it('without its secret opens nothing, and a secret in the YAML is refused', async () => {
    write('bot.yaml', config('$' + '{SLUICE_DOOR}'));
    const ended = await run('run', 'bot.yaml');
    expect(ended.code).toBe(3);
    expect(ended.err).toContain(
      'its secret "door" must be in SLUICE_DOOR, which is not set in the environment',
    );
    const said = async (text: string): Promise<string> => {
      write('bot.yaml', text);
      return (await run('check', 'bot.yaml')).out;
    };
    expect(await said(config('door-9f3k2'))).toMatch(
      /want a variable of the environment.*never the secret itself/,
    );
    expect(await said(config('x$' + '{A}'))).toContain('never the secret itself');
    expect(await said(config('$' + '{A}').replace('door:', 'dor:'))).toMatch(
      /secret "door" is missing[\s\S]*"dor" is not a secret of this notifier, did you mean "door"\?/,
    );
    expect(await said(config('$' + '{A}').replace('use: team-chat', 'use: "$' + '{CHAT}"'))).toContain(
      'secrets alone come from the environment',
    );
  });
});

describe('a ready notifier', () => {
  const config = (use: string, secrets = 'url: "$' + '{SLUICE_HOOK}"'): string =>
    `${CONFIG('small-orders', 'thin-book')}notify: [{ use: ${use}, secrets: { ${secrets} } }]\n`;

  beforeEach(() => {
    write('rules/small-orders.js', RULE('() => undefined'));
    write('fills/thin-book.js', FILLS(SPREAD));
  });

  it('needs no file in the project, whose backtest does not load it, and is known to the schema', async () => {
    write('bot.yaml', config('webhook'));
    expect(await run('check', 'bot.yaml')).toMatchObject({ code: 0 });
    // It imports modules of Node.js that the process of a backtest refuses.
    expect((await run('backtest', 'bot.yaml', '--json')).code).toBe(0);
    const schema = JSON.parse((await run('schema', '--print')).out || '{}');
    expect(JSON.stringify(schema)).toContain('"const":"dingtalk"');
  });

  it('is replaced by a notifier of the project with its name', async () => {
    write('notifiers/slack.js', NOTIFIER.replace("name: 'team-chat'", "name: 'slack'"));
    write('bot.yaml', config('slack', 'door: "$' + '{SLUICE_DOOR}"'));
    expect((await run('check', 'bot.yaml')).code).toBe(0);
  });
});
