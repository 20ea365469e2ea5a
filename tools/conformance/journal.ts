/** A journal for the suite: the example, with what its scenarios ask for. Gone at the end of its scope. */
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packageFile } from "../../proc/programs/package-file.ts";
import { image } from "./media.ts";
import { externalServer } from "./stand-ins.ts";

const prompts = ["test_simple_prompt", "test_prompt_with_arguments", "test_prompt_with_embedded_resource"];

export function conformanceJournal(): { journal: string } & Disposable {
  const journal = realpathSync(mkdtempSync(join(tmpdir(), "conformance-journal-")));
  cpSync(packageFile("examples/journal"), journal, { recursive: true });
  const command = [process.execPath, packageFile("tools/conformance/external-server.ts")];
  writeFileSync(join(journal, "cortex.json"), JSON.stringify({ mcp_servers: { [externalServer]: { command } } }));
  mkdirSync(join(journal, "20250123"));
  writeFileSync(join(journal, "20250123/notes.md"), "A day of which there is a note.\n");
  writeFileSync(join(journal, "20250106/plan.png"), Buffer.from(image, "base64"));
  mkdirSync(join(journal, "personas"), { recursive: true });
  for (const name of prompts)
    writeFileSync(join(journal, `personas/${name}.txt`), "This is a simple prompt for testing.\n");
  return { journal, [Symbol.dispose]: () => rmSync(journal, { recursive: true, force: true }) };
}
