/** `cortex push`: the browsers that are told of what happens while the page isn't open. */
import { readEnvironment } from "../../../proc/programs/environment.ts";
import { answered, type ApiRecord } from "../../../web/client/workspace-client.ts";
import { columns } from "../../command/layout/columns.ts";
import { type Command, parseCommandLine, unknownName, usageError } from "../../command/command.ts";
import { explained, openLink, printResult } from "../../workspace/lookup/workspace-link.ts";

const help = `
Usage: cortex push list [--json]
       cortex push try ID [--json]
       cortex push remove ID [--json]

Shows the browsers that are told of what happens while the page isn't open, tells one of them something to see whether
it arrives, or tells one nothing more. A browser asks for it in the page, under Devices: cortex open
The beginning of an ID is enough.

Exit codes: 0 done, 2 usage, 3 refused, 69 nothing runs here.
`;

type Device = ApiRecord<"PushDevice">;

const shownId = 8;

export const command: Command = {
  help,
  run: async (args) => {
    const { values, positionals } = parseCommandLine(args, { json: { type: "boolean" } }, "cortex push");
    const [action = "list", id, ...more] = positionals;
    const known = ["list", "try", "remove"];
    if (!known.includes(action)) throw unknownName("action", action, known, "cortex push");
    const isList = action === "list";
    if (!isList && id === undefined) throw usageError(`cortex push ${action} takes an id`, "ids: cortex push list");
    if (more.length > 0 || (isList && id !== undefined))
      throw usageError(`unexpected "${positionals.slice(isList ? 1 : 2).join(" ")}"`, "see: cortex push --help");
    const { client } = openLink(readEnvironment());
    const { devices } = await explained(() => answered(client.GET("/api/v1/push")));
    if (isList) return printResult(values.json, { devices }, () => table(devices));
    const device = chosen(devices, id ?? "");
    const params = { params: { path: { id: device.id } } };
    if (action === "remove") {
      await explained(() => answered(client.DELETE("/api/v1/push/{id}", params)));
      return printResult(values.json, { ok: true, device: device.id }, () => `${device.device} is told nothing more`);
    }
    await explained(() => answered(client.POST("/api/v1/push/{id}/try", params)));
    return printResult(
      values.json,
      { ok: true, device: device.id },
      () => "on its way; what became of it: cortex push list",
    );
  },
};

function chosen(devices: readonly Device[], id: string): Device {
  const found = devices.filter((device) => device.id.startsWith(id));
  const [only] = found;
  if (only && found.length === 1) return only;
  throw usageError(
    `push ID "${id}": ${found.length === 0 ? "there is none" : "several begin so"}`,
    "ids: cortex push list",
  );
}

function table(devices: readonly Device[]): string {
  if (devices.length === 0) return "no browser is told of anything; ask for it in the page, under Devices: cortex open";
  const rows = devices.map(({ id, device, kinds, service, last }) => [
    id.slice(0, shownId),
    device,
    kinds.join(", "),
    service,
    last === null ? "" : [last.state, last.why].filter(Boolean).join(": "),
  ]);
  return columns([["id", "browser", "is told of", "by", "the last"], ...rows]);
}
