/** The Gemini API of the played model. */
import { type Body, coderTokens, type PlayedDialect } from "./played-dialect.ts";
import type { ModelAnswer, Said } from "./coder-script.ts";

type Part = { text?: string; functionResponse?: { response?: unknown }; functionCall?: unknown };
type Declaration = {
  name: string;
  parameters?: Record<string, unknown>;
  parametersJsonSchema?: Record<string, unknown>;
};

export const googleDialect: PlayedDialect = {
  isCall: (path) => /:(streamGenerateContent|generateContent)/.test(path),
  saidIn: ({ contents }) =>
    (contents as { role?: string; parts?: Part[] }[]).flatMap(({ role, parts = [] }): Said[] =>
      role === "model" ? [{ from: "model" }] : parts.flatMap(ofPart),
    ),
  toolsIn: ({ tools }) =>
    ((tools ?? []) as { functionDeclarations?: Declaration[] }[])
      .flatMap(({ functionDeclarations = [] }) => functionDeclarations)
      .map(({ name, parameters, parametersJsonSchema }) => ({
        name,
        schema: parametersJsonSchema ?? parameters ?? {},
      })),
  isStreamed: (path) => path.includes("streamGenerateContent"),
  frames: (answer, body) => [`data: ${JSON.stringify(chunk(answer, body))}\r\n\r\n`],
  whole: chunk,
  other: (path) => (path.includes("countTokens") ? { totalTokens: coderTokens.input } : {}),
};

function chunk(answer: ModelAnswer, body: Body): Body {
  // Gemini CLI asks for choices as JSON: any is as good.
  const isJson = JSON.stringify(body["generationConfig"] ?? {}).includes("application/json");
  const part =
    "text" in answer
      ? { text: isJson ? "{}" : answer.text }
      : { functionCall: { name: answer.call.tool, args: answer.call.args } };
  return {
    candidates: [{ content: { role: "model", parts: [part] }, finishReason: "STOP", index: 0 }],
    usageMetadata: {
      promptTokenCount: coderTokens.input,
      candidatesTokenCount: coderTokens.output,
      totalTokenCount: coderTokens.input + coderTokens.output,
    },
    modelVersion: "gemini-played",
    responseId: "played",
  };
}

function ofPart({ text, functionResponse }: Part): Said[] {
  if (functionResponse) return [{ from: "tool", text: JSON.stringify(functionResponse.response) }];
  return text === undefined ? [] : [{ from: "user", text }];
}
