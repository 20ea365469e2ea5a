import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import type { Bus } from "../../../../bus/connection/connect.ts";
import { askPersona } from "../../../../web/openai/answers/ask-persona.ts";
import { UnavailableError } from "../../../../web/machine/base/machine-base.ts";

test("a persona isn't asked while the bus is away: whoever asks is told so at once", async () => {
  const deps = { journal: tmpdir(), bus: { isConnected: false } as Bus, settings: () => ({}) };
  const messages = [{ role: "user" as const, text: "Hello", attachments: [] }];
  const asked = { model: "cortex/default", messages, stream: false };
  const asking = askPersona(deps, { persona: "default", asked, continueFrom: undefined, key: undefined });
  await expect(asking).rejects.toBeInstanceOf(UnavailableError);
});
