/** The context of a request that was let in: its client, what that client may do, and the tools. */
import type { Grant } from "../../journal/access/tokens.ts";
import type { Logger } from "../../proc/logging/log.ts";
import { ownersPacks, packs } from "../../protocol/settings/packs.ts";
import type { CallsUnderWay } from "../tool/calls-under-way.ts";
import type { LogLevels } from "../tool/log-levels.ts";
import type { ToolContext } from "../tool/tool.ts";
import type { Toolbox } from "../catalog/toolbox.ts";
import type { Approvals } from "../permissions/approvals.ts";
import type { KeptStates } from "../tool/kept-state.ts";
import type { LoopDetector } from "../permissions/loop-detector.ts";
import type { PermissionSettings } from "../permissions/permission-settings.ts";

export type RequestContext = {
  grant: Grant;
  /** Whether its token still holds. */
  isValid: () => Promise<boolean>;
  /** Names the client: several may have one token. */
  client: string;
  context: ServerContext;
  toolbox: Toolbox;
  permissionSettings: PermissionSettings;
  approvals: Approvals;
  loops: LoopDetector;
  keptStates: KeptStates;
  log: Logger;
  logLevels: LogLevels;
  callsUnderWay: CallsUnderWay;
};

/** Names a client by its token's owner and its session; `""`: it has none. */
export const clientName = ({ agent_id }: Grant, session: string) => `${agent_id} ${session}`;

/** The context that is the same for every request. */
export type ServerContext = Omit<ToolContext, "reporter" | "call" | "run" | "place" | "isValid" | "trace" | "caller">;

/** The parts of the journal that a grant shows besides its tools. Pure. */
export type Rights = { files: boolean; runs: boolean; personas: boolean };

/**
 * A run may read days and facets if it could read them with a tool. Other runs' files and the instructions of personas are
 * the user's: prompts that other agents were given, in other contexts, are none of a run's business.
 */
export function rightsOf({ agent_id, tools }: Grant): Rights {
  const isUser = agent_id === "commands";
  const files = tools.includes("get_resource");
  return { files, runs: files && isUser, personas: isUser };
}

/** A client may ask for less than its token gives: `?tools=` with packs and names of tools, separated by commas. */
export function narrowedGrant(grant: Grant, asked: string | null, external: Toolbox["packs"]): Grant {
  if (asked === null) return grant;
  const items = asked.split(",").map((item) => item.trim());
  const known = { ...ownersPacks, ...external, ...packs };
  const names = new Set(items.flatMap((item) => (Object.hasOwn(known, item) ? (known[item] ?? []) : [item])));
  return { ...grant, tools: grant.tools.filter((name) => names.has(name)) };
}
