/** The request that a run which has finished hands on to its child, or why there is none. Pure. */
import { z } from "zod";
import { isRecord } from "../../protocol/json/json-object.ts";
import { narrowedNetwork } from "../../protocol/runs/request/network.ts";
import { strictestSandbox } from "../../protocol/runs/request/sandbox-mode.ts";
import { type Handoff, Limits, type Request } from "../../protocol/runs/request/request.ts";
import type { TreeLimits } from "../../protocol/runs/request/grant.ts";
import type { Persona } from "../../protocol/settings/persona.ts";
import type { EventBody } from "../../protocol/runs/event.ts";
import { maxChain } from "./chain.ts";

/** The fields of a handoff that an agent itself may set. Everything else is for people to decide. */
const AgentHandoff = z.object({
  persona: z.string().min(1).optional(),
  prompt: z.string().optional(),
  backend: z.string().min(1).optional(),
  model: z.string().min(1).optional(),
  save: z.string().min(1).optional(),
  day: z.string().min(1).optional(),
  facet: z.string().min(1).optional(),
});

/** The fields that a child doesn't have from its parent, when neither its handoff nor its persona says otherwise. */
const notInherited = new Set([
  "event",
  "ts",
  "agent_id",
  "prompt",
  "persona",
  "backend",
  "model",
  "save",
  "handoff",
  "handoff_from",
  "continue_from",
  "conversation",
  "attempt",
  "history",
  "instruction",
  "agent",
  "agent_history",
  "schedule",
  "again_of",
  "extra_context",
  "mcp_token",
  ...Object.keys(Limits.shape),
]);

export type Parent = {
  agentId: string;
  /** The parent's merged fields: what its request and persona came to. */
  resolved: Record<string, unknown> &
    Pick<Handoff, "sandbox" | "network"> &
    Pick<Request, "trust"> & { persona: string; backend: string; model?: string | undefined };
  /** How many runs the chain has, the parent included. */
  chainLength: number;
  /** The limits of the parent that hold for the whole tree, as far as they are left. */
  left: TreeLimits;
};

export type HandoffDecision = { child: Omit<Request, "ts"> | null; notes: string[] };

/** Decides on the handoff of a `finish` event: its own wins over the request's, which has won over the persona's. */
export function decideHandoff(
  finish: EventBody,
  planned: Handoff | undefined,
  parent: Parent,
  personaOf: (name: string) => Persona | undefined,
): HandoffDecision {
  const notes: string[] = [];
  const handoff = isRecord(finish["handoff"]) ? byAgent(finish["handoff"], notes) : planned;
  if (!handoff) return { child: null, notes };
  const result = typeof finish["result"] === "string" ? finish["result"] : "";
  const prompt = handoff.prompt?.trim() ? handoff.prompt : result;
  if (prompt.trim() === "") return { child: null, notes: [...notes, "no handoff: the result is empty"] };
  if (parent.chainLength >= maxChain)
    return {
      child: null,
      notes: [...notes, `no handoff: the chain is ${parent.chainLength} runs long, which is the most`],
    };
  const used = Object.entries(parent.left).find(([, value]) => value === 0)?.[0];
  if (used !== undefined) return { child: null, notes: [...notes, `no handoff: ${used} is exhausted`] };
  return { child: childRequest(handoff, prompt, parent, personaOf), notes };
}

function byAgent(written: Record<string, unknown>, notes: string[]): Handoff | undefined {
  const ignored = Object.keys(written).filter((key) => !(key in AgentHandoff.shape) && written[key] !== null);
  if (ignored.length > 0) notes.push(`an agent's handoff may not set ${ignored.join(", ")}: left out`);
  const present = Object.entries(written).filter(([, value]) => value !== null);
  const parsed = AgentHandoff.safeParse(Object.fromEntries(present));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  notes.push(`no handoff: ${issue?.path.join(".")}: ${issue?.message}`);
  return undefined;
}

function childRequest(
  handoff: Handoff,
  prompt: string,
  parent: Parent,
  personaOf: (name: string) => Persona | undefined,
): Omit<Request, "ts"> {
  const persona = handoff.persona ?? "default";
  const settings: Record<string, unknown> = personaOf(persona)?.settings ?? {};
  const { resolved } = parent;
  // A worktree is one of a folder.
  const isOther = (key: string) => key === "worktree" && settings["folder"] !== undefined;
  const inherited = Object.entries(resolved).filter(
    ([key, value]) => !notInherited.has(key) && value !== undefined && settings[key] === undefined && !isOther(key),
  );
  const ownBackend = handoff.backend ?? (settings["backend"] as string | undefined);
  const backend = ownBackend ?? resolved.backend;
  const hasOwnModel = handoff.model !== undefined || settings["model"] !== undefined;
  return {
    ...Object.fromEntries(inherited),
    ...handoff,
    ...(ownBackend === undefined || handoff.backend !== undefined ? { backend } : {}),
    ...(!hasOwnModel && backend === resolved.backend && resolved.model !== undefined ? { model: resolved.model } : {}),
    ...lowerLimits(handoff, settings, parent),
    ...tighterWall(handoff, resolved),
    ...(resolved.trust && { trust: resolved.trust }),
    persona,
    prompt,
    handoff_from: parent.agentId,
  };
}

/** Along a chain no wall gets wider. What the persona says is added when the child is planned. */
function tighterWall(handoff: Handoff, { sandbox, network }: Parent["resolved"]): Pick<Handoff, "sandbox" | "network"> {
  return {
    ...(sandbox && { sandbox: strictestSandbox(sandbox, handoff.sandbox) }),
    ...(network && { network: narrowedNetwork(network, handoff.network).allowed }),
  };
}

/** Along a chain no limit rises, and what was spent is gone. */
function lowerLimits(handoff: Handoff, settings: Record<string, unknown>, parent: Parent): Partial<Limits> {
  const limits: Record<string, number> = {};
  for (const key of Object.keys(Limits.shape)) {
    const own = (handoff as Record<string, unknown>)[key] ?? settings[key];
    const above = (parent.left as Record<string, unknown>)[key] ?? parent.resolved[key];
    const numbers = [own, above].filter((value) => typeof value === "number");
    if (numbers.length > 0) limits[key] = Math.min(...numbers);
  }
  return limits;
}
