/** A long-lived agent: how it is, what waits for it, and what can be done with it. Its conversation is in Chat. */
import { useEffect } from "preact/hooks";
import { answered, client } from "../../api/client.ts";
import { onMachineEvent } from "../../live/machine-events.ts";
import { Button } from "../../parts/buttons/button.tsx";
import { Mark } from "../../parts/badges/mark.tsx";
import { Loading } from "../../parts/loading/loading.tsx";
import { useAnswer } from "../../parts/loading/use-answer.ts";
import { ValueTable } from "../../parts/content/value-table.tsx";
import { now } from "../../stores/browser/clock.ts";
import { countOf, digits } from "../../words/amounts/money.ts";
import { chatAddress, personaAddress } from "../../words/navigation/addresses.ts";
import { firstLine, shownLine } from "../../words/names/names.ts";
import { whenOf } from "../../words/time/times.ts";

const states = {
  working: { mark: "working", word: "Works" },
  waiting: { mark: "waits", word: "Has messages that wait" },
  idle: { mark: "done", word: "Has nothing to do" },
} as const;

export function LiveAgent({ id }: { id: string }) {
  const path = { params: { path: { id } } };
  const shown = useAnswer(id, (signal) => answered(client.GET("/api/v1/companions/{id}", { ...path, signal })));
  const queue = useAnswer(id, (signal) => answered(client.GET("/api/v1/companions/{id}/queue", { ...path, signal })));
  const tasks = useAnswer(id, (signal) => answered(client.GET("/api/v1/companions/{id}/tasks", { ...path, signal })));
  const read = async () => {
    await Promise.all([shown.read(), queue.read(), tasks.read()]);
  };
  useEffect(() => {
    const ends = [onMachineEvent("agent.changed", () => void read()), onMachineEvent("reset", () => void read())];
    return () => ends.forEach((end) => end());
  }, [id]);
  const agent = shown.data.value?.companion;
  if (agent === undefined)
    return (
      <>
        <h1 class="off">Agent</h1>
        <Loading isThere={false} error={shown.problem.value} onRetry={read} rows={6} />
      </>
    );
  const { mark, word } = states[agent.state];
  const act = async (asked: Promise<unknown>) => {
    await asked;
    await read();
  };
  const acts = {
    stop: () => act(answered(client.POST("/api/v1/companions/{id}/stop", path))),
    compact: () => act(answered(client.POST("/api/v1/companions/{id}/compact", path))),
    reset: () => act(answered(client.POST("/api/v1/companions/{id}/reset", path))),
  };
  const waiting = queue.data.value?.items ?? [];
  const sent = tasks.data.value?.items ?? [];
  const named = shown.data.value?.descriptor["persona"];
  const persona = typeof named === "string" ? named : "main";
  return (
    <section class="live-agent" aria-label={agent.name}>
      <header class="thead">
        <h1>
          <bdi>{shownLine(agent.name)}</bdi>
        </h1>
        <span class="ink-3">agent</span>
      </header>
      <div class="scroll">
        <p class="btns">
          <Mark kind={mark} />
          <span>
            {word}
            {agent.run_id !== undefined && (
              <>
                : <a href={`/runs/${agent.run_id}`}>its turn</a>
              </>
            )}
          </span>
          <span class="gap" />
          <a class="btn outline" href={chatAddress(id)}>
            Talk with it
          </a>
          <a class="btn outline" href={personaAddress(persona)}>
            Change what it is told
          </a>
          {agent.state === "working" && (
            <Button keyName="X" busyText="Stopping" onPress={acts.stop}>
              Stop <kbd aria-hidden="true">X</kbd>
            </Button>
          )}
          <Button kind="quiet" busyText="Summing up" onPress={acts.compact}>
            Replace its conversation by a summary
          </Button>
          <Button kind="quiet" class="danger" busyText="Beginning" onPress={acts.reset}>
            Begin anew
          </Button>
        </p>
        <ValueTable
          value={{
            Persona: persona,
            Model: agent.model ?? agent.backend ?? "by the settings",
            ...(agent.title && { Conversation: agent.title }),
            ...(agent.messages !== undefined && { Said: countOf(agent.messages, "message") }),
            Remembers: `${digits(agent.context_tokens)} of ${countOf(agent.context_window, "token")}`,
            "Made on": whenOf(agent.created, now.value),
            "Heard last": whenOf(agent.updated, now.value),
          }}
        />
        <div class="sec">
          <h2>What waits for it</h2>
          <span class="to">{countOf(waiting.length, "message")}</span>
        </div>
        <ul class="plain-rows">
          {waiting.length === 0 && <li class="ink-3">Nothing waits.</li>}
          {waiting.map((item) => (
            <li key={item.id}>
              <bdi class="cut">{firstLine(item.text)}</bdi>
              <span class="ink-3 small">{whenOf(item.ts, now.value)}</span>
            </li>
          ))}
        </ul>
        <div class="sec">
          <h2>Whom it has sent off</h2>
          <span class="to">{countOf(sent.length, "task")}</span>
        </div>
        <ul class="plain-rows">
          {sent.length === 0 && <li class="ink-3">Nobody today.</li>}
          {sent.map((task) => (
            <li key={task.taskId}>
              <bdi class="cut">{firstLine(task.description)}</bdi>
              <span class="ink-3 small">
                {task.type}, {task.status}
              </span>
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}
