/** Which inputs the process of an attempt was given: in its configuration, or in the lines behind it. */
import { z } from "zod";
import { putTexts } from "../../proc/runs/run.ts";
import { tryParseJson } from "../../protocol/json/parse-json.ts";

const Line = z.object({ id: z.string().optional(), former_inputs: z.array(z.string()).optional() });

/** Reads their ids. */
export async function givenInputs(folder: string): Promise<Set<string>> {
  const ids = new Set<string>();
  for await (const text of putTexts(folder))
    for (const line of text.split("\n")) {
      const { id, former_inputs = [] } = Line.safeParse(tryParseJson(line)).data ?? {};
      for (const given of id === undefined ? former_inputs : [id]) ids.add(given);
    }
  return ids;
}
