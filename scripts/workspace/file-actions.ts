/** Files of messages: sent with one (`cortex thread post --attach`), and saved from one (`cortex thread save`). */
import { openAsBlob, statSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, resolve } from "node:path";
import { hasCode } from "../../files/errors/errno.ts";
import { messageOf } from "../../files/errors/error-message.ts";
import { answered, type ApiRecord } from "../../web/client/workspace-client.ts";
import { usageError } from "../command/command.ts";
import { findThread, messagesOf } from "./lookup/find-thread.ts";
import { printResult, type WorkspaceLink } from "./lookup/workspace-link.ts";

/** How many of the newest messages are looked through for a file. */
const mostMessages = 1000;

type NamedContent = { name: string; content: Blob };

/** Opens files of this machine, which are read when they are sent. @throws CommandError */
export async function openFiles(paths: readonly string[]): Promise<NamedContent[]> {
  return Promise.all(paths.map(openFile));
}

async function openFile(given: string): Promise<NamedContent> {
  const path = resolve(given.replace(/^~(?=\/)/, homedir()));
  try {
    // A pipe would be waited for.
    if (!statSync(path).isFile()) throw new Error("it isn't a file");
    return { name: basename(path), content: await openAsBlob(path) };
  } catch (error) {
    throw usageError(`--attach ${given}: ${messageOf(error)}`, "name a file that can be read");
  }
}

/** Stores files for a message of a workspace. @throws ApiError */
export async function uploadFiles(
  { client }: WorkspaceLink,
  workspaceId: string,
  files: readonly NamedContent[],
): Promise<{ id: string; name: string }[]> {
  const stored: { id: string; name: string }[] = [];
  for (const { name, content: body } of files) {
    const params = { path: { w: workspaceId }, query: { name } };
    const headers = { "Content-Type": "application/octet-stream" };
    const bodySerializer = (blob: Blob) => blob;
    const { id } = await answered(
      client.POST("/api/v1/workspaces/{w}/attachments", { params, body, bodySerializer, headers }),
    );
    stored.push({ id, name });
  }
  return stored;
}

/** Writes the newest file of that name in a thread, or the one of that id. It writes over nothing; `-` is standard output. */
export async function saveAction(
  link: WorkspaceLink,
  workspaceId: () => Promise<string>,
  [given, wanted, to]: string[],
  json: boolean,
): Promise<number> {
  if (given === undefined || wanted === undefined)
    throw usageError("THREAD or FILE is missing", "its files: cortex thread show THREAD");
  const thread = await findThread(link, workspaceId, given);
  const messages = await messagesOf(link, { threadId: thread.id }, mostMessages);
  const file = messages.flatMap(({ parts }) => parts).findLast(({ id, name }) => id === wanted || name === wanted);
  if (!file) throw usageError(`there is no file "${wanted}" in that thread`, "its files: cortex thread show THREAD");
  const content = await download(link, thread.workspace_id, file);
  if (to === "-") {
    process.stdout.write(content);
    return 0;
  }
  const path = resolve(to ?? file.name);
  try {
    await writeFile(path, content, { flag: "wx" });
  } catch (error) {
    if (hasCode(error, "EEXIST")) throw usageError(`${path} is there already`, "name another path");
    throw usageError(`${path}: ${messageOf(error)}`, "name a path that can be written");
  }
  return printResult(json, { ok: true, path, file }, () => `${file.size} bytes in ${path}`);
}

async function download(
  { client }: WorkspaceLink,
  workspaceId: string,
  { id }: ApiRecord<"Message">["parts"][number],
): Promise<Uint8Array> {
  const params = { path: { w: workspaceId, file: id } };
  const content = await answered(
    client.GET("/api/v1/workspaces/{w}/attachments/{file}", { params, parseAs: "blob" as const }),
  );
  return content.bytes();
}
