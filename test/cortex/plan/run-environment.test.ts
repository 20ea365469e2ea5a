import { expect, test } from "vitest";
import type { BackendChoice } from "../../../cortex/plan/backend-choice.ts";
import { refusedVariables, runEnvironment } from "../../../cortex/plan/run-environment.ts";
import { builtInBackends } from "../../../protocol/settings/backends.ts";

const own = {
  PATH: "/bin",
  HOME: "/home/x",
  LANG: "C",
  TZ: "UTC",
  TMPDIR: "/tmp",
  https_proxy: "p",
  SSL_CERT_FILE: "c",
  OPENAI_API_KEY: "sk-1",
  ANTHROPIC_API_KEY: "sk-2",
  GEMINI_API_KEY: "sk-3",
  AWS_SECRET_ACCESS_KEY: "aws",
  NODE_OPTIONS: "--require x",
  LD_PRELOAD: "x.so",
  JOURNAL_PATH: "/j",
  NATS_URL: "nats://u:p@h",
};
const base = {
  PATH: "/bin",
  HOME: "/home/x",
  LANG: "C",
  TZ: "UTC",
  TMPDIR: "/tmp",
  https_proxy: "p",
  SSL_CERT_FILE: "c",
};

test("a declared backend gets the basics, its own variables and its request's, in that order", () => {
  const backend: BackendChoice = {
    kind: "declared",
    name: "x",
    declared: { command: ["x"], env: { A: "backend", B: "backend" } },
  };
  expect(runEnvironment(own, backend, { B: "request", C: "request" })).toEqual({
    ...base,
    A: "backend",
    B: "request",
    C: "request",
  });
});

test("a built-in backend gets its own keys and nobody else's", () => {
  const backend = { kind: "built-in", name: "openai", environment: ["OPENAI_API_KEY", "OPENAI_BASE_URL"] } as const;
  expect(runEnvironment(own, backend, {})).toEqual({ ...base, OPENAI_API_KEY: "sk-1" });
});

const declared = (request_env?: string[]): BackendChoice => ({
  kind: "declared",
  name: "x",
  declared: { command: ["x"], ...(request_env && { request_env }) },
});
const refused = (env: Record<string, string>, request_env?: string[]) => refusedVariables(env, declared(request_env));

// From docs/contract.md, and from sudo's and glibc's lists of what they take away.
const readByPrograms = `
  MPLBACKEND COVERAGE_PROCESS_START HF_ENDPOINT TORCH_EXTENSIONS_DIR
  NODE_OPTIONS NODE_EXTRA_CA_CERTS NODE_TLS_REJECT_UNAUTHORIZED LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT DYLD_INSERT_LIBRARIES
  PATH OPENAI_BASE_URL ANTHROPIC_BASE_URL GOOGLE_GEMINI_BASE_URL MY_BASE_URL CORTEX_RUN CORTEX_STOP_AT
  OPENAI_API_KEY ANTHROPIC_API_KEY GEMINI_API_KEY GOOGLE_API_KEY OPENROUTER_API_KEY openai_api_key CLAUDE_CONFIG_DIR
  ANTHROPIC_AUTH_TOKEN GLIBC_TUNABLES GCONV_PATH GETCONF_DIR HOSTALIASES LOCALDOMAIN LOCPATH MALLOC_TRACE MALLOC_CHECK_
  NIS_PATH NLSPATH RES_OPTIONS RESOLV_HOST_CONF TZDIR TMPDIR HOME SHELL ENV IFS BASH_ENV BASH_XTRACEFD SHELLOPTS BASHOPTS
  PROMPT_COMMAND PS4 CDPATH GLOBIGNORE FPATH ZDOTDIR XDG_CONFIG_HOME XDG_DATA_DIRS PYTHONPATH PYTHONSTARTUP PYTHONWARNINGS
  PYTHONHOME PIP_INDEX_URL PERL5OPT PERL5LIB PERL5DB PERLLIB PERLIO_DEBUG RUBYOPT RUBYLIB BUNDLE_GEMFILE GEM_HOME LUA_INIT
  LUA_INIT_5_4 LUA_PATH PHPRC PHP_INI_SCAN_DIR JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS CLASSPATH DOTNET_STARTUP_HOOKS
  COMPlus_EnableDiagnostics CORECLR_PROFILER_PATH R_PROFILE R_PROFILE_USER JULIA_LOAD_PATH npm_config_script_shell
  NPM_CONFIG_PREFIX CARGO_HOME RUSTC_WRAPPER RUSTFLAGS GOFLAGS CGO_CFLAGS MAKEFLAGS CC GCC_EXEC_PREFIX EDITOR VISUAL
  GIT_EDITOR PAGER MANPAGER GIT_PAGER SYSTEMD_PAGER LESSOPEN LESSCLOSE LESS BROWSER GIT_SSH_COMMAND GIT_CONFIG_COUNT GIT_DIR
  HGRCPATH SVN_SSH CVS_RSH SSH_ASKPASS SUDO_ASKPASS SSH_AUTH_SOCK RSYNC_RSH CURL_HOME WGETRC OPENSSL_CONF SSL_CERT_FILE
  SSL_CERT_DIR SSLKEYLOGFILE KRB5_CONFIG LDAPCONF HTTPS_PROXY http_proxy all_proxy No_Proxy TERMINFO TERMINFO_DIRS TERMCAP
  GTK_MODULES QT_PLUGIN_PATH GIO_EXTRA_MODULES GST_PLUGIN_PATH DBUS_SESSION_BUS_ADDRESS XAUTHORITY TAR_OPTIONS
  RIPGREP_CONFIG_PATH KUBECONFIG AWS_CONFIG_FILE DOCKER_HOST VIMINIT EMACSLOADPATH ASAN_OPTIONS
`
  .trim()
  .split(/\s+/);

test.each([...readByPrograms, "", "A=B", "A B", "1A", "A\0", "é"])("a request may not set %j", (name) =>
  expect(refused({ [name]: "x", FINE: "x" })).toEqual([name]),
);

test("a request may not set a value that no process can be given, or that an old shell takes for a function", () => {
  expect(refused({ FOO: "a\0b", BAR: "a\nb", BAZ: "() { :; }; touch x" })).toEqual(["FOO", "BAZ"]);
  expect(refused({ FOO: "a\0b" }, ["FOO"])).toEqual(["FOO"]);
});

test("a request may set what is harmless: names are told apart by case, as the system does", () => {
  const names = [
    "FOO",
    "NODE_ENV",
    "MY_ENV",
    "_x",
    "MY_API_KEY",
    "PATHS",
    "home",
    "LESSON",
    "GOAL",
    "TEXT",
    "LANG",
    "TZ",
  ];
  expect(refused(Object.fromEntries(names.map((name) => [name, "1"])))).toEqual([]);
});

test("a request may set what the settings list for a backend, and nothing else", () => {
  const env = { COLOUR: "1", LD_LIBRARY_PATH: "2", OTHER: "3", colour: "4" };
  expect(refused(env, ["COLOUR", "LD_LIBRARY_PATH"])).toEqual(["OTHER", "colour"]);
  expect(refused(env, [])).toEqual(Object.keys(env));
});

test("a request can set none of the variables that a built-in backend reads, in upper or lower case", () => {
  const backend = { kind: "built-in", name: "offline", environment: [] } as const;
  const all = Object.values(builtInBackends).flatMap(({ environment }) => [...environment]);
  const names = [...new Set([...all, ...all.map((name) => name.toLowerCase())])];
  expect(names).toContain("OPENROUTER_BASE_URL");
  expect(refusedVariables(Object.fromEntries(names.map((name) => [name, "x"])), backend)).toEqual(names);
});
