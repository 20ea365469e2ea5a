/** The requests to runs: to begin, to hear something, to end. */
import { z } from "zod";
import { AgentId } from "../../../protocol/names/names.ts";
import { Request } from "../../../protocol/runs/request/request.ts";

const { prompt, persona, backend, model, tools, facet, day, save, folder, worktree, attachments } = Request.shape;
const { timeout_seconds, max_cost_usd, continue_from } = Request.shape;

/** Strict: a misspelt field would be ignored without a word. */
export const NewRun = z
  .strictObject({
    prompt,
    persona,
    backend,
    model,
    tools,
    facet,
    day,
    save,
    folder,
    worktree,
    attachments,
    timeout_seconds,
    max_cost_usd,
    continue_from,
  })
  .meta({ id: "NewRun", description: "Fields of a request: docs/protocol.md." });
export type NewRun = z.infer<typeof NewRun>;

export const StartedRun = z.object({ id: AgentId });

const mostText = 100_000;
export const Said = z.strictObject({ text: z.string().trim().min(1).max(mostText) });

export const Continuation = z.strictObject({ prompt, attachments });
export const Again = z.strictObject({ backend, model, persona });
export type Again = z.infer<typeof Again>;
