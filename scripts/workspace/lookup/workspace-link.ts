/** How commands reach the workspaces: by the web program of the journal, or the one that `CORTEX_WEB_URL` names. */
import { readEndpoints } from "../../../journal/access/endpoints.ts";
import { copyNote } from "../../../journal/config/folder-mark.ts";
import type { Environment } from "../../../proc/programs/environment.ts";
import { exitCodes } from "../../../protocol/runs/exit-codes.ts";
import {
  allOf,
  type ApiAddress,
  ApiError,
  type ApiRecord,
  openWorkspaceClient,
  UnreachableError,
  type WorkspaceClient,
} from "../../../web/client/workspace-client.ts";
import { CommandError, noBusError, usageError } from "../../command/command.ts";
import { oneOf } from "./find-record.ts";

export type WorkspaceLink = {
  client: WorkspaceClient;
  /** Where it is now: a program that was started again may have another port. */
  addressOf: () => ApiAddress | null;
};

/** @throws CommandError (exit 69) when no web program runs here */
export function openLink(env: Environment): WorkspaceLink {
  const addressOf = () => (env.webUrl === undefined ? addressHere(env) : addressElsewhere(env));
  const address = addressOf();
  if (!address) throw notRunning(env);
  return { client: openWorkspaceClient(address), addressOf };
}

function addressHere({ journalPath, webToken }: Environment): ApiAddress | null {
  const endpoints = readEndpoints(journalPath);
  if (endpoints?.web_url === undefined || endpoints.web_token === undefined) return null;
  return { url: endpoints.web_url, token: webToken ?? endpoints.web_token };
}

function addressElsewhere({ webUrl = "", webToken }: Environment): ApiAddress {
  if (webToken === undefined)
    throw usageError(
      "CORTEX_WEB_URL is set, and CORTEX_WEB_TOKEN isn't",
      "set it to your token: an admin has it for you",
    );
  return { url: webUrl, token: webToken };
}

function notRunning({ journalPath }: Environment): CommandError {
  if (readEndpoints(journalPath) === null)
    return noBusError(`the workspaces can't be reached: nothing runs on ${journalPath}${copyNote(journalPath)}`);
  const message = "the workspaces can't be reached: the channel web isn't running";
  const hint = 'remove "enabled": false of channels.web in cortex.json, and see: cortex status';
  return new CommandError("no_web", message, hint, exitCodes.noBus);
}

export const workspacesOf = ({ client }: WorkspaceLink): Promise<ApiRecord<"Workspace">[]> =>
  allOf((query) => client.GET("/api/v1/workspaces", { params: { query } }));

/** The workspace of that name or id; without one the oldest. @throws CommandError, ApiError */
export async function chosenWorkspace(link: WorkspaceLink, given: string | undefined): Promise<ApiRecord<"Workspace">> {
  const workspaces = await workspacesOf(link);
  const [first] = workspaces;
  if (!first) throw usageError("you are not a member of any workspace", "make one: cortex workspace init NAME");
  if (given === undefined) return first;
  const named = workspaces.filter(({ name }) => name === given);
  const [only] = named;
  return only && named.length === 1 ? only : oneOf("workspace", given, workspaces, "cortex workspace list");
}

/** Runs a command of the workspaces: what the server refused is told as a failure of the command. */
export async function explained<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof UnreachableError) throw noBusError(`the workspaces can't be reached: ${error.message}`, error);
    if (!(error instanceof ApiError)) throw error;
    const { code, message, hint } = error;
    const { exitCode, remedy } = refusals[code] ?? refused;
    throw new CommandError(code, message, hint ?? remedy, exitCode, { cause: error });
  }
}

type Refusal = { exitCode: number; remedy: string };

const refused: Refusal = { exitCode: exitCodes.refused, remedy: "see: cortex workspace --help" };
const refusals: Readonly<Record<string, Refusal>> = {
  invalid: { exitCode: exitCodes.usage, remedy: "see: cortex thread --help" },
  not_found: { exitCode: exitCodes.usage, remedy: "ids: cortex thread list" },
  too_large: { exitCode: exitCodes.usage, remedy: "send less at once" },
  unauthenticated: { exitCode: exitCodes.refused, remedy: "check CORTEX_WEB_TOKEN, or ask an admin for a new token" },
  rate_limited: { exitCode: exitCodes.refused, remedy: "try again in a minute" },
  unavailable: { exitCode: exitCodes.noBus, remedy: "try again, and see: cortex doctor" },
  internal: { exitCode: exitCodes.failed, remedy: "see: cortex logs channel-web" },
};

/** One document, or text for people. */
export function printResult(isJson: boolean | undefined, document: object, text: () => string): number {
  process.stdout.write(`${isJson ? JSON.stringify(document) : text()}\n`);
  return exitCodes.done;
}
