import { createHash } from 'node:crypto';
import {
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { packageRoot } from '../../../config/plugins/package-root.ts';
import { printable } from '../../../model/printable.ts';
import type { TrialJob } from '../trial-process.ts';
import type { Queue } from './open-queue.ts';
import { fileHash } from './project-files.ts';
import {
  changesIn,
  jsonIn,
  type ManifestFile,
  manifestSchema,
  type SweepManifest,
} from './queue-messages.ts';

/** Folders unused for this long are removed when a worker starts. */
const UNUSED_MS = 7 * 86_400_000;
const MANIFEST_BYTES_MAX = 64 * 1_024 * 1_024;

/** A project on the disk of a worker. */
export interface WorkerProject {
  readonly manifest: SweepManifest;
  readonly job: TrialJob;
}

/**
 * Projects and files of sweeps in the folder of a worker, by the hash of their content; several workers may share it.
 */
export class WorkerProjects {
  readonly #folder: string;
  readonly #queue: Pick<Queue, 'objects' | 'runtime'>;
  readonly #open = new Map<string, Promise<WorkerProject>>();

  constructor(folder: string, queue: Pick<Queue, 'objects' | 'runtime'>) {
    this.#folder = folder;
    this.#queue = queue;
    for (const name of ['objects', 'projects', 'new']) mkdirSync(join(folder, name), { recursive: true });
    this.#removeUnused();
  }

  /** Returns the project of a manifest; fetches and checks it if it is missing. Throws Error with the cause. */
  open(manifest: string): Promise<WorkerProject> {
    const known = this.#open.get(manifest);
    if (known !== undefined) return known;
    const made = this.#made(manifest);
    this.#open.set(manifest, made);
    made.catch(() => this.#open.delete(manifest));
    return made;
  }

  async #made(hash: string): Promise<WorkerProject> {
    const manifest = await this.#manifest(hash);
    for (const file of manifest.shipped) await demandShipped(file);
    const project = join(this.#folder, 'projects', hash);
    if (!existsSync(project)) await this.#write(manifest, project);
    touch(project);
    return {
      manifest,
      job: {
        path: join(project, manifest.config),
        project,
        changes: changesIn(manifest),
        callMsMax: manifest.callMsMax,
        keepDays: manifest.keepDays,
        objective: manifest.objective,
        isConfined: true,
      },
    };
  }

  async #manifest(hash: string): Promise<SweepManifest> {
    const path = await this.#object({ sha256: hash, path: 'the manifest' });
    if (statSync(path).size > MANIFEST_BYTES_MAX) throw new Error('The manifest of the sweep is too large');
    const parsed = manifestSchema.safeParse(jsonIn(readFileSync(path)));
    if (!parsed.success)
      throw new Error(`The manifest of the sweep is not right: ${parsed.error.issues[0]?.message}`);
    const { runtime } = parsed.data;
    if (runtime !== this.#queue.runtime)
      throw new Error(
        `The sweep was queued by version "${printable(runtime)}", this worker is "${this.#queue.runtime}"`,
      );
    return parsed.data;
  }

  /** Writes a project under a temporary name and renames it, so that a folder under its name is complete. */
  async #write(manifest: SweepManifest, project: string): Promise<void> {
    const made = mkdtempSync(join(this.#folder, 'new', 'project-'));
    try {
      for (const file of manifest.files) {
        const path = join(made, file.path);
        mkdirSync(dirname(path), { recursive: true });
        // Copied, because the modification time of a cached object changes with each use.
        copyFileSync(await this.#object(file), path, constants.COPYFILE_FICLONE);
      }
      // The sandbox of a trial writes its cache of bars only here.
      mkdirSync(join(made, '.sluice'), { recursive: true });
      moveToName(made, project);
    } finally {
      rmSync(made, { recursive: true, force: true });
    }
  }

  /** Returns the path of a file with this content; fetches it from the object store if it is missing. */
  async #object({ sha256, path }: Pick<ManifestFile, 'sha256' | 'path'>): Promise<string> {
    const cachedPath = join(this.#folder, 'objects', sha256);
    if (existsSync(cachedPath)) {
      touch(cachedPath);
      return cachedPath;
    }
    const found = await this.#queue.objects.get(sha256);
    if (found === null)
      throw new Error(
        `The object store does not have "${printable(path)}" (${sha256}); start the sweep again, which uploads it`,
      );
    const made = mkdtempSync(join(this.#folder, 'new', 'object-'));
    try {
      const whole = join(made, sha256);
      const hash = createHash('sha256');
      writeFileSync(whole, '');
      for await (const piece of found.data) {
        hash.update(piece);
        writeFileSync(whole, piece, { flag: 'a' });
      }
      const wrong = await found.error;
      if (wrong instanceof Error) throw wrong;
      if (hash.digest('hex') !== sha256)
        throw new Error(`The object store has other content under ${sha256} ("${printable(path)}")`);
      moveToName(whole, cachedPath);
    } finally {
      rmSync(made, { recursive: true, force: true });
    }
    return cachedPath;
  }

  #removeUnused(): void {
    for (const name of ['objects', 'projects', 'new']) {
      const folder = join(this.#folder, name);
      for (const entry of readdirSync(folder)) {
        const path = join(folder, entry);
        const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
        if (age > UNUSED_MS) rmSync(path, { recursive: true, force: true });
      }
    }
  }
}

async function demandShipped({ path, sha256 }: ManifestFile): Promise<void> {
  const own = join(packageRoot(), path);
  if (existsSync(own) && (await fileHash(own)) === sha256) return;
  throw new Error(
    `This worker's Sluice has another "${printable(path)}" than that of the sweep; install the same version at both`,
  );
}

/** Renames a file or folder: replaces a file, but keeps a folder that another process created first. */
function moveToName(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!existsSync(to)) throw error;
  }
}

function touch(path: string): void {
  const now = new Date();
  utimesSync(path, now, now);
}
