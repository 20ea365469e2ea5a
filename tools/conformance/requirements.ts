/** The scenarios that the suite requires of a version of the protocol, frozen when that was released. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { packageFile } from "../../proc/programs/package-file.ts";

export const suiteFolder = packageFile("node_modules/@modelcontextprotocol/conformance");

/** The versions, the one before the last first. */
export const versions = ["2025-11-25", "2026-07-28"] as const;
export type Version = (typeof versions)[number];
export type Role = "server" | "client";

const Requirements = z.looseObject({
  server: z.array(z.string()),
  client: z.array(z.string()),
  not_scored: z.array(z.looseObject({ scenario: z.string(), leg: z.enum(["server", "client"]) })),
});

/** Lists the scenarios of one side; those that aren't counted, extensions for one, come last. */
export function scenariosOf(version: Version, role: Role): { required: string[]; others: string[] } {
  const text = readFileSync(join(suiteFolder, `requirements/${version}.yaml`), "utf8");
  const requirements = Requirements.parse(parse(text));
  const others = requirements.not_scored.filter(({ leg }) => leg === role).map(({ scenario }) => scenario);
  return { required: requirements[role], others };
}
