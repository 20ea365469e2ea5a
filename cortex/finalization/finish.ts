/** The end of a run: its terminal event, and what follows it, each step once: save, handoff, the file's final name. */
import { failpoint } from "../../proc/programs/failpoint.ts";
import type { EventBody } from "../../protocol/runs/event.ts";
import { textField } from "../../protocol/runs/text-field.ts";
import { handOn, saveAsPlanned } from "./hand-on.ts";
import type { RunScope } from "../run-scope/run-scope.ts";

/** Writes the terminal event, without secrets also for what comes of it. What the handoff has to say is said before it. */
export async function endRun(scope: RunScope, said: EventBody): Promise<void> {
  const { writer, budget } = scope;
  const event = writer.shown(said);
  if (event.event === "finish") {
    const notes = await handOnResult(scope, event);
    const lastCaveat = budget.lastCaveat(event);
    for (const message of lastCaveat === null ? notes : [...notes, lastCaveat])
      await scope.writeOwn({ event: "info", message });
  }
  const usage = event["usage"] ?? budget.totals;
  const [written] = await scope.write([usage === null ? event : { ...event, usage }]);
  scope.terminal = written ?? null;
  failpoint("terminal-event-written");
  await scope.revokeTokens();
  failpoint("token-revoked");
}

/** Decides what a finished run hands on whose worker didn't: its notes would come behind the terminal event, where none may stand. */
export async function handOnLate(scope: RunScope): Promise<void> {
  if (scope.terminal?.event === "finish" && !scope.after.has("handoff")) await handOnResult(scope, scope.terminal);
}

function handOnResult(scope: RunScope, finish: EventBody): Promise<string[]> {
  const { budget, record, agentId, plan, context } = scope;
  return handOn(finish, agentId, plan, record.chain_length, budget.left(record, finish), context);
}

/** Saves what a finished run has made, says what it hands on to, and gives its file its final name. */
export async function settleRun(scope: RunScope): Promise<void> {
  const { machine, agentId, context, terminal, plan, after, writer } = scope;
  machine.disarmStepTimer();
  if (!(await context.owner.mayEnd(agentId))) return machine.apply({ type: "fenced" });
  await scope.revokeTokens(); // a cortex before this one may have died behind the terminal event
  if (plan.worktree !== undefined && !after.has("changes")) await tellChanges(scope, plan.worktree);
  if (terminal?.event === "finish") {
    if (plan.save !== undefined && !after.has("saved") && !after.has("save_failed"))
      await save(scope, textField(terminal, "result"));
    const child = context.files.child(agentId);
    if (child && !after.has("handoff")) await scope.writeOwn({ event: "handoff", to: String(child.request.ts) });
    failpoint("handoff-written");
  }
  await writer.close();
  failpoint("file-committed");
  await machine.apply({ type: "settled" });
}

/** Tells the changes of a worktree, whatever its run's end was, when nothing of the run writes there any more. */
async function tellChanges(scope: RunScope, worktree: string): Promise<void> {
  await scope.context.files.commandsEnded(scope.agentId);
  const event = await scope.context.files.takeChanges(worktree, scope.agentId);
  failpoint("changes-taken");
  if (event) await scope.writeOwn(event);
}

async function save(scope: RunScope, result: string): Promise<void> {
  const event = await saveAsPlanned(scope.context, scope.agentId, scope.plan, result);
  failpoint("saved");
  await scope.writeOwn(event);
  failpoint("save-written");
}
