import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { QUEUE_VARIABLES, readQueueAddress } from '#src/app/research/queue/queue-address.ts';
import { createProgram } from '#src/cli/program.ts';

const read = (name: string) => parse(readFileSync(join(import.meta.dirname, '../../deploy', name), 'utf8'));
const compose = read('docker-compose.yml');
const job = read('kubernetes-workers.yaml');
const pod = job.spec.template.spec;
const [container] = pod.containers;

/** Options of a command line as the program parses them; throws if it would refuse them. */
async function optionsIn([program, name, ...words]: readonly string[]): Promise<
  Readonly<Record<string, unknown>>
> {
  expect(program).toBe('sluice');
  const all = await createProgram({} as never, name);
  const command = all.commands.find((each) => each.name() === name);
  if (command === undefined) throw new Error(`There is no command "${name}"`);
  let options: Readonly<Record<string, unknown>> = {};
  command.exitOverride().configureOutput({ writeErr: () => undefined });
  command.action((...given: readonly unknown[]) => {
    options = given.at(-2) as Readonly<Record<string, unknown>>;
  });
  await command.parseAsync([...words], { from: 'user' });
  return options;
}

describe('deploy/docker-compose.yml', () => {
  const { queue, worker } = compose.services;

  it('starts workers by a command line that the program accepts, with the login that it reads', async () => {
    const { queue: address } = await optionsIn(worker.command);
    expect(Object.keys(worker.environment)).toEqual([QUEUE_VARIABLES.token]);
    expect(readQueueAddress(String(address), { [QUEUE_VARIABLES.token]: 't' })).toEqual({
      ...{
        server: 'queue:4222',
        shown: 'nats://queue:4222',
        tls: false,
        login: { kind: 'token', token: 't' },
      },
    });
    expect(queue.ports).toEqual(['4222:4222']);
    expect(worker.depends_on).toEqual(['queue']);
  });

  it('gives the server the same token, a disk that is synchronised, and a version that the program supports', () => {
    expect(queue.environment).toEqual(worker.environment);
    const [{ source, target }] = queue.configs;
    expect(queue.command).toEqual(['-c', target]);
    const { content } = compose.configs[source];
    // Compose turns two dollar signs into one.
    expect(content).toContain(`token: $$${QUEUE_VARIABLES.token} `);
    const [volume, path] = queue.volumes[0].split(':');
    expect(content).toContain(`store_dir: "${path}", sync_interval: always`);
    expect(Object.keys(compose.volumes)).toEqual([volume]);
    const [, major, minor] = /^nats:(\d+)\.(\d+)/.exec(queue.image) ?? [];
    expect([Number(major), Number(minor)]).toEqual([2, 12]);
  });

  it('stops without a token and an image, and lets a worker write to its folder only', () => {
    expect(worker.image).toMatch(/^\$\{SLUICE_IMAGE:\?/);
    expect(worker.environment[QUEUE_VARIABLES.token]).toMatch(/^\$\{SLUICE_NATS_TOKEN:\?/);
    expect(worker).toMatchObject({ read_only: true, cap_drop: ['ALL'], working_dir: worker.volumes[0] });
  });
});

describe('deploy/kubernetes-workers.yaml', () => {
  it('starts workers by a command line that the program accepts, with as many processes as requested cores', async () => {
    const { queue, jobs, exitWhenIdle } = await optionsIn(container.command);
    expect(readQueueAddress(String(queue), {}).server).toBe('queue:4222');
    expect(String(jobs)).toBe(container.resources.requests.cpu);
    // A Job ends by itself only if its workers do.
    expect(exitWhenIdle).toBeGreaterThan(0);
    expect([job.apiVersion, job.kind, pod.restartPolicy]).toEqual(['batch/v1', 'Job', 'OnFailure']);
  });

  it('reads the token from a secret, and runs without capabilities on a read-only root file system', () => {
    expect(container.env).toEqual([
      { name: QUEUE_VARIABLES.token, valueFrom: { secretKeyRef: { name: 'sluice-queue', key: 'token' } } },
    ]);
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000, fsGroup: 1000 });
    expect(container.securityContext).toEqual({
      ...{ readOnlyRootFilesystem: true, allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
    });
    const [mount] = container.volumeMounts;
    expect(mount.mountPath).toBe(container.workingDir);
    expect(pod.volumes).toEqual([{ name: mount.name, emptyDir: {} }]);
  });
});

it('refuses a command line with an option that does not exist', async () => {
  await expect(optionsIn(['sluice', 'worker', '--queue', 'nats://q:1', '--procs', '4'])).rejects.toThrow(
    '--procs',
  );
});
