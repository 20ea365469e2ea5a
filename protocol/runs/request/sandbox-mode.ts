/** Whether commands of a run are walled in. Settings say it, a persona or a request can only be stricter. */
import { z } from "zod";

export const SandboxMode = z.enum(["required", "preferred", "off"]).meta({
  description:
    "Whether commands (`bash`) run in a sandbox: `required`, and a run that can't have one is refused; `preferred`: where there is one; `off`. A persona or a request can make the settings' value stricter and nothing else. Default `required`.",
});
export type SandboxMode = z.infer<typeof SandboxMode>;

/** Whether a program that the settings declare is walled in as a whole. */
export const ProgramSandbox = z.union([z.boolean(), SandboxMode]).meta({
  description:
    "`true` or `required`: it runs in a sandbox, or not at all; `preferred`: where there is one; `false` or `off`: without. In it, the program writes to its own folder alone, reads no secrets, and reaches what `network` names. Default `false`.",
});

export function programMode(wanted: z.infer<typeof ProgramSandbox> | undefined): SandboxMode {
  if (wanted === true) return "required";
  return wanted === false || wanted === undefined ? "off" : wanted;
}

/** From the mildest to the strictest. */
const strictness: readonly SandboxMode[] = ["off", "preferred", "required"];

/** The strictest of those that are given, none of which is below the settings' one. */
export function strictestSandbox(
  settings: SandboxMode | undefined,
  ...wanted: (SandboxMode | undefined)[]
): SandboxMode {
  return wanted.reduce<SandboxMode>(
    (last, next) => (next !== undefined && strictness.indexOf(next) > strictness.indexOf(last) ? next : last),
    settings ?? "required",
  );
}
