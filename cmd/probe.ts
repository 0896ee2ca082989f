import type { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import process from "node:process";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { ProbeConfig } from "../src/config/config.ts";
import { readProbeConfig } from "../src/config/read-probe-config.ts";
import { readAuthorities } from "../src/keypair/read-authorities.ts";
import { probeEach } from "../src/probe/probe-all.ts";
import { CerthupError } from "../src/system/certhup-error.ts";
import { systemClock } from "../src/system/clock.ts";
import type { Invocation } from "./cli.ts";
import { type ExitStatus, exitStatus } from "./exit-status.ts";
import { prepareNameLookups } from "./name-lookups.ts";
import { print, printIssues, printPieces } from "./print.ts";
import { createTablePrinter, jsonPrinter, type ProbePrinter, prometheusPrinter } from "./print-probes.ts";
import { findEnd, judgeUrgency } from "./probed.ts";
import { endOnceWritten } from "./shutdown.ts";

/** `certhup probe`: what do these endpoints serve, and until when? What can't be reached comes first, then what ends first. */
export async function probe({ sources, words, issues }: Invocation): Promise<ExitStatus> {
  prepareNameLookups(32);
  const read = await readProbeConfig(sources, words);
  const wrong = [...issues, ...(read.kind === "issues" ? read.issues : [])];
  if (read.kind === "issues" || wrong.length > 0) {
    print.error(printIssues(wrong));
    return exitStatus.usage;
  }
  const { config } = read;
  switch (config.output) {
    case "table":
      return probeAndPrint(config, createTablePrinter(process.stdout.isTTY && process.env["NO_COLOR"] === undefined));
    case "json":
      return probeAndPrint(config, jsonPrinter);
    case "prometheus":
      return probeAndPrint(config, prometheusPrinter);
  }
}

async function probeAndPrint<Row>(config: ProbeConfig, printer: ProbePrinter<Row>): Promise<ExitStatus> {
  const { endpoints, limits, concurrency, trustFile } = config;
  const options = {
    limits,
    clock: systemClock,
    signal: new AbortController().signal,
    defaultServerName: undefined,
    authorities: trustFile === undefined ? undefined : await readTrustFile(trustFile),
  };
  const kept: { readonly endMs: number; readonly position: number; readonly row: Row }[] = [];
  let status: ExitStatus = exitStatus.good;
  const progress = createProgress(endpoints.length);
  const collect = createCollector();
  await probeEach(endpoints, options, concurrency, (result, position) => {
    const endpoint = endpoints[position]?.label ?? "";
    const { wallMs } = systemClock.now();
    const urgency = judgeUrgency(result, config, wallMs);
    if (urgency !== "good" && urgency !== "warn") status = exitStatus.problem;
    kept.push({ endMs: findEnd(result), position, row: printer.toRow({ endpoint, result, urgency, wallMs }) });
    progress.step();
    collect();
  });
  progress.end();
  kept.sort((left, right) => left.endMs - right.endMs || left.position - right.position);
  await printPieces(printer.print(kept.map(({ row }) => row)));
  endOnceWritten(status);
  return status;
}

/** @throws CerthupError `config-unusable` if the file can't be read or holds no certificate */
async function readTrustFile(path: string): Promise<readonly X509Certificate[]> {
  const hint = "name a PEM file with the CA certificates: --trust-file /etc/ssl/certs/ca-certificates.crt";
  const file = await readFile(path).catch((cause: unknown) => {
    throw new CerthupError("config-unusable", `the CA certificates in ${path} can't be read`, { cause, hint });
  });
  const read = readAuthorities(file);
  if (read.kind === "read") return read.authorities;
  throw new CerthupError("config-unusable", `there is no CA certificate in ${path}: ${read.reason}`, { hint });
}

/** Few enough that a list of any length takes about as much memory, and so many that collecting takes no time. */
const probesPerCollection = 250;

/** Sockets leave memory behind that V8 doesn't see, and so doesn't collect for: it is told to after so many probes. */
function createCollector(): () => void {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  collectGarbage();
  let probes = 0;
  return () => {
    probes += 1;
    if (probes % probesPerCollection === 0) collectGarbage();
  };
}

/** Long lists take their time: on a terminal, one line says how far it is. */
function createProgress(total: number): { step(): void; end(): void } {
  const isShown = process.stderr.isTTY && total > 20;
  let done = 0;
  return {
    step() {
      done += 1;
      if (!isShown || (done % 10 !== 0 && done < total)) return;
      const width = 30;
      const filled = Math.round((done / total) * width);
      print.error(`\r[${"#".repeat(filled)}${".".repeat(width - filled)}] ${done}/${total} probed`);
    },
    end() {
      if (isShown) print.error("\r\u001b[K");
    },
  };
}
