/** Stored files that were last used some days ago, and what may name them. */
import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { storeAttachment } from "../../files/attachment-store.ts";
import { attachmentsFolder } from "../../journal/attachments/take-attachments.ts";
import { contentPath } from "../../protocol/files/attachment.ts";

export const dayMs = 86_400_000;
export const now = Date.now();
export const ago = (days: number, more = 0) => String(now - days * dayMs + more);
export const retention = { delete_after_days: 90 };
export const rules = { maxBytes: 1000, kinds: ["text/*"] };

/** A stored file that was last used so many days ago. */
export async function store(journal: string, content: string, days: number): Promise<string> {
  const folder = attachmentsFolder(journal);
  const { id } = await storeAttachment(folder, `${content}.txt`, [Buffer.from(content)], rules);
  usedAgo(journal, id, days);
  return id;
}

export const pathOf = (journal: string, id: string) => join(attachmentsFolder(journal), contentPath(id));
export const usedAgo = (journal: string, id: string, days: number) =>
  utimesSync(pathOf(journal, id), Number(ago(days)) / 1000, Number(ago(days)) / 1000);
export const idsOf = (files: { id: string }[]) => files.map(({ id }) => id).toSorted();

export function write(path: string, content: string | Buffer, days?: number): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  if (days !== undefined) utimesSync(path, Number(ago(days)) / 1000, Number(ago(days)) / 1000);
}

export const run = (agentId: string, id: string) =>
  [
    {
      event: "request",
      prompt: "what is this?",
      parts: [{ type: "file", id, name: "a", mime: "text/plain", size: 1 }],
    },
    { event: "finish", result: "a file" },
  ]
    .map((body, at) => `${JSON.stringify({ ...body, ts: Number(agentId) + at, agent_id: agentId, seq: at + 1 })}\n`)
    .join("");
export const young = ago(20);
