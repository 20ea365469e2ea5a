/** The prompt of the model, as it stands in the fields. */
import { answered, client } from "../../api/client.ts";
import { useAnswer } from "../../parts/loading/use-answer.ts";
import type { PersonaEdit } from "../../stores/editing/persona-edit.ts";
import { changedLines } from "../../words/diff/changed-lines.ts";
import { countOf, digits } from "../../words/amounts/money.ts";
import { shownLine } from "../../words/names/names.ts";
import { visible } from "../../words/text/visible-text.ts";
import { aboutTokens } from "../../words/drafts/agent-text.ts";
import type { PersonaPreview } from "./use-preview.ts";

const mostTools = 8;

export function Preview({ edit, preview }: { edit: PersonaEdit; preview: PersonaPreview | null }) {
  const { mine, base, name, server } = edit;
  const path = { params: { path: { id: name } } };
  const { data } = useAnswer(`prompt ${name} ${server.value?.version}`, (signal) =>
    answered(client.GET("/api/v1/personas/{id}/prompt", { ...path, signal })),
  );
  const { instruction } = mine.value;
  const companion = data.value?.companion ?? null;
  const tools = preview?.tools ?? [];
  const count = preview && tools.length;
  return (
    <>
      <div class="sec">
        <h2>What the model is told</h2>
        <span class="to">about {countOf(aboutTokens(instruction), "token")} and its tools</span>
      </div>
      <dl class="comp">
        <div>
          <dt>
            Persona <span>{digits(aboutTokens(instruction))}</span>
          </dt>
          <dd>
            <div class="told" tabIndex={0} role="group" aria-label="Its text">
              <ToldText before={base.value.instruction} after={instruction} />
            </div>
          </dd>
        </div>
        <div>
          <dt>
            Tools <span>{count !== null && digits(count)}</span>
          </dt>
          <dd>
            {count === 0 && <span class="ink-3">none</span>}
            {tools.slice(0, mostTools).map((tool) => (
              <span key={tool}>
                <a class="plain" href={`/agents/tools/${encodeURIComponent(tool)}`}>
                  <code>{tool}</code>
                </a>{" "}
              </span>
            ))}
            {tools.length > mostTools && (
              <details>
                <summary>and {tools.length - mostTools} more</summary>
                {tools.slice(mostTools).map((tool) => (
                  <span key={tool}>
                    <a class="plain" href={`/agents/tools/${encodeURIComponent(tool)}`}>
                      <code>{tool}</code>
                    </a>{" "}
                  </span>
                ))}
              </details>
            )}
            {preview !== null && preview.unknown_tools.length > 0 && (
              <p class="t-failed small">Nothing is called {shownLine(preview.unknown_tools.join(", "))}.</p>
            )}
          </dd>
        </div>
        {companion !== null && (
          <div>
            <dt>
              As an agent <span>{digits(aboutTokens(companion.owner))}</span>
            </dt>
            <dd>
              <AgentPrompt title="To you" text={companion.owner} />
              <AgentPrompt title="To a stranger" text={companion.stranger} />
              <AgentPrompt title="As a sub-agent" text={companion.task} />
              <p class="ink-3 small">As it was when the program “agents” started.</p>
            </dd>
          </div>
        )}
      </dl>
    </>
  );
}

function AgentPrompt({ title, text }: { title: string; text: string }) {
  return (
    <details>
      <summary>
        {title} <span class="ink-3">about {countOf(aboutTokens(text), "token")}</span>
      </summary>
      <pre class="out" tabIndex={0} role="group" aria-label={title}>
        {visible(text)}
      </pre>
    </details>
  );
}

/** The text with its new lines marked. */
function ToldText({ before, after }: { before: string; after: string }) {
  if (after.trim() === "") return <span class="ink-3">nothing</span>;
  const lines = after.replace(/\n$/, "").split("\n");
  const { from, to } = changedLines(before, after);
  const shown = (first: number, end?: number) => visible(lines.slice(first, end).join("\n"));
  return (
    <>
      {shown(0, from - 1)}
      {from > 1 && "\n"}
      {to >= from && <ins>{shown(from - 1, to)}</ins>}
      {to >= from && to < lines.length && "\n"}
      {shown(Math.max(to, from - 1))}
    </>
  );
}
