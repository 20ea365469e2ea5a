/** A provider that says what a test has written down, turn by turn, and remembers what it was asked. */
import type { Chunk, ModelCall, Provider } from "../../../backends/provider/provider.ts";

/** A chunk is said, an error thrown, a function called (and waited for) at its place in the stream. */
export type Step = Chunk | Error | (() => void | Promise<void>);

export type ScriptedProvider = Provider & { calls: ModelCall[] };

/** Each array is one call of the model. A call that isn't in the script is a mistake of the test. */
export function scripted(...turns: Step[][]): ScriptedProvider {
  const calls: ModelCall[] = [];
  return {
    name: "scripted",
    defaultModel: "script-1",
    calls,
    async *stream(call) {
      calls.push(structuredClone(call));
      const steps = turns[calls.length - 1];
      if (!steps) throw new Error(`the script has no turn ${calls.length}`);
      for (const step of steps) {
        if (step instanceof Error) throw step;
        if (typeof step === "function") await step();
        else yield step;
      }
    },
  };
}

export const say = (text: string): Chunk => ({ type: "text", text });

export const call = (call_id: string, tool: string, args: string | Record<string, unknown> = {}): Chunk => ({
  type: "call",
  call_id,
  tool,
  args,
});

export const end: Chunk = { type: "end", stop: "end" };

export const used = (input_tokens: number, output_tokens: number, cost_usd: number | null = 0): Chunk => ({
  type: "usage",
  usage: { input_tokens, cached_input_tokens: 0, output_tokens, reasoning_tokens: 0, cost_usd },
});
