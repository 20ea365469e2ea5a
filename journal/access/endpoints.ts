/** Where everything listens, for those who live in the same journal: `.run/endpoints.json`, and the passwords of our own programs. */
import { rmSync } from "node:fs";
import { z } from "zod";
import { readDocument } from "../../files/json-document.ts";
import { isRuntimeOwn } from "../config/folder-mark.ts";
import { runtime } from "../config/paths.ts";
import { replaceFile } from "../../files/writing/replace-file.ts";

export const Endpoints = z.looseObject({
  nats_url: z.string(),
  nats_user: z.string(),
  nats_token: z.string().meta({ description: "That user's password." }),
  nats_ca: z
    .string()
    .optional()
    .meta({ description: "The file of the authority that signed the certificate of a bus with TLS." }),
  mcp_url: z.string().optional(),
  web_url: z.string().optional(),
  gateway_url: z.string().optional(),
  web_token: z.string().optional(),
  pid: z.number().int(),
});
export type Endpoints = z.infer<typeof Endpoints>;

/** A server, and what each of its users is called and says. */
export const BusAccess = z.object({
  url: z.string(),
  server_name: z.string(),
  passwords: z.record(z.string(), z.string()),
  /** The file of the certificate's authority; of a bus with TLS. */
  ca_file: z.string().optional(),
});
export type BusAccess = z.infer<typeof BusAccess>;

const endpointsFile = (journal: string) => runtime(journal, "endpoints.json");
const accessFile = (journal: string) => runtime(journal, "bus-users.json");

export const writeEndpoints = (journal: string, endpoints: Endpoints) =>
  replaceFile(endpointsFile(journal), `${JSON.stringify(endpoints, null, 2)}\n`);

export const removeEndpoints = (journal: string) => rmSync(endpointsFile(journal), { force: true });

/** Where the journal's bus and servers are, or null when none were started. Those of a journal that was copied are none of the copy's. */
export const readEndpoints = (journal: string): Endpoints | null =>
  isRuntimeOwn(journal) ? readDocument(endpointsFile(journal), Endpoints) : null;

export const writeBusAccess = (journal: string, access: BusAccess) =>
  replaceFile(accessFile(journal), JSON.stringify(access));

/** How our own programs reach the private bus, or null. */
export const readBusAccess = (journal: string): BusAccess | null =>
  isRuntimeOwn(journal) ? readDocument(accessFile(journal), BusAccess) : null;

/** How one of our own programs reaches it. */
export function addressAs({ url, passwords, ca_file }: BusAccess, user: string) {
  return { url, user, password: passwords[user], caFile: ca_file };
}
