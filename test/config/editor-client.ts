import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const SERVER = join(import.meta.dirname, '../../node_modules/yaml-language-server/bin/yaml-language-server');

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly uri?: string; readonly diagnostics?: readonly Diagnostic[] };
  readonly result?: unknown;
}

/** A diagnostic that the editor underlines. */
export interface Diagnostic {
  readonly message: string;
  readonly range: { readonly start: { readonly line: number } };
}

/** What an editor shows for a YAML, from the YAML language server that editors run. */
export class EditorClient {
  readonly #server: ChildProcess;
  readonly #answers = new Map<number, (result: unknown) => void>();
  readonly #diagnosed = new Map<string, (found: readonly Diagnostic[]) => void>();
  #buffer = Buffer.alloc(0);
  #next = 1;

  constructor() {
    this.#server = spawn(process.execPath, [SERVER, '--stdio'], { stdio: ['pipe', 'pipe', 'ignore'] });
    this.#server.stdout?.on('data', (chunk: Buffer) => this.#read(chunk));
  }

  async open(project: string): Promise<void> {
    const rootUri = pathToFileURL(project).href;
    await this.#ask('initialize', {
      ...{ processId: process.pid, rootUri },
      capabilities: { textDocument: { hover: { contentFormat: ['markdown'] } } },
    });
    this.#tell('initialized', {});
    const yaml = { validate: true, hover: true, completion: true, schemaStore: { enable: false } };
    this.#tell('workspace/didChangeConfiguration', { settings: { yaml } });
  }

  /** Opens a text as a file and returns its diagnostics. */
  diagnose(path: string, text: string): Promise<readonly Diagnostic[]> {
    const uri = pathToFileURL(path).href;
    return new Promise((resolve) => {
      this.#diagnosed.set(uri, resolve);
      this.#tell('textDocument/didOpen', {
        textDocument: { uri, languageId: 'yaml', version: 1, text },
      });
    });
  }

  /** Labels of the completions at a position, with lines and columns from 0. */
  async completions(path: string, line: number, character: number): Promise<readonly string[]> {
    const result = await this.#ask('textDocument/completion', placed(path, line, character));
    const { items }: { items: readonly { label: string }[] } = JSON.parse(JSON.stringify(result));
    return items.map(({ label }) => label);
  }

  /** The hover text at a position; '' for none. */
  async hover(path: string, line: number, character: number): Promise<string> {
    const result = await this.#ask('textDocument/hover', placed(path, line, character));
    // Unescapes Markdown.
    return JSON.stringify(result ?? '').replaceAll(/\\+/g, '');
  }

  async close(): Promise<void> {
    const gone = new Promise((resolve) => this.#server.once('close', resolve));
    await this.#ask('shutdown', null);
    this.#tell('exit', null);
    await gone;
  }

  #ask(method: string, params: unknown): Promise<unknown> {
    const id = this.#next++;
    this.#send({ id, method, params });
    return new Promise((resolve) => this.#answers.set(id, resolve));
  }

  #tell(method: string, params: unknown): void {
    this.#send({ method, params });
  }

  #send(message: object): void {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    this.#server.stdin?.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  }

  #read(chunk: Buffer): void {
    this.#buffer = Buffer.concat([this.#buffer, chunk]);
    for (;;) {
      const end = this.#buffer.indexOf('\r\n\r\n');
      if (end < 0) return;
      const length = Number(/Content-Length: (\d+)/i.exec(this.#buffer.toString('utf8', 0, end))?.[1]);
      if (this.#buffer.length < end + 4 + length) return;
      const message: Message = JSON.parse(this.#buffer.toString('utf8', end + 4, end + 4 + length));
      this.#buffer = this.#buffer.subarray(end + 4 + length);
      this.#hear(message);
    }
  }

  #hear({ id, method, params, result }: Message): void {
    if (method === 'textDocument/publishDiagnostics' && params?.uri !== undefined) {
      this.#diagnosed.get(params.uri)?.(params.diagnostics ?? []);
      return;
    }
    // The server also requests settings, and gets none beyond the given ones.
    if (method !== undefined && id !== undefined) this.#send({ id, result: [] });
    else if (id !== undefined) this.#answers.get(id)?.(result);
  }
}

function placed(path: string, line: number, character: number): object {
  return { textDocument: { uri: pathToFileURL(path).href }, position: { line, character } };
}
