/** The table of all operations of the API. */
import { agents } from "./operations/agents.ts";
import { approvals } from "./operations/approvals.ts";
import { attachments } from "./operations/attachments.ts";
import { bindings } from "./operations/bindings.ts";
import { changes } from "./operations/changes.ts";
import { companions } from "./operations/companions.ts";
import { decisions } from "./operations/decisions.ts";
import { events } from "./operations/events.ts";
import { forks } from "./operations/forks.ts";
import { journal } from "./operations/journal.ts";
import { logs } from "./operations/logs.ts";
import { machine } from "./operations/machine.ts";
import { memory } from "./operations/memory.ts";
import { notifications } from "./operations/notifications.ts";
import { people } from "./operations/people.ts";
import { personas } from "./operations/personas.ts";
import { push } from "./operations/push.ts";
import { runs } from "./operations/runs.ts";
import { schedule } from "./operations/schedule.ts";
import { settings } from "./operations/settings.ts";
import { tasks } from "./operations/tasks.ts";
import { tokens } from "./operations/tokens.ts";
import { tools } from "./operations/tools.ts";
import { threads } from "./operations/threads.ts";
import { workspaces } from "./operations/workspaces.ts";
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
