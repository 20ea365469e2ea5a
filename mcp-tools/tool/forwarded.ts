/** A tool that the agents' service executes: its arguments are checked here, and what it answers is passed on. */
import { z } from "zod";
import { askAgents } from "./ask-agents.ts";
import { type Annotations, defineTool, type Tool } from "./tool.ts";

/** Characters of an answer, as a model reads it. The service has bounded what it gives. */
const maxCharacters = 32_000;

/** `output` is what the answer has at least. */
export function forwarded(definition: {
  name: string;
  title: string;
  description: string;
  input: z.ZodRawShape;
  output: z.ZodRawShape;
  annotations: Annotations;
}): Tool {
  const { name, output } = definition;
  const answer = z.looseObject(output);
  const tool = defineTool({
    ...definition,
    async run(args, context) {
      const structured = answer.parse(await askAgents(context, name, args));
      const text = JSON.stringify(structured);
      return { text: text.length > maxCharacters ? `${text.slice(0, maxCharacters)} … (cut)` : text, structured };
    },
  });
  return { ...tool, outputSchema: { ...z.toJSONSchema(answer, { io: "output" }), type: "object" } };
}
