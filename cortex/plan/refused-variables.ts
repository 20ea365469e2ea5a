/**
 * The variables that a request may not set: programs that runs start take code, programs, files or addresses from them.
 * Pure. What a program of the user's own reads, no table can know: `request_env` of its backend is for that.
 */
import { builtInBackends } from "../../protocol/settings/backends.ts";

/**
 * The variables that one kind of program reads. Without `anyCase`, names are told apart by case, as the system does.
 */
type Row = {
  names?: readonly string[];
  prefixes?: readonly string[];
  suffixes?: readonly string[];
  /** Its programs read the names in upper and in lower case. */
  anyCase?: true;
};

const words = (text: string): string[] => text.trim().split(/\s+/);

/** The first words of the variables of all built-in backends, such as `OPENAI_`. Their SDKs read more names that begin so. */
const ofProviders = Object.values(builtInBackends).flatMap(({ environment }) =>
  environment.map((name) => name.slice(0, name.indexOf("_") + 1)),
);

const rows: readonly Row[] = [
  {
    // Cortex, and what sends a provider's key elsewhere. Source: the SDKs of openai, anthropic and google.
    prefixes: ["CORTEX_", "CLAUDE_", ...new Set(ofProviders)],
    suffixes: words("_BASE_URL"),
    anyCase: true,
  },
  {
    // Loaders, the C library and allocators. Source: ld.so(8); glibc sysdeps/generic/unsecvars.h; dyld(1); sudo
    // plugins/sudoers/env.c, initial_badenv_table.
    names: words(
      `PATH GCONV_PATH GETCONF_DIR HOSTALIASES LOCALDOMAIN LOCPATH PATH_LOCALE NIS_PATH NLSPATH RES_OPTIONS TZDIR
      TMPDIR TMP TEMP TEMPDIR LIBPATH SHLIB_PATH QEMU_LD_PREFIX WSLENV`,
    ),
    prefixes: words("LD_ DYLD_ LDR_ _RLD GLIBC_ MALLOC_ RESOLV_ JEMALLOC_ TCMALLOC HEAPPROFILE MSAN_ QEMU_"),
    suffixes: words("_PRELOAD SAN_OPTIONS"),
  },
  {
    // Shells. Source: bash(1), Shell Variables; dash(1); zshparam(1); ksh(1); fish(1); sudo, initial_badenv_table.
    names: words(
      `ENV IFS HOME SHELL CDPATH PS0 PS1 PS2 PS3 PS4 PROMPT_COMMAND SHELLOPTS BASHOPTS GLOBIGNORE EXECIGNORE FPATH
      FCEDIT HISTFILE MAIL MAILPATH INPUTRC NULLCMD READNULLCMD ZDOTDIR TMPPREFIX fish_function_path
      fish_complete_path`,
    ),
    prefixes: words("BASH_ ZSH_ KSH_ XDG_"),
  },
  {
    // Python and its package managers. Source: python(1), Environment variables; docs.python.org/3/library/webbrowser;
    // pip(1), Configuration; docs.astral.sh/uv.
    prefixes: words("PYTHON PIP_ PIPX_ PIPENV_ UV_ CONDA_ MAMBA_ POETRY_ PDM_ HATCH_ PYENV_ PYTEST_ IPYTHON JUPYTER_"),
    names: words("VIRTUAL_ENV"),
  },
  {
    // Libraries of Python programs that import what a variable names, or load what stands in a folder that it names.
    // Source: matplotlib.org, MPLBACKEND "module://…"; coverage.readthedocs.io, subprocess; docs.djangoproject.com;
    // flask(1); keras.io; numba.readthedocs.io, cache; docs.pytorch.org, torch.hub; huggingface_hub; opentelemetry.io.
    names: words("MPLBACKEND MPLCONFIGDIR COVERAGE_PROCESS_START DJANGO_SETTINGS_MODULE NLTK_DATA TRITON_CACHE_DIR"),
    prefixes: words("COV_CORE_ FLASK_ KERAS_ NUMBA_ TORCH_ TORCHINDUCTOR_ HF_ TRANSFORMERS_ HUGGINGFACE_ OTEL_PYTHON_"),
  },
  {
    // Perl, Ruby, Lua, PHP and Tcl. Source: perlrun(1), ENVIRONMENT; ruby(1); bundle-config(1); lua(1); php(1);
    // getcomposer.org/doc/03-cli.md; tclsh(1).
    names: words("IRBRC TCLLIBPATH TCL_LIBRARY TK_LIBRARY"),
    prefixes: words("PERL RUBY GEM_ BUNDLE_ BUNDLER_ RBENV_ JRUBY_ LUA_ LUAROCKS_ PHP COMPOSER_"),
  },
  {
    // Java, .NET and Erlang. Source: java(1), JDK_JAVA_OPTIONS; JVMTI, JAVA_TOOL_OPTIONS;
    // learn.microsoft.com/dotnet/core/runtime-config; erl(1).
    names: words("CLASSPATH ANT_HOME ANT_OPTS ANT_ARGS HEX_HOME HEX_MIRROR HEX_API_URL"),
    prefixes: words(
      `JAVA_ _JAVA_ JDK_ JRE_ JVM_ MAVEN_ GRADLE_ ORG_GRADLE_ SBT_ KOTLIN_ CLJ_ DOTNET_ COMPlus_ CORECLR_ COR_
      NUGET_ MSBUILD MONO_ ERL_ ELIXIR_ MIX_ REBAR_`,
    ),
  },
  {
    // Node and what runs on it. Source: node(1), Environment; docs.npmjs.com/cli/configuring-npm, config; bun.sh/docs;
    // docs.deno.com.
    prefixes: words(
      "NODE_ YARN_ PNPM_ BUN_ DENO_ COREPACK_ NVM_ FNM_ VOLTA_ TS_NODE_ ELECTRON_ PUPPETEER_ PLAYWRIGHT_",
    ),
    names: words("ESBUILD_BINARY_PATH"),
  },
  {
    // Npm. Source: docs.npmjs.com/cli/using-npm/config: case doesn't count.
    prefixes: ["NPM_"],
    anyCase: true,
  },
  {
    // R, Julia, Octave, OCaml, Haskell and Guile. Source: R: ?Startup; docs.julialang.org, Environment Variables;
    // octave(1); ocamlrun(1); GHC users guide; guile(1).
    names: words("MATLABPATH STACK_ROOT STACK_YAML"),
    prefixes: words("R_ RSTUDIO_ JULIA_ OCTAVE_ OCAML CAML OPAM GHC CABAL_ GUILE_"),
  },
  {
    // Compilers and build tools. Source: gcc(1), ENVIRONMENT; make(1) and its manual; go help environment; the Cargo
    // book, Environment Variables; ccache(1); cmake-env-variables(7).
    names: words(
      `CC CXX CPP LD AR AS NM FC RANLIB STRIP CFLAGS CXXFLAGS CPPFLAGS LDFLAGS CPATH C_INCLUDE_PATH CPLUS_INCLUDE_PATH
      OBJC_INCLUDE_PATH LIBRARY_PATH COMPILER_PATH MAKEFLAGS MFLAGS GNUMAKEFLAGS MAKEFILES MAKESHELL M4PATH AWKPATH
      AWKLIBPATH GOFLAGS GOENV GOPATH GOROOT GOBIN GOPROXY GOPRIVATE GONOPROXY GONOSUMDB GONOSUMCHECK GOINSECURE
      GOSUMDB GOTOOLDIR GOTOOLCHAIN GODEBUG GOCACHE GOCACHEPROG GOMODCACHE GOTMPDIR GOWORK GOVCS GOAUTH GOEXE GOCOVERDIR
      GMON_OUT_PREFIX SWIFT_EXEC`,
    ),
    prefixes: words(
      `GCC_ CGO_ GCCGO CARGO_ RUSTC RUSTUP_ RUSTFLAGS RUSTDOC CCACHE_ DISTCC_ SCCACHE_ CMAKE_ CTEST_ MESON_ PKG_CONFIG
      GCOV_ LLVM_ CLANG_ ZIG_ XCODE_`,
    ),
  },
  {
    // Editors, pagers, man and browsers. Source: environ(7); less(1); man(1); vim, :help starting; emacs manual,
    // General Variables; xdg-open(1); sensible-browser(1).
    names: words(
      `VISUAL LESS LESSOPEN LESSCLOSE LESSECHO LESSEDIT LESSGLOBALTAGS LESSHISTFILE LESSSECURE MORE LV MOST_INITFILE
      MOST_SWITCHES EXINIT VIMINIT GVIMINIT VIM VIMRUNTIME MANPATH MANOPT MANROFFOPT MANROFFSEQ GROFF_TMAC_PATH
      GROFF_COMMAND_PREFIX MAILCAPS MAILRC`,
    ),
    prefixes: words("LESSKEY NVIM_ EMACS"),
    suffixes: words("EDITOR PAGER BROWSER"),
  },
  {
    // Version control. Source: git(1), Environment Variables; git-config(1), GIT_CONFIG_COUNT; hg help environment;
    // SVNBook; cvs(1); gh help environment.
    names: words("GH_CONFIG_DIR GH_PATH"),
    prefixes: words("GIT_ HG SVN CVS BZR_ BRZ_ FOSSIL_ JJ_ P4"),
  },
  {
    // TLS, remote shells and clients of the network. Source: openssl-env(7); ssh(1), ENVIRONMENT; curl(1); wget(1);
    // rsync(1); krb5(7); ldap.conf(5); gpg(1).
    names: words(
      `SSLKEYLOGFILE REQUESTS_CA_BUNDLE AWS_CA_BUNDLE GRPC_DEFAULT_SSL_ROOTS_FILE_PATH WGETRC SYSTEM_WGETRC NETRC RSH
      LDAPCONF LDAPRC SASL_PATH GNUPGHOME`,
    ),
    prefixes: words("OPENSSL_ SSL_ SSH_ CURL_ RSYNC_ KRB5 GSS_ LDAP GNUTLS_ NSS_ P11_KIT_ GPG_"),
    suffixes: words("ASKPASS"),
  },
  {
    // Whatever uses a proxy. Source: curl(1): http_proxy is read in lower case alone, others in both; Python's urllib:
    // case doesn't count.
    suffixes: ["_PROXY"],
    anyCase: true,
  },
  {
    // Terminals, X, toolkits, drivers and buses. Source: ncurses(3), ENVIRONMENT; X(7); docs.gtk.org, Environment
    // variables; doc.qt.io; dbus-daemon(1); sd_notify(3); fonts-conf(5).
    names: words(
      `TERMINFO TERMINFO_DIRS TERMCAP TERMPATH DISPLAY WAYLAND_DISPLAY XAUTHORITY ICEAUTHORITY XENVIRONMENT XAPPLRESDIR
      XFILESEARCHPATH XUSERFILESEARCHPATH XLOCALEDIR XMODIFIERS NOTIFY_SOCKET CUDA_INJECTION64_PATH NCCL_NET_PLUGIN`,
    ),
    prefixes: words(
      `GTK GDK_ GIO_ GI_ GST_ GSETTINGS_ GVFS_ QT_ QML PANGO_ FONTCONFIG_ SDL_ DBUS_ SYSTEMD_ SUDO_ LIBGL_ MESA_ VK_ICD_ VK_LAYER VK_ADD_
      EGL_ __EGL_ __GL LIBVA_ VDPAU_ OCL_ ALSA_ PULSE_ PIPEWIRE_ OMPI_ PMIX_ GDAL_`,
    ),
  },
  {
    // Tools that take options, commands or settings. Source: tar(1), TAR_OPTIONS; rg(1); fzf(1); parallel(1); xz(1);
    // zip(1); file(1); kpathsea manual; gs(1); magick(1); ffmpeg(1); screen(1); tmux(1); gdb(1).
    names: words(
      `TAR_OPTIONS TAPE GZIP XZ_OPT XZ_DEFAULTS ZIPOPT UNZIP GREP_OPTIONS RIPGREP_CONFIG_PATH BAT_CONFIG_PATH MAGIC
      PARALLEL SCREENRC shell_escape shell_escape_commands openout_any openin_any TEXINPUTS GVBINDIR FFREPORT FFMPEG_DATADIR
      DEBUGINFOD_URLS GDBHISTFILE URE_BOOTSTRAP`,
    ),
    prefixes: words("FZF_ TEXMF MAGICK_ GS_ GNUPLOT_ TMUX DIRENV_ VALGRIND_ SAL_"),
  },
  {
    // Databases, containers and clouds. Source: libpq, Environment Variables; psql(1); mysql(1); odbc.ini(5);
    // docker(1); kubectl; docs.aws.amazon.com/cli, credential_process; terraform CLI; gcloud topic configurations;
    // ansible-config.
    names: words(
      `PSQLRC PGSERVICEFILE PGSYSCONFDIR PGPASSFILE MYSQL_HOME ODBCINI ODBCINSTINI ODBCSYSINI TNS_ADMIN ORACLE_HOME
      KUBECONFIG AWS_CONFIG_FILE AWS_SHARED_CREDENTIALS_FILE AWS_DATA_PATH AZURE_CONFIG_DIR
      SQLITE_HISTORY CONTAINER_HOST CONTAINER_CONNECTION CONTAINERS_CONF`,
    ),
    prefixes: words("LIBMYSQL_ DOCKER_ BUILDAH_ PODMAN_ HELM_ TF_CLI_ TF_PLUGIN AWS_ENDPOINT_URL CLOUDSDK_ ANSIBLE_"),
  },
];

/** Names that a prefix would refuse, and that lead to no code. */
const harmless: ReadonlySet<string> = new Set(["NODE_ENV"]);

/** Whether programs that are found on many machines take code, programs, files or addresses from a variable. */
export function isReadByPrograms(name: string): boolean {
  if (harmless.has(name)) return false;
  return rows.some(({ names = [], prefixes = [], suffixes = [], anyCase }) => {
    const read = anyCase ? name.toUpperCase() : name;
    return (
      names.includes(read) ||
      prefixes.some((prefix) => read.startsWith(prefix)) ||
      suffixes.some((suffix) => read.endsWith(suffix))
    );
  });
}
