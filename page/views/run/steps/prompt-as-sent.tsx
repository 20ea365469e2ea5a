/** The first messages sent to the run's model: instructions, what was said before, the prompt. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { answered, type ApiRecord, client } from "../../../api/client.ts";
import { Loading } from "../../../parts/loading/loading.tsx";
import { LongText } from "../../../parts/content/result.tsx";
import { countOf } from "../../../words/amounts/money.ts";
import { firstLine } from "../../../words/names/names.ts";
import { asJson } from "../../../words/text/values.ts";
import type { RunPage } from "../selection/run-page.ts";

type Sent = ApiRecord<"RunPrompt">;
type Message = Sent["messages"][number];

export function PromptAsSent({ page }: { page: RunPage }) {
  const sent = useSignal<Sent | null>(null);
  const problem = useSignal<unknown>(null);
  const { id } = page.store;
  useEffect(() => {
    answered(client.GET("/api/v1/runs/{id}/prompt", { params: { path: { id } } })).then(
      (answer) => (sent.value = answer),
      (error: unknown) => (problem.value = error),
    );
  }, [id]);
  if (sent.value === null) return <Loading isThere={false} error={problem.value} rows={6} />;
  const { instruction, context, origin, messages, is_whole: isWhole, prompt } = sent.value;
  return (
    <>
      <h3 class="sent">Instructions</h3>
      {origin !== "sent" && <p class="ink-3">{originWords[origin]}</p>}
      <LongText text={instruction ?? ""} label="Instructions" />
      {context !== null && <LongText text={context} label="What it is about" />}
      {messages.length > 0 && <h3 class="sent">{countOf(messages.length, "message")} before it</h3>}
      {!isWhole && <p class="ink-3">Older ones aren't shown here.</p>}
      {messages.map((message, index) => (
        <details key={index} class="reasoning">
          <summary>
            {speakers[message.role] ?? firstLine(message.role)}: <bdi class="ink-3">{beginningOf(message)}</bdi>
          </summary>
          <LongText text={wordsOf(message)} label={`Message ${index + 1}`} />
        </details>
      ))}
      <h3 class="sent">Prompt</h3>
      <LongText text={prompt} label="Prompt" />
    </>
  );
}

const originWords = {
  rebuilt: "As they would be now. What was really sent wasn't noted on this machine.",
  unknown: "They aren't known: what was sent wasn't noted on this machine, and its persona is gone.",
};

const speakers: Record<string, string> = { user: "Said", assistant: "Answered", tool: "A tool gave" };

const shownOfMessage = 120;
const beginningOf = (message: Message) =>
  firstLine(
    wordsOf(message)
      .slice(0, 2 * shownOfMessage)
      .replace(/\s+/g, " ")
      .slice(0, shownOfMessage),
  );

function wordsOf({ text, calls, result }: Message): string {
  return [text ?? "", ...(calls ?? []).map((call) => asJson(call)), result === undefined ? "" : asJson(result)]
    .filter((part) => part !== "")
    .join("\n\n");
}
