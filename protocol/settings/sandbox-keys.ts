/** Keys that programs in a sandbox use and never hold: they find a stand-in, and the proxy puts the key in its place. */
import { z } from "zod";
import { Network } from "../runs/request/network.ts";

const SandboxKey = z.strictObject({
  hosts: Network.min(1).meta({
    description:
      "Where the key is sent, over TLS alone; written as in `network`, which has to allow them too. A stand-in that is sent elsewhere stays one.",
    examples: [["api.github.com"]],
  }),
  key_file: z.string().min(1).optional().meta({
    description: "The key: a file that its owner alone can read; absolute, or relative to the journal.",
  }),
  key_env: z.string().min(1).optional().meta({
    description: "The variable with the key, in the environment of `cortex up`. Default: the same name.",
  }),
});

export const SandboxKeys = z
  .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,99}$/, "expected the name of a variable"), SandboxKey)
  .meta({
    description:
      "Keys that programs in a sandbox use without holding them, by the name of the variable that they look at. There they find a stand-in; on the way to the hosts that are named the proxy puts the key in its place, in the headers and in the body. Their TLS ends at the proxy, whose certificate the programs trust by their environment.",
    examples: [{ GITHUB_TOKEN: { hosts: ["api.github.com"] } }],
  });
export type SandboxKeys = z.infer<typeof SandboxKeys>;

/** A key as the wall needs it. */
export type MaskedKey = { name: string; value: string; hosts: readonly string[] };
