import { EnvironmentError } from '../../app/broker/environment-error.ts';
import { type ApiRequest, type OpenedApi, withApi } from '../../app/broker/open-api.ts';
import { withDotEnv } from '../../app/credentials/dot-env.ts';
import { assertConfiguredAccount } from '../../app/run/live-checks.ts';
import type { CommandContext } from '../command-context.ts';
import { EXIT, type ExitCode, exitCodeOf } from '../exit-codes.ts';
import type { BrokerFlags } from '../options/broker-options.ts';
import { resolveBroker } from '../options/resolved-broker.ts';
import { jsonLine } from '../output/json-line.ts';
import { UsageError } from '../usage-error.ts';

/** Requirements of a request. */
export interface SessionNeeds {
  readonly needs: ApiRequest['needs'];
  /** Makes the venue refuse a token that trades real money. */
  readonly paperOnly?: boolean;
  /** Called before connecting; an error ends the session. */
  readonly check?: ApiRequest['check'];
}

const NO_CHECK = (): void => undefined;

/** A connected venue, with the output of results. */
export interface BrokerSession extends OpenedApi {
  /** Prints the result, as one line of JSON if requested, otherwise as text. */
  print(answer: { readonly json: () => unknown; readonly text: () => string }): void;
}

/** Builds the request for a session from flags and arguments. */
export async function apiRequest(
  flags: BrokerFlags,
  { terminal, project }: CommandContext,
  { needs: least, paperOnly = false, check = NO_CHECK }: SessionNeeds,
): Promise<ApiRequest & { readonly account: string | undefined }> {
  const environment = withDotEnv(process.env, project);
  const { flags: meant, account } = await resolveBroker(flags, environment, { terminal, project });
  const { url: httpUrl, quoteWsUrl, profile, language } = meant;
  // Only the quote socket states whose account it is.
  const needs = account === undefined ? least : 'quotes';
  return {
    environment,
    account,
    addresses: { httpUrl, quoteWsUrl },
    needs,
    profile,
    language,
    project,
    paperOnly,
    check,
    warn: (text) => terminal.err(`${text}\n`),
  };
}

/** Makes one request to a venue and ends; expected failures are one clear text and an exit code. */
export function withSession(
  flags: BrokerFlags,
  context: CommandContext,
  needs: SessionNeeds,
  work: (session: BrokerSession) => Promise<void>,
): Promise<void> {
  return withExplainedErrors(context, async () => {
    const request = await apiRequest(flags, context, needs);
    await withApi(request, async (opened) => {
      if (request.account !== undefined) assertConfiguredAccount(request.account, await opened.accountId());
      await work({ ...opened, print: (answer) => printAnswer(flags, context, answer) });
    });
  });
}

/** Prints a result in the form that the flags request. */
export function printAnswer(
  { json }: { readonly json?: boolean },
  { terminal }: CommandContext,
  answer: { readonly json: () => unknown; readonly text: () => string },
): void {
  terminal.out(json === true ? jsonLine(answer.json()) : answer.text());
}

/** Runs a command's work; prints expected errors and rethrows others, which are defects. */
export async function withExplainedErrors(
  { terminal, exit }: CommandContext,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    const code = knownExit(error);
    if (code === undefined || !(error instanceof Error)) throw error;
    terminal.err(`${error.message}\n`);
    exit(code);
  }
}

function knownExit(error: unknown): ExitCode | undefined {
  if (error instanceof UsageError) return EXIT.usage;
  if (error instanceof EnvironmentError) return EXIT.config;
  if (error instanceof Error && error.name === 'CatalogueError') return EXIT.broker;
  return exitCodeOf(error);
}
