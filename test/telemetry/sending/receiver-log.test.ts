import { expect, test } from "vitest";
import { type FinalOutcome, ReceiverLog } from "../../../telemetry/sending/receiver-log.ts";

/** The lines that answers make, one after the other: level, kind of data, and what they count. */
function linesOf(...answers: [path: "v1/traces" | "v1/metrics", outcome: FinalOutcome][]): unknown[][] {
  const lines: unknown[][] = [];
  const note =
    (level: string) =>
    ({ path, why, dropped }: Record<string, unknown>) =>
      void lines.push([level, path, why ?? dropped]);
  const log = new ReceiverLog({ info: note("info"), warn: note("warn"), error: note("error") });
  for (const [path, outcome] of answers) log.report(path, outcome);
  return lines;
}

const taken: FinalOutcome = { is: "accepted" };
const missing: FinalOutcome = { is: "refused", status: 404, why: "status 404: no such page" };

test("a receiver that takes traces alone refuses the metrics of each batch, and it is logged once", () => {
  const batch: Parameters<typeof linesOf> = [
    ["v1/traces", taken],
    ["v1/metrics", missing],
  ];
  expect(linesOf(...batch, ...batch, ...batch)).toEqual([["error", "v1/metrics", "status 404: no such page"]]);
});

test("another refusal is logged, other words of the same one aren't", () => {
  const told = (status: number, at: string): ["v1/traces", FinalOutcome] => [
    "v1/traces",
    { is: "refused", status, why: `status ${status}: at ${at}` },
  ];
  expect(linesOf(told(401, "noon"), told(401, "one"), told(400, "two"), told(401, "three"))).toEqual([
    ["error", "v1/traces", "status 401: at noon"],
    ["error", "v1/traces", "status 400: at two"],
    ["error", "v1/traces", "status 401: at three"],
  ]);
});

test("a receiver that takes again what it refused says how much was dropped, and a new refusal is logged", () => {
  const refused: ["v1/metrics", FinalOutcome] = ["v1/metrics", missing];
  expect(linesOf(refused, refused, ["v1/metrics", taken], ["v1/metrics", taken], refused)).toEqual([
    ["error", "v1/metrics", missing.why],
    ["info", "v1/metrics", 2],
    ["error", "v1/metrics", missing.why],
  ]);
});

test("a remark that comes with each answer is logged once, and a part that wasn't taken whenever it is another", () => {
  const remark = (warning: string): ["v1/traces", FinalOutcome] => ["v1/traces", { is: "accepted", warning }];
  expect(linesOf(remark("use gzip"), remark("use gzip"), remark("3 rejected"), remark("5 rejected"))).toEqual([
    ["warn", "v1/traces", "use gzip"],
    ["warn", "v1/traces", "3 rejected"],
    ["warn", "v1/traces", "5 rejected"],
  ]);
});
