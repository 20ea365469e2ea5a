/** The actions in a workspace's threads. Each throws what the server said when it refuses. */
import { answered, byId, client } from "../../api/client.ts";
import type { ThreadPlace } from "./place-store.ts";

export type Draft = { text: string; parent: string | null; files: readonly { id: string }[] };

/** @param key the same for the same message, so that one that is sent again is said once */
export function sendMessage({ threadId, forkId }: ThreadPlace, { text, parent, files }: Draft, key: string) {
  const body = { text, parent, attachments: files.map(({ id }) => ({ id })) };
  const header = { "Idempotency-Key": key };
  return forkId === null
    ? answered(client.POST("/api/v1/threads/{id}/messages", { params: { path: { id: threadId }, header }, body }))
    : answered(client.POST("/api/v1/forks/{id}/messages", { params: { path: { id: forkId }, header }, body }));
}

export const storeFile = (workspace: string, file: File) =>
  answered(
    client.POST("/api/v1/workspaces/{w}/attachments", {
      params: { path: { w: workspace }, query: { name: file.name } },
      body: file,
      bodySerializer: (body) => body,
      headers: { "Content-Type": "application/octet-stream" },
    }),
  );

export const addressOfFile = (workspace: string, id: string) => `/api/v1/workspaces/${workspace}/attachments/${id}`;

export const createThread = (workspace: string, title: string) =>
  answered(client.POST("/api/v1/workspaces/{w}/threads", { params: { path: { w: workspace } }, body: { title } }));

export const updateThread = (id: string, body: { title?: string; is_brief?: boolean }) =>
  answered(client.PATCH("/api/v1/threads/{id}", { ...byId(id), body }));

export const createFork = (threadId: string, messageId: string, description: string) =>
  answered(
    client.POST("/api/v1/threads/{id}/forks", { ...byId(threadId), body: { message_id: messageId, description } }),
  );

export const draftResolution = (forkId: string) =>
  answered(client.POST("/api/v1/forks/{id}/resolve", { ...byId(forkId), body: {} }));

export const postResolution = (forkId: string, text: string) =>
  answered(client.POST("/api/v1/forks/{id}/resolution", { ...byId(forkId), body: { text } }));

export const reopenFork = (forkId: string) => answered(client.POST("/api/v1/forks/{id}/reopen", byId(forkId)));

export const abandonFork = (forkId: string) => answered(client.POST("/api/v1/forks/{id}/abandon", byId(forkId)));

export const cancelTask = (id: string) => answered(client.POST("/api/v1/tasks/{id}/cancel", byId(id)));

export const askAgain = (id: string) => answered(client.POST("/api/v1/tasks/{id}/retry", byId(id)));

export const decideApproval = (id: string, decision: "allow" | "deny") =>
  answered(client.POST("/api/v1/approvals/{id}", { ...byId(id), body: { decision } }));
