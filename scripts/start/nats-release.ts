/** The official release of nats-server: which one, and how it is fetched, checked and put in its place. */
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { execa } from "execa";

export type Release = { version: string; downloads: string; sha256: Record<string, string> };

/**
 * The checksums for Linux are those that the official container images are built with (docker.io/library/nats 2.12.5).
 * For macOS no second source publishes them: there the release's own SHA256SUMS is fetched and compared.
 */
export const pinnedRelease: Release = {
  version: "2.12.5",
  downloads: "https://github.com/nats-io/nats-server/releases/download",
  sha256: {
    "linux-amd64": "f1967bea3fbf6c86273f1a2edf5be65165d795716ae1ac2a14824f19cdc35c20",
    "linux-arm64": "85caf0500b011a31b105fb04992cb350236e2d5935a4d2ea7cc1efe9203aafc2",
  },
};

const platforms: Record<string, string> = {
  "linux-x64": "linux-amd64",
  "linux-arm64": "linux-arm64",
  "darwin-x64": "darwin-amd64",
  "darwin-arm64": "darwin-arm64",
};

/** A release is about 7 MB packed, 20 MB unpacked. */
const maxBytes = 64 * 1024 * 1024;
const timeoutMs = 120_000;

/**
 * Puts `nats-server` into the folder and returns its path.
 * @throws Error when it can't be fetched, its checksum is another, or there is none for this system
 */
export async function installRelease(
  folder: string,
  release: Release = pinnedRelease,
  system = `${process.platform}-${process.arch}`,
): Promise<string> {
  const platform = platforms[system];
  if (platform === undefined) throw new Error(`there is no release of nats-server for ${system}`);
  const name = `nats-server-v${release.version}-${platform}`;
  const base = `${release.downloads}/v${release.version}`;
  const archive = await download(`${base}/${name}.tar.gz`);
  const expected = release.sha256[platform] ?? (await publishedChecksum(`${base}/SHA256SUMS`, `${name}.tar.gz`));
  const actual = createHash("sha256").update(archive).digest("hex");
  if (actual !== expected) throw new Error(`${base}/${name}.tar.gz has the checksum ${actual}, expected ${expected}`);
  return unpack(folder, name, archive);
}

async function publishedChecksum(url: string, file: string): Promise<string> {
  const lines = (await download(url)).toString("utf8").split("\n");
  const line = lines.map((text) => text.trim().split(/\s+\*?/)).find(([, name]) => name === file);
  if (!line?.[0]) throw new Error(`${url} has no checksum for ${file}`);
  return line[0];
}

async function download(url: string): Promise<Buffer> {
  const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) }).catch((cause: unknown) => {
    throw new Error(`cannot fetch ${url}`, { cause });
  });
  if (!response.ok || !response.body) throw new Error(`cannot fetch ${url}: status ${response.status}`);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body) {
    size += chunk.length;
    if (size > maxBytes) throw new Error(`${url} is larger than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Unpacked beside its place and renamed into it, so that nobody ever starts half a program. */
async function unpack(folder: string, name: string, archive: Buffer): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const work = mkdtempSync(join(folder, ".unpack-"));
  try {
    writeFileSync(join(work, "release.tar"), gunzipSync(archive, { maxOutputLength: maxBytes }));
    await execa("tar", ["-xf", "release.tar", `${name}/nats-server`], { cwd: work });
    const path = join(folder, "nats-server");
    chmodSync(join(work, name, "nats-server"), 0o755);
    renameSync(join(work, name, "nats-server"), path);
    return path;
  } finally {
    rmSync(work, { recursive: true });
  }
}
