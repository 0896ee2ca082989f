import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import process from "node:process";
import { describe, expect, test } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { flagOf, type Option, variableOf } from "../../src/config/option.ts";
import { config } from "../../src/config/options/agent.ts";
import { checkOptions } from "../../src/config/options/check.ts";
import { everyOption } from "../../src/config/options/every.ts";
import { healthOptions } from "../../src/config/options/health.ts";
import { ladder } from "../../src/config/options/reload.ts";
import { runOptions } from "../../src/config/options/run.ts";
import { strategyNames } from "../../src/reload/strategy-name.ts";
import { bundle, runCommand } from "../support/agent.ts";
import { certhup } from "../support/stage.ts";

interface PrintedIssue {
  readonly path: string;
  readonly message: string;
  readonly hint: string;
}

/** Reads `error:` and `hint:` lines; anything else is a failure. */
function readIssues(text: string): readonly PrintedIssue[] {
  const lines = text.trimEnd().split("\n");
  return Array.from({ length: lines.length / 2 }, (_, position) => {
    const [error = "", hint = ""] = lines.slice(2 * position, 2 * position + 2);
    const [, path = "", message = ""] = /^error: (\S+): (.+)$/.exec(error) ?? [];
    return { path, message, hint: /^hint: (.+)$/.exec(hint)?.[1] ?? "" };
  });
}

/** A text that the option refuses, or `undefined` where it takes every text there is. */
function findWrong(option: Option<unknown>): string | undefined {
  const candidates = [":no-such-value", "no-such-value", "[", ""];
  return candidates.find((text) => option.parse([text]).kind === "issue");
}

interface WrongSetting {
  readonly option: Option<unknown>;
  readonly text: string;
}

/** A wrong text for each option, as it can be given by a flag or by a variable. */
function findWrongSettings(options: readonly Option<unknown>[], source: "flag" | "variable"): readonly WrongSetting[] {
  return options.flatMap((option) => {
    const text = findWrong(option);
    // Without the file and the ladder it isn't known which other settings count.
    if (text === undefined || option === config || option === ladder) return [];
    // A switch takes no value as a flag, and a variable without a text gives a list without an entry.
    const isGivable = source === "flag" ? option.placeholder !== "" : text !== "" || !option.isList;
    return isGivable ? [{ option, text }] : [];
  });
}

function checkIssues(issues: readonly PrintedIssue[], wrong: readonly WrongSetting[], path: typeof flagOf): void {
  expect(issues.map((issue) => issue.path).sort()).toEqual(wrong.map(({ option }) => path(option)).sort());
  for (const { message, hint } of issues) {
    expect(message).toMatch(/^\S.*[^.]$/);
    expect(hint).toMatch(/^\S.*[^.]$/);
  }
}

test("every option refuses some text, but for a body, which may be any", () => {
  expect(everyOption.filter((option) => findWrong(option) === undefined).map(flagOf)).toEqual(["--reload-body"]);
});

/** A ladder of every way, so that the settings of each way count. */
const everyWay = ["--reload", strategyNames.filter((name) => name !== "none").join(",")];

describe.for([
  ["run", everyWay, runOptions],
  ["check", [], checkOptions],
  ["health", [], healthOptions],
] as const)("certhup %s", ([command, given, options]) => {
  test("tells everything that is wrong with its flags at once, with flag, value and hint, and ends with 2", async () => {
    const wrong = findWrongSettings(options, "flag");
    const args = wrong.flatMap(({ option, text }) => [flagOf(option), text]);
    const { status, standardOutput, standardError } = await certhup([command, ...given, ...args]);
    expect({ status, standardOutput }).toEqual({ status: 2, standardOutput: "" });
    checkIssues(readIssues(standardError), wrong, flagOf);
  });

  test("tells everything that is wrong with its environment at once, with variable, value and hint", async () => {
    const wrong = findWrongSettings(options, "variable");
    const environment = Object.fromEntries(wrong.map(({ option, text }) => [variableOf(option), text]));
    const { status, standardError } = await certhup([command, ...given], environment);
    expect(status).toBe(2);
    checkIssues(readIssues(standardError), wrong, variableOf);
  });

  test("lists every flag in its help, with its default", async () => {
    const { status, standardOutput } = await certhup([command, "--help"]);
    const help = standardOutput.replaceAll(/\s+/g, " ");
    expect(status).toBe(0);
    for (const option of options) {
      expect(help).toContain(` ${flagOf(option)} `);
      if (option.placeholder !== "" && option.fallback) expect(help).toContain(`(default ${option.fallback})`);
    }
  });
});

test("what is missing is told at once, each with what to do", async () => {
  const { status, standardError } = await certhup([]);
  expect(status).toBe(2);
  expect(readIssues(standardError)).toMatchObject([
    { path: "--cert-dir", message: "is required" },
    { path: "--endpoint", message: "is required", hint: expect.stringContaining('"none"') },
    { path: "--process-name", message: "is required for --reload signal", hint: expect.stringContaining("--pid-file") },
  ]);
});

test("a flag that doesn't exist is told with the one that was meant, beside everything else", async () => {
  const args = ["run", "--cert-dri", "/x", "--watch-intervall=5s", "--confirm", "0", "stray"];
  const { status, standardError } = await certhup(args);
  expect(status).toBe(2);
  const issues = readIssues(standardError);
  expect(issues).toContainEqual({
    path: "--cert-dri",
    message: "there is no such flag",
    hint: "did you mean --cert-dir?",
  });
  expect(issues).toContainEqual({
    path: "--watch-intervall",
    message: "there is no such flag",
    hint: "did you mean --watch-interval?",
  });
  expect(issues.map(({ path }) => path)).toEqual(expect.arrayContaining(["--confirm", "--endpoint"]));
});

test("a CERTHUP_ variable that doesn't exist is told with the one that was meant", async () => {
  const { status, standardError } = await certhup(["health"], { CERTHUP_LISTEN_ADRESS: ":1", CERTHUP_XYZZY: "1" });
  expect(status).toBe(2);
  expect(readIssues(standardError)).toEqual([
    {
      path: "CERTHUP_LISTEN_ADRESS",
      message: "there is no such setting",
      hint: "did you mean CERTHUP_LISTEN_ADDRESS?",
    },
    { path: "CERTHUP_XYZZY", message: "there is no such setting", hint: expect.stringContaining("--help") },
  ]);
});

test("the variables that Kubernetes sets for a Service called certhup are no settings and no error", async () => {
  const service = {
    CERTHUP_PORT: "tcp://10.0.0.1:10087",
    CERTHUP_SERVICE_HOST: "10.0.0.1",
    CERTHUP_SERVICE_PORT: "10087",
    CERTHUP_SERVICE_PORT_HTTP: "10087",
    CERTHUP_PORT_10087_TCP: "tcp://10.0.0.1:10087",
    CERTHUP_PORT_10087_TCP_PROTO: "tcp",
    CERTHUP_PORT_10087_TCP_PORT: "10087",
    CERTHUP_PORT_10087_TCP_ADDR: "10.0.0.1",
    CERTHUP_METRICS_SERVICE_HOST: "10.0.0.2",
    CERTHUP_METRICS_PORT: "tcp://10.0.0.2:80",
  };
  const { status, output } = await certhup(["health", "--listen-address", "127.0.0.1:1"], service);
  expect({ status, output }).toMatchObject({ status: 1, output: expect.stringContaining("no answer from") });
});

test("a way to tell the server that doesn't exist is told with those that do", async () => {
  const { status, standardError } = await certhup([
    "run",
    "--cert-dir",
    "/x",
    "--endpoint",
    "none",
    "--reload",
    "sighup",
  ]);
  expect(status).toBe(2);
  expect(readIssues(standardError)).toEqual([
    {
      path: "--reload",
      message: '"sighup" is no way to tell a server',
      hint: expect.stringContaining("signal, nginx"),
    },
  ]);
});

test("a configuration file that isn't there is told", async () => {
  const { status, standardError } = await certhup(["run", "--config", "/nowhere/certhup.yaml"]);
  expect(status).toBe(2);
  expect(standardError).toContain("/nowhere/certhup.yaml");
});

test("settings that contradict each other are told", async () => {
  const twice = ["--endpoint", "127.0.0.1:8443", "--endpoint", "127.0.0.1:8443", "--endpoint", "none"];
  const { status, standardError } = await certhup(["run", "--cert-dir", "/x", "--reload", "none", ...twice]);
  expect(status).toBe(2);
  expect(readIssues(standardError).map(({ message }) => message)).toEqual([
    '"none" was given beside endpoints',
    "127.0.0.1:8443 was given twice",
  ]);
});

test("what an error repeats of a value can't steer a terminal", async () => {
  const { standardError } = await certhup(["health", "--listen-address", "\u001b[31mred\u202e\n"]);
  expect(standardError).toContain("\\x1b[31mred\\u{202e}");
  expect(standardError.trimEnd().split("\n")).toHaveLength(2);
});

test("--version prints the version of the package", async () => {
  expect(await certhup(["--version"])).toMatchObject({ status: 0, standardOutput: `${packageJson.version}\n` });
});

test("a command that doesn't exist is told", async () => {
  const { status, standardError } = await certhup(["chekc"]);
  expect(status).toBe(2);
  expect(standardError).toContain("error: chekc: ");
});

test("an older Node is told which one is needed, and the program ends with 2", async () => {
  const older = findOlderNode();
  if (older === undefined) {
    // Nothing older to run it with here: then the check must at least stand before everything else in the bundle.
    const program = await readFile(bundle, "utf8");
    expect(program.indexOf("certhup needs Node")).toBeGreaterThan(0);
    expect(program.indexOf("certhup needs Node")).toBeLessThan(program.indexOf("uncaughtException"));
    return;
  }
  const { status, output } = await runCommand(["run"], {}, older.path);
  expect({ status, output }).toEqual({
    status: 2,
    output:
      `error: certhup needs Node 24 or newer, this is ${older.version}\n` +
      "hint: run it with Node 24, or use the container image, which brings its own\n",
  });
});

/** A Node below 24 on the PATH, if this machine has one beside the project's own. */
function findOlderNode(): { readonly path: string; readonly version: string } | undefined {
  for (const directory of (process.env["PATH"] ?? "").split(delimiter)) {
    const path = join(directory, "node");
    const { status, stdout } = spawnSync(path, ["-p", "process.versions.node"], { encoding: "utf8" });
    if (status === 0 && Number(stdout.split(".", 1)[0]) < 24) return { path, version: stdout.trim() };
  }
  return undefined;
}
