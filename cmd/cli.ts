import { Command, CommanderError, Option as Flag } from "commander";
import packageJson from "../package.json" with { type: "json" };
import type { Issue } from "../src/config/issue.ts";
import { flagOf, type Option } from "../src/config/option.ts";
import { checkOptions } from "../src/config/options/check.ts";
import { healthOptions } from "../src/config/options/health.ts";
import { probeOptions } from "../src/config/options/probe.ts";
import { runOptions } from "../src/config/options/run.ts";
import type { Environment, FlagTexts, Sources } from "../src/config/sources.ts";
import { CerthupError } from "../src/system/certhup-error.ts";
import { type ExitStatus, exitStatus } from "./exit-status.ts";
import { print, printError, printIssues } from "./print.ts";
import { sortRest } from "./sort-rest.ts";

/** What a command is given: the texts of its flags, what of the command line made no sense, and the environment. */
export interface Invocation {
  readonly sources: Sources;
  /** The words of the command line that are no flags, where the command takes some. */
  readonly words: readonly string[];
  readonly issues: readonly Issue[];
  readonly version: string;
}

type Act = (invocation: Invocation) => Promise<number>;

/** Runs the command that the arguments name. Each command is loaded only when it is needed. */
export async function runCli(args: readonly string[], environment: Environment): Promise<number> {
  let status: number = exitStatus.good;
  const program = new Command("certhup")
    .description("turns a renewed certificate into a served one, and proves it by handshake")
    .version(packageJson.version)
    .helpCommand(false)
    .showHelpAfterError(false)
    .configureOutput({ outputError: () => undefined })
    .exitOverride();
  for (const { name, usage = "[options]", description, options, help, load } of commands) {
    const command = program
      .command(name, { isDefault: name === "run" })
      .description(description)
      .usage(usage);
    command.allowUnknownOption().allowExcessArguments();
    for (const option of options) command.addOption(toFlag(option));
    if (help !== undefined) command.addHelpText("after", help);
    command.action(async (_, { args: rest }: Command) => {
      const flags = command.opts<FlagTexts>();
      const takesWords = usage.includes("ENDPOINT");
      const { words, issues } = sortRest(rest, args, options, takesWords);
      status = await (await load())({ sources: { flags, environment }, words, issues, version: packageJson.version });
    });
  }
  const asksForHelp = args[0] === "help";
  const unknown = findUnknownCommand(asksForHelp ? args.slice(1) : args);
  if (unknown !== undefined) {
    print.error(printIssues([unknown]));
    return exitStatus.usage;
  }
  try {
    await program.parseAsync(asksForHelp ? [...args.slice(1), "--help"] : args, { from: "user" });
    return status;
  } catch (error) {
    return explainFailure(error);
  }
}

/** One command, and how its code is loaded. */
interface CommandEntry {
  readonly name: string;
  readonly usage?: string;
  readonly description: string;
  readonly options: readonly Option<unknown>[];
  readonly help?: string;
  load(): Promise<Act>;
}

const commands: readonly CommandEntry[] = [
  {
    name: "run",
    description: "watch, validate, reload and verify until told to stop (default)",
    options: runOptions,
    help: `
Every flag can be set by the environment instead: --cert-dir is CERTHUP_CERT_DIR. Flags come first.

Example: a sidecar for nginx
  certhup run --cert-dir /etc/tls --process-name nginx --endpoint 127.0.0.1:8443`,
    load: async () => (await import("./run.ts")).run,
  },
  {
    name: "check",
    description: "is the served certificate the one in the volume? exit 0 if so, 1 if not",
    options: checkOptions,
    load: async () => (await import("./check.ts")).check,
  },
  {
    name: "probe",
    usage: "[options] ENDPOINT...",
    description: "what do these endpoints serve, and until when? exit 1 if one is critical, expired or unreachable",
    options: probeOptions,
    help: `
Example: everything in a list, what ends first at the top
  certhup probe --file endpoints.txt --warn 21d --critical 7d`,
    load: async () => (await import("./probe.ts")).probe,
  },
  {
    name: "health",
    description: "ask a running agent for its readiness, for images without curl",
    options: healthOptions,
    load: async () => (await import("./health.ts")).health,
  },
];

/** Without this, a word that is no command would be one too many for `run`. */
function findUnknownCommand([word]: readonly string[]): Issue | undefined {
  const names = commands.map(({ name }) => name);
  if (word === undefined || word.startsWith("-") || names.includes(word)) return undefined;
  return { path: word, message: "there is no such command", hint: `choose one of ${names.join(", ")}` };
}

function toFlag(option: Option<unknown>): Flag {
  const isSwitch = option.placeholder === "";
  const fallback = option.fallback === undefined || isSwitch ? "" : ` (default ${option.fallback})`;
  const flag = new Flag(
    isSwitch ? flagOf(option) : `${flagOf(option)} <${option.placeholder}>`,
    `${option.description}${fallback}`,
  );
  flag.helpGroup(`${option.group}:`);
  flag.attributeName = () => option.key;
  // Texts are gathered as they stand: the configuration reads them all and tells everything that is wrong at once.
  if (isSwitch) flag.preset(["true"]);
  else flag.argParser((text: string, before: readonly string[] | undefined) => [...(before ?? []), text]);
  return flag;
}

function explainFailure(error: unknown): ExitStatus {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return exitStatus.good;
    print.error(printError(error.message.replace(/^error: /, ""), 'see "certhup --help"'));
    return exitStatus.usage;
  }
  if (!(error instanceof CerthupError)) throw error;
  print.error(printError(error.message, error.hint));
  return exitStatus.problem;
}
