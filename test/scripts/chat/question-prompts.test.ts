/** Questions at a terminal whose service is played: which of them is shown, what answers it, and what leaves by itself. */
import { expect, test } from "vitest";
import { QuestionPrompts } from "../../../scripts/chat/question-prompts.ts";

/** A terminal with the questions a, b and c, all of them open. */
function terminal(ids = ["a", "b", "c"]) {
  const [said, sent, decided]: [string[], string[], object[]] = [[], [], []];
  const open = new Set(ids);
  const clock = { ms: 0 };
  const calls = { decide: async (): Promise<void> => {}, onList: () => {} };
  const prompts = new QuestionPrompts({
    link: {
      openQuestions: async () => {
        const listed = [...open];
        calls.onList();
        return listed;
      },
      command: async (command, args) => {
        await calls.decide();
        decided.push({ command, ...args });
        open.delete(String(args?.["id"]));
        return {};
      },
    },
    say: (text) => void said.push(text),
    sendText: async (text) => void sent.push(text),
    now: () => clock.ms,
  });
  const ask = (id: string) =>
    prompts.hearMessage({ text: `May ${id}?\nkeeps: ${id}`, metadata: { permission: { token: id, always: true } } });
  for (const id of ids) ask(id);
  const answer = async (line: string) => {
    const found = prompts.answerOf(line);
    if (found) await prompts.give(found, line);
    return found !== null;
  };
  const decideElsewhere = (id: string) => {
    open.delete(id);
    prompts.takeDecision(id);
  };
  said.length = 0;
  return { prompts, said, sent, decided, open, clock, calls, ask, answer, decideElsewhere };
}

test("the oldest question is answered, and the next one is shown with what always would keep", async () => {
  const { answer, said, decided } = terminal();
  await answer("y");
  expect(decided).toEqual([{ command: "permissions decide", id: "a", decision: "allow", always: false }]);
  expect(said).toEqual([
    "· allowed once",
    "\nMay b?\nkeeps: b\n\ny allows it, n denies it, always allows it and keeps that rule",
  ]);
  said.length = 0;
  await answer("always");
  expect(said[0]).toBe("· allowed from now on");
  said.length = 0;
  await answer("n");
  expect(said).toEqual(["· denied"]);
  expect(await answer("y")).toBe(false);
});

test("an answer that is typed twice doesn't answer the next question", async () => {
  const { prompts, said, sent, decided } = terminal();
  const [first, second] = [prompts.answerOf("y"), prompts.answerOf("y")];
  if (first) await prompts.give(first, "y");
  said.length = 0;
  if (second) await prompts.give(second, "y");
  expect(decided).toHaveLength(1);
  expect(sent).toEqual([]);
  expect(said).toEqual([
    "· that was for the question before this one: y allows it, n denies it, always allows it and keeps that rule",
  ]);
});

test("a question that is decided elsewhere or has expired leaves at once and says so; the next is shown, and takes no answer before it can be read", async () => {
  const { answer, said, sent, decided, clock, decideElsewhere } = terminal();
  decideElsewhere("b");
  expect(said).toEqual(["· decided elsewhere, or nobody answered in time: May b?"]);
  decideElsewhere("a");
  expect(said.slice(1)).toEqual([
    "· decided elsewhere, or nobody answered in time: May a?",
    expect.stringContaining("May c?"),
  ]);
  clock.ms += 300;
  await answer("y");
  expect([decided, sent]).toEqual([[], []]);
  clock.ms += 2000;
  await answer("y");
  expect(decided).toMatchObject([{ id: "c" }]);
});

test("with no question left, what is typed is for the agent", async () => {
  const { answer, decideElsewhere } = terminal(["a"]);
  decideElsewhere("a");
  expect(await answer("yes")).toBe(false);
});

test("a question that was decided unheard takes no answer: what is typed goes to the agent", async () => {
  const { answer, open, said, sent, decided } = terminal(["a"]);
  open.delete("a");
  await answer("yes");
  expect([sent, decided]).toEqual([["yes"], []]);
  expect(said).toEqual(["· decided elsewhere, or nobody answered in time: May a?"]);
});

test("an answer that comes too late says so, and its question leaves", async () => {
  const { answer, open, said, calls } = terminal(["a", "b"]);
  calls.decide = async () => {
    open.delete("a");
    throw new Error("this was decided before");
  };
  await expect(answer("y")).rejects.toThrow("decided before");
  expect(said).toEqual([expect.stringContaining("May a?"), expect.stringContaining("May b?")]);
});

test("its own answer, heard as news as well, isn't called one of elsewhere", async () => {
  const { answer, prompts, said, calls } = terminal(["a"]);
  calls.decide = async () => prompts.takeDecision("a");
  await answer("n");
  prompts.takeDecision("a");
  expect(said).toEqual(["· denied"]);
});

test("a question that is asked while the open ones are listed stays", async () => {
  const { answer, ask, calls, said, decided } = terminal(["a"]);
  calls.onList = () => ask("b");
  await answer("y");
  expect(decided).toMatchObject([{ id: "a" }]);
  expect(said).toEqual([
    "the question before it is answered first",
    "· allowed once",
    expect.stringContaining("May b?"),
  ]);
});
