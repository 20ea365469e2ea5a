/** The check of telemetry: whether its receiver takes traces and metrics. It is sent a request without any. */
import { settingsInUse } from "../settings/settings-in-use.ts";
import { readSupervised } from "../../journal/programs/supervised.ts";
import { isAlive } from "../../proc/processes/identity.ts";
import type { Environment } from "../../proc/programs/environment.ts";
import { shownUrl } from "../../protocol/guards/shown-url.ts";
import type { TelemetrySettings } from "../../protocol/settings/parts/telemetry-settings.ts";
import { type SendOutcome, sendOnce } from "../../telemetry/sending/send-once.ts";
import type { Finding } from "./check.ts";

const answerMs = 5000;
const empty = {
  traces: { path: "v1/traces", body: '{"resourceSpans":[]}' },
  metrics: { path: "v1/metrics", body: '{"resourceMetrics":[]}' },
} as const;

export async function checkTelemetry({ journalPath: journal }: Environment): Promise<Finding> {
  const name = "telemetry";
  const { telemetry: settings } = settingsInUse(journal);
  if (!settings) return { name, ok: "ok", detail: "off: cortex.json has no telemetry" };
  const where = shownUrl(settings.otlp_url);
  const trouble = troubleOf(await outcomesOf(settings));
  if (trouble !== null)
    return {
      name,
      ok: "warn",
      detail: `${where} ${trouble}`,
      remedy: "check telemetry in cortex.json, and the receiver",
    };
  if (isMissing(journal))
    return {
      name,
      ok: "warn",
      detail: `${where} answers, but the program isn't running`,
      remedy: "cortex up --replace",
    };
  return { name, ok: "ok", detail: `traces and metrics go to ${where}` };
}

type Outcomes = { traces: SendOutcome; metrics: SendOutcome };

async function outcomesOf(settings: TelemetrySettings): Promise<Outcomes> {
  const signal = AbortSignal.timeout(answerMs);
  const [traces, metrics] = await Promise.all([
    sendOnce(settings, empty.traces, signal),
    sendOnce(settings, empty.metrics, signal),
  ]);
  return { traces, metrics };
}

type Trouble = Exclude<SendOutcome, { is: "accepted" }>;
const fates = { refused: "which are dropped", unanswered: "which are tried again, and hold up the rest" } as const;

/** Words for what the receiver doesn't take; null where it takes both. */
function troubleOf({ traces, metrics }: Outcomes): string | null {
  const alone = (taken: string, other: string, { is, why }: Trouble) =>
    `takes ${taken}, not ${other}, ${fates[is]}: ${why}`;
  if (traces.is === "accepted") return metrics.is === "accepted" ? null : alone("traces", "metrics", metrics);
  if (metrics.is === "accepted") return alone("metrics", "traces", traces);
  const { is, why } = traces;
  return is === "refused" ? `refuses what is sent, which is dropped: ${why}` : `doesn't take what is sent: ${why}`;
}

/** Whether `cortex up` runs without it, as when the settings came later. */
function isMissing(journal: string): boolean {
  const programs = readSupervised(journal)?.programs ?? [];
  const isRunning = (name: string) =>
    programs.some((program) => program.name === name && program.identity !== null && isAlive(program.identity));
  return isRunning("cortex") && !isRunning("telemetry");
}
