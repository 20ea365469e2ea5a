/** Operations on the tools that agents may have. */
import { refusing } from "../../../journal/access/refusals.ts";
import { ToolAnswer, ToolCall, Tools } from "../../../journal/tools/tool-records.ts";
import { callOne, listTools } from "../../../journal/tools/tools.ts";
import { operation } from "../../table/operation.ts";

const forOwner = { subject: null, role: "owner", isOutside: true } as const;

export const tools = [
  operation({
    ...forOwner,
    id: "tool.list",
    method: "GET",
    path: "/tools",
    summary: "The tools, by pack, external server and app",
    answer: Tools,
    handle: ({ machine }) => refusing(() => listTools(machine)),
  }),
  operation({
    ...forOwner,
    id: "tool.call",
    method: "POST",
    path: "/tools/call",
    summary: "Call a tool, as an agent would",
    body: ToolCall,
    answer: ToolAnswer,
    handle: ({ machine }, { body }) => refusing(() => callOne(machine, body)),
  }),
];
