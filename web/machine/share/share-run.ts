/** A run as one page, to be given to others: nothing in it runs, nothing is loaded, and what nobody else may know is replaced. */
import { homedir, hostname } from "node:os";
import { type RunRow, RunRowSum } from "../../../journal/run-index/run-row.ts";
import { RunReader } from "../../../journal/runs/read-run.ts";
import { runState } from "../../../journal/runs/run-files.ts";
import { type AgentEvent, isTerminal } from "../../../protocol/runs/event.ts";
import { textField } from "../../../protocol/runs/text-field.ts";
import { WorkspaceError } from "../../../workspace/records/workspace-error.ts";
import type { MachineBase } from "../base/machine-base.ts";
import type { SharedRun } from "../records/run-records.ts";
import { block, type Html, html } from "./html.ts";
import { knownSecrets } from "./known-secrets.ts";
import { type Redact, redactionOf } from "./redaction.ts";
import { shareStyle } from "./share-style.ts";
import { ShareSteps, sinceText } from "./share-steps.ts";

/** Characters of the prompt and the result. */
const [mostPrompt, mostResult] = [50_000, 200_000];
const mostTitle = 120;

type Deps = Pick<MachineBase, "journal" | "settings" | "timeZone">;

/** @throws WorkspaceError `not_found`, and `conflict` for one that hasn't ended */
export async function shareRun({ journal, settings, timeZone }: Deps, id: string): Promise<SharedRun> {
  const state = runState(journal, id);
  if (state === "absent") throw new WorkspaceError("not_found", `there is no run ${id}`);
  if (state === "active") throw new WorkspaceError("conflict", `run ${id} hasn't ended`, "share it when it has");
  const secrets = await knownSecrets(journal, settings(), process.env);
  const host = hostname();
  const hosts = [...new Set([host, host.split(".")[0] ?? host])].toSorted((a, b) => b.length - a.length);
  const redact = redactionOf({ secrets, homes: [homedir()], hosts });
  const sum = new RunRowSum(id);
  const steps = new ShareSteps(redact);
  let [request, end]: (AgentEvent | null)[] = [null, null];
  for await (const event of new RunReader(journal, id).events()) {
    sum.add(event);
    steps.add(event);
    if (event.event === "request") request ??= event;
    if (isTerminal(event)) end = event;
  }
  const prompt = request ? textField(request, "prompt") : "";
  const title = titleOf(prompt, redact);
  const body = [
    headOf(sum.row, title, redact, timeZone),
    section("Asked", block(prompt, redact, mostPrompt)),
    endOf(end ?? null, redact),
    stepsOf(steps),
    footerOf(timeZone),
  ];
  return { name: `run-${id}.html`, html: pageOf(title, body).html };
}

/** The first line of a text. So much is redacted that no secret is cut before it is found. */
const titleOf = (prompt: string, redact: Redact) =>
  redact(prompt.slice(0, mostPrompt)).trim().split("\n")[0]?.slice(0, mostTitle).toWellFormed() || "A run";

function headOf(row: RunRow, title: string, redact: Redact, timeZone: string): Html {
  const { persona, model, cost_usd: cost, cost_is_estimate: isEstimate, input_tokens, output_tokens } = row;
  const began = Date.parse(row.started_at ?? row.requested_at);
  const took = row.ended_at === null ? null : sinceText(Date.parse(row.ended_at) - began);
  const facts = [
    redact(persona),
    dateText(began, timeZone),
    took,
    cost === null ? null : `${isEstimate ? "at least " : ""}${moneyText(cost)}`,
    input_tokens + output_tokens > 0 ? `${(input_tokens + output_tokens).toLocaleString("en-US")} tokens` : null,
    model === null ? null : redact(model),
  ].filter((fact) => fact !== null);
  const [word, look] = row.state === "finished" ? ["Finished", ""] : [states[row.state] ?? "Failed", "failed"];
  const meta = html`<p class="meta"><b class="${look}">${word}</b> · ${facts.join(" · ")}</p>`;
  return html`<header><h1 dir="auto">${title}</h1>${meta}</header>`;
}

const smallUsd = 0.01;
const moneyText = (usd: number) => (usd === 0 ? "$0" : `$${usd.toFixed(usd < smallUsd ? 4 : 2)}`);

const states: Partial<Record<RunRow["state"], string>> = { cancelled: "Stopped" };

const section = (title: string, body: Html): Html => html`<section><h2>${title}</h2>${body}</section>`;

function endOf(end: AgentEvent | null, redact: Redact): Html {
  if (end === null) return html``;
  if (end.event === "finish") return section("Answer", block(textField(end, "result"), redact, mostResult));
  return section("It failed", block(textField(end, "error"), redact, mostResult));
}

function stepsOf({ steps, leftOut }: ShareSteps): Html {
  if (steps.length === 0) return html``;
  const note =
    leftOut > 0 ? html`<p class="cut">${leftOut.toLocaleString("en-US")} later steps are left out.</p>` : html``;
  return section("What it did", html`<ol>${steps}</ol>${note}`);
}

const footerOf = (timeZone: string): Html =>
  html`<footer>Shared from Cortex, ${dateText(Date.now(), timeZone)}. Secrets, home folders and the machine's name are replaced; texts may be cut.</footer>`;

const dateText = (ms: number, timeZone: string) =>
  new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeStyle: "short", timeZone }).format(ms);

/** Nothing may be loaded or run, whatever stands in it. */
const policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

const pageOf = (title: string, body: readonly Html[]): Html => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${{ html: policy }}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${{ html: shareStyle }}</style>
</head>
<body><main>
${body}
</main></body>
</html>
`;
