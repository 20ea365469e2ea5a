/** Later attempts of a run: what their model is told of what was asked and said before. */
import { expect, test } from "vitest";
import { runScript, testRun } from "../../support/backends/agent-run.ts";
import { end, say, scripted } from "../../support/backends/scripted-provider.ts";

const lost: { name: string; history: unknown[]; hasPrompt: boolean; heard: string | undefined }[] = [
  {
    name: "in a call",
    history: [
      { role: "user", text: "hello" },
      { role: "assistant", calls: [{ call_id: "a", tool: "echo" }] },
    ],
    hasPrompt: true,
    heard: undefined,
  },
  {
    name: "after it spoke",
    history: [
      { role: "user", text: "hello" },
      { role: "assistant", text: "Let me see." },
    ],
    hasPrompt: true,
    heard:
      "(The run was interrupted here. Go on from where you were; give an answer that broke off again, as a whole.)",
  },
  {
    name: "before it said anything to what came meanwhile",
    history: [
      { role: "user", text: "hello" },
      { role: "user", text: "only May" },
    ],
    hasPrompt: true,
    heard: "only May",
  },
  {
    name: "at its beginning",
    history: [{ role: "user", text: "of a run before" }],
    hasPrompt: false,
    heard: "hello",
  },
];
test.each(lost)(
  "a later attempt of a run that was lost $name asks nothing twice",
  async ({ history, hasPrompt, heard }) => {
    const provider = scripted([say("ok"), end]);
    await runScript(testRun({ attempt: 2, history, prompt_in_history: hasPrompt }), provider);
    const messages = provider.calls[0]?.messages ?? [];
    const lastMessage = messages.at(-1);
    if (heard === undefined) expect(lastMessage).toMatchObject({ role: "tool", call_id: "a" });
    else expect(lastMessage).toEqual({ role: "user", text: heard });
    expect(messages.filter(({ text }) => text === "hello")).toHaveLength(1);
  },
);

test("a run that is asked the same as a run before is asked it again, in its first attempt and in a later one", async () => {
  for (const attempt of [1, 2]) {
    const provider = scripted([say("ok"), end]);
    const history = [
      { role: "user", text: "hello" },
      { role: "assistant", text: "Hello." },
    ];
    await runScript(testRun({ attempt, history }), provider);
    expect(provider.calls[0]?.messages.filter(({ text }) => text === "hello")).toHaveLength(2);
  }
});
