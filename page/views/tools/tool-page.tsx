/** A tool: what it does, a form to call it, and what it gave back. */
import { useSignal } from "@preact/signals";
import { answered, type ApiRecord, client } from "../../api/client.ts";
import { Button } from "../../parts/buttons/button.tsx";
import { LongText, Result } from "../../parts/content/result.tsx";
import { SchemaForm } from "../../parts/forms/schema-form.tsx";
import { draftOf } from "../../stores/browser/drafts.ts";
import { tookOf } from "../../words/amounts/durations.ts";
import { valuesOf } from "../../words/forms/schema-fields.ts";
import { toolCommand } from "../../words/runs/tool-command.ts";
import { packName } from "./tool-groups.ts";
import "./tools.css";

type Tool = ApiRecord<"Tool">;
type Called = { isError: boolean; text: string; structured: Record<string, unknown> | null; tookMs: number };

export function ToolPage({ tool }: { tool: Tool }) {
  const draft = draftOf(`tool ${tool.name}`);
  const args = parsed(draft.value);
  const wrong = useSignal<readonly string[]>([]);
  const called = useSignal<Called | null>(null);
  const call = async () => {
    const from = performance.now();
    const { is_error, text, structured } = await answered(
      client.POST("/api/v1/tools/call", { body: { name: tool.name, arguments: args } }),
    );
    called.value = { isError: is_error, text, structured, tookMs: performance.now() - from };
  };
  return (
    <section class="tool-page" aria-label={tool.name}>
      <header class="thead">
        <h1>
          <code>{tool.name}</code>
        </h1>
        <span class="ink-3">
          {packName(tool)}, {tool.reads_only ? "reads only" : "may change things"}
        </span>
      </header>
      <div class="scroll">
        <p class="about">{tool.description}</p>
        <form
          onSubmit={(event) => {
            event.preventDefault();
          }}
        >
          <SchemaForm
            schema={tool.schema}
            value={args}
            isDescribed
            onChange={(value) => {
              draft.value = Object.keys(value).length === 0 ? "" : JSON.stringify(value);
            }}
            onWrong={(path, problem) => {
              const others = wrong.value.filter((one) => one !== path);
              wrong.value = problem === null ? others : [...others, path];
            }}
          />
          <p class="btns call">
            <Button kind="primary" keyName="T" busyText="Calling" isOff={wrong.value.length > 0} onPress={call}>
              Call it <kbd aria-hidden="true">T</kbd>
            </Button>
            {draft.value !== "" && (
              <Button kind="quiet" onPress={() => (draft.value = "")}>
                Empty the form
              </Button>
            )}
          </p>
        </form>
        <pre class="out" aria-label="The same as a command">
          {toolCommand(tool.name, args)}
        </pre>
        {called.value !== null && <Answer called={called.value} />}
      </div>
    </section>
  );
}

function Answer({ called: { isError, text, structured, tookMs } }: { called: Called }) {
  return (
    <section aria-label="Result" class="tool-result">
      <div class="sec">
        <h2>{isError ? <span class="t-failed">It failed</span> : "Result"}</h2>
        <span class="to">{tookOf(tookMs)}</span>
      </div>
      <div role="status" class="off">
        {isError ? "The call failed" : "The call is done"}
      </div>
      {isError || structured === null ? <LongText text={text || "Nothing came back."} label="Answer" /> : null}
      {!isError && structured !== null && (
        <>
          <Result value={structured} parts={null} />
          <details>
            <summary>What a model reads of it</summary>
            <LongText text={text} label="What a model reads of it" />
          </details>
        </>
      )}
    </section>
  );
}

function parsed(text: string): Record<string, unknown> {
  if (text === "") return {};
  try {
    return valuesOf(JSON.parse(text));
  } catch {
    return {};
  }
}
