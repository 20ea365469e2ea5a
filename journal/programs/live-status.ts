/** The status of a running cortex, in a file: `.run/status.json`, for commands that shouldn't need the bus to tell. */
import { z } from "zod";
import { readDocument } from "../../files/json-document.ts";
import { AgentId } from "../../protocol/names/names.ts";
import { RunningRun, Status } from "../../protocol/runs/subjects.ts";
import { isRuntimeOwn } from "../config/folder-mark.ts";
import { runtime } from "../config/paths.ts";
import { replaceFile } from "../../files/writing/replace-file.ts";

export const LiveStatus = z.looseObject({
  ...Status.shape,
  pid: z.number().int(),
  running: z.array(RunningRun.extend({ attempt: z.number().int(), state: z.string(), since: z.number() })),
  /** The labels of this worker, for requests that ask for them. */
  labels: z.array(z.string()).optional(),
  /** The workers of the bus, this one included; none while it is alone. */
  workers: z.array(z.looseObject({ worker: z.string(), labels: z.array(z.string()), capacity: z.number() })).optional(),
  /** The names of the keys in its environment, and the backend of requests that name none. */
  keys: z.array(z.string()).optional(),
  default_backend: z.string().optional(),
  /** Which options the bus's server has ignored. */
  bus_ignores: z.array(z.string()).optional(),
  waiting: z.array(
    z.looseObject({
      agent_id: AgentId,
      persona: z.string(),
      backend: z.string(),
      prompt: z.string(),
      continue_from: z.string().optional(),
      /** The ids of stored files that it names. */
      attachments: z.array(z.string()).optional(),
    }),
  ),
});
export type LiveStatus = z.infer<typeof LiveStatus>;

const statusFile = (journal: string) => runtime(journal, "status.json");

export const writeLiveStatus = (journal: string, status: LiveStatus) =>
  replaceFile(statusFile(journal), JSON.stringify(status));

/** Reads the latest status of the last cortex, or null. Whether that one still lives is for the reader to find out. */
export function readLiveStatus(journal: string): LiveStatus | null {
  return isRuntimeOwn(journal) ? readDocument(statusFile(journal), LiveStatus) : null;
}
