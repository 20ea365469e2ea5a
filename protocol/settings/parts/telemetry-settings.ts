/** Where the program `telemetry` sends traces and metrics of runs: a receiver of OpenTelemetry's protocol. */
import { z } from "zod";

const withoutLogin = (url: string): boolean => {
  const { username, password } = URL.parse(url) ?? { username: "", password: "" };
  return username === "" && password === "";
};

export const TelemetrySettings = z
  .strictObject({
    otlp_url: z
      .url({ protocol: /^https?$/, error: "expected an http or https address" })
      .refine(withoutLogin, "expected an address without a name and a password: those belong into headers")
      .meta({
        description:
          "The receiver, such as `http://127.0.0.1:4318`: `/v1/traces` and `/v1/metrics` are below it, by OTLP over HTTP with JSON.",
      }),
    headers: z
      .record(
        z.string().regex(/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/, "expected the name of a header"),
        z.string().regex(/^[\t\x20-\x7e]*$/, "expected a line of printable characters"),
      )
      .optional()
      .meta({ description: "Headers of every request to it, such as Authorization. They stand in no log." }),
    content: z.boolean().optional().meta({
      description:
        "Whether prompts, results, arguments of tools, their results and texts of errors are sent too. Default `false`.",
    }),
  })
  .meta({
    description:
      "Traces and metrics of runs by OpenTelemetry's GenAI conventions: the program `telemetry` sends them. Absent: there is no such program.",
    examples: [{ otlp_url: "http://127.0.0.1:4318" }],
  });
export type TelemetrySettings = z.infer<typeof TelemetrySettings>;
