/** `cortex thread`: a team's threads: list, show, rename, post, cancel, retry, save, fork, resolve, tail, bind to a group. */
import { readEnvironment } from "../../../proc/programs/environment.ts";
import { type Command, parseCommandLine, unknownName, usageError } from "../../command/command.ts";
import { bindAction, listBindings, unbindAction } from "../../workspace/binding-actions.ts";
import { endAction, forkAction, resolveAction } from "../../workspace/fork-actions.ts";
import { saveAction } from "../../workspace/file-actions.ts";
import { postAction } from "../../workspace/post-action.ts";
import { listThreads, renameThread, setBrief, showThread } from "../../workspace/show-actions.ts";
import { tailAction } from "../../workspace/tail-action.ts";
import { cancelAction, listTasks, retryAction } from "../../workspace/task-actions.ts";
import { chosenWorkspace, explained, openLink } from "../../workspace/lookup/workspace-link.ts";

const help = `
Usage: cortex thread list [-n COUNT] [--json]
       cortex thread show THREAD [--fork FORK] [-n COUNT] [--json]
       cortex thread post THREAD [TEXT | -] [--attach FILE]… [--wait] [--json]
       cortex thread post --new TITLE [TEXT | -] …
       cortex thread post --fork FORK [TEXT | -] …
       cortex thread rename THREAD TITLE [--json]
       cortex thread brief THREAD [on | off] [--json]
       cortex thread tasks THREAD [-n COUNT] [--json]
       cortex thread cancel TASK [--json]
       cortex thread retry TASK [--json]
       cortex thread save THREAD FILE [PATH | -] [--json]
       cortex thread fork THREAD DESCRIPTION [--at MESSAGE] [--json]
       cortex thread resolve FORK [--by AGENT] [--post | --text TEXT] [--json]
       cortex thread reopen FORK [--json]
       cortex thread abandon FORK [--json]
       cortex thread tail [THREAD] [-n COUNT] [--from EVENT] [--json]
       cortex thread bind THREAD CHANNEL [--json]
       cortex thread bindings [--json]
       cortex thread unbind BINDING [--json]

  list      the threads of the workspace, the newest first
  show      the last messages of a thread, or of a fork, and its forks
  post      say something; each @agent in it is asked. The text may come on standard input
  rename    give a thread another title
  brief     whether agents are asked to be brief there: show it, or set it
  tasks     the answers that agents were asked for in a thread and its forks, the newest first
  cancel    stop an answer that is queued or under way; what was said of it stays
  retry     ask for an answer again, with the agent as it is now; its task is a new one
  save      write a file of a thread, the newest of that name, to PATH (its name) or standard output
  fork      take a side question away from a message (default: the last one)
  resolve   draft the conclusion of a fork and show it; --post posts the draft, --text your own words,
            --by has another agent draft it than the one that the workspace's settings name
  reopen    go on in a fork that was resolved or abandoned
  abandon   end a fork without a conclusion
  tail      follow a thread, or all of them: answers as they grow. Goes on after a restart of cortex
  bind      bind a thread to a group of a channel, such as telegram: prints what is to be said in the group
  bindings  the groups that are bound; unbind ends one

  THREAD is an id, the beginning or the end of one, or a title; FORK, TASK and MESSAGE are ids or parts of one.
  --wait             wait for the answers: on stdout, how it goes on stderr
  --attach FILE      with a file; may be given several times
  -n, --count COUNT  how many: threads, tasks or messages (50), of tail those that stand above (10)
  --from EVENT       of tail: everything behind the event with that number; 0 for all
  --workspace NAME   another workspace than the oldest, by its name or id

On another machine, or as somebody else: CORTEX_WEB_URL and CORTEX_WEB_TOKEN.
Exit codes: 0 done, 1 an answer or a draft failed, 2 usage, 3 refused, 69 nothing runs here, 130 stopped.
`;

const flag = { type: "boolean" } as const;
const text = { type: "string" } as const;
const options = {
  json: flag,
  workspace: text,
  fork: text,
  new: text,
  at: text,
  text,
  by: text,
  post: flag,
  wait: flag,
  from: text,
  attach: { type: "string", multiple: true },
  count: { type: "string", short: "n" },
} as const;

/** How many words each action takes behind its name, and the options that are its own. */
const actions: Record<string, { words: number; own: readonly (keyof typeof options)[] }> = {
  list: { words: 0, own: ["count"] },
  show: { words: 1, own: ["fork", "count"] },
  post: { words: 2, own: ["fork", "new", "wait", "attach"] },
  rename: { words: 2, own: [] },
  brief: { words: 2, own: [] },
  tasks: { words: 1, own: ["count"] },
  cancel: { words: 1, own: [] },
  retry: { words: 1, own: [] },
  save: { words: 3, own: [] },
  fork: { words: 2, own: ["at"] },
  resolve: { words: 1, own: ["post", "text", "by"] },
  reopen: { words: 1, own: [] },
  abandon: { words: 1, own: [] },
  tail: { words: 1, own: ["count", "from"] },
  bind: { words: 2, own: [] },
  bindings: { words: 0, own: [] },
  unbind: { words: 1, own: [] },
};
const everywhere: readonly string[] = ["json", "workspace"];

export const command: Command = {
  help,
  run: async (args) => {
    const { values, positionals } = parseCommandLine(args, options, "cortex thread");
    const [action = "", ...rest] = positionals;
    if (!Object.hasOwn(actions, action)) throw unknownName("action", action, Object.keys(actions), "cortex thread");
    requireFitting(action, rest, Object.keys(values));
    const { json = false, workspace, fork, new: title } = values;
    const link = openLink(readEnvironment());
    const workspaceId = async () => (await chosenWorkspace(link, workspace)).id;
    const count = (usual: number) => numberOf("-n", values.count, 1) ?? usual;
    const [given] = rest;
    return explained(async () => {
      switch (action) {
        case "list":
          return listThreads(link, await workspaceId(), { count: count(50), json });
        case "show":
          if (given === undefined && fork === undefined)
            throw usageError("THREAD is missing", "ids: cortex thread list");
          return showThread(link, workspaceId, given, { fork, count: count(50), json });
        case "post": {
          const { attach = [], wait: isWaiting = false } = values;
          return postAction(link, workspaceId, rest, { title, fork, attach, isWaiting, json });
        }
        case "rename":
          return renameThread(link, workspaceId, rest, json);
        case "brief":
          return setBrief(link, workspaceId, rest, json);
        case "tasks":
          return listTasks(link, workspaceId, given, { count: count(50), json });
        case "cancel":
          return cancelAction(link, workspaceId, given, json);
        case "retry":
          return retryAction(link, workspaceId, given, json);
        case "save":
          return saveAction(link, workspaceId, rest, json);
        case "fork":
          return forkAction(link, workspaceId, rest, { at: values.at, json });
        case "resolve":
          return resolveAction(link, workspaceId, given, {
            text: values.text,
            isPosted: values.post ?? false,
            by: values.by,
            json,
          });
        case "tail": {
          const from = numberOf("--from", values.from, 0);
          return tailAction(link, workspaceId, given, { count: count(10), from, json });
        }
        case "bind":
          return bindAction(link, workspaceId, rest, json);
        case "bindings":
          return listBindings(link, workspaceId, json);
        case "unbind":
          return unbindAction(link, workspaceId, given, json);
        default:
          return endAction(link, workspaceId, action === "reopen" ? "reopen" : "abandon", given, json);
      }
    });
  },
};

/** @throws CommandError for a word too many, or an option that another action has */
function requireFitting(action: string, words: readonly string[], given: readonly string[]): void {
  const { words: most, own } = actions[action] ?? { words: 0, own: [] };
  const more = words.slice(most);
  const hint = "see: cortex thread --help";
  if (more.length > 0) throw usageError(`unexpected "${more.join(" ")}": a text is put in quotes`, hint);
  const foreign = given.find((name) => !everywhere.includes(name) && !(own as readonly string[]).includes(name));
  if (foreign !== undefined) throw usageError(`--${foreign} is not an option of cortex thread ${action}`, hint);
}

function numberOf(option: string, given: string | undefined, least: number): number | undefined {
  if (given === undefined) return undefined;
  const value = Number(given);
  if (!Number.isSafeInteger(value) || value < least || given.trim() === "")
    throw usageError(`${option} "${given}": expected a whole number from ${least}`, `for example: ${option} 20`);
  return value;
}
