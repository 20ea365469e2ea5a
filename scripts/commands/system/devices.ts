/** `cortex devices`: the browsers that are let in to the page. */
import { readEnvironment } from "../../../proc/programs/environment.ts";
import { allOf, answered, type ApiRecord } from "../../../web/client/workspace-client.ts";
import { visibleLine } from "../../../conversation/marks/plain-text.ts";
import { columns } from "../../command/layout/columns.ts";
import { type Command, parseCommandLine, unknownName, usageError } from "../../command/command.ts";
import { explained, openLink, printResult } from "../../workspace/lookup/workspace-link.ts";

const help = `
Usage: cortex devices list [--json]
       cortex devices revoke ID [--json]

Shows the browsers that are let in to the page, or shuts one out at once. A browser is let in by a link: cortex open
The beginning of an ID is enough.

Exit codes: 0 done, 2 usage, 3 refused, 69 nothing runs here.
`;

type Device = ApiRecord<"SessionDevice">;

/** Characters of an id that are shown: as good as never do two begin alike. */
const shownId = 8;

export const command: Command = {
  help,
  run: async (args) => {
    const { values, positionals } = parseCommandLine(args, { json: { type: "boolean" } }, "cortex devices");
    const [action = "list", id, ...more] = positionals;
    const known = ["list", "revoke"];
    if (!known.includes(action)) throw unknownName("action", action, known, "cortex devices");
    const isList = action === "list";
    if (!isList && id === undefined) throw usageError("cortex devices revoke takes an id", "ids: cortex devices list");
    if (more.length > 0 || (isList && id !== undefined))
      throw usageError(`unexpected "${positionals.slice(isList ? 1 : 2).join(" ")}"`, "see: cortex devices --help");
    const { client } = openLink(readEnvironment());
    const devices = await explained(() => allOf((query) => client.GET("/api/v1/sessions", { params: { query } })));
    if (isList) return printResult(values.json, { devices }, () => table(devices));
    const device = chosen(devices, id ?? "");
    await explained(() => answered(client.DELETE("/api/v1/sessions/{id}", { params: { path: { id: device.id } } })));
    return printResult(values.json, { ok: true, device: device.id }, () => `${visibleLine(device.device)} is shut out`);
  },
};

function chosen(devices: readonly Device[], id: string): Device {
  const found = devices.filter((device) => device.id.startsWith(id));
  const [only] = found;
  if (only && found.length === 1) return only;
  throw usageError(
    `device ID "${id}": ${found.length === 0 ? "there is none" : "several begin so"}`,
    "ids: cortex devices list",
  );
}

function table(devices: readonly Device[]): string {
  if (devices.length === 0) return "no browser is let in; a link lets one in: cortex open";
  const rows = devices.map(({ id, device, created_at, last_seen_at, expires_at }) => [
    id.slice(0, shownId),
    visibleLine(device),
    dayOf(created_at),
    minuteOf(last_seen_at),
    dayOf(expires_at),
  ]);
  return columns([["id", "browser", "let in on", "last seen (UTC)", "until"], ...rows]);
}

const dayOf = (time: string) => time.slice(0, 10);
const minuteOf = (time: string) => time.slice(0, 16).replace("T", " ");
