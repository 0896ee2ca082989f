import type { ProcessSelector } from "../process/find-process.ts";
import type { StrategyName } from "../reload/strategy-name.ts";
import type { ReloadConfig, RungConfig } from "./config.ts";
import { flagOf, type Option } from "./option.ts";
import * as command from "./options/command.ts";
import * as http from "./options/http.ts";
import * as process from "./options/process.ts";
import * as reload from "./options/reload.ts";
import type { OptionReader } from "./sources.ts";

/** Reads how the server is told, and what each way of the ladder needs. */
export function readReload(reader: OptionReader): ReloadConfig {
  const names = reader.read(reload.ladder) ?? [];
  const before = reader.issues.length;
  const read: ReloadReading = {
    reader,
    selector: readSelector(reader),
    timeoutMs: reader.read(reload.reloadTimeout) ?? 0,
  };
  const needsProcess = names.some((name) => name === "signal" || name === "nginx" || name === "restart");
  if (needsProcess && Object.keys(read.selector).length === 0 && reader.issues.length === before) {
    reader.report({
      path: reader.pathOf(process.processName),
      message: `is required for --reload ${names.join(",")}`,
      hint: "name the server's program (--process-name nginx) or its pid file (--pid-file PATH), or use --reload none",
    });
  }
  for (const [option, way] of settingsOfOneWay) {
    if (names.length === 0 || names.includes(way) || !reader.isGiven(option)) continue;
    reader.report({
      path: reader.pathOf(option),
      message: `is for --reload ${way}, but the way is ${names.join(",")}`,
      hint: `add it: --reload ${way}, or leave this setting out`,
    });
  }
  return {
    ladder: names.flatMap((name) => readRung(name, read)),
    attempts: reader.read(reload.reloadAttempts) ?? 1,
    minIntervalMs: reader.read(reload.minInterval) ?? 0,
    spreadMs: reader.read(reload.jitter) ?? 0,
    restartMinIntervalMs: reader.read(reload.restartMinInterval) ?? 0,
    allowSubPath: reader.read(reload.restartOnSubpath) ?? false,
  };
}

/** What would be lost without a word where its way isn't on the ladder. */
const settingsOfOneWay: readonly (readonly [Option<unknown>, StrategyName])[] = [
  [command.exec, "exec"],
  [command.test, "nginx"],
  [http.reloadUrl, "http"],
];

interface ReloadReading {
  readonly reader: OptionReader;
  readonly selector: ProcessSelector;
  readonly timeoutMs: number;
}

function readSelector(reader: OptionReader): ProcessSelector {
  const name = reader.read(process.processName);
  const match = reader.read(process.processMatch);
  const pidFile = reader.read(process.pidFile);
  return {
    ...(pidFile === undefined ? {} : { pidFile }),
    ...(name === undefined ? {} : { name }),
    ...(match === undefined ? {} : { match }),
  };
}

function readRung(name: StrategyName, read: ReloadReading): readonly RungConfig[] {
  const { reader, selector, timeoutMs } = read;
  switch (name) {
    case "signal": {
      const signal = reader.read(process.signal) ?? { name: "SIGHUP", number: 1 };
      return [{ name, selector, signal, allowUnhandled: reader.read(process.signalUnhandled) ?? false }];
    }
    case "nginx": {
      const testCommand = reader.read(command.test);
      return [{ name, selector, timeoutMs, ...(testCommand === undefined ? {} : { testCommand }) }];
    }
    case "http":
      return readHttp(read);
    case "exec": {
      const list = reader.require(command.exec, 'name the command: --exec "haproxyctl reload"');
      return list === undefined ? [] : [{ name, command: list, timeoutMs }];
    }
    case "restart": {
      const graceMs = reader.read(reload.restartGrace) ?? 0;
      return [{ name, selector, graceMs, killAfterGrace: reader.read(reload.restartKill) ?? false }];
    }
    case "exit":
      return [{ name, status: reader.read(reload.exitStatusOption) ?? 1 }];
    case "none":
      return [];
  }
}

function readHttp({ reader, timeoutMs }: ReloadReading): readonly RungConfig[] {
  const url = reader.require(http.reloadUrl, "name the reload endpoint: --reload-url http://127.0.0.1:9090/-/reload");
  const bearer = reader.read(http.reloadBearerFile);
  const basic = reader.read(http.reloadBasicPath);
  if (bearer !== undefined && basic !== undefined) {
    reader.report({
      path: reader.pathOf(http.reloadBasicPath),
      message: `is given beside ${flagOf(http.reloadBearerFile)}`,
      hint: "a request has one Authorization header: keep one of the two",
    });
  }
  const body = reader.read(http.reloadBody);
  const unixSocket = reader.read(http.reloadSocket);
  const caFile = reader.read(http.reloadCaFile);
  const serverName = reader.read(http.reloadServerName);
  const rung = {
    name: "http",
    method: reader.read(http.reloadMethod) ?? "POST",
    headers: reader.read(http.reloadHeader) ?? [],
    expectedStatuses: reader.read(http.reloadStatus) ?? [],
    maxRedirects: reader.read(http.reloadRedirects) ?? 0,
    timeoutMs,
    ...(body === undefined ? {} : { body }),
    ...(unixSocket === undefined ? {} : { unixSocket }),
    ...(caFile === undefined ? {} : { caFile }),
    ...(serverName === undefined ? {} : { serverName }),
    ...(bearer === undefined ? {} : { credentials: { kind: "bearer", file: bearer } as const }),
    ...(basic === undefined ? {} : { credentials: { kind: "basic", path: basic } as const }),
  } as const;
  return url === undefined ? [] : [{ ...rung, url }];
}
