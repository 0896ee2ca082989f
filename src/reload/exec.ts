import { constants } from "node:fs";
import { access } from "node:fs/promises";
import type { Finding } from "../core/finding.ts";
import type { ReloadOutcome } from "../core/reload-outcome.ts";
import { defaultProcRoot } from "../process/process-info.ts";
import type { Clock } from "../system/clock.ts";
import { escapeForeign } from "../system/escape.ts";
import type { ArgumentList } from "./argument-list.ts";
import { quoteEnd } from "./command-output.ts";
import { reloadFinding } from "./finding-codes.ts";
import type { ReloadStrategy } from "./reload-strategy.ts";
import { type CommandResult, runCommand } from "./run-command.ts";
import { cancelled, type Refusal } from "./server-process.ts";

/** What the strategy `exec` needs. */
export interface ExecStrategyOptions {
  /** Run as it is, without a shell; a program without a slash is looked for on the agent's `PATH`. */
  readonly command: ArgumentList;
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** The environment of the command; the agent's own when absent. */
  readonly environment?: NodeJS.ProcessEnv | undefined;
  /** `/proc` when absent. */
  readonly procRoot?: string;
}

/** Tells the server by a command. Accepted means that it ended with status 0 in time. */
export function createExecStrategy(options: ExecStrategyOptions): ReloadStrategy {
  const { command, timeoutMs, clock, environment, procRoot = defaultProcRoot } = options;
  return {
    name: "exec",
    prepare: () => checkProgram(command),
    async reload(abort): Promise<ReloadOutcome> {
      const result = await runCommand({ command, timeoutMs, clock, abort, procRoot, environment });
      if (result.kind === "timed-out") return { kind: "timed-out", afterMs: result.afterMs };
      return explainCommand(command, result) ?? { kind: "accepted", detail: describeSuccess(command, result.output) };
    },
  };
}

/** Could the program be started? Nothing is known of one that is looked for on `PATH`: only starting it tells. */
export async function checkProgram(command: ArgumentList): Promise<readonly Finding[]> {
  const [program] = command;
  if (!program.includes("/")) return [];
  try {
    await access(program, constants.X_OK);
    return [];
  } catch (error) {
    const { detail, hint } = notStarted(command, (error as NodeJS.ErrnoException).code ?? "unknown");
    return [reloadFinding("command-not-started", detail, hint)];
  }
}

/** Why a command that ended isn't a success; `undefined` for status 0, and for one whose time ran out. */
export function explainCommand(command: ArgumentList, result: CommandResult): Refusal | undefined {
  const program = escapeForeign(command[0], 100);
  switch (result.kind) {
    case "ended":
      return result.status === 0 ? undefined : failed(`${program} ended with status ${result.status}`, result.output);
    case "killed":
      return failed(`${program} was ended by ${result.signal}`, result.output);
    case "timed-out":
      return undefined;
    case "cancelled":
      return cancelled();
    case "not-started":
      return notStarted(command, result.code);
  }
}

function failed(what: string, output: string): Refusal {
  const said = quoteEnd(output);
  return {
    kind: "refused",
    reason: "command-failed",
    detail: said === "" ? `${what} and wrote nothing` : `${what}: ${said}`,
    hint: "run the command by hand in the agent's container, as the agent's user",
  };
}

const startFailures: Readonly<Record<string, { readonly what: string; readonly hint: string }>> = {
  ENOENT: {
    what: "there is no such program",
    hint: "it must be in the agent's image, not in the server's; give its whole path",
  },
  EACCES: { what: "it may not be run", hint: "make it executable for the agent's user, on a volume without noexec" },
  ENOEXEC: { what: "it is no program that the kernel can run", hint: "begin a script with #! and its interpreter" },
  E2BIG: { what: "its arguments are too long", hint: "hand large content over in a file" },
};

function notStarted(command: ArgumentList, code: string): Refusal & { readonly hint: string } {
  const { what, hint } = startFailures[code] ?? {
    what: code,
    hint: "run the command by hand in the agent's container",
  };
  const program = escapeForeign(command[0], 100);
  return { kind: "refused", reason: "command-not-started", detail: `${program} could not be started: ${what}`, hint };
}

function describeSuccess([program]: ArgumentList, output: string): string {
  const said = quoteEnd(output);
  const ended = `${escapeForeign(program, 100)} ended with status 0`;
  return said === "" ? ended : `${ended}: ${said}`;
}
