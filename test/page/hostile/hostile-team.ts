/** Hostile texts in everything that people and agents say in a workspace: its names, threads, forks, files and questions. */
import { type HostileKind, sendable } from "./corpus.ts";

/** Asks the API as a program of the owner does. */
export type Call = <Answer>(method: string, path: string, body?: unknown, token?: string) => Promise<Answer>;

export type HostileThread = { thread: string; fork: string };

type Made = { id: string };
type Said = { message: { id: string }; tasks: Made[] };

const longestMessage = 1_000_000;

/** Makes a workspace with a thread for each kind. @param store puts a file into a workspace, and returns what it is known by */
export async function tellTeam(
  call: Call,
  store: (workspace: string, name: string) => Promise<Made>,
  kinds: readonly HostileKind[],
): Promise<{ threads: HostileThread[]; tasks: string[] }> {
  const { id: workspace } = await call<Made>("POST", "/workspaces", { name: kinds[0]?.name });
  const threads: HostileThread[] = [];
  const tasks: string[] = [];
  for (const { sign, name, text } of kinds) {
    const said = sendable(text, longestMessage);
    const { token } = await call<{ token: string }>("POST", `/workspaces/${workspace}/members`, {
      name,
      role: "member",
    });
    await call("POST", `/workspaces/${workspace}/agents`, {
      slug: sign,
      name: sendable(name, 100),
      display_name: sendable(name, 100),
      description: sendable(text, 1000),
      system_prompt: "You are odd.",
      tools: [],
      capabilities: [sendable(name, 100)],
    });
    const { id: thread } = await call<Made>("POST", `/workspaces/${workspace}/threads`, { title: name });
    const file = await store(workspace, name);
    const first = { text: said, attachments: [{ id: file.id, name }] };
    const { message } = await call<Said>("POST", `/threads/${thread}/messages`, first, token);
    const asked = await call<Said>("POST", `/threads/${thread}/messages`, { text: `@${sign} ${name}` }, token);
    tasks.push(...asked.tasks.map(({ id }) => id));
    const { id: fork } = await call<Made>("POST", `/threads/${thread}/forks`, {
      message_id: message.id,
      description: sendable(text, 2000),
    });
    await call("POST", `/forks/${fork}/messages`, { text: said }, token);
    const resolved = await call<Made>("POST", `/threads/${thread}/forks`, {
      message_id: message.id,
      description: sendable(`${name} ${text}`, 2000),
    });
    await call("POST", `/forks/${resolved.id}/resolution`, { text: sendable(text, 100_000) }, token).catch(() => null);
    threads.push({ thread, fork });
  }
  return { threads, tasks };
}
