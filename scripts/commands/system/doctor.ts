/** `cortex doctor`: looks at everything that cortex needs, and says for each what is wrong and which command fixes it. */
import { readEnvironment } from "../../../proc/programs/environment.ts";
import { exitCodes } from "../../../protocol/runs/exit-codes.ts";
import { type Command, parseCommandLine } from "../../command/command.ts";
import { sandboxHere, shownSandbox } from "../../../sandbox/sandbox-level.ts";
import type { Check, Finding } from "../../doctor/check.ts";
import { checkDeliveries, checkJournal, checkPersonas, checkSettingsFile } from "../../doctor/journal-checks.ts";
import { privateCheck } from "../../doctor/private-checks.ts";
import { checkPrograms } from "../../doctor/programs-check.ts";
import { checkBackend, checkBus, checkSources, checkTools } from "../../doctor/running-checks.ts";
import { onlineChecks } from "../../doctor/online-checks.ts";
import { checkCoders } from "../../doctor/coders-check.ts";
import { checkGateway } from "../../doctor/gateway-check.ts";
import { checkOrphans } from "../../doctor/orphans-check.ts";
import { checkQuarantine } from "../../doctor/quarantine-check.ts";
import { checkSandbox } from "../../doctor/sandbox-check.ts";
import { checkTelemetry } from "../../doctor/telemetry-check.ts";
import { checkWorkspace } from "../../doctor/workspace-check.ts";
import { checkFeatures, checkStore } from "../../doctor/store-checks.ts";
import { checkIsolation, checkLimits, checkNatsServer, checkNode } from "../../doctor/system-checks.ts";
import { asTyped } from "../../command/typed-command.ts";
import { styled } from "../../command/layout/style.ts";

const help = `
Usage: cortex doctor [--fix] [--online] [--json]

Checks Node, nats-server and its features, the journal and its settings, quarantined items, lost deliveries, orphaned runs, keys,
ports, running programs, the receiver of telemetry and the workspaces' database.
Exits 2 if something prevents a start, and names the command that fixes it.

  --fix      make private the files that other users of this machine can read and shouldn't
  --online   also try each key, by asking its provider for its list of models
`;

/** In the order in which things are needed. */
const checksOf = (isFixing: boolean): Check[] => [
  checkNode,
  checkNatsServer,
  checkIsolation,
  checkSandbox,
  checkLimits,
  checkJournal,
  privateCheck(isFixing),
  checkSettingsFile,
  checkPersonas,
  checkQuarantine,
  checkDeliveries,
  checkOrphans,
  checkPrograms,
  checkBackend,
  checkBus,
  checkFeatures,
  checkStore,
  checkTools,
  checkSources,
  checkGateway,
  checkCoders,
  checkTelemetry,
  checkWorkspace,
];

export const command: Command = {
  help,
  run: async (args) => {
    const options = { json: { type: "boolean" }, online: { type: "boolean" }, fix: { type: "boolean" } } as const;
    const { values } = parseCommandLine(args, options, "cortex doctor", 0);
    const environment = readEnvironment();
    const findings: Finding[] = [];
    const checks = checksOf(values.fix === true);
    for (const check of values.online ? [...checks, ...onlineChecks()] : checks) {
      const finding = typable(await check(environment));
      findings.push(finding);
      if (!values.json) process.stdout.write(`${line(finding)}\n`);
    }
    const isOk = findings.every(({ ok }) => ok !== "fail");
    if (values.json) {
      const answer = { ok: isOk, checks: findings, sandbox: shownSandbox(await sandboxHere()) };
      process.stdout.write(`${JSON.stringify(answer)}\n`);
    }
    return isOk ? exitCodes.done : exitCodes.usage;
  },
};

const marks = { ok: () => styled("green", "✓"), warn: () => styled("yellow", "!"), fail: () => styled("red", "✗") };

function typable({ detail, remedy, ...rest }: Finding): Finding {
  return { ...rest, detail: asTyped(detail), ...(remedy === undefined ? {} : { remedy: asTyped(remedy) }) };
}

function line({ name, ok, detail, remedy }: Finding): string {
  return `${marks[ok]()} ${name.padEnd(12)} ${detail}${remedy ? `\n  ${" ".repeat(12)} → ${remedy}` : ""}`;
}
