/** Where keys, tokens and passwords usually are, by name: what isn't there needs no hiding. */
import { lstatSync, readdirSync, realpathSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

/** In a user's home. */
const homeSecrets = [
  ".ssh",
  ".gnupg",
  ".aws",
  ".azure",
  ".kube",
  ".docker",
  ".oci",
  ".password-store",
  ".1password",
  ".vault-token",
  ".netrc",
  ".npmrc",
  ".yarnrc.yml",
  ".pypirc",
  ".pgpass",
  ".my.cnf",
  ".s3cfg",
  ".boto",
  ".git-credentials",
  ".terraformrc",
  ".terraform.d",
  ".gem/credentials",
  ".cargo/credentials",
  ".cargo/credentials.toml",
  ".m2/settings.xml",
  ".gradle/gradle.properties",
  ".bundle/config",
  ".composer/auth.json",
  ".claude",
  ".claude.json",
  ".codex",
  ".gemini",
  ".mozilla",
  ".thunderbird",
  ".bash_history",
  ".zsh_history",
  ".python_history",
  ".node_repl_history",
  ".psql_history",
  ".mysql_history",
  ".sqlite_history",
  ".rediscli_history",
  ".irb_history",
  ".lesshst",
  ".viminfo",
  ".config/cortex",
  ".config/gcloud",
  ".config/gh",
  ".config/glab-cli",
  ".config/hub",
  ".config/op",
  ".config/rclone",
  ".config/doctl",
  ".config/github-copilot",
  ".config/opencode",
  ".config/git/credentials",
  ".config/composer/auth.json",
  ".config/containers/auth.json",
  ".config/hcloud",
  ".config/pip/pip.conf",
  ".config/sops",
  ".config/google-chrome",
  ".config/chromium",
  ".config/BraveSoftware",
  ".local/share/keyrings",
  ".local/share/kwalletd",
  ".local/share/fish/fish_history",
  ".local/share/opencode/auth.json",
  ".cache/huggingface/token",
  ".huggingface",
  "Library/Keychains",
  "Library/Cookies",
]; // prettier-ignore

/** The secrets of the system. */
const systemSecrets = [
  "/etc/shadow",
  "/etc/shadow-",
  "/etc/gshadow",
  "/etc/gshadow-",
  "/etc/sudoers",
  "/etc/sudoers.d",
  "/etc/krb5.keytab",
  "/etc/ssl/private",
  "/etc/wireguard",
  "/etc/NetworkManager/system-connections",
  "/etc/ppp/chap-secrets",
  "/etc/kubernetes",
  "/etc/docker",
  "/var/lib/docker",
  "/var/lib/containerd",
  "/var/lib/kubelet",
  "/var/lib/sudo",
]; // prettier-ignore

/** The variables that say where a program has its keys, when they aren't in the usual place. */
const secretVariables = [
  "AWS_CONFIG_FILE",
  "AWS_SHARED_CREDENTIALS_FILE",
  "CLOUDSDK_CONFIG",
  "DOCKER_CONFIG",
  "GNUPGHOME",
  "GOOGLE_APPLICATION_CREDENTIALS",
  "HISTFILE",
  "KUBECONFIG",
  "NETRC",
  "NPM_CONFIG_USERCONFIG",
  "PGPASSFILE",
];

/**
 * The secrets of this machine's users and of the system: real paths of what is there.
 * @param env what our own environment says of where they are
 */
export function hiddenPaths(homes: readonly string[], env: NodeJS.ProcessEnv): string[] {
  const users = ["/root", ...entriesOf("/home"), ...homes];
  const hostKeys = entriesOf("/etc/ssh").filter((path) => path.endsWith("_key"));
  const wanted = [
    ...users.flatMap((home) => homeSecrets.map((name) => join(home, name))),
    ...systemSecrets,
    ...hostKeys,
    ...secretVariables.flatMap((name) => (env[name] ?? "").split(delimiter)).filter(isAbsolute),
  ];
  return [...new Set(wanted.flatMap(realPathsOf))];
}

/** Where a path really is, if it is there at all: a link is hidden where it leads. */
export function realPathsOf(path: string): string[] {
  try {
    lstatSync(path);
    return [realpathSync(path)];
  } catch {
    return [];
  }
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder).map((name) => join(folder, name));
  } catch {
    return [];
  }
}
