/** The access file of a user's own adapter to the bus, `.run/channels/<type>.json`, for those who may read it. */
import { readdir, rm } from "node:fs/promises";
import { z } from "zod";
import { runtime } from "../config/paths.ts";
import { replaceFile } from "../../files/writing/replace-file.ts";

export const ExternalChannel = z.looseObject({
  nats_url: z.string(),
  nats_user: z.string(),
  nats_token: z.string().meta({ description: "That user's password." }),
  nats_ca: z
    .string()
    .optional()
    .meta({ description: "The file of the authority that signed the certificate of a bus with TLS." }),
});
export type ExternalChannel = z.infer<typeof ExternalChannel>;

/** Writes one file for each type, and removes those of all others. */
export async function writeExternalChannels(
  journal: string,
  channels: ReadonlyMap<string, ExternalChannel>,
): Promise<void> {
  const folder = runtime(journal, "channels");
  for (const [type, channel] of channels)
    await replaceFile(runtime(journal, "channels", `${type}.json`), `${JSON.stringify(channel)}\n`);
  const names = await readdir(folder).catch(() => []);
  for (const name of names)
    if (!channels.has(name.replace(/\.json$/, ""))) await rm(runtime(journal, "channels", name), { force: true });
}
