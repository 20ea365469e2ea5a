/** `cortex thread bind|bindings|unbind`: rooms of channels that are bound to threads. */
import { allOf, answered, type ApiRecord } from "../../web/client/workspace-client.ts";
import { columns } from "../command/layout/columns.ts";
import { usageError } from "../command/command.ts";
import { oneOf, shortId } from "./lookup/find-record.ts";
import { findThread } from "./lookup/find-thread.ts";
import { printResult, type WorkspaceLink } from "./lookup/workspace-link.ts";

type Binding = ApiRecord<"Binding">;
type WorkspaceOf = () => Promise<string>;

export async function bindAction(
  link: WorkspaceLink,
  workspaceId: WorkspaceOf,
  [given, type]: string[],
  json: boolean,
): Promise<number> {
  if (given === undefined || type === undefined)
    throw usageError("THREAD or CHANNEL is missing", "for example: cortex thread bind THREAD telegram");
  const thread = await findThread(link, workspaceId, given);
  const params = { path: { id: thread.id } };
  const made = await answered(link.client.POST("/api/v1/threads/{id}/bindings", { params, body: { type } }));
  if (!json)
    process.stderr.write(`Say this in the group of ${type} within an hour: that binds it to "${thread.title}".\n`);
  return printResult(json, made, () => `/bind ${made.code}`);
}

export async function listBindings(link: WorkspaceLink, workspaceId: WorkspaceOf, json: boolean): Promise<number> {
  const bindings = await bindingsOf(link, await workspaceId());
  return printResult(json, { bindings }, () => {
    const rows = bindings.map(({ id, thread_id, type, channel_id }) => [
      shortId(id),
      shortId(thread_id),
      type,
      channel_id ?? "(its code wasn't said yet)",
    ]);
    return columns([["ID", "THREAD", "CHANNEL", "ROOM"], ...rows]);
  });
}

export async function unbindAction(
  link: WorkspaceLink,
  workspaceId: WorkspaceOf,
  given: string | undefined,
  json: boolean,
): Promise<number> {
  if (given === undefined) throw usageError("BINDING is missing", "ids: cortex thread bindings");
  const bindings = await bindingsOf(link, await workspaceId());
  const removed = oneOf("binding", given, bindings, "cortex thread bindings");
  await answered(link.client.DELETE("/api/v1/bindings/{id}", { params: { path: { id: removed.id } } }));
  return printResult(json, { ok: true, removed }, () =>
    `no longer bound: ${removed.type} ${removed.channel_id ?? ""}`.trim(),
  );
}

const bindingsOf = ({ client }: WorkspaceLink, workspaceId: string): Promise<Binding[]> =>
  allOf((query) => client.GET("/api/v1/workspaces/{w}/bindings", { params: { path: { w: workspaceId }, query } }));
