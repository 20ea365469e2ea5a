import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { knownSecrets } from "../../../../web/machine/share/known-secrets.ts";
import { temporaryJournal } from "../../../journal/temporary-journal.ts";

test("secrets are values of secret names, contents of files that settings name, and all headers to a receiver of telemetry", async () => {
  using journal = temporaryJournal();
  writeFileSync(join(journal.path, "token"), "content-of-the-file\n");
  const secrets = await knownSecrets(
    journal.path,
    {
      mcp_servers: {
        notes: { url: "https://notes.example", headers: { Authorization: "Bearer one", "x-colour": "red" } },
      },
      channels: { telegram: { token_file: "token" } },
      telemetry: { otlp_url: "https://otlp.example", headers: { "x-honeycomb-team": "key-of-the-team" } },
    },
    { SOME_API_KEY: "key-of-the-environment", COLOUR: "blue" },
  );
  for (const secret of ["Bearer one", "content-of-the-file", "key-of-the-team", "key-of-the-environment"])
    expect(secrets).toContain(secret);
  for (const other of ["red", "blue", "https://otlp.example"]) expect(secrets).not.toContain(other);
});
