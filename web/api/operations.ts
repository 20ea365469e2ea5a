/** The table of all operations of the API. */
import { agents } from "./operations/workspace/agents.ts";
import { approvals } from "./operations/workspace/approvals.ts";
import { attachments } from "./operations/workspace/attachments.ts";
import { bindings } from "./operations/workspace/bindings.ts";
import { changes } from "./operations/journal/changes.ts";
import { companions } from "./operations/journal/companions.ts";
import { decisions } from "./operations/machine/decisions.ts";
import { events } from "./operations/machine/events.ts";
import { forks } from "./operations/workspace/forks.ts";
import { journal } from "./operations/journal/journal.ts";
import { logs } from "./operations/machine/logs.ts";
import { machine } from "./operations/machine/machine.ts";
import { memory } from "./operations/journal/memory.ts";
import { notifications } from "./operations/workspace/notifications.ts";
import { people } from "./operations/people/people.ts";
import { personas } from "./operations/journal/personas.ts";
import { push } from "./operations/people/push.ts";
import { runs } from "./operations/machine/runs.ts";
import { schedule } from "./operations/journal/schedule.ts";
import { settings } from "./operations/journal/settings.ts";
import { tasks } from "./operations/workspace/tasks.ts";
import { tokens } from "./operations/people/tokens.ts";
import { tools } from "./operations/journal/tools.ts";
import { threads } from "./operations/workspace/threads.ts";
import { workspaces } from "./operations/workspace/workspaces.ts";
import type { Operation } from "./table/operation.ts";

export const operations: readonly Operation[] = [
  ...people,
  ...workspaces,
  ...tokens,
  ...agents,
  ...threads,
  ...attachments,
  ...forks,
  ...tasks,
  ...approvals,
  ...notifications,
  ...bindings,
  ...events,
  ...runs,
  ...decisions,
  ...machine,
  ...schedule,
  ...personas,
  ...changes,
  ...settings,
  ...logs,
  ...companions,
  ...memory,
  ...journal,
  ...tools,
  ...push,
];
