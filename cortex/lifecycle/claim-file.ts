/** The file of a run that this worker has taken: claimed, and brought up to what another worker had written. */
import { parseEventLine } from "../../journal/chain/event-line.ts";
import { failpoint } from "../../proc/programs/failpoint.ts";
import type { Logger } from "../../proc/logging/log.ts";
import type { Settings } from "../../protocol/settings/settings.ts";
import { RunSoFar } from "../limits/run-so-far.ts";
import { RunWriter } from "../output/run-writer.ts";
import type { Ports } from "../ports/ports.ts";

type ClaimFileDeps = Pick<Ports, "clock" | "files" | "publisher"> & { log: Logger; settings: () => Settings };

/** Claims the file, or the copy of it that stands here. Null: another run has the id. */
export async function claimRunFile(
  deps: ClaimFileDeps,
  agentId: string,
): Promise<{ writer: RunWriter; soFar: RunSoFar } | null> {
  const { files, settings } = deps;
  files.makeFolder(agentId); // first: a pending run is found by its folder
  failpoint("folder-made");
  const isCopy = files.isMirrored(agentId);
  files.claimMirrored(agentId); // from here on the copy is the run's file
  const { durability = "safe" } = settings();
  const file = files.claim(agentId, durability);
  failpoint("file-claimed");
  const soFar = new RunSoFar();
  if (file) return { writer: new RunWriter(file, deps, false), soFar };
  if (!isCopy) return null;
  const copy = await files.resume(agentId, durability, (event) => soFar.add(event));
  return { writer: new RunWriter(copy, deps, true), soFar };
}

/**
 * Imports the lines that another worker had written of a run beyond what stands here: as copies of it have them, else
 * as the bus does.
 */
export async function importLines(
  { requests, log }: Pick<Ports, "requests"> & { log: Logger },
  writer: RunWriter,
  soFar: RunSoFar,
): Promise<void> {
  const { agentId } = writer;
  const take = async (line: string) => {
    await writer.copy([line]);
    const event = parseEventLine(line);
    if (event) soFar.add(event);
  };
  if (writer.nextSeq === 1) for await (const line of requests.copiedLines(agentId)) await take(line);
  for await (const line of requests.lines(agentId, writer.nextSeq - 1)) await take(line);
  if (soFar.events > 0) log.warn({ agent_id: agentId, lines: soFar.events }, "taking over a run of another worker");
}
