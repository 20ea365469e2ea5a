/** The keys by which push services know this server (VAPID, RFC 8292): made once, `.state/push-keys.json`, for their owner's eyes alone. */
import { createECDH } from "node:crypto";
import { z } from "zod";
import { readDocument } from "../../../files/json-document.ts";
import { SerialQueue } from "../../../files/locks/serial-queue.ts";
import { replaceFile } from "../../../files/writing/replace-file.ts";
import { state } from "../../../journal/config/paths.ts";

const PushKeys = z.object({ public_key: z.string(), private_key: z.string() });
export type PushKeys = z.infer<typeof PushKeys>;

const making = new SerialQueue();

/** Reads the keys of a journal. Lost, they are made anew, and browsers have to ask again. */
export function pushKeys(journal: string): Promise<PushKeys> {
  return making.run(() => readOrMake(journal));
}

async function readOrMake(journal: string): Promise<PushKeys> {
  const path = state(journal, "push-keys.json");
  const known = readDocument(path, PushKeys);
  if (known) return known;
  const pair = createECDH("prime256v1");
  pair.generateKeys();
  const keys = { public_key: pair.getPublicKey("base64url"), private_key: pair.getPrivateKey("base64url") };
  await replaceFile(path, JSON.stringify(keys), 0o600);
  return keys;
}
