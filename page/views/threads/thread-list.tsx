/** The threads of a workspace: what was said last in each, what is unread, and the forks of the one that is shown. */
import { Button } from "../../parts/buttons/button.tsx";
import { Icon } from "../../parts/buttons/icon.tsx";
import { Mark } from "../../parts/badges/mark.tsx";
import { Loading } from "../../parts/loading/loading.tsx";
import { now } from "../../stores/browser/clock.ts";
import type { ThreadRow } from "../../stores/workspace/thread-rows-store.ts";
import type { ThreadStore } from "../../stores/workspace/thread-store.ts";
import { chooseWorkspace, chosenWorkspace, workspaces } from "../../stores/workspace/workspaces-store.ts";
import { countOf } from "../../words/amounts/money.ts";
import { firstLine } from "../../words/names/names.ts";
import { ageOf } from "../../words/time/times.ts";
import { visible } from "../../words/text/visible-text.ts";
import { agentName, type Team } from "./look/thread-look.ts";
import "./thread-list.css";

type ThreadListProps = {
  team: Team;
  isIndex: boolean;
  shown: ThreadStore | null;
  openFork: string | null;
  onNew: () => void;
  /** Another workspace was chosen. */
  onChoose: () => void;
};

export function ThreadList({ team, isIndex, shown, openFork, onNew, onChoose }: ThreadListProps) {
  const { rows, problem, hasOlder } = team.rows;
  const Title = isIndex ? "h1" : "p";
  return (
    <aside class="talks" aria-label="Threads">
      <header class="head">
        <Title class="talks-title">Threads</Title>
        <div class="do">
          <Button class="icon" label="New thread" onPress={onNew}>
            <Icon name="plus" />
          </Button>
        </div>
      </header>
      <WorkspaceLine team={team} onChoose={onChoose} />
      <Loading
        isThere={rows.value !== null}
        error={problem.value ?? team.team.problem.value}
        onRetry={() => team.rows.read()}
        rows={6}
        lines={2}
      />
      {team.team.isCutOff.value && <p class="cut-off">Not connected: what is shown is of before.</p>}
      <ul class="tlist">
        {rows.value?.map((row) => (
          <ThreadLink
            key={row.thread.id}
            row={row}
            team={team}
            shown={row.thread.id === shown?.id ? shown : null}
            openFork={openFork}
          />
        ))}
      </ul>
      {hasOlder.value && (
        <p class="older">
          <Button kind="quiet" busyText="Reading" onPress={() => team.rows.readOlder()}>
            Older threads
          </Button>
        </p>
      )}
    </aside>
  );
}

function WorkspaceLine({ team: { team }, onChoose }: { team: Team; onChoose: () => void }) {
  const all = workspaces.value ?? [];
  const own = all.find(({ id }) => id === team.id);
  const agents = team.agents.value.filter(({ is_active, slug }) => is_active && !slug.startsWith("_")).length;
  return (
    <div class="ws">
      {all.length > 1 ? (
        <select
          aria-label="Workspace"
          value={chosenWorkspace.value ?? team.id}
          onChange={(event) => {
            chooseWorkspace(event.currentTarget.value);
            onChoose();
          }}
        >
          {all.map(({ id, name }) => (
            <option key={id} value={id}>
              {visible(name)}
            </option>
          ))}
        </select>
      ) : (
        <bdi class="cut">{visible(own?.name ?? "")}</bdi>
      )}
      {team.members.value !== null && (
        <span class="ink-3">
          {countOf(team.members.value.length, "person", "people")}, {countOf(agents, "agent")}
        </span>
      )}
    </div>
  );
}

type ThreadLinkProps = { row: ThreadRow; team: Team; shown: ThreadStore | null; openFork: string | null };

function ThreadLink({ row, team, shown, openFork }: ThreadLinkProps) {
  const { thread, last, forks } = row;
  const unread = team.unread.counts.value.get(thread.id) ?? 0;
  const atWork = shown && [...shown.tasks.value.values()].find(({ status }) => status === "running");
  const isOpen = shown !== null && openFork === null;
  return (
    <li>
      <a
        class="plain"
        href={`/threads/${thread.id}`}
        aria-current={isOpen ? "page" : shown === null ? undefined : "true"}
        data-row
      >
        <span class="t">
          <b class={unread > 0 ? "cut is-unread" : "cut"}>
            <bdi>{visible(thread.title)}</bdi>
            {thread.summary_id !== null && <span class="ink-3 summed"> summed up</span>}
          </b>
          <bdi class="cut">{atWork ? `${agentName(team.team, atWork.agent_id)} is at work` : lastWords(last)}</bdi>
        </span>
        <span class="r">
          <span class="ink-3">{ageOf(Date.parse(last?.created_at ?? thread.created_at), minute())}</span>
          {atWork ? (
            <Mark kind="working" label="Working" />
          ) : (
            unread > 0 && (
              <span class="count new">
                {unread}
                <span class="off"> unread</span>
              </span>
            )
          )}
        </span>
      </a>
      {shown !== null && forks.length > 0 && (
        <ul>
          {forks.map(({ id, description, messages }) => (
            <li key={id}>
              <a
                class="plain f"
                href={`/threads/${thread.id}/${id}`}
                aria-current={openFork === id ? "page" : undefined}
                data-row
              >
                <span class="t">
                  <Icon name="fork" />
                  <bdi class="cut">{visible(description)}</bdi>
                </span>
                <span class="r">
                  <span class="ink-3">{messages}</span>
                </span>
              </a>
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

const minute = () => Math.floor(now.value / 60_000) * 60_000;

function lastWords(last: ThreadRow["last"]): string {
  if (last === null) return "Nothing was said yet";
  const words = visible(firstLine(last.text));
  if (last.metadata.kind === "resolution") return `Resolved: ${words}`;
  const name = visible(last.author_name).split(" ", 1)[0] ?? "";
  return `${last.author_type === "human" ? name : visible(last.author_name)}: ${words === "" ? "…" : words}`;
}
