/** `cortex workspace page`: what every agent is told of the team. */
import { readFileSync } from "node:fs";
import { text as readAll } from "node:stream/consumers";
import { messageOf } from "../../files/errors/error-message.ts";
import { answered } from "../../web/client/workspace-client.ts";
import { usageError } from "../command/command.ts";
import { printResult, type WorkspaceLink } from "./lookup/workspace-link.ts";

/** @param file with what it shall be, `-` for standard input; absent: it is shown */
export async function pageAction(
  { client }: WorkspaceLink,
  workspaceId: string,
  file: string | undefined,
  json: boolean,
): Promise<number> {
  const params = { path: { w: workspaceId } };
  if (file === undefined) {
    const { page } = await answered(client.GET("/api/v1/workspaces/{w}", { params }));
    return printResult(json, { page }, () => (page === "" ? "the page is empty" : page));
  }
  const { page } = await answered(
    client.PATCH("/api/v1/workspaces/{w}", { params, body: { page: await textOf(file) } }),
  );
  return printResult(json, { page }, () => `the page has ${page.length} characters now`);
}

async function textOf(file: string): Promise<string> {
  try {
    return file === "-" ? await readAll(process.stdin) : readFileSync(file, "utf8");
  } catch (error) {
    throw usageError(`${file} can't be read: ${messageOf(error)}`, "name a file, or - for standard input");
  }
}
