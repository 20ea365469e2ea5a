/** Whether a task may begin now: asked in the change that would begin it. Each rule stands by itself. */
import type { AnswerSettings } from "../../../protocol/settings/workspace-settings.ts";
import { admitCost } from "../../budgets/admit-cost.ts";
import { budgetDay } from "../../budgets/budget-day.ts";
import type { WorkspaceChange } from "../../database/changes/change.ts";
import type { TaskTable } from "../../database/tables/tables.ts";
import type { AgentConfig } from "../../records/agent.ts";
import { backendProblem } from "../../records/usable-backend.ts";
import { backendUnseen, nothingToBeginOn, notActive, waitsForPerson, wasRemoved } from "../outcome/failure-words.ts";
import { answersInARow } from "./answers-in-a-row.ts";

export type Admission =
  /** `maxCostUsd`: what it may cost at most; null: nobody says. */
  | { kind: "begin"; maxCostUsd: number | null }
  /** `words`: said once, where it isn't plain for what it waits. */
  | { kind: "wait"; words?: string }
  /** It fails; `words` say why. `isSaid`: people have read so already. */
  | { kind: "refuse"; words: string; isSaid?: true };

/** `defaultBackend`: of agents that name none. */
type Asked = {
  task: TaskTable;
  config: AgentConfig;
  settings: AnswerSettings;
  defaultBackend: string;
  timeZone: string;
};

/** Null: it may begin, as far as this rule goes. */
type Rule = (change: WorkspaceChange, asked: Asked) => Promise<Admission | null>;

/** The first rule that says something decides. Last, since it sets money aside: the budget. */
export async function admit(change: WorkspaceChange, asked: Asked): Promise<Admission> {
  for (const rule of rules) {
    const admission = await rule(change, asked);
    if (admission) return admission;
  }
  const cost = await admitCost(change, asked.task, budgetDay(change.now, asked.timeZone));
  if (cost.kind === "waits") return { kind: "wait" };
  if (cost.kind === "refused") return { kind: "refuse", words: cost.error, isSaid: true };
  return { kind: "begin", maxCostUsd: cost.maxCostUsd };
}

const rules: Rule[] = [afterAnother, ofActiveAgent, onSeenBackend, withRoom, withinARow];

/** One that begins on another's answer waits for it. */
async function afterAnother({ tables }: WorkspaceChange, { task, config }: Asked): Promise<Admission | null> {
  if (task.after_task_id === null) return null;
  const before = await tables
    .selectFrom("tasks")
    .innerJoin("agent_versions", (join) =>
      join
        .onRef("agent_versions.agent_id", "=", "tasks.agent_id")
        .onRef("agent_versions.version", "=", "tasks.agent_version"),
    )
    .select(["tasks.status", "agent_versions.config_json"])
    .where("tasks.id", "=", task.after_task_id)
    .executeTakeFirst();
  if (before?.status === "completed") return null;
  if (before?.status === "queued" || before?.status === "running") return { kind: "wait" };
  const name = before ? (JSON.parse(before.config_json) as AgentConfig).display_name : "the agent before it";
  return { kind: "refuse", words: nothingToBeginOn(config.display_name, name) };
}

async function ofActiveAgent({ tables }: WorkspaceChange, { task, config }: Asked): Promise<Admission | null> {
  const agent = await tables
    .selectFrom("agents")
    .select(["is_active", "removed_at"])
    .where("id", "=", task.agent_id)
    .executeTakeFirst();
  if (agent?.is_active === 1) return null;
  const words = agent && agent.removed_at !== null ? wasRemoved : notActive;
  return { kind: "refuse", words: words(config.display_name) };
}

/** Refuses a backend whose calls no approval sees: the agent's own, else its persona file's, else the settings'. */
async function onSeenBackend(
  { personaOf }: WorkspaceChange,
  { config, defaultBackend }: Asked,
): Promise<Admission | null> {
  const ofPersona = config.persona === null ? undefined : personaOf(config.persona)?.settings.backend;
  const backend = config.backend ?? ofPersona ?? defaultBackend;
  if (backendProblem(backend) === null) return null;
  return { kind: "refuse", words: backendUnseen(config.display_name, backend) };
}

/** So many at once: of a thread with its forks, and of a workspace. What waits for a person holds up nobody else. */
async function withRoom({ tables }: WorkspaceChange, { task, settings }: Asked): Promise<Admission | null> {
  const running = await tables
    .selectFrom("tasks")
    .select("thread_id")
    .where("is_open", "=", 1)
    .where("workspace_id", "=", task.workspace_id)
    .where("status", "=", "running")
    .where((eb) => {
      const asked = eb.selectFrom("approvals").select("id").whereRef("approvals.task_id", "=", "tasks.id");
      return eb.not(eb.exists(asked.where("is_told", "=", 0).where("approvals.status", "=", "open")));
    })
    .execute();
  const inThread = running.filter(({ thread_id }) => thread_id === task.thread_id).length;
  const hasRoom = inThread < settings.tasks_at_once && running.length < settings.tasks_at_once_in_workspace;
  return hasRoom ? null : { kind: "wait" };
}

/** Answers that begin on each other stop after some, until a person says something. */
async function withinARow({ tables }: WorkspaceChange, { task, config, settings }: Asked): Promise<Admission | null> {
  const most = settings.answers_in_a_row;
  if (task.after_task_id === null || (await answersInARow(tables, task)) < most) return null;
  return { kind: "wait", words: waitsForPerson(config.display_name, most) };
}
