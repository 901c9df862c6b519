import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import type { PaperRun } from '#src/app/load/load-run.ts';
import { watchRun } from '#src/app/run/watch-run.ts';
import { millis } from '#src/model/time.ts';
import type { Clock } from '#src/ports/clock.ts';

it('a watched run reads all saves during a reload together, once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-watch-run-'));
  const [config, strategyFile] = [join(folder, 'bot.yaml'), join(folder, 'own.ts')];
  for (const file of [config, strategyFile]) writeFileSync(file, '');
  let saved: (() => void) | undefined;
  const machine: Clock = {
    now: () => millis(0),
    at: (_at, _phase, action) => {
      saved = action;
      return () => undefined;
    },
  };
  const reloads: ((error: Error) => void)[] = [];
  const reload = () => new Promise<PaperRun>((_resolve, reject) => reloads.push(reject));
  const printed: string[] = [];
  const loaded = { config: { path: config, strategy: 'own' }, files: [config], strategyFile };
  const unwatch = watchRun(
    { loaded: loaded as unknown as PaperRun, reload, print: (text) => printed.push(text) },
    {} as Parameters<typeof watchRun>[1],
    machine,
  );
  try {
    writeFileSync(config, 'changed');
    await vi.waitFor(() => expect(saved).toBeDefined(), { timeout: 10_000 });
    saved?.();
    await vi.waitFor(() => expect(reloads).toHaveLength(1));
    for (let save = 0; save < 5; save += 1) saved?.();
    reloads[0]?.(new Error('half-written'));
    await vi.waitFor(() => expect(reloads).toHaveLength(2));
    reloads[1]?.(new Error('still half-written'));
    await vi.waitFor(() => expect(printed.join('')).toContain('still half-written'));
    expect(reloads).toHaveLength(2);
  } finally {
    unwatch();
    rmSync(folder, { recursive: true, force: true });
  }
});
