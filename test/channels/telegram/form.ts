/** Forms with files, as the Bot API takes them. */
import type { IncomingMessage } from "node:http";

export type SentFile = { name: string; content: Buffer };

/** A form as the API takes it: a file is a part of its own, named by `attach://<part>` or by the field itself. */
export async function formOf(request: IncomingMessage, bytes: Buffer): Promise<Record<string, unknown>> {
  const headers = { "content-type": request.headers["content-type"] ?? "" };
  const form = await new Response(new Uint8Array(bytes), { headers }).formData();
  const files = new Map<string, SentFile>();
  for (const [key, value] of form)
    if (typeof value !== "string")
      files.set(key, { name: value.name, content: Buffer.from(await value.arrayBuffer()) });
  return Object.fromEntries(
    Array.from(form, ([key, value]) => [
      key,
      typeof value !== "string" || value.startsWith("attach://")
        ? files.get(typeof value === "string" ? value.slice("attach://".length) : key)
        : value,
    ]),
  );
}
