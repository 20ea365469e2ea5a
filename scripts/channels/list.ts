/** `cortex channels list`: the channels that there are, and how each is. */
import { readSupervised } from "../../journal/programs/supervised.ts";
import { readProgramRecord } from "../../journal/programs/programs.ts";
import { readSettings } from "../../journal/config/settings.ts";
import { externalChannels } from "../../protocol/agents/agents-settings.ts";
import { adapterProgram, AdapterType, startedAdapters } from "../../protocol/agents/channel-settings.ts";
import { exitCodes } from "../../protocol/runs/exit-codes.ts";
import { columns } from "../command/layout/columns.ts";

type Row = {
  type: string;
  /** Its program's state; `external`: an adapter of the user's own; `not set up`: nothing of it stands in the settings. */
  state: string;
  url?: string;
  reason?: string;
};

export async function listChannels(journal: string, isJson: boolean): Promise<number> {
  const { channels } = readSettings(journal);
  const programs = readSupervised(journal)?.programs ?? [];
  const started = startedAdapters(channels);
  const external = externalChannels(channels);
  const rowOf = async (type: AdapterType): Promise<Row> => {
    if (external.includes(type)) return { type, state: "external" };
    if (!started.includes(type)) return { type, state: channels?.[type] === undefined ? "not set up" : "off" };
    const program = programs.find(({ name }) => name === adapterProgram(type));
    const { state = "not running", reason } = program ?? {};
    const { url } = (state === "ready" && (await readProgramRecord(journal, adapterProgram(type)))) || {};
    return { type, state, ...(url && { url }), ...(reason && state === "failed" && { reason }) };
  };
  const known: readonly string[] = AdapterType.options;
  const rows = [
    ...(await Promise.all(AdapterType.options.map(rowOf))),
    ...external.filter((type) => !known.includes(type)).map((type) => ({ type, state: "external" })),
  ];
  if (isJson) process.stdout.write(`${JSON.stringify({ channels: rows })}\n`);
  else {
    const cells = rows.map(({ type, state, url = "", reason = "" }: Row) => [type, state, url || reason]);
    process.stdout.write(`${columns(cells)}\n`);
  }
  return exitCodes.done;
}
