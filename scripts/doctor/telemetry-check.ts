/** The check of telemetry: whether its receiver takes what is sent there. It is sent a request without a span. */
import { settingsInUse } from "../settings/settings-in-use.ts";
import { readSupervised } from "../../journal/programs/supervised.ts";
import { isAlive } from "../../proc/processes/identity.ts";
import type { Environment } from "../../proc/programs/environment.ts";
import { shownUrl } from "../../protocol/guards/shown-url.ts";
import { sendOnce } from "../../telemetry/sending/send-once.ts";
import type { Finding } from "./check.ts";

const answerMs = 5000;
const nothing = { path: "v1/traces", body: '{"resourceSpans":[]}' } as const;

export async function checkTelemetry({ journalPath: journal }: Environment): Promise<Finding> {
  const name = "telemetry";
  const { telemetry: settings } = settingsInUse(journal);
  if (!settings) return { name, ok: "ok", detail: "off: cortex.json has no telemetry" };
  const where = shownUrl(settings.otlp_url);
  const remedy = "check telemetry in cortex.json, and the receiver";
  const outcome = await sendOnce(settings, nothing, AbortSignal.timeout(answerMs));
  if (outcome.is === "unanswered")
    return { name, ok: "warn", detail: `${where} doesn't take what is sent: ${outcome.why}`, remedy };
  if (outcome.is === "refused")
    return { name, ok: "warn", detail: `${where} refuses what is sent, which is dropped: ${outcome.why}`, remedy };
  if (isMissing(journal))
    return {
      name,
      ok: "warn",
      detail: `${where} answers, but the program isn't running`,
      remedy: "cortex up --replace",
    };
  return { name, ok: "ok", detail: `traces and metrics go to ${where}` };
}

/** Whether `cortex up` runs without it, as when the settings came later. */
function isMissing(journal: string): boolean {
  const programs = readSupervised(journal)?.programs ?? [];
  const isRunning = (name: string) =>
    programs.some((program) => program.name === name && program.identity !== null && isAlive(program.identity));
  return isRunning("cortex") && !isRunning("telemetry");
}
