/** The input of turns that failed, and whether it may be sent once more. Pure. */
import { textOf } from "../words/json/read-json.ts";
import { saidOf } from "./message-text.ts";
import type { Again, TalkInput, TalkScene, TurnFailure } from "./talk-entry.ts";
import { runOf, type TalkRecord } from "./talk-record.ts";

export type Judge = (failure: TurnFailure) => { input: TalkInput | null; again: Again };

/** Reads the turns of a history once, and judges each that failed by them. */
export function judgeOf(records: readonly TalkRecord[], { run: current, failures }: Scene): Judge {
  const inputs = inputsOf(records);
  const failed = new Set(failures.map(({ run }) => run));
  const answered = new Set(
    records.flatMap((record) => (isAnswer(record) && record["run_id"] !== current ? (runOf(record) ?? []) : [])),
  );
  const latest = [...answered].filter((run) => !failed.has(run)).reduce((most, run) => Math.max(most, Number(run)), 0);
  const begunAnew = records.findLast(({ type }) => type === "reset")?.ts ?? 0;
  return ({ run, ts }) => {
    const input = inputs.get(run) ?? null;
    if (input === null) return { input, again: "over" };
    const isAsked = [...inputs].some(([other, later]) => Number(other) > Number(run) && isSame(input, later));
    if (isAsked) return { input, again: "asked" };
    return { input, again: latest > Number(run) || begunAnew > ts ? "over" : "offered" };
  };
}

type Scene = Pick<TalkScene, "run" | "failures">;

const isAnswer = ({ type }: TalkRecord) => type === "assistant" || type === "tool_call";

/** The inputs of turns, by their run: what people said, together. A turn that news began has none. */
function inputsOf(records: readonly TalkRecord[]): Map<string, TalkInput> {
  const inputs = new Map<string, TalkInput>();
  const said = records.filter(({ type }) => type === "user");
  const byId = new Map(said.map((record) => [record.id, record]));
  const add = (run: string, record: TalkRecord | undefined) => {
    if (record === undefined) return;
    const { text, files } = saidOf(textOf(record["text"]), record["parts"]);
    const before = inputs.get(run);
    if (text.trim() === "" && before === undefined) return;
    inputs.set(run, {
      text: before === undefined ? text : `${before.text}\n\n${text}`,
      files: [...(before?.files ?? []), ...files],
    });
  };
  for (const record of records) {
    const run = runOf(record);
    if (run === null) continue;
    if (record.type === "user") add(run, record);
    // These say that a turn has the input of another one.
    else if (typeof record["moved"] === "string") add(run, byId.get(record["moved"]));
    else if (typeof record["again_of"] === "string")
      for (const former of said.filter((one) => runOf(one) === record["again_of"])) add(run, former);
  }
  return inputs;
}

const isSame = (one: TalkInput, other: TalkInput) =>
  one.text.trim() === other.text.trim() &&
  one.files.map(({ id }) => id).join() === other.files.map(({ id }) => id).join();
