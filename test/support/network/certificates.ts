/** A certificate authority of a test's own, and a server's certificate that it has signed. */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

export type Certificates = { ca: string; cert: string; key: string };

/** @param names as they stand in the certificate, such as `IP:10.0.0.1` or `DNS:localhost` */
export function makeCertificates(folder: string, names: string[], prefix = ""): Certificates {
  const file = (name: string) => join(folder, `${prefix}${name}`);
  const run = (...args: string[]) => execFileSync("openssl", args, { stdio: ["ignore", "ignore", "pipe"] });
  const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  run(
    "req",
    "-x509",
    ...newKey,
    "-keyout",
    file("ca.key"),
    "-out",
    file("ca.pem"),
    "-days",
    "2",
    "-subj",
    "/CN=test CA",
  );
  run("req", ...newKey, "-keyout", file("server.key"), "-out", file("server.csr"), "-subj", "/CN=test");
  writeFileSync(file("names"), `subjectAltName=${names.join(",")}\n`);
  const signed = ["-CA", file("ca.pem"), "-CAkey", file("ca.key"), "-CAcreateserial", "-days", "2"];
  run("x509", "-req", "-in", file("server.csr"), ...signed, "-out", file("server.pem"), "-extfile", file("names"));
  return { ca: file("ca.pem"), cert: file("server.pem"), key: file("server.key") };
}
