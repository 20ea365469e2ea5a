/** `node examples/cluster/start.ts [FOLDER]`: a cluster of three servers with two workers, until Ctrl-C. Without a folder nothing is kept. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { ensureNatsServer } from "../../scripts/start/ensure-nats.ts";
import { startCluster } from "./cluster.ts";

const [given] = process.argv.slice(2);
const folder = given === undefined ? mkdtempSync(join(tmpdir(), "cortex-cluster-")) : resolve(given);
const told = new Promise<void>((done) => process.once("SIGINT", () => done()).once("SIGTERM", () => done()));
try {
  await using cluster = await startCluster(folder, await ensureNatsServer());
  for (const { name, process: child } of cluster.servers) console.log(`server ${name}  pid ${child.pid}`);
  for (const { name, process: child } of cluster.workers) console.log(`worker ${name}  pid ${child.pid}`);
  console.log(`\nthe cluster is up in ${folder}. Ask it something, from another terminal:`);
  console.log(`  NATS_URL=${cluster.url} JOURNAL_PATH=${join(folder, "one")} cortex request "What did I plant?"`);
  await told;
  console.log("stopping");
} finally {
  if (given === undefined) rmSync(folder, { recursive: true, force: true });
}
