/**
 * The material that a run may have come upon, for tests of runs that are shared: what mustn't get out, and what mustn't
 * be more than text.
 */
import { homedir, hostname } from "node:os";

/** Values that nobody else may see, by what they are; each is built here, so that no file of ours holds one. */
export const secretTexts: Record<string, string> = {
  provider: `sk-ant-${"x1Y".repeat(12)}`,
  github: `ghp_${"a1B2".repeat(9)}`,
  amazon: `AKIA${"ABCD1234".repeat(2)}`,
  google: `AIza${"Sy3_".repeat(9)}`,
  slack: ["xoxb", "123456789012", "abcdefABCDEF"].join("-"),
  telegram: `7712345678:${"AAhd_".repeat(7)}`,
  jwt: ["eyJhbGciOiJIUzI1NiJ9", "eyJzdWIiOiIxMjM0NTY3ODkwIn0", "dozjgNryP4J3jVmNHl0w5N"].join("."),
  pem: `-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA${"q".repeat(40)}\n-----END RSA PRIVATE KEY-----`,
  seed: `SU${"AB3D".repeat(14)}`,
};

/** Texts that hold something secret, with the part that may not be left of each. */
export const secretLines: [text: string, secret: string][] = [
  ...Object.values(secretTexts).map((value): [string, string] => [`found ${value} there`, value]),
  [`curl -H "Authorization: Bearer ${"Zm9v".repeat(6)}"`, "Zm9v".repeat(6)],
  ["postgres://ada:hunter2hunter2@db.example.org/app", "hunter2hunter2"],
  ["DB_PASSWORD=correct-horse-battery", "correct-horse-battery"],
  ['{"api_key": "9f8e7d6c5b4a"}', "9f8e7d6c5b4a"],
  [`${homedir()}/notes/today.md`, homedir()],
  ["/home/grace/.ssh/config and /Users/grace/Library", "grace"],
  ["C:\\Users\\linus\\Desktop", "linus"],
  [`gardener@${hostname()}:~$`, `@${hostname()}:`],
];

/** Markup, control sequences, and text that hides or reorders. */
export const hostileTexts: string[] = [
  "<script>document.title = 'taken'</script>",
  "</pre><script>document.title = 'taken'</script>",
  "</style><img src=x onerror=\"document.title = 'taken'\">",
  "</title><svg onload=\"document.title = 'taken'\">",
  '"><iframe src="javascript:alert(1)"></iframe>',
  "<a href=\"javascript:document.title='taken'\">here</a>",
  "<meta http-equiv=refresh content=0;url=http://127.0.0.1:9/>",
  "<link rel=stylesheet href=http://127.0.0.1:9/a.css><base href=http://127.0.0.1:9/>",
  "<form action=http://127.0.0.1:9/><input name=a></form>",
  "&lt;script&gt;alert(1)&lt;/script&gt; &amp; &#60;b&#62;",
  "![](http://127.0.0.1:9/pixel.png) [link](http://127.0.0.1:9/)",
  "${html`x`} {{constructor}} <!-- -->",
  "\u202eevil\u2066 \u200bhidden\u2028\u0085",
  "\u001b]52;c;ZXZpbA==\u0007\u001b[2J\u0000",
  "\ud800 half a character",
  `${"w".repeat(5000)}`,
  "漢".repeat(3000),
];
